// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/frameless/frameless_runs.h"

#include "core/label/frameless/frameless_gaps.h"
#include "core/label/frameless/frameless_retained.h"
#include "core/label/frameless/frameless_trace.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace tidemark::label {
namespace {

/// A pass this long shows that little piles up, even if it is not repeated.
constexpr std::size_t kLongPass = 64;
/// So many sizes of parameters are no coincidence.
constexpr std::size_t kFewSizes = 3;

class PhaseFinder {
public:
    PhaseFinder(const trace::Events& events, const replay::DeviceReplay& replay)
        : m_t(framelessTrace(events, replay))
        , m_gaps(m_t)
        , m_ends_in_oom(!replay.ooms.empty()
                        && static_cast<std::int64_t>(replay.ooms.back().index()) == m_t.last_event)
    {
    }

    std::vector<FramelessPhase> find()
    {
        m_backward = addRetainedBackwards(m_t, findBackwardSpans(m_t));
        if (m_backward.empty()) {
            findWithoutTraining();
        } else {
            findTraining();
        }
        if (!m_out.empty()) {
            m_out.back().last = EventId(static_cast<std::size_t>(m_t.last_event));
        }
        return std::move(m_out);
    }

private:
    void findTraining();
    void findApproaches();
    void findWithoutTraining();
    bool findFirstForward(Part all);
    bool findLateStep(Part all);
    [[nodiscard]] Part replacementsIn(Part part) const;
    void findTail();
    [[nodiscard]] std::optional<std::int64_t> firstGradientFreed(const BackwardSpan& backward,
                                                                 std::int64_t before) const;
    void addBetweenSteps(Part part, std::size_t cut, Phase first);
    void addPasses(Part part, Phase phase);
    [[nodiscard]] bool hasModelBefore(std::size_t passes) const;
    [[nodiscard]] std::size_t nextBegin(Part part) const;
    [[nodiscard]] bool looksLikeTraining(Part part) const;
    void add(Phase phase, Part part);
    [[nodiscard]] Part between(std::int64_t first, std::int64_t end) const
    {
        return {m_t.firstFrom(first), m_t.firstFrom(end)};
    }

    FramelessTrace m_t;
    FramelessGaps m_gaps;
    bool m_ends_in_oom;
    std::vector<BackwardSpan> m_backward;
    std::vector<PassParts> m_approaches; ///< One per backward.
    std::vector<FramelessPhase> m_out;
};

void PhaseFinder::add(Phase phase, Part part)
{
    if (part.begin < part.end) {
        m_out.push_back({phase, EventId(static_cast<std::size_t>(m_t.birth[part.begin])),
                         EventId(static_cast<std::size_t>(m_t.birth[part.end - 1]))});
    }
}

/// Gradients of a backward that are freed after it and before the next one: a step lies between.
std::optional<std::int64_t> PhaseFinder::firstGradientFreed(const BackwardSpan& backward,
                                                            std::int64_t before) const
{
    std::optional<std::int64_t> first;
    const Part made = between(backward.first, backward.last);
    for (std::size_t i = made.begin; i < made.end; ++i) {
        const std::int64_t death = m_t.death[i];
        if (!m_t.isTiny(i) && m_t.is_model_sized[i] && death > backward.last && death < before) {
            first = first ? std::min(*first, death) : death;
        }
    }
    return first;
}

void PhaseFinder::addPasses(Part part, Phase phase)
{
    if (phase == Phase::other || !m_gaps.keepsLittle(part)) {
        add(Phase::other, part);
        return;
    }
    for (const Part& pass : m_gaps.passesIn(part)) {
        const Part input = m_gaps.inputOf(pass);
        add(Phase::input, input);
        add(phase, {input.end, pass.end});
    }
}

/// Setup or an optimizer first, then perhaps an evaluation.
void PhaseFinder::addBetweenSteps(Part part, std::size_t cut, Phase first)
{
    const PartMix mix = m_gaps.mixOf({cut, part.end});
    if (mix.isMostlyPassing()) {
        add(first, {part.begin, cut});
        addPasses({cut, part.end}, mix.repeats() ? Phase::evaluation : Phase::other);
    } else {
        add(first, part);
    }
}

/// A pass without gradients that feeds the training belongs to every step or to none.
void PhaseFinder::findApproaches()
{
    for (const bool may_derive : {true, false}) {
        m_approaches.clear();
        std::int64_t from = 0;
        for (const BackwardSpan& backward : m_backward) {
            m_approaches.push_back(
                m_gaps.approach(between(from, backward.first), backward.last, may_derive));
            from = backward.last;
        }
        const auto derived = std::ranges::count_if(m_approaches, &PassParts::is_derived);
        if (static_cast<std::size_t>(derived) * 2 > m_approaches.size()) {
            return;
        }
    }
}

void PhaseFinder::findTraining()
{
    m_gaps.learn(m_backward);
    findApproaches();
    bool any_optimizer = false;
    std::vector<std::optional<std::int64_t>> freed; // Per backward: its first gradient to go.
    for (std::size_t b = 0; b < m_backward.size(); ++b) {
        const bool is_last = b + 1 == m_backward.size();
        freed.push_back(firstGradientFreed(
            m_backward[b], is_last ? FramelessTrace::kNever : m_backward[b + 1].first));
        any_optimizer = any_optimizer || freed.back().has_value()
            || (b > 0 && m_gaps.hasOptimizerIn(m_approaches[b].before));
    }
    for (std::size_t b = 0; b < m_backward.size(); ++b) {
        const PassParts& a = m_approaches[b];
        const bool is_step = b > 0
            && (!any_optimizer || freed[b - 1].has_value() || m_gaps.hasOptimizerIn(a.before));
        Part input = a.input;
        if (b == 0) {
            // Recorded from the middle on, it may begin in a step's optimizer.
            const bool is_late = m_t.first_made > 0 && m_gaps.hasOptimizerIn(a.before);
            addBetweenSteps(a.before, m_gaps.modelSizedPrefix(a.before),
                            is_late ? Phase::optimizer : Phase::setup);
        } else if (is_step) {
            addBetweenSteps(a.before, m_gaps.modelSizedPrefix(a.before), Phase::optimizer);
        } else {
            input.begin = a.before.begin; // Between micro-batches there is nothing but scalars.
        }
        add(Phase::input, input);
        add(Phase::forward, a.forward);
        add(Phase::backward, between(m_backward[b].first, m_backward[b].last));
    }
    findTail();
}

/// A forward that the end of the trace cut off: begun like the last one, or saving what it makes.
bool PhaseFinder::looksLikeTraining(Part part) const
{
    constexpr std::size_t kAlike = 8;
    const PassParts& known = m_approaches.back();
    const Part begun{known.input.begin, known.forward.end};
    std::size_t alike = 0;
    while (alike < std::min(part.count(), begun.count())
           && m_t.size[part.begin + alike] == m_t.size[begun.begin + alike]) {
        ++alike;
    }
    std::size_t kept = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        kept += m_t.stays(i) ? 1U : 0U;
    }
    // No pass keeps more than its forward and backward make.
    const bool is_short = part.count() <= 2 * begun.count();
    return (alike == part.count() && alike < kAlike) || (is_short && kept * 4 >= part.count());
}

/// Where a part begins the way the last training pass did.
std::size_t PhaseFinder::nextBegin(Part part) const
{
    constexpr std::size_t kAlike = 6;
    const std::size_t begin = m_approaches.back().input.begin;
    if (m_approaches.back().forward.end - begin < kAlike) {
        return part.end;
    }
    const auto from = m_t.size.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto found =
        std::search(m_t.size.begin() + static_cast<std::ptrdiff_t>(part.begin),
                    m_t.size.begin() + static_cast<std::ptrdiff_t>(part.end), from, from + kAlike);
    return static_cast<std::size_t>(found - m_t.size.begin());
}

/// What follows the last backward.
void PhaseFinder::findTail()
{
    const Part tail{m_t.firstFrom(m_backward.back().last), m_t.count()};
    const std::size_t next = nextBegin(tail);
    const Part rest{next < tail.end ? next : m_gaps.modelSizedPrefix(tail), tail.end};
    const bool is_forward = rest.count() >= kShortestPass && looksLikeTraining(rest);
    if (!is_forward) {
        addBetweenSteps(tail, rest.begin, Phase::optimizer);
        return;
    }
    add(Phase::optimizer, {tail.begin, rest.begin});
    const PassParts& known = m_approaches.back();
    const std::size_t input = std::min(rest.end, rest.begin + known.input.count());
    const std::size_t forward = std::min(rest.end, input + known.forward.count());
    add(Phase::input, {rest.begin, input});
    add(Phase::forward, {input, forward});
    add(Phase::backward, {forward, rest.end});
}

/// Passes need a model that is there throughout.
bool PhaseFinder::hasModelBefore(std::size_t passes) const
{
    for (std::size_t i = 0; i < passes; ++i) {
        if (m_t.stays(i) && !m_t.isTiny(i)) {
            return true;
        }
    }
    return false;
}

void PhaseFinder::findWithoutTraining()
{
    constexpr std::size_t kMostModelSized = 10; // One in so many is not: no optimizer.
    const Part all{m_t.first_made, m_t.count()};
    const Part rest{m_t.dropLateModelSizes(), all.end};
    const PartMix mix = m_gaps.mixOf(rest);
    const bool is_long = rest.count() >= kLongPass;
    if ((m_ends_in_oom && findFirstForward(all)) || findLateStep(all)) {
        return;
    }
    if (mix.passing * kMostModelSized >= mix.judged && mix.passing >= kShortestPass) {
        const bool shows = is_long || m_gaps.passesIn(rest).size() >= 2;
        if (shows && m_gaps.keepsLittle(rest) && hasModelBefore(rest.begin)) {
            add(Phase::setup, {all.begin, rest.begin});
            addPasses(rest, Phase::inference);
        }
    } else if (is_long && rest.begin == all.begin && mix.model_sizes >= kFewSizes) {
        add(Phase::optimizer, all); // The part of a step that a short trace still has.
    }
}

/// Memory piles up until there is no more: a first forward, of a model that was there before or was
/// made by a setup that makes nothing but what stays. Loading with conversions makes more than that
/// from the first tensor on.
bool PhaseFinder::findFirstForward(Part all)
{
    constexpr std::size_t kFewest = 4; // What a model is made of.
    std::size_t cut = all.begin;
    if (m_t.first_made == 0) {
        while (cut < all.end && (m_t.stays(cut) || m_t.isTiny(cut))) {
            ++cut;
        }
    }
    const Part forward{cut, all.end};
    if (cut < kFewest || forward.count() < kShortestPass || m_gaps.keepsLittle(forward)) {
        return false;
    }
    add(Phase::setup, {all.begin, cut});
    add(Phase::forward, forward);
    return true;
}

/// What a part begins with and what takes the place of something from before the trace.
Part PhaseFinder::replacementsIn(Part part) const
{
    constexpr std::size_t kMost = 8;
    constexpr std::int64_t kSoon = 8; // Events.
    std::size_t end = part.begin;
    for (std::size_t i = part.begin; i < std::min(part.end, part.begin + kMost); ++i) {
        for (std::size_t old = 0; old < m_t.first_made && end <= i; ++old) {
            const bool is_replaced = m_t.size[old] == m_t.size[i] && m_t.death[old] > m_t.birth[i]
                && m_t.death[old] <= m_t.birth[i] + kSoon;
            end = is_replaced ? i + 1 : end;
        }
    }
    return {part.begin, end};
}

/// A recording that begins in a step's optimizer and ends before the next backward: the optimizer
/// makes what is as large as parameters, and by its end gradients of before the trace go.
bool PhaseFinder::findLateStep(Part all)
{
    m_gaps.learn({});
    Part step{all.begin, m_gaps.modelSizedPrefix(all)};
    const std::int64_t over = step.end < all.end ? m_t.birth[step.end] : m_t.last_event + 1;
    std::set<std::int64_t> gone;
    std::int64_t last_gone = 0;
    for (std::size_t i = 0; i < m_t.first_made; ++i) {
        if (!m_t.isTiny(i) && m_t.is_model_sized[i] && m_t.death[i] < over) {
            gone.insert(m_t.size[i]);
            last_gone = std::max(last_gone, m_t.death[i]);
        }
    }
    step.end = m_t.firstFrom(last_gone); // What comes then is as large as parameters by chance.
    if (gone.size() < kFewSizes || m_gaps.mixOf(step).model_sizes < kFewSizes) {
        return false;
    }
    const Part rest{step.end, all.end};
    const bool repeats = m_gaps.mixOf(rest).repeats();
    if (rest.count() < kShortestPass) {
        add(Phase::optimizer, all);
    } else if (m_ends_in_oom && repeats && !m_gaps.keepsLittle(rest)) {
        const Part input = replacementsIn(rest);
        add(Phase::optimizer, step);
        add(Phase::input, input);
        add(Phase::forward, {input.end, rest.end});
    } else {
        addBetweenSteps(all, step.end, Phase::optimizer);
    }
    return true;
}

} // namespace

std::vector<FramelessPhase> findFramelessPhases(const trace::Events& events,
                                                const replay::DeviceReplay& replay)
{
    return PhaseFinder(events, replay).find();
}

} // namespace tidemark::label
