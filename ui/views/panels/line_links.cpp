// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/line_links.h"

#include "core/base/short_text.h"
#include "core/label/stacks/stack_text.h"
#include "ui/models/selection.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"

#include <QtGui/QFontDatabase>
#include <QtWidgets/QApplication>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QToolButton>

#include <utility>

namespace tidemark::ui {

LineLinks::LineLinks(ViewState& state, SourcePlaces& places, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_places(places)
    , m_row(new QHBoxLayout(this))
    , m_source(new ElidedLabel(this, Qt::ElideRight))
{
    setObjectName(QStringLiteral("lineLinks"));
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(6);
    m_row->addWidget(m_source);
    m_source->setObjectName(QStringLiteral("lineSource"));
    m_source->setProperty("kind", QStringLiteral("secondary"));
    m_source->setTextFormat(Qt::PlainText);
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(QFontInfo(smallFont(*this)).pixelSize());
    m_source->setFont(font);
    connect(&m_places, &SourcePlaces::changed, this, &LineLinks::showSource);
    hide();
}

void LineLinks::setWords(const QString& words)
{
    m_found = m_state.hasDevice() ? placesIn(words, *m_state.analysis().snapshot)
                                  : std::vector<CodePlace>();
    if (m_found.size() > kMostLinks) {
        m_found.resize(kMostLinks);
    }
    while (m_row->count() > 1) {
        QLayoutItem* const item = m_row->takeAt(0);
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    for (std::size_t i = 0; i < m_found.size(); ++i) {
        const CodePlace& place = m_found[i];
        QToolButton* link =
            makeQuietButton(this, QString(place.words).replace(u'&', QStringLiteral("&&")));
        link->setObjectName(QStringLiteral("lineLink"));
        link->setProperty("link", true);
        link->setFont(smallFont(*this));
        link->setToolTip(tr("Select what this line allocated; Ctrl+click: open in the editor"));
        link->setAccessibleName(tr("Select what %1 allocated").arg(place.words));
        connect(link, &QToolButton::clicked, this, [this, place] { follow(place); });
        m_row->insertWidget(static_cast<int>(i), link);
    }
    setVisible(!m_found.empty());
    showSource();
}

/// Beside the link where the file is found, else the function.
void LineLinks::showSource()
{
    QString source;
    if (!m_found.empty()) {
        const CodePlace& place = m_found.front();
        if (const QString path = m_places.find(place.file); !path.isEmpty()) {
            const auto lines = readAround(path, place.line, 0);
            source = lines.has_value() && !lines.value().lines.isEmpty()
                ? lines.value().lines.front().trimmed()
                : QString();
        }
    }
    m_source->setWords(text(shownName(utf8(source))));
    m_source->setVisible(!source.isEmpty());
}

void LineLinks::follow(const CodePlace& place)
{
    if (QApplication::keyboardModifiers().testFlag(Qt::ControlModifier)) {
        const QString problem = m_places.openInEditor(place.file, place.line);
        if (!problem.isEmpty()) {
            Q_EMIT failed(problem);
        }
        return;
    }
    selectPlace(m_state, place.words, place.frames);
    Q_EMIT stackRequested();
}

void selectThrough(ViewState& state, FrameId frame)
{
    const diagnose::Analysis& analysis = state.analysis();
    state.selector().find(Selection::From::frame, text(label::frameText(*analysis.snapshot, frame)),
                          [snapshot = analysis.snapshot, replay = analysis.replay,
                           device = state.device(), frame](const std::stop_token& stop) {
                              return allocationsThrough(std::span(&frame, 1), *snapshot,
                                                        replay->devices[device].allocations, stop);
                          });
}

void selectPlace(ViewState& state, const QString& name, std::vector<FrameId> frames)
{
    const diagnose::Analysis& analysis = state.analysis();
    state.selector().find(
        Selection::From::frame, name,
        [snapshot = analysis.snapshot, replay = analysis.replay, device = state.device(),
         frames = std::move(frames)](const std::stop_token& stop) {
            return allocationsAt(frames, *snapshot, replay->devices[device].allocations, stop);
        });
}

} // namespace tidemark::ui
