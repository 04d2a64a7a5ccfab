// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/compare_page.h"

#include "core/diagnose/diagnosis.h"
#include "core/report/pair_case.h"
#include "ui/models/selection.h"
#include "ui/models/text.h"
#include "ui/views/compare/align_band.h"
#include "ui/views/compare/compare_cursor.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/compare/run_multiples.h"
#include "ui/views/look/focus_parts.h"
#include "ui/views/look/pieces.h"
#include "ui/views/timeline/timeline_plot.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace tidemark::ui {
namespace {

constexpr int kCompareGap = 10;
constexpr int kSmallGap = 6; ///< Where there is little room.
constexpr int kStill = 250; ///< Milliseconds that a cursor stands before it is compared at.

QFrame* carded(QWidget* parent, const QString& name, QWidget* content)
{
    QFrame* const card = makeCard(parent, name);
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(12, 6, 12, 6);
    content->setParent(card);
    column->addWidget(content);
    return card;
}

/// These, and what is made like them when they do not live: by the same stacks, of the same size
/// and bucket. What lives beside them is of another row. O(allocations log ids).
Selector::Ids madeLike(const ComparedRun& run, const std::vector<AllocationId>& ids, StateId at)
{
    const replay::Allocations& all = run.curves().replay().allocations;
    const auto kind = [&](std::size_t i) {
        return std::tuple(all.stack[i], all.requested[i].value, run.labels().bucket[i]);
    };
    std::vector<std::tuple<StackId, std::int64_t, label::Bucket>> kinds;
    for (const AllocationId id : ids) {
        kinds.push_back(kind(id.index()));
    }
    std::ranges::sort(kinds);
    Selector::Ids like = ids;
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (!all.isLive(AllocationId(i), at) && std::ranges::binary_search(kinds, kind(i))) {
            like.emplace_back(i);
        }
    }
    return like;
}

} // namespace

ComparePage::ComparePage(QWidget* parent)
    : QWidget(parent)
    , m_answer(new CompareAnswer(this))
    , m_lanes(new CompareLanes(this))
    , m_cursor(new CompareCursor(m_lanes->baseState(), m_lanes->againstState(), this))
    , m_tables(new CompareTables(this))
    , m_rows(new QSplitter(Qt::Vertical, this))
    , m_multiples(new RunMultiples(this))
{
    setObjectName(QStringLiteral("comparePage"));
    setAttribute(Qt::WA_StyledBackground);
    m_side = carded(this, QStringLiteral("compareCursorCard"), m_cursor);
    m_side->setMinimumHeight(fontMetrics().height() * 8); // Its tables scroll in a low window.
    auto* upper = new QWidget(m_rows);
    auto* row = new QHBoxLayout(upper);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kCompareGap);
    m_lanes_card = carded(upper, QStringLiteral("compareLanesCard"), m_lanes);
    m_multiples_card = carded(upper, QStringLiteral("multiplesCard"), m_multiples);
    m_multiples_card->hide();
    row->addWidget(m_lanes_card, 1);
    row->addWidget(m_multiples_card, 1);
    row->addWidget(m_side);
    m_rows->addWidget(upper);
    m_rows->addWidget(carded(m_rows, QStringLiteral("compareTablesCard"), m_tables));
    m_rows->setHandleWidth(kCompareGap);
    m_rows->setChildrenCollapsible(false);
    m_rows->setStretchFactor(0, 1);
    connect(m_rows, &QSplitter::splitterMoved, this, [this] { m_is_arranged = true; });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->setSpacing(kCompareGap);
    column->addWidget(m_answer);
    column->addWidget(m_rows, 1);
    makeActions();

    connect(m_answer, &CompareAnswer::swapRequested, this, &ComparePage::swapRequested);
    connect(m_answer, &CompareAnswer::baseChosen, this, &ComparePage::baseChosen);
    connect(m_answer, &CompareAnswer::againstChosen, this, &ComparePage::againstChosen);
    connect(m_answer, &CompareAnswer::sentenceChosen, this, &ComparePage::followSentence);
    connect(m_lanes, &CompareLanes::axisChanged, this, &ComparePage::axisChanged);
    connect(m_lanes, &CompareLanes::layoutChanged, this, &ComparePage::refreshActions);
    connect(m_lanes, &CompareLanes::scaleLockChanged, this, &ComparePage::refreshActions);
    connect(&m_lanes->alignment(), &AlignBand::aligned, this,
            [this](const compare::MatchedMoment& pair) {
                HandAlignment by_hand = m_by_hand;
                if (by_hand.is_shift) {
                    by_hand = {};
                }
                std::erase_if(by_hand.pairs, [&](const auto& each) { return each.a == pair.a; });
                by_hand.pairs.push_back(pair);
                alignByHand(std::move(by_hand));
            });
    connect(&m_lanes->alignment(), &AlignBand::restored, this, [this] { alignByHand({}); });
    connect(m_lanes, &CompareLanes::shifted, this, [this](StateId base, StateId against) {
        alignByHand({{{base, against}}, true});
    });
    connect(m_multiples, &RunMultiples::chosen, this, &ComparePage::againstChosen);
    connect(m_tables, &CompareTables::runChosen, this, [this](std::size_t index) {
        if (index > 0 && index < m_multiples->runs().size()) {
            Q_EMIT againstChosen(m_multiples->runs()[index].id);
        }
    });
    connect(m_tables, &CompareTables::callChosen, this, [this](AllocationId a, AllocationId b) {
        m_lanes->baseState().select(a);
        m_lanes->againstState().select(b);
    });
    connect(m_tables, &CompareTables::placeChosen, this, &ComparePage::showPlace);
    connect(m_tables, &CompareTables::placeLetGo, this, &ComparePage::letGo);
    connect(m_tables, &CompareTables::momentChosen, this, &ComparePage::compareNow);
    connect(&m_comparer, &Comparer::started, this,
            [this] { m_answer->setWaiting(tr("comparing…")); });
    connect(&m_comparer, &Comparer::finished, this, &ComparePage::showResult);
    m_follow_cursor.setSingleShot(true);
    m_follow_cursor.setInterval(kStill);
    connect(&m_follow_cursor, &QTimer::timeout, this, &ComparePage::compareNow);
    connect(&m_lanes->baseState(), &ViewState::cursorChanged, this, [this] {
        const ComparedMoment& moment = m_tables->moment();
        if (moment.at == compare::At::events && !moment.phase && !m_lanes->baseState().hover()) {
            m_follow_cursor.start();
        }
    });
    refreshActions();
}

QAction* ComparePage::addPageAction(const QString& words, const QKeySequence& key,
                                    std::function<void()> call)
{
    auto* action = new QAction(words, this);
    action->setShortcut(key);
    connect(action, &QAction::triggered, this, std::move(call));
    m_actions.push_back(action);
    return action;
}

void ComparePage::makeActions()
{
    auto* layouts = new QActionGroup(this);
    const std::vector<std::tuple<QString, Qt::Key, LaneLayout>> choices{
        {tr("Stac&ked"), Qt::Key_1, LaneLayout::stacked},
        {tr("&Side by Side"), Qt::Key_2, LaneLayout::side_by_side},
        {tr("&Overlay"), Qt::Key_3, LaneLayout::overlay},
        {tr("&Difference Only"), Qt::Key_4, LaneLayout::delta},
    };
    for (const auto& [words, key, layout] : choices) {
        QAction* const action =
            addPageAction(words, key, [this, chosen = layout] { m_lanes->setLayoutOf(chosen); });
        action->setCheckable(true);
        layouts->addAction(action);
        m_layout_actions.push_back(action);
    }
    layouts->setExclusionPolicy(QActionGroup::ExclusionPolicy::ExclusiveOptional);
    // Space alone belongs to whatever has the focus; over the lanes it blinks.
    addPageAction(tr("&Blink (Space)"), {}, [this] { m_lanes->blink(); });
    m_lock = addPageAction(tr("Same Sca&le"), Qt::Key_L,
                           [this] { m_lanes->setScaleLocked(!m_lanes->isScaleLocked()); });
    m_lock->setCheckable(true);
    addPageAction(tr("S&wap Runs"), Qt::Key_X, [this] { Q_EMIT swapRequested(); });
    addPageAction(tr("&Next Difference"), Qt::Key_N, [this] { m_tables->stepPlace(1); });
    addPageAction(tr("&Previous Difference"), QKeySequence(Qt::SHIFT | Qt::Key_N),
                  [this] { m_tables->stepPlace(-1); });
    addPageAction(tr("Pin &Row"), Qt::Key_K, [this] { m_tables->togglePin(); });
    m_as_found = addPageAction(tr("Reset Align&ment"), {}, [this] { alignByHand({}); });
    m_all_runs = addPageAction(tr("&All Runs"), Qt::Key_5,
                               [this] { showMultiples(m_multiples_card->isHidden()); });
    m_all_runs->setCheckable(true);
    addPageAction(tr("Save as &Case…"), {}, [this] { Q_EMIT caseRequested(); });
}

void ComparePage::refreshActions()
{
    for (QAction* action : m_actions) {
        action->setEnabled(m_is_seen && isShowing());
    }
    for (std::size_t i = 0; i < m_layout_actions.size(); ++i) {
        m_layout_actions[i]->setChecked(static_cast<std::size_t>(m_lanes->layoutOf()) == i);
    }
    m_lock->setChecked(m_lanes->isScaleLocked());
    m_as_found->setEnabled(m_as_found->isEnabled() && !m_by_hand.pairs.empty());
    m_all_runs->setEnabled(m_all_runs->isEnabled() && m_multiples->runs().size() > 2);
    m_all_runs->setChecked(!m_multiples_card->isHidden());
}

void ComparePage::show(const ComparedRun& base, const ComparedRun& against)
{
    if (m_has_runs && base == m_base && against == m_against) {
        return;
    }
    const bool is_other = !m_has_runs || base.letter != m_base.letter
        || against.letter != m_against.letter || base.analysis.snapshot != m_base.analysis.snapshot
        || against.analysis.snapshot != m_against.analysis.snapshot || base.device != m_base.device
        || against.device != m_against.device;
    m_base = base;
    m_against = against;
    m_has_runs = true;
    if (is_other) {
        m_by_hand = {};
        m_comparer.clear();
        m_answer->clear();
        m_tables->clear();
    }
    m_lanes->show(base, against);
    m_cursor->show(base, against);
    refreshActions();
    if (base.analysis.diagnosis != nullptr && against.analysis.diagnosis != nullptr) {
        compareNow();
    } else {
        m_answer->setWaiting(tr("reading both files…"));
    }
}

void ComparePage::setFiles(const std::vector<ComparedFile>& files, FileId base, FileId against)
{
    m_answer->setFiles(files, base, against);
}

void ComparePage::clear()
{
    m_follow_cursor.stop();
    m_comparer.clear();
    m_has_runs = false;
    m_base = {};
    m_against = {};
    m_answer->clear();
    m_lanes->clear();
    m_cursor->clear();
    m_tables->clear();
    m_multiples->setRuns({});
    refreshActions();
}

void ComparePage::compareNow()
{
    if (!m_has_runs || m_base.analysis.diagnosis == nullptr
        || m_against.analysis.diagnosis == nullptr) {
        return;
    }
    ComparedMoment moment = m_tables->moment();
    if (moment.at == compare::At::events && !moment.phase) {
        moment.base = m_lanes->baseState().cursor();
        moment.against = m_lanes->againstState().cursor();
    }
    m_comparer.compare(m_base, m_against, moment, m_by_hand);
}

void ComparePage::showResult()
{
    const std::shared_ptr<const ComparedRuns> runs = m_comparer.result();
    m_answer->setWaiting({});
    m_answer->setResult(*runs);
    letGo();
    const bool is_first = !m_lanes->canShare();
    m_tables->setResult(runs);
    m_lanes->setSharedAxis(runs->axis);
    m_lanes->alignment().setMoments(runs->boundaries, runs->by_hand.pairs);
    if (is_first) {
        m_lanes->setCursors(runs->difference.parts.at_a, runs->difference.parts.at_b);
    }
}

/// The place in view stays; what is compared is found again.
void ComparePage::alignByHand(HandAlignment by_hand)
{
    m_by_hand = std::move(by_hand);
    refreshActions();
    compareNow();
}

void ComparePage::setRuns(const std::vector<NamedRun>& runs)
{
    if (!runs.empty() && runs == m_multiples->runs()) {
        return;
    }
    m_tables->setRuns(runs);
    if (runs.size() > 2) {
        m_multiples->setRuns(runs);
    } else {
        m_multiples->setRuns({});
        showMultiples(false);
    }
    refreshActions();
}

void ComparePage::showMultiples(bool shown)
{
    m_multiples_card->setVisible(shown);
    m_lanes_card->setVisible(!shown);
    refreshActions();
}

bool ComparePage::isLookingCloser() const
{
    return m_tables->isBusy();
}

std::string ComparePage::pairCase(const QString& folder) const
{
    const auto& runs = m_comparer.result();
    return runs == nullptr ? std::string()
                           : report::pairCase(runs->base.analysis, runs->against.analysis,
                                              runs->difference, pathFrom(folder));
}

void ComparePage::followSentence(compare::Says says, std::size_t index)
{
    switch (says) {
    case compare::Says::headline:
    case compare::Says::peaks:
        m_tables->showTab(CompareTables::differences);
        goToCompared();
        return;
    case compare::Says::change:
        m_tables->showChange(index);
        return;
    case compare::Says::place:
        m_tables->showPlace(index);
        return;
    case compare::Says::allocator:
        m_tables->showTab(CompareTables::allocator);
        return;
    case compare::Says::torch:
    case compare::Says::open:
        m_tables->showTab(CompareTables::explained);
        return;
    case compare::Says::equal:
        m_tables->showEqual();
        return;
    case compare::Says::unexplained:
        m_tables->showUnexplained();
        return;
    }
}

void ComparePage::goToCompared()
{
    if (const auto& runs = m_comparer.result()) {
        m_lanes->setCursors(runs->difference.parts.at_a, runs->difference.parts.at_b);
    }
}

/// What a place holds is lit up in both runs; the moment stays the one that is compared.
void ComparePage::showPlace(std::size_t index)
{
    const auto& runs = m_comparer.result();
    if (!runs || index >= runs->difference.parts.places.size()) {
        return;
    }
    const compare::PlaceDifference& place = runs->difference.parts.places[index];
    m_cursor->showStacks(runs, index);
    const auto select = [](ViewState& state, const ComparedRun& run,
                           const std::vector<AllocationId>& ids, StateId at) {
        // The first one stays in front of the others.
        state.select(ids.empty() ? AllocationId::none() : ids.front());
        if (!ids.empty()) {
            state.selector().select(Selection::From::row, {}, madeLike(run, ids, at));
        }
    };
    const compare::Attribution& parts = runs->difference.parts;
    select(m_lanes->baseState(), runs->base, place.ids_a, parts.at_a);
    select(m_lanes->againstState(), runs->against, place.ids_b, parts.at_b);
    goToCompared();
}

/// Nothing is chosen any more.
void ComparePage::letGo()
{
    m_cursor->clearStacks();
    m_lanes->baseState().selector().clear();
    m_lanes->againstState().selector().clear();
}

void ComparePage::stepPart(int by)
{
    QWidget* const lanes = m_lanes->basePlot().isVisible() ? &m_lanes->basePlot() : m_lanes_card;
    stepFocus({lanes, m_multiples_card, m_side, m_tables, m_answer}, by);
}

bool ComparePage::isSmall() const
{
    return height() < fontMetrics().height() * 48;
}

void ComparePage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // In a narrow window the runs keep most of it.
    m_side->setFixedWidth(std::clamp(width() * 27 / 100, std::min(392, width() * 2 / 5), 460));
    const bool is_small = isSmall();
    const int gap = is_small ? kSmallGap : kCompareGap;
    layout()->setContentsMargins(gap + 4, gap, gap + 4, gap);
    layout()->setSpacing(gap);
    m_rows->setHandleWidth(gap);
    if (!m_is_arranged) {
        const int tables = std::clamp(height() * (is_small ? 23 : 28) / 100, 154, 340);
        m_rows->setSizes({std::max(100, height() - tables), tables});
    }
}

void ComparePage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_is_seen = true;
    refreshActions();
    m_lanes->basePlot().setFocus(); // Its keys work at once.
}

void ComparePage::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_is_seen = false;
    refreshActions();
}

} // namespace tidemark::ui
