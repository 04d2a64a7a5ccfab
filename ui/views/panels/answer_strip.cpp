// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/answer_strip.h"

#include "core/diagnose/diagnosis.h"
#include "core/report/fix_words.h"
#include "ui/models/fixes_model.h"
#include "ui/models/text.h"
#include "ui/views/look/lines_menu.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtCore/QEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace tidemark::ui {
AnswerStrip::AnswerStrip(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_headline(makeText(this, QStringLiteral("answerHeadline")))
    , m_facts(makeSecondaryText(this, QStringLiteral("answerFacts")))
    , m_menu(new LinesMenu(this))
    , m_copy(makeLinesButton(this, *m_menu))
    , m_try(makeQuietButton(this, tr("What If…")))
{
    setObjectName(QStringLiteral("answerStrip"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(6, 0, 4, 4);
    column->setSpacing(1);
    m_row = new QHBoxLayout;
    QHBoxLayout* row = m_row;
    row->setSpacing(8);
    m_headline->setFont(headingFont(*this, 1.0));
    row->addWidget(m_headline, 1);
    row->addWidget(m_copy, 0, Qt::AlignTop);
    row->addWidget(m_try, 0, Qt::AlignTop);
    column->addLayout(row);
    column->addWidget(m_facts);
    m_copy->setObjectName(QStringLiteral("answerCopy"));
    m_try->setObjectName(QStringLiteral("answerWhatIf"));
    m_try->setProperty("link", true);
    m_try->setFont(smallFont(*this));
    m_try->setToolTip(tr("Try this fix: curve, budget, and other fixes with it"));
    connect(m_menu, &LinesMenu::copied, this, &AnswerStrip::copied);
    connect(m_try, &QToolButton::clicked, this, [this] {
        const diagnose::DeviceDiagnosis* diagnosis =
            m_state.hasDevice() ? m_state.diagnosis() : nullptr;
        if (diagnosis != nullptr && diagnosis->answer) {
            Q_EMIT tryRequested(tr("Answer"), text(diagnosis->answer->apply));
        }
    });
    connect(&m_state, &ViewState::deviceChanged, this, &AnswerStrip::refresh);
    connect(&m_state, &ViewState::analysisChanged, this, &AnswerStrip::refresh);
    refresh();
}

void AnswerStrip::setCompact(bool compact)
{
    m_is_compact = compact;
    m_facts->setVisible(!compact);
}

void AnswerStrip::addLink(QWidget* link)
{
    m_row->insertWidget(1, link, 0, Qt::AlignTop);
}

void AnswerStrip::refresh()
{
    const diagnose::DeviceDiagnosis* diagnosis =
        m_state.hasDevice() ? m_state.diagnosis() : nullptr;
    QStringList facts;
    if (diagnosis != nullptr) {
        facts << answerFacts(*diagnosis)
              << text(report::nextPeakText(m_state.analysis(), m_state.device()))
              << limitsText(diagnosis->limits);
        facts.removeAll(QString());
    }
    setVisible(!facts.isEmpty());
    if (facts.isEmpty()) {
        return;
    }
    m_headline->setText(text(diagnosis->fix_headline));
    m_facts->setText(facts.join(QStringLiteral("  ")));
    m_facts->setVisible(!m_is_compact);
    m_headline->setToolTip(m_facts->text());
    const std::vector<const diagnose::Fix*> members = report::answerFixes(*diagnosis);
    m_menu->setFixes(members);
    m_copy->setVisible(!m_menu->isEmpty());
    m_try->setVisible(diagnosis->answer && !diagnosis->answer->apply.empty());
    const bool fits = !members.empty() && diagnosis->answer->fits == true;
    const ThemeColours& colours = currentColours();
    QPalette palette = m_headline->palette();
    palette.setColor(QPalette::WindowText, fits ? colours.good : colours.text);
    m_headline->setPalette(palette);
}

void AnswerStrip::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refresh();
    }
}

} // namespace tidemark::ui
