// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/compare_answer.h"

#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/views/compare/run_edge.h"
#include "ui/views/look/calm.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/remove_widgets.h"

#include <QtCore/QSignalBlocker>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr std::size_t kMostCauses = 3;
constexpr qsizetype kMostWarnings = 3; ///< In full; a tool tip has the others.
constexpr int kHeadlineStretch = 100; ///< All that is left beside the names.
constexpr std::size_t kMostLines = 3; ///< Below the names where there is little room.

/// Sentences that are shown: the headline, where the peaks lie, at most three causes (places where
/// nothing is explained), what is equal, and what is not explained.
std::vector<compare::Sentence> shownOf(const compare::Difference& difference)
{
    using compare::Says;
    const std::vector<compare::RunChange>& changes = difference.parts.changes;
    std::vector<compare::Sentence> shown;
    std::size_t causes = 0;
    for (const compare::Sentence& sentence : difference.sentences) {
        if (sentence.says == Says::change && changes[sentence.index].explains.value == 0) {
            continue; // It is there, but makes no difference.
        }
        const bool is_cause = sentence.says == Says::change || sentence.says == Says::place;
        causes += is_cause ? 1 : 0;
        const bool is_other = sentence.says == Says::torch || sentence.says == Says::open;
        if (!is_other && (!is_cause || causes <= kMostCauses)) {
            shown.push_back(sentence);
        }
    }
    return shown;
}

} // namespace

SentenceLabel::SentenceLabel(QWidget* parent)
    : WrappedText(parent)
{
    setTextFormat(Qt::PlainText);
    setProperty("chip", true);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setToolTip(tr("Show details"));
}

void SentenceLabel::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) {
        Q_EMIT clicked();
    }
    WrappedText::mouseReleaseEvent(event);
}

void SentenceLabel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        Q_EMIT clicked();
        return;
    }
    WrappedText::keyPressEvent(event);
}

CompareAnswer::CompareAnswer(QWidget* parent)
    : QFrame(parent)
    , m_swap(makeQuietButton(this, QStringLiteral("⇄")))
    , m_waiting(new QLabel(this))
    , m_head(new QHBoxLayout)
    , m_column(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("compareAnswer"));
    setProperty("card", true);
    m_column->setContentsMargins(14, 8, 14, 8);
    m_column->setSpacing(2);
    m_head->setSpacing(6);
    m_base = makeSide(QStringLiteral("base"));
    m_against = makeSide(QStringLiteral("against"));
    m_swap->setObjectName(QStringLiteral("swapRuns"));
    m_swap->setToolTip(tr("Swap base and comparison (X)"));
    m_swap->setAccessibleName(tr("Swap base and comparison"));
    const auto add = [&](const QString& role, const Side& side) {
        auto* words = new QLabel(role, this);
        words->setProperty("kind", QStringLiteral("secondary"));
        m_head->addWidget(words);
        m_head->addWidget(side.edge);
        m_head->addWidget(side.name);
        m_head->addWidget(side.choice);
    };
    m_base.choice->setAccessibleName(tr("Base"));
    m_against.choice->setAccessibleName(tr("Compared with the base"));
    add(tr("base"), m_base);
    m_head->addSpacing(4);
    m_head->addWidget(m_swap);
    m_head->addSpacing(4);
    add(tr("vs."), m_against);
    m_head->addStretch(1);
    m_waiting->setObjectName(QStringLiteral("compareWaiting"));
    m_waiting->setProperty("kind", QStringLiteral("secondary"));
    m_head->addWidget(m_waiting);
    m_column->addLayout(m_head);
    connect(m_swap, &QToolButton::clicked, this, &CompareAnswer::swapRequested);
    connect(m_base.choice, &QComboBox::activated, this, [this](int index) {
        Q_EMIT baseChosen(m_base.choice->itemData(index).value<FileId>());
    });
    connect(m_against.choice, &QComboBox::activated, this, [this](int index) {
        Q_EMIT againstChosen(m_against.choice->itemData(index).value<FileId>());
    });
}

CompareAnswer::Side CompareAnswer::makeSide(const QString& name)
{
    Side side{new RunEdge(this), new QLabel(this), new Calm<ChipCombo>(this)};
    side.edge->setObjectName(name % QStringLiteral("Letter"));
    side.name->setObjectName(name % QStringLiteral("Name"));
    side.name->setFont(headingFont(*this, 1.0));
    side.choice->setObjectName(name % QStringLiteral("Choice"));
    side.choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return side;
}

void CompareAnswer::setFiles(const std::vector<ComparedFile>& files, FileId base, FileId against)
{
    m_files = files;
    showSide(m_base, base);
    showSide(m_against, against);
}

void CompareAnswer::showSide(const Side& side, FileId id)
{
    const QSignalBlocker blocker(side.choice);
    const bool is_list = m_files.size() > 2;
    side.choice->clear();
    for (const ComparedFile& file : m_files) {
        side.choice->addItem(file.letter % QStringLiteral("  ") % file.name,
                             QVariant::fromValue(file.id));
        if (file.id == id) {
            side.choice->setCurrentIndex(side.choice->count() - 1);
            side.edge->setRun(file.letter, runColour(file.letter));
            side.name->setText(file.name);
            side.name->setToolTip(file.path);
            side.choice->setToolTip(file.path);
        }
    }
    side.choice->setVisible(is_list);
    side.name->setVisible(!is_list);
}

void CompareAnswer::setWaiting(const QString& words)
{
    m_waiting->setText(words);
}

void CompareAnswer::setResult(const ComparedRuns& runs)
{
    m_sentences = shownOf(runs.difference);
    m_warnings = runs.difference.warnings;
    refresh();
}

void CompareAnswer::clear()
{
    m_sentences.clear();
    m_warnings.clear();
    refresh();
}

void CompareAnswer::setCompact(bool compact)
{
    if (compact != m_is_compact) {
        m_is_compact = compact;
        refresh();
    }
}

SentenceLabel* CompareAnswer::addSentence(const compare::Sentence& sentence)
{
    auto* label = new SentenceLabel(this);
    label->setObjectName(sentence.says == compare::Says::headline
                             ? QStringLiteral("compareHeadline")
                             : QStringLiteral("compareSentence"));
    label->setText(text(sentence.text));
    connect(label, &SentenceLabel::clicked, this,
            [this, says = sentence.says, index = sentence.index] {
                Q_EMIT sentenceChosen(says, index);
            });
    return label;
}

/// Beside the names in one word, or below the sentences.
void CompareAnswer::addWarnings()
{
    if (m_warnings.empty()) {
        return;
    }
    QStringList lines;
    for (const std::string& warning : m_warnings) {
        lines << tr("Caution: %1").arg(text(warning));
    }
    QLabel* const label = makeText(this, QStringLiteral("compareWarnings"));
    label->setProperty("warning", true);
    if (m_is_compact) {
        label->setText(tr("%Ln warning|"
                          "%Ln warnings",
                          nullptr, plural(lines.size())));
        label->setToolTip(lines.join(QStringLiteral("\n\n")));
        label->setWordWrap(false);
        m_head->addWidget(label);
    } else {
        label->setToolTip(lines.size() > kMostWarnings ? lines.join(QStringLiteral("\n\n"))
                                                       : QString());
        const auto left_out = lines.size() - kMostWarnings;
        if (left_out > 0) {
            lines.resize(kMostWarnings);
            lines.back() += QStringLiteral("  ")
                % tr("(%Ln more)|"
                     "(%Ln more)",
                     nullptr, plural(left_out));
        }
        label->setText(lines.join(u'\n'));
        m_column->addWidget(label);
    }
    m_lines.push_back(label);
}

void CompareAnswer::refresh()
{
    for (QWidget* line : m_lines) {
        m_column->removeWidget(line);
        removeWidget(*line); // The page may be laid out because one of them is being shown.
    }
    m_lines.clear();
    // What is equal and what is not explained share a line.
    auto* last = new QWidget(this);
    auto* less = new QHBoxLayout(last);
    less->setContentsMargins(0, 0, 0, 0);
    less->setSpacing(14);
    std::size_t below = 0;
    for (const compare::Sentence& sentence : m_sentences) {
        const bool is_headline = sentence.says == compare::Says::headline;
        const bool is_less =
            sentence.says == compare::Says::equal || sentence.says == compare::Says::unexplained;
        if (m_is_compact && !is_headline && (is_less || ++below > kMostLines)) {
            continue; // The tables say it, too.
        }
        SentenceLabel* const label = addSentence(sentence);
        if (is_headline) {
            label->setFont(headingFont(*this, m_is_compact ? 1.1 : 1.3));
        } else if (is_less) {
            label->setProperty("kind", QStringLiteral("secondary"));
            label->setWordWrap(false);
        }
        if (is_headline && m_is_compact) {
            m_head->insertWidget(m_head->indexOf(m_waiting) - 1, label, kHeadlineStretch);
        } else if (is_less) {
            less->addWidget(label);
        } else {
            m_column->addWidget(label);
        }
        m_lines.push_back(label);
    }
    less->addStretch(1);
    m_column->addWidget(last);
    last->setVisible(!m_is_compact);
    m_lines.push_back(last);
    addWarnings();
}

} // namespace tidemark::ui
