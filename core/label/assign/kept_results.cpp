// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/kept_results.h"

#include "core/base/keyed_hash.h"
#include "core/label/assign/assigner.h"
#include "core/label/assign/size_rises.h"
#include "core/label/runs/passes.h"

#include <queue>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::label {
namespace {

/// Calls `visit(allocation, run)` for everything allocated in runs of the wanted phases.
template <class Wanted, class Visit>
void forEachIn(const RuleInputs& e, Wanted wanted, Visit visit)
{
    for (const Run& run : e.runs.runs) {
        if (!wanted(run.phase)) {
            continue;
        }
        for (std::size_t i = run.first_alloc.index(); i <= run.last_alloc.index(); ++i) {
            const AllocationId a = e.replay.event_allocation[i];
            if (e.device.events.action[i] == trace::Action::alloc && !a.isNone()) {
                visit(a, run);
            }
        }
    }
}

/// One value per stack of a device, and one for allocations without a stack. A file has the stacks
/// of all its devices.
template <class T>
using PerStack = std::unordered_map<StackId, T>;

/// Of one place in the program: of how many steps it holds memory at once.
class HeldSteps {
public:
    /// In the order they begin.
    void add(StateId begin, StateId end, std::uint32_t step)
    {
        while (!m_ends.empty() && m_ends.top().first <= begin) {
            const auto it = m_alive.find(m_ends.top().second);
            if (--it->second == 0) {
                m_alive.erase(it);
            }
            m_ends.pop();
        }
        m_ends.emplace(end, step);
        ++m_alive[step];
        m_most = std::max(m_most, m_alive.size());
    }
    [[nodiscard]] std::size_t most() const
    {
        return m_most;
    }

private:
    using End = std::pair<StateId, std::uint32_t>;
    std::priority_queue<End, std::vector<End>, std::greater<>> m_ends;
    std::map<std::uint32_t, std::size_t> m_alive; ///< Allocations per step.
    std::size_t m_most = 0;
};

/// What one place makes, in order, if each next size is larger than the last by the same amount
/// and the last is still there when it is made, but not the one before: each is copied into the
/// next one and let go of.
class GrowingSeries {
public:
    void add(AllocationId a, const replay::Allocations& all)
    {
        const StateId begin = all.begin[a.index()];
        while (!m_ends.empty() && m_ends.top() <= begin) {
            m_ends.pop();
        }
        m_ends.push(all.end[a.index()]);
        m_most_alive = std::max(m_most_alive, m_ends.size());
        if (m_rises.add(all.requested[a.index()].value)) {
            const AllocationId last = m_allocations.back();
            const bool is_copied = all.isLive(last, begin)
                && (m_before_last.isNone() || !all.isLive(m_before_last, begin));
            m_gaps += is_copied ? 0U : 1U;
            m_before_last = last;
        }
        m_allocations.push_back(a);
    }
    [[nodiscard]] bool grows() const
    {
        return m_rises.steadyIncrease() > 0 && m_gaps * 10 <= m_rises.count();
    }
    /// While the next one is made from the last, two of the same owner live.
    [[nodiscard]] bool isOfSeveral() const
    {
        return m_most_alive > 2;
    }
    [[nodiscard]] const std::vector<AllocationId>& allocations() const
    {
        return m_allocations;
    }

private:
    std::vector<AllocationId> m_allocations;
    std::priority_queue<StateId, std::vector<StateId>, std::greater<>> m_ends; ///< Of those alive.
    SizeRises m_rises;
    std::size_t m_gaps =
        0; ///< Rises that are no copies: the last is gone, or that before it stays.
    AllocationId m_before_last = AllocationId::none(); ///< Of the size before the last one.
    std::size_t m_most_alive = 0;
};

bool isForwardPhase(Phase p)
{
    return p == Phase::forward;
}

} // namespace

KeptResults::KeptResults(const RuleInputs& evidence)
    : m_results(evidence.replay.allocations.count())
    , m_made_once(evidence.replay.allocations.count())
    , m_of_first_call(evidence.replay.allocations.count())
    , m_cache(evidence.replay.allocations.count())
    , m_growing_with_steps(evidence.replay.allocations.count())
{
    findForwardResults(evidence);
    findPassResults(evidence);
    findGrowing(evidence);
    findGrowingWithSteps(evidence);
}

void KeptResults::findGrowingWithSteps(const RuleInputs& e)
{
    constexpr std::uint32_t kEnough = 3;
    struct Habit {
        std::uint32_t last_step = 0;
        std::uint32_t steps = 0;
    };
    PerStack<Habit> habits;
    const replay::Allocations& all = e.replay.allocations;
    const auto isBeside = [](Phase p) { return p == Phase::optimizer || p == Phase::input; };
    // Without a frame, a batch is not told from what else a program makes ahead of a pass.
    const auto tells = [&](AllocationId a, const Run& run) {
        const StackKind kind = e.kinds.kind(all.stack[a.index()]);
        return run.phase == Phase::optimizer
            || (kind != StackKind::none && kind != StackKind::empty);
    };
    forEachIn(e, isBeside, [&](AllocationId a, const Run& run) {
        Habit& habit = habits[all.stack[a.index()]];
        if (tells(a, run) && e.livesToTheEnd(a) && run.step != habit.last_step) {
            habit = {run.step, habit.steps + 1};
        }
    });
    forEachIn(e, isBeside, [&](AllocationId a, const Run& run) {
        m_growing_with_steps[a.index()] =
            tells(a, run) && habits[all.stack[a.index()]].steps >= kEnough;
    });
}

void KeptResults::findForwardResults(const RuleInputs& e)
{
    /// In two steps: past two steps once, and past the optimizer's once more, both to the end.
    enum class Keeps : std::uint8_t { never, in_one_step, in_two_steps, again_and_again };
    struct Habit {
        Keeps keeps = Keeps::never;
        std::uint32_t step = 0; ///< The first one it kept something in.
        bool is_called_again = false; ///< It makes memory in another step.
    };
    PerStack<Habit> habits; // What stacks keep for good.
    bool any = false;
    const replay::Allocations& all = e.replay.allocations;
    const auto isKept = [&](AllocationId a, const Run& run) {
        return run.two_steps_later.has_value() && e.livesOn(a, *run.two_steps_later);
    };
    forEachIn(e, isForwardPhase, [&](AllocationId a, const Run& run) {
        if (isKept(a, run)) {
            Habit& habit = habits[all.stack[a.index()]];
            const bool is_first = habit.keeps == Keeps::never;
            habit = is_first ? Habit{Keeps::in_one_step, run.step, false} : habit;
            habit.keeps = habit.step == run.step ? habit.keeps : Keeps::again_and_again;
            any = true;
        }
    });
    // Where most of what passes save is kept, it is not their results but their graphs.
    std::int64_t saved = 0;
    std::int64_t kept = 0;
    forEachIn(e, isForwardPhase, [&](AllocationId a, const Run& run) {
        if (run.two_steps_later.has_value() && e.livesOn(a, run.saved_until)) {
            saved += all.requested[a.index()].value;
            kept += isKept(a, run) ? all.requested[a.index()].value : 0;
        }
    });
    if (!any || kept * 2 > saved) {
        return;
    }
    // What a stack makes once it does not make again in a later step that ended in peace.
    forEachIn(e, isForwardPhase, [&](AllocationId a, const Run& run) {
        const auto found = habits.find(all.stack[a.index()]);
        if (found == habits.end() || found->second.step == run.step) {
            return;
        }
        found->second.is_called_again = true;
        if (found->second.keeps == Keeps::in_one_step && run.step_over.has_value()
            && e.livesOn(a, *run.step_over) && e.livesToTheEnd(a)) {
            found->second.keeps = Keeps::in_two_steps;
        }
    });
    // A variable that the next pass of its kind assigns again holds two steps at most.
    constexpr std::size_t kHeldAtOnce = 3;
    std::map<std::pair<std::uint32_t, std::int64_t>, HeldSteps> held;
    const auto placeOf = [&](AllocationId a) {
        const bool is_bare = all.stack[a.index()].isNone() || e.runs.is_frameless;
        return std::pair(is_bare ? ~std::uint32_t{0} : all.stack[a.index()].value,
                         is_bare ? all.requested[a.index()].value : 0);
    };
    const auto mayBeResult = [&](AllocationId a, const Run& run) {
        return habits[all.stack[a.index()]].keeps != Keeps::never
            && (isKept(a, run) || e.livesToTheEnd(a));
    };
    forEachIn(e, isForwardPhase, [&](AllocationId a, const Run& run) {
        if (mayBeResult(a, run)) {
            held[placeOf(a)].add(all.begin[a.index()], all.end[a.index()], run.step);
        }
    });
    forEachIn(e, isForwardPhase, [&](AllocationId a, const Run& run) {
        if (!mayBeResult(a, run)) {
            return;
        }
        const auto [keeps, step, is_called_again] = habits[all.stack[a.index()]];
        if (keeps == Keeps::in_one_step) {
            // What lives where the run was cut off, it would have let go of as before.
            std::vector<bool>& kind = is_called_again ? m_of_first_call : m_made_once;
            kind[a.index()] = step == run.step;
        } else {
            m_results[a.index()] =
                keeps == Keeps::in_two_steps || held[placeOf(a)].most() >= kHeldAtOnce;
        }
    });
}

void KeptResults::findPassResults(const RuleInputs& e)
{
    // The value a pass hands to the next one is gone when that one is over, so a result outlives
    // two passes.
    PerStack<bool> keeps;
    std::unordered_set<std::int64_t, KeyedNumberHash> kept_sizes; // Of what has no stack.
    const replay::Allocations& all = e.replay.allocations;
    const auto isBare = [&](AllocationId a) {
        const StackKind kind = e.kinds.kind(all.stack[a.index()]);
        return kind == StackKind::none || kind == StackKind::empty;
    };
    forEachIn(e, isWithoutGradients, [&](AllocationId a, const Run& run) {
        if (run.next_alike_over.has_value() && e.livesOn(a, *run.next_alike_over)) {
            m_results[a.index()] = true;
            keeps[all.stack[a.index()]] = true;
            if (isBare(a)) {
                kept_sizes.insert(all.requested[a.index()].value);
            }
        }
    });
    // The last pass has no next one: there the stack must be known, or the pass must have ended in
    // peace.
    forEachIn(e, isWithoutGradients, [&](AllocationId a, const Run& run) {
        if (run.next_alike_over.has_value() || !e.livesOn(a, run.over)) {
            return;
        }
        const bool is_known = isBare(a) ? kept_sizes.contains(all.requested[a.index()].value)
                                        : keeps[all.stack[a.index()]];
        if (!run.is_last || is_known) {
            m_results[a.index()] = true;
        }
    });
}

void KeptResults::findGrowing(const RuleInputs& e)
{
    std::map<std::uint32_t, GrowingSeries> series; // by stack
    const replay::Allocations& all = e.replay.allocations;
    const auto mayGrow = [](Phase p) {
        return p == Phase::forward || isWithoutGradients(p) || p == Phase::other;
    };
    forEachIn(e, mayGrow,
              [&](AllocationId a, const Run&) { series[all.stack[a.index()].value].add(a, all); });
    for (const auto& [stack, one] : series) {
        if (one.grows()) {
            std::vector<bool>& kind = one.isOfSeveral() ? m_cache : m_results;
            for (const AllocationId a : one.allocations()) {
                kind[a.index()] = true;
            }
        }
    }
}

} // namespace tidemark::label
