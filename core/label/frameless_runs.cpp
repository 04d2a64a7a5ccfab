// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/frameless_runs.h"

#include "core/label/frameless_trace.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace tidemark::label {
namespace {

/// Allocations by index: half-open.
struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;

    [[nodiscard]] std::size_t count() const
    {
        return end - begin;
    }
};

/// What was found out about the way to one backward.
struct Approach {
    Part before; ///< What comes before the batch: setup, or an optimizer and evaluation.
    Part input;
    Part forward;
};

constexpr std::size_t kShortestPass = 5;
/// A pass this long shows that little piles up, even if it is not repeated.
constexpr std::size_t kLongPass = 64;
/// So many sizes of parameters are no coincidence.
constexpr std::size_t kFewSizes = 3;

class PhaseFinder {
public:
    PhaseFinder(const trace::Events& events, const replay::DeviceReplay& replay)
        : m_t(framelessTrace(events, replay))
        , m_ends_in_oom(!replay.ooms.empty()
                        && static_cast<std::int64_t>(replay.ooms.back().index()) == m_t.last_event)
    {
    }

    std::vector<PhaseStretch> find()
    {
        m_backward = findBackwardSpans(m_t);
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
    void findWithoutTraining();
    bool findFirstForward(Part all);
    void findTail();
    [[nodiscard]] Approach approach(Part gap, std::int64_t begins, std::int64_t ends) const;
    [[nodiscard]] std::vector<bool> tells(Part part) const;
    [[nodiscard]] std::size_t modelSizedPrefix(Part part) const;
    /// How many allocations of a part tell something, and what.
    struct Mix {
        std::size_t judged = 0;
        std::size_t passing = 0; ///< Of those: not as large as something of the model.
        std::size_t sizes = 0; ///< Different ones of the passing.
        std::size_t model_sizes = 0; ///< Different ones of the others.

        /// Enough memory of a pass, not just an optimizer's odd sizes.
        [[nodiscard]] bool isMostlyPassing() const
        {
            return passing >= kShortestPass && passing * 2 >= judged;
        }
        /// Layers make the same sizes again.
        [[nodiscard]] bool repeats() const
        {
            constexpr std::size_t kEnough = 32;
            return passing < kEnough || sizes * 2 <= passing;
        }
    };
    [[nodiscard]] Mix mixOf(Part part) const;
    [[nodiscard]] bool hasOptimizerIn(Part part) const;
    [[nodiscard]] std::optional<std::int64_t> firstGradientFreed(const BackwardSpan& backward,
                                                                 std::int64_t before) const;
    void addBetweenSteps(Part part, std::size_t cut, Phase first);
    void addPasses(Part part, Phase phase);
    [[nodiscard]] Part inputOf(Part pass) const;
    [[nodiscard]] std::vector<Part> passesIn(Part part) const;
    [[nodiscard]] bool keepsLittle(Part part) const;
    [[nodiscard]] bool isInferenceOf(Part model, Part passes) const;
    [[nodiscard]] std::size_t nextBegin(Part part) const;
    [[nodiscard]] bool looksLikeTraining(Part part) const;
    void add(Phase phase, Part part);
    [[nodiscard]] Part between(std::int64_t first, std::int64_t end) const
    {
        return {m_t.firstFrom(first), m_t.firstFrom(end)};
    }
    /// Freed within a backward: saved for it.
    [[nodiscard]] bool isSaved(std::size_t i, std::int64_t begins, std::int64_t ends) const
    {
        return !m_t.isTiny(i) && m_t.death[i] > begins && m_t.death[i] <= ends;
    }

    FramelessTrace m_t;
    bool m_ends_in_oom;
    std::vector<BackwardSpan> m_backward;
    std::vector<Approach> m_approaches; ///< One per backward.
    std::vector<PhaseStretch> m_out;
};

void PhaseFinder::add(Phase phase, Part part)
{
    if (part.begin < part.end) {
        m_out.push_back({phase, EventId(static_cast<std::size_t>(m_t.birth[part.begin])),
                         EventId(static_cast<std::size_t>(m_t.birth[part.end - 1]))});
    }
}

/// Too small to tell anything, beside what else was made.
std::vector<bool> PhaseFinder::tells(Part part) const
{
    constexpr std::int64_t kNegligible = 1024;
    std::int64_t largest = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        largest = std::max(largest, m_t.is_model_sized[i] ? 0 : m_t.size[i]);
    }
    std::vector<bool> tells;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        tells.push_back(!m_t.isTiny(i)
                        && (m_t.is_model_sized[i] || m_t.size[i] * kNegligible >= largest));
    }
    return tells;
}

/// Optimizers make what is as large as parameters, passes mostly what is not: where the one ends
/// and the other begins, at the cut that fits most allocations. Scalars go with what they follow.
std::size_t PhaseFinder::modelSizedPrefix(Part part) const
{
    const std::vector<bool> telling = tells(part);
    std::int64_t score = 0;
    std::int64_t best = 0;
    bool is_best = true;
    std::size_t cut = part.begin;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        if (telling[i - part.begin]) {
            score += m_t.is_model_sized[i] ? 1 : -1;
            is_best = score >= best;
            best = std::max(best, score);
        }
        cut = is_best ? i + 1 : cut;
    }
    return cut;
}

PhaseFinder::Mix PhaseFinder::mixOf(Part part) const
{
    const std::vector<bool> telling = tells(part);
    std::set<std::int64_t> sizes;
    std::set<std::int64_t> model_sizes;
    Mix mix;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        if (telling[i - part.begin]) {
            ++mix.judged;
            mix.passing += m_t.is_model_sized[i] ? 0U : 1U;
            (m_t.is_model_sized[i] ? model_sizes : sizes).insert(m_t.size[i]);
        }
    }
    mix.sizes = sizes.size();
    mix.model_sizes = model_sizes.size();
    return mix;
}

bool PhaseFinder::hasOptimizerIn(Part part) const
{
    for (std::size_t i = part.begin; i < part.end; ++i) {
        if (!m_t.isTiny(i) && m_t.is_model_sized[i]) {
            return true;
        }
    }
    return false;
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

/// The batch is what outlives the backward and was made before all that is saved for it.
Approach PhaseFinder::approach(Part gap, std::int64_t begins, std::int64_t ends) const
{
    std::size_t first_saved = gap.begin;
    while (first_saved < gap.end && !isSaved(first_saved, begins, ends)) {
        ++first_saved;
    }
    const auto isBatch = [&](std::size_t i) {
        return !m_t.is_model_sized[i] && m_t.death[i] > ends;
    };
    std::size_t last = first_saved;
    while (last > gap.begin && !(isBatch(last - 1) && !m_t.isTiny(last - 1))) {
        --last;
    }
    if (last == gap.begin) {
        const std::size_t cut = modelSizedPrefix({gap.begin, first_saved});
        return {{gap.begin, cut}, {cut, cut}, {cut, gap.end}};
    }
    constexpr std::size_t kApart = 4;
    std::size_t first = last - 1;
    for (std::size_t i = first; i-- > gap.begin && first - i < kApart;) {
        first = isBatch(i) ? i : first;
    }
    while (last < first_saved && m_t.death[last] > ends) {
        ++last;
    }
    return {{gap.begin, first}, {first, last}, {last, gap.end}};
}

/// At the start of a pass, and gone only after it.
Part PhaseFinder::inputOf(Part pass) const
{
    constexpr std::size_t kApart = 4;
    const std::int64_t over = m_t.birth[pass.end - 1];
    std::size_t end = pass.begin;
    for (std::size_t i = pass.begin; i + 1 < pass.end && i < end + kApart; ++i) {
        end = m_t.death[i] > over ? i + 1 : end;
    }
    return {pass.begin, end};
}

/// Passes begin alike: wherever the first few sizes come up again.
std::vector<Part> PhaseFinder::passesIn(Part part) const
{
    constexpr std::size_t kAlike = 4;
    std::vector<Part> passes{part};
    for (std::size_t i = part.begin + kShortestPass; i + kAlike <= part.end; ++i) {
        const bool alike = std::equal(m_t.size.begin() + static_cast<std::ptrdiff_t>(i),
                                      m_t.size.begin() + static_cast<std::ptrdiff_t>(i + kAlike),
                                      m_t.size.begin() + static_cast<std::ptrdiff_t>(part.begin));
        if (alike && i - passes.back().begin >= kShortestPass) {
            passes.back().end = i;
            passes.push_back({i, part.end});
        }
    }
    return passes;
}

void PhaseFinder::addPasses(Part part, Phase phase)
{
    if (phase == Phase::other || !keepsLittle(part)) {
        add(Phase::other, part);
        return;
    }
    for (const Part& pass : passesIn(part)) {
        const Part input = inputOf(pass);
        add(Phase::input, input);
        add(phase, {input.end, pass.end});
    }
}

/// Setup or an optimizer first, then perhaps an evaluation.
void PhaseFinder::addBetweenSteps(Part part, std::size_t cut, Phase first)
{
    const Mix mix = mixOf({cut, part.end});
    if (mix.isMostlyPassing()) {
        add(first, {part.begin, cut});
        addPasses({cut, part.end}, mix.repeats() ? Phase::evaluation : Phase::other);
    } else {
        add(first, part);
    }
}

void PhaseFinder::findTraining()
{
    std::int64_t from = 0;
    bool any_optimizer = false;
    std::vector<std::optional<std::int64_t>> freed; // Per backward: its first gradient to go.
    for (std::size_t b = 0; b < m_backward.size(); ++b) {
        const BackwardSpan& backward = m_backward[b];
        m_approaches.push_back(
            approach(between(from, backward.first), backward.first, backward.last));
        const bool is_last = b + 1 == m_backward.size();
        freed.push_back(firstGradientFreed(
            backward, is_last ? FramelessTrace::kNever : m_backward[b + 1].first));
        any_optimizer = any_optimizer || freed.back().has_value()
            || (b > 0 && hasOptimizerIn(m_approaches.back().before));
        from = backward.last;
    }
    for (std::size_t b = 0; b < m_backward.size(); ++b) {
        const Approach& a = m_approaches[b];
        const bool is_step =
            b > 0 && (!any_optimizer || freed[b - 1].has_value() || hasOptimizerIn(a.before));
        Part input = a.input;
        if (b == 0) {
            addBetweenSteps(a.before, modelSizedPrefix(a.before), Phase::setup);
        } else if (is_step) {
            addBetweenSteps(a.before, modelSizedPrefix(a.before), Phase::optimizer);
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
    const Approach& known = m_approaches.back();
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
    return (alike == part.count() && alike < kAlike) || kept * 4 >= part.count();
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
    const Part rest{next < tail.end ? next : modelSizedPrefix(tail), tail.end};
    const bool is_forward = rest.count() >= kShortestPass && looksLikeTraining(rest);
    if (!is_forward) {
        addBetweenSteps(tail, rest.begin, Phase::optimizer);
        return;
    }
    add(Phase::optimizer, {tail.begin, rest.begin});
    const Approach& known = m_approaches.back();
    const std::size_t input = std::min(rest.end, rest.begin + known.input.count());
    const std::size_t forward = std::min(rest.end, input + known.forward.count());
    add(Phase::input, {rest.begin, input});
    add(Phase::forward, {input, forward});
    add(Phase::backward, {forward, rest.end});
}

/// An inference holds little at a time; a training without the sign of its backward would hold
/// more.
bool PhaseFinder::keepsLittle(Part part) const
{
    constexpr std::size_t kAlwaysLittle = 8;
    std::vector<std::int64_t> deaths; // A heap, the soonest on top.
    std::size_t most = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        while (!deaths.empty() && deaths.front() < m_t.birth[i]) {
            std::ranges::pop_heap(deaths, std::greater<>());
            deaths.pop_back();
        }
        if (!m_t.isTiny(i)) {
            deaths.push_back(m_t.death[i]);
            std::ranges::push_heap(deaths, std::greater<>());
        }
        most = std::max(most, deaths.size());
    }
    return most <= kAlwaysLittle || most * 7 <= part.count();
}

/// Passes need a model that is there throughout, and keep a result each, not most of what they
/// make.
bool PhaseFinder::isInferenceOf(Part model, Part passes) const
{
    constexpr std::size_t kFewKept = 4; // One in so many.
    bool has_model = false;
    for (std::size_t i = model.begin; i < model.end; ++i) {
        has_model = has_model || (m_t.stays(i) && !m_t.isTiny(i));
    }
    std::size_t kept = 0;
    for (std::size_t i = passes.begin; i < passes.end; ++i) {
        kept += m_t.stays(i) ? 1U : 0U;
    }
    return has_model && kept * kFewKept <= passes.count();
}

void PhaseFinder::findWithoutTraining()
{
    constexpr std::size_t kMostModelSized = 10; // One in so many is not: no optimizer.
    const Part all{m_t.first_made, m_t.count()};
    const Part rest{m_t.dropLateModelSizes(), all.end};
    const Mix mix = mixOf(rest);
    const bool is_long = rest.count() >= kLongPass;
    if (m_ends_in_oom && findFirstForward(all)) {
        return;
    }
    if (mix.passing * kMostModelSized >= mix.judged && mix.passing >= kShortestPass) {
        const bool shows = is_long || passesIn(rest).size() >= 2;
        if (shows && keepsLittle(rest) && isInferenceOf({0, rest.begin}, rest)) {
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
    if (cut < kFewest || forward.count() < kShortestPass || keepsLittle(forward)) {
        return false;
    }
    add(Phase::setup, {all.begin, cut});
    add(Phase::forward, forward);
    return true;
}

} // namespace

std::vector<PhaseStretch> findFramelessPhases(const trace::Events& events,
                                              const replay::DeviceReplay& replay)
{
    return PhaseFinder(events, replay).find();
}

} // namespace tidemark::label
