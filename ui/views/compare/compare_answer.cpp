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
constexpr int kSentenceGap = 8;
constexpr QSize kChipRoom(12, 4); ///< Around the words.

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
    : ElidedLabel(parent, Qt::ElideMiddle) // The figure stands at the end.
{
    setTextFormat(Qt::PlainText);
    setProperty("chip", true);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
}

QSize SentenceLabel::sizeHint() const
{
    return ElidedLabel::sizeHint() + kChipRoom;
}

QSize SentenceLabel::minimumSizeHint() const
{
    constexpr int kKept = 50; // letters
    const QSize least = ElidedLabel::minimumSizeHint() + kChipRoom;
    return m_is_kept ? QSize(std::min(sizeHint().width(), fontMetrics().averageCharWidth() * kKept),
                             least.height())
                     : least;
}

void SentenceLabel::keepShort()
{
    m_is_kept = true;
    updateGeometry();
}

void SentenceLabel::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) {
        Q_EMIT clicked();
    }
    ElidedLabel::mouseReleaseEvent(event);
}

void SentenceLabel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        Q_EMIT clicked();
        return;
    }
    ElidedLabel::keyPressEvent(event);
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
    m_column->setContentsMargins(14, 6, 14, 6);
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
    m_head->addSpacing(10);
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
    Side side{new RunEdge(this), new ElidedLabel(this), new Calm<ChipCombo>(this)};
    side.edge->setObjectName(name % QStringLiteral("Letter"));
    side.name->setObjectName(name % QStringLiteral("Name"));
    side.name->setFont(headingFont(*this, 1.0));
    side.choice->setObjectName(name % QStringLiteral("Choice"));
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
            side.name->setWords(file.name);
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

SentenceLabel* CompareAnswer::makeSentence(const compare::Sentence& sentence)
{
    auto* label = new SentenceLabel(this);
    label->setObjectName(sentence.says == compare::Says::headline
                             ? QStringLiteral("compareHeadline")
                             : QStringLiteral("compareSentence"));
    label->setWords(text(sentence.brief.empty() ? sentence.text : sentence.brief));
    label->setToolTip(text(sentence.text));
    connect(label, &SentenceLabel::clicked, this,
            [this, says = sentence.says, index = sentence.index] {
                Q_EMIT sentenceChosen(says, index);
            });
    m_lines.push_back(label);
    return label;
}

/// The first of them; the tool tip has all.
void CompareAnswer::addWarnings(QHBoxLayout& line)
{
    if (m_warnings.empty()) {
        return;
    }
    QStringList lines;
    for (const std::string& warning : m_warnings) {
        lines << tr("Caution: %1").arg(text(warning));
    }
    auto* label = new ElidedLabel(this, Qt::ElideRight);
    label->setObjectName(QStringLiteral("compareWarnings"));
    label->setProperty("warning", true);
    const auto left_out = lines.size() - 1;
    label->setWords(left_out == 0 ? lines.front()
                                  : tr("(%Ln more)|"
                                       "(%Ln more)",
                                       nullptr, plural(left_out))
                            % u' ' % lines.front());
    label->setToolTip(lines.join(QStringLiteral("\n\n")));
    line.addWidget(label);
    m_lines.push_back(label);
}

void CompareAnswer::refresh()
{
    for (QWidget* line : m_lines) {
        m_column->removeWidget(line);
        removeWidget(*line); // The page may be laid out because one of them is being shown.
    }
    m_lines.clear();
    const auto add_line = [this] {
        auto* line = new QWidget(this);
        auto* row = new QHBoxLayout(line);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(kSentenceGap);
        line->setMinimumWidth(1); // In a narrow window the longest sentence is shortened first.
        m_column->addWidget(line);
        return row;
    };
    QHBoxLayout* const causes = add_line();
    QHBoxLayout* const less = add_line();
    addWarnings(*less);
    for (const compare::Sentence& sentence : m_sentences) {
        SentenceLabel* const label = makeSentence(sentence);
        const bool is_cause =
            sentence.says == compare::Says::change || sentence.says == compare::Says::place;
        if (sentence.says == compare::Says::headline) {
            label->setFont(headingFont(*this, 1.15));
            m_head->insertWidget(m_head->indexOf(m_waiting) - 1, label);
        } else {
            setStyleProperty(*label, "kind",
                             is_cause ? QVariant() : QVariant(QStringLiteral("secondary")));
            (is_cause ? causes : less)->addWidget(label);
            label->keepShort();
        }
    }
    for (QHBoxLayout* const line : {causes, less}) {
        line->parentWidget()->setVisible(line->count() > 0);
        line->addStretch(1);
        m_lines.push_back(line->parentWidget());
    }
}

} // namespace tidemark::ui
