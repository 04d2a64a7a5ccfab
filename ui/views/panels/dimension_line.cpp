// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/dimension_line.h"

#include "core/base/language.h"
#include "core/report/program_report.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/remove_widgets.h"

#include <QtGui/QContextMenuEvent>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QMenu>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {

using program::Dimension;
using program::DimensionName;

namespace {

constexpr int kChipPadding = 4; ///< Padding and border of a chip, above and below together.

} // namespace

DimensionChip::DimensionChip(QWidget* parent)
    : QLabel(parent)
{
    setProperty("chip", true);
    setFocusPolicy(Qt::StrongFocus);
}

void DimensionChip::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        Q_EMIT valueRequested();
    }
}

void DimensionChip::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_F2:
        Q_EMIT valueRequested();
        break;
    default:
        QLabel::keyPressEvent(event);
    }
}

void DimensionChip::contextMenuEvent(QContextMenuEvent* event)
{
    const bool is_mouse = event->reason() == QContextMenuEvent::Mouse;
    Q_EMIT menuRequested(is_mouse ? event->globalPos() : mapToGlobal(rect().bottomLeft()));
}

DimensionLine::DimensionLine(QWidget* parent)
    : QWidget(parent)
    , m_words(new QWidget(this))
    , m_flow(new FlowLayout(m_words, 2))
    , m_why(makeSecondaryText(this, QStringLiteral("dimensionsWhy")))
    , m_correct(makeQuietButton(this, tr("Correct…")))
    , m_reset(makeQuietButton(this, tr("Reset")))
{
    setObjectName(QStringLiteral("dimensions"));
    m_flow->setContentsMargins(0, 0, 0, 0);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(m_words, 1);
    m_correct->setObjectName(QStringLiteral("correctDimension"));
    m_correct->setToolTip(tr("Set a dimension; shapes follow from it"));
    m_reset->setObjectName(QStringLiteral("resetDimensions"));
    m_reset->setToolTip(tr("Reset this device's dimensions"));
    for (QToolButton* button : {m_correct, m_reset}) {
        button->setFont(smallFont(*this));
        row->addWidget(button, 0, Qt::AlignTop);
    }
    column->addLayout(row);
    column->addWidget(m_why);
    connect(m_correct, &QToolButton::clicked, this, [this] {
        std::vector<DimensionName> all;
        for (std::size_t i = 0; i < program::kDimensionCount; ++i) {
            all.push_back(static_cast<DimensionName>(i));
        }
        showMenu(m_correct->mapToGlobal(m_correct->rect().bottomLeft()), all);
    });
    connect(m_reset, &QToolButton::clicked, this, &DimensionLine::resetAllRequested);
    setProgram(nullptr, {});
}

bool DimensionLine::isUserSet(DimensionName name) const
{
    return std::ranges::find(m_said, name, &program::SaidDimension::name) != m_said.end();
}

void DimensionLine::setProgram(const program::Program* program,
                               const std::vector<program::SaidDimension>& said)
{
    removeWidgets(*m_flow); // One of them may be asking just now.
    m_said = said;
    m_program = {};
    setVisible(program != nullptr);
    if (program == nullptr) {
        return;
    }
    m_program.dimensions = program->dimensions;
    m_program.unidentified = program->unidentified;
    const auto pieces = report::dimensionPieces(m_program);
    for (const report::DimensionPiece& piece : pieces) {
        if (&piece != &pieces.front()) {
            auto* dot = new QLabel(QStringLiteral("·"), m_words);
            dot->setProperty("kind", QStringLiteral("secondary"));
            dot->setMinimumHeight(m_words->fontMetrics().height() + kChipPadding);
            m_flow->addWidget(dot);
        }
        addChip(text(piece.text), piece.names);
    }
    if (pieces.empty()) {
        m_flow->addWidget(new QLabel(text(translated(report::kNoDimensions)), m_words));
    }
    m_why->setText(text(m_program.unidentified));
    m_why->setVisible(!m_program.unidentified.empty());
    m_reset->setVisible(!m_said.empty());
    m_flow->invalidate();
    m_words->updateGeometry();
}

void DimensionLine::addChip(const QString& words, const std::vector<DimensionName>& names)
{
    auto* chip = new DimensionChip(m_words);
    const bool is_said =
        std::ranges::any_of(names, [this](DimensionName n) { return isUserSet(n); });
    chip->setText(words);
    chip->setObjectName(QStringLiteral("dimension_") + text(program::idOf(names.front())));
    QStringList evidence;
    for (const DimensionName name : names) {
        if (const Dimension* const d = m_program.find(name)) {
            evidence << text(report::evidenceText(*d));
        }
    }
    if (is_said) {
        QFont bold = chip->font();
        bold.setBold(true);
        chip->setFont(bold);
    }
    const QString tip = evidence.join(u'\n');
    chip->setToolTip(tip + u'\n' + tr("Double-click to correct."));
    chip->setAccessibleName(words);
    chip->setAccessibleDescription(tip);
    connect(chip, &DimensionChip::valueRequested, this,
            [this, name = names.front()] { Q_EMIT valueRequested(name); });
    connect(chip, &DimensionChip::menuRequested, this,
            [this, names](const QPoint& place) { showMenu(place, names); });
    m_flow->addWidget(chip);
}

void DimensionLine::showMenu(const QPoint& place, const std::vector<DimensionName>& names)
{
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("dimensionMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(*menu, names);
    menu->popup(place);
}

void DimensionLine::fillMenu(QMenu& menu, const std::vector<DimensionName>& names)
{
    const bool is_one_piece = names.size() < program::kDimensionCount;
    for (const DimensionName name : names) {
        const QString word = text(program::nameOf(name));
        QAction* ask =
            menu.addAction(is_one_piece ? tr("Correct %1…").arg(word) : tr("%1…").arg(word));
        connect(ask, &QAction::triggered, this, [this, name] { Q_EMIT valueRequested(name); });
        const Dimension* const d = m_program.find(name);
        if (!is_one_piece || d == nullptr) {
            continue;
        }
        for (const program::Alternative& other : d->alternatives) {
            QAction* take = menu.addAction(
                tr("Set %1 to %2 (Nearly as Likely)").arg(word, countText(other.value)));
            connect(take, &QAction::triggered, this,
                    [this, name, value = other.value] { Q_EMIT valueChosen(name, value); });
        }
        if (isUserSet(name)) {
            QAction* reset = menu.addAction(tr("Reset %1").arg(word));
            connect(reset, &QAction::triggered, this,
                    [this, name] { Q_EMIT resetRequested(name); });
        }
    }
}

} // namespace tidemark::ui
