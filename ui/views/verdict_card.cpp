// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/verdict_card.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/pieces.h"
#include "ui/views/theme.h"

#include <QtCore/QEvent>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr double kHeadingFactor = 1.35;

QVBoxLayout* cardLayout(QFrame* card)
{
    card->setProperty("card", true);
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(16, 11, 16, 10);
    column->setSpacing(5);
    return column;
}

} // namespace

QString confidenceText(double score)
{
    return score >= 0.75 ? VerdictCard::tr("high")
        : score >= 0.5   ? VerdictCard::tr("medium")
                         : VerdictCard::tr("low");
}

VerdictCard::VerdictCard(ViewState& state, QWidget* parent)
    : QFrame(parent)
    , m_state(state)
    , m_headline(makeText(this, QStringLiteral("headline")))
    , m_explanation(makeText(this, QStringLiteral("explanation")))
    , m_checks(makeSecondaryText(this, QStringLiteral("checks")))
    , m_evidence(makeQuietButton(this, tr("Evidence…")))
{
    setObjectName(QStringLiteral("verdictCard"));
    QVBoxLayout* column = cardLayout(this);
    m_headline->setFont(headingFont(*this, kHeadingFactor));
    column->addWidget(m_headline);
    column->addWidget(m_explanation);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_checks, 1, Qt::AlignTop);
    row->addWidget(m_evidence, 0, Qt::AlignBottom);
    m_evidence->setFont(smallFont(*this));
    m_evidence->setProperty("link", true);
    column->addLayout(row);
    column->addStretch(1);
    connect(m_evidence, &QToolButton::clicked, this, &VerdictCard::evidenceRequested);
    connect(&m_state, &ViewState::deviceChanged, this, &VerdictCard::refresh);
    connect(&m_state, &ViewState::analysisChanged, this, &VerdictCard::refresh);
    refresh();
}

void VerdictCard::refresh()
{
    const diagnose::DeviceDiagnosis* diagnosis =
        m_state.hasDevice() ? m_state.diagnosis() : nullptr;
    m_evidence->setVisible(diagnosis != nullptr);
    m_checks->setVisible(diagnosis != nullptr);
    if (diagnosis != nullptr) {
        m_headline->setText(text(diagnosis->headline));
        m_explanation->setText(text(diagnosis->explanation));
        QStringList checks;
        checks << (diagnosis->recipe.text.empty() ? tr("recipe not recognised")
                                                  : text(diagnosis->recipe.text));
        const bool is_main = m_state.analysis().mainDevice() == m_state.device();
        if (is_main && !m_state.analysis().diagnosis->sum_check.empty()) {
            checks << text(m_state.analysis().diagnosis->sum_check);
        }
        if (!diagnosis->causes.empty()) {
            checks << tr("confidence %1").arg(confidenceText(diagnosis->causes.front().score));
        }
        m_checks->setText(checks.join(QStringLiteral("  ·  ")));
        return;
    }
    if (m_state.hasDevice()) {
        const replay::DeviceReplay& replay = m_state.replay();
        m_headline->setText(tr("Peak %1 at %2")
                                .arg(gibText(replay.activeAt(replay.peak)),
                                     text(formatEventNumber(replay.peak.eventNumber()))));
        m_explanation->setText(tr("Looking for the cause and for what would help…"));
    }
}

FixCard::FixCard(ViewState& state, QWidget* parent)
    : QFrame(parent)
    , m_state(state)
    , m_headline(makeText(this, QStringLiteral("fixHeadline")))
    , m_explanation(makeText(this, QStringLiteral("fixExplanation")))
    , m_copy(makeQuietButton(this, tr("Copy the lines ▾")))
    , m_menu(new QMenu(this))
    , m_all(makeQuietButton(this, tr("All fixes")))
{
    setObjectName(QStringLiteral("fixCard"));
    QVBoxLayout* column = cardLayout(this);
    m_headline->setFont(headingFont(*this, kHeadingFactor));
    column->addWidget(m_headline);
    column->addWidget(m_explanation);
    column->addStretch(1);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_copy);
    row->addWidget(m_all);
    row->addStretch(1);
    column->addLayout(row);
    m_copy->setObjectName(QStringLiteral("copyLines"));
    m_copy->setPopupMode(QToolButton::InstantPopup);
    m_copy->setMenu(m_menu);
    for (QToolButton* button : {m_copy, m_all}) {
        button->setFont(smallFont(*this));
        button->setProperty("link", true);
    }
    connect(m_all, &QToolButton::clicked, this, &FixCard::allFixesRequested);
    connect(&m_state, &ViewState::deviceChanged, this, &FixCard::refresh);
    connect(&m_state, &ViewState::analysisChanged, this, &FixCard::refresh);
    refresh();
}

const diagnose::Fix* FixCard::proposed() const
{
    const diagnose::DeviceDiagnosis* diagnosis =
        m_state.hasDevice() ? m_state.diagnosis() : nullptr;
    if (diagnosis == nullptr) {
        return nullptr;
    }
    for (const diagnose::FixStatus status :
         {diagnose::FixStatus::recommended, diagnose::FixStatus::would_help}) {
        const auto fix = std::ranges::find(diagnosis->fixes, status, &diagnose::Fix::status);
        if (fix != diagnosis->fixes.end()) {
            return &*fix;
        }
    }
    return nullptr;
}

void FixCard::refresh()
{
    const diagnose::DeviceDiagnosis* diagnosis =
        m_state.hasDevice() ? m_state.diagnosis() : nullptr;
    const diagnose::Fix* fix = proposed();
    m_headline->setText(diagnosis != nullptr ? text(diagnosis->fix_headline) : QString());
    m_explanation->setText(diagnosis != nullptr ? text(diagnosis->fix_explanation) : QString());
    const ThemeColours& colours = currentColours();
    QPalette palette = m_headline->palette();
    const bool fits = fix != nullptr && fix->status == diagnose::FixStatus::recommended;
    palette.setColor(QPalette::WindowText, fits ? colours.good : colours.text);
    m_headline->setPalette(palette);
    m_all->setVisible(diagnosis != nullptr && !diagnosis->fixes.empty());
    m_menu->clear();
    // Lines are offered for what the card speaks of.
    const bool is_about_it = fix != nullptr && diagnosis->fix_headline.ends_with(fix->title);
    m_copy->setVisible(is_about_it && !fix->how.empty());
    if (fix == nullptr) {
        return;
    }
    for (const auto& [framework, line] : fix->how) {
        const QString words = text(line);
        QAction* action = m_menu->addAction(text(framework));
        action->setToolTip(words);
        connect(action, &QAction::triggered, this, [this, words] {
            QGuiApplication::clipboard()->setText(words);
            Q_EMIT copied(words);
        });
    }
}

void FixCard::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refresh();
    }
}

} // namespace tidemark::ui
