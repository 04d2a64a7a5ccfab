// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/step_growth.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/curves/trend.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tidemark::curves {
namespace {

constexpr std::size_t kFewestEnds = 3;
constexpr double kSignificant = 0.05;

/// Bytes of a stack that begin or cease to be live between two ends.
struct StackChange {
    StackId stack;
    std::uint32_t end = 0; ///< The first end that has it.
    label::Bucket bucket{};
    std::int64_t bytes = 0;
};

/// The last step counts where it has an optimizer phase and no OOM cut it off.
bool isLastStepComplete(const replay::DeviceReplay& replay, const label::DeviceLabels& labels)
{
    const label::Step& last = labels.steps.back();
    const bool ran_out = std::ranges::any_of(replay.ooms, [&](EventId oom) {
        return last.first_event <= oom && oom <= last.last_event;
    });
    const auto number = static_cast<std::uint32_t>(labels.steps.size());
    const bool has_optimizer = std::ranges::any_of(labels.phases, [&](const label::PhaseSpan& s) {
        return s.step == number && s.phase == label::Phase::optimizer;
    });
    return has_optimizer && !ran_out;
}

/// Where the last step ends as the others do, with the program's teardown left out: after its last
/// allocation and the frees of its own memory that follow.
StateId endOfLastStep(const replay::DeviceReplay& replay, const label::Step& last)
{
    const replay::Allocations& all = replay.allocations;
    const StateId begin = StateId::before(last.first_event);
    const StateId limit = StateId::after(last.last_event);
    const auto behind = std::ranges::upper_bound(all.begin, limit);
    StateId end = behind == all.begin.begin() ? begin : std::max(begin, *std::prev(behind));
    for (; end < limit; ++end.value) {
        const AllocationId freed = replay.event_allocation[end.index()];
        if (!freed.isNone() && all.begin[freed.index()] <= begin) {
            break;
        }
    }
    return end;
}

std::vector<StateId> endsOfSteps(const replay::DeviceReplay& replay,
                                 const label::DeviceLabels& labels, StateId until)
{
    std::vector<StateId> ends;
    for (std::size_t i = 1; i < labels.steps.size(); ++i) {
        ends.push_back(StateId::before(labels.steps[i].first_event));
    }
    if (!labels.steps.empty() && isLastStepComplete(replay, labels)) {
        ends.push_back(endOfLastStep(replay, labels.steps.back()));
    }
    std::erase_if(ends, [until](StateId end) { return end > until; });
    std::ranges::sort(ends); // steps that a file states may lie as they like
    return ends;
}

std::vector<StackChange> changesAtEnds(const replay::DeviceReplay& replay,
                                       const label::DeviceLabels& labels,
                                       const std::vector<StateId>& ends)
{
    std::vector<StackChange> changes;
    const replay::Allocations& all = replay.allocations;
    const auto firstEnd = [&](StateId state) {
        return static_cast<std::uint32_t>(std::ranges::lower_bound(ends, state) - ends.begin());
    };
    for (std::size_t i = 0; i < all.count(); ++i) {
        const std::uint32_t from = firstEnd(all.begin[i]);
        const std::uint32_t to = from == ends.size() ? from : firstEnd(all.end[i]);
        if (from < to) {
            const std::int64_t bytes = all.requested[i].value;
            changes.push_back({all.stack[i], from, labels.bucket[i], bytes});
            changes.push_back({all.stack[i], to, labels.bucket[i], -bytes});
        }
    }
    std::ranges::stable_sort(changes, {},
                             [](const StackChange& c) { return std::pair(c.stack, c.end); });
    return changes;
}

/// What one stack holds at the ends of steps, from one change to the next: most stacks change at a
/// few of many ends.
class Series {
public:
    explicit Series(std::size_t ends)
        : m_ends(ends)
    {
    }
    /// Ends ascend.
    void add(std::uint32_t end, std::int64_t bytes)
    {
        if (m_changes.empty() || m_changes.back().end != end) {
            m_changes.push_back({end, back()});
        }
        m_changes.back().bytes += bytes;
    }
    [[nodiscard]] std::size_t size() const
    {
        return m_ends;
    }
    [[nodiscard]] std::int64_t at(std::size_t end) const
    {
        const auto after = std::ranges::upper_bound(m_changes, end, {}, &Level::end);
        return after == m_changes.begin() ? 0 : std::prev(after)->bytes;
    }
    [[nodiscard]] std::int64_t front() const
    {
        return at(0);
    }
    [[nodiscard]] std::int64_t back() const
    {
        return m_changes.empty() ? 0 : m_changes.back().bytes;
    }
    /// Calls `visit(before, after, end)` for every end at which it holds something else than at the
    /// one before.
    template <class Visit>
    void forEachStep(const Visit& visit) const
    {
        std::int64_t before = front();
        for (const Level& level : m_changes) {
            if (level.end > 0 && level.bytes != before) {
                visit(before, level.bytes, level.end);
            }
            before = level.bytes;
        }
    }

private:
    struct Level {
        std::size_t end;
        std::int64_t bytes; ///< From this end on.
    };
    std::size_t m_ends;
    std::vector<Level> m_changes;
};

/// Rose, and stands still at the ends of a third of the steps (three at least).
bool hasStopped(const Series& bytes)
{
    const std::size_t n = bytes.size();
    const std::size_t still = std::max<std::size_t>(3, n / 3);
    if (still >= n) {
        return false;
    }
    bool stands = true;
    bytes.forEachStep(
        [&](std::int64_t, std::int64_t, std::size_t end) { stands = stands && end <= n - still; });
    return stands && bytes.at(n - still - 1) <= bytes.back();
}

GrowthVerdict verdictOf(const StackGrowth& growth, const Series& bytes)
{
    if (growth.last_bytes < growth.first_bytes) {
        return GrowthVerdict::falling;
    }
    if (growth.last_bytes > growth.first_bytes && hasStopped(bytes)) {
        return GrowthVerdict::stopped;
    }
    const bool is_rising = growth.p < kSignificant && growth.bytes_per_step > 0;
    return is_rising ? GrowthVerdict::rising : GrowthVerdict::unclear;
}

bool isOfPasses(label::Bucket bucket)
{
    return bucket == label::Bucket::gradient || bucket == label::Bucket::activation
        || bucket == label::Bucket::temporary || bucket == label::Bucket::input;
}

/// `bytes` of one stack at every end.
StackGrowth growthOf(StackId stack, label::Bucket bucket, const Series& bytes)
{
    static constexpr std::size_t kMostEnds = 256;
    StackGrowth growth;
    growth.stack = stack;
    growth.bucket = bucket;
    growth.first_bytes = bytes.front();
    growth.last_bytes = bytes.back();
    growth.steps = static_cast<std::uint32_t>(bytes.size());
    std::size_t last_change = 0;
    bytes.forEachStep([&](std::int64_t before, std::int64_t after, std::size_t end) {
        growth.rises += after > before ? 1U : 0U;
        growth.falls += after < before ? 1U : 0U;
        last_change = end;
    });
    growth.is_of_last_step = isOfPasses(bucket) && growth.rises == 1 && growth.falls == 0
        && last_change + 1 == bytes.size();
    std::vector<std::uint32_t> at;
    std::vector<std::int64_t> sample;
    const std::size_t kept = std::min(kMostEnds, bytes.size());
    for (std::size_t k = 0; k < kept; ++k) {
        const std::size_t i = k * (bytes.size() - 1) / (kept - 1);
        at.push_back(static_cast<std::uint32_t>(i));
        sample.push_back(bytes.at(i));
    }
    growth.bytes_per_step = medianSlope(at, sample);
    growth.p = trendSignificance(sample);
    growth.verdict = verdictOf(growth, bytes);
    return growth;
}

} // namespace

std::string_view growthVerdictId(GrowthVerdict verdict)
{
    switch (verdict) {
    case GrowthVerdict::rising:
        return "rising";
    case GrowthVerdict::stopped:
        return "stopped";
    case GrowthVerdict::falling:
        return "falling";
    case GrowthVerdict::unclear:
        break;
    }
    return "unclear";
}

bool onlyRose(const StackGrowth& growth)
{
    return growth.verdict == GrowthVerdict::rising
        || (growth.verdict == GrowthVerdict::unclear && growth.rises > 0 && growth.falls == 0
            && growth.last_bytes > growth.first_bytes && !growth.is_of_last_step);
}

std::string growthWords(const StepGrowth& growth)
{
    const std::string ends = formatCount(static_cast<std::int64_t>(growth.ends.size()));
    if (growth.ends.size() < kFewestEnds) {
        return say("Needs 3 complete steps; this recording has {}.", ends);
    }
    std::int64_t more = 0;
    bool is_sure = false;
    for (const StackGrowth& one : growth.stacks) {
        more += onlyRose(one) ? one.last_bytes - one.first_bytes : 0;
        is_sure = is_sure || one.verdict == GrowthVerdict::rising;
    }
    return is_sure ? say("Live bytes at the ends of {} complete steps.", ends)
        : more > 0
        ? say("{} more are live after {} complete steps than after the first; with so few "
              "it may be a leak or warm-up.",
              Bytes{more}, ends)
        : say("No growth over {} complete steps.", ends);
}

StepGrowth growthPerStep(const replay::DeviceReplay& replay, const label::DeviceLabels& labels,
                         StateId until)
{
    StepGrowth growth;
    growth.ends = endsOfSteps(replay, labels, until);
    const std::size_t ends = growth.ends.size();
    if (ends < kFewestEnds) {
        return growth;
    }
    const std::vector<StackChange> changes = changesAtEnds(replay, labels, growth.ends);
    for (std::size_t i = 0; i < changes.size();) {
        const StackId stack = changes[i].stack;
        Series bytes(ends);
        label::BucketBytes at_last{};
        for (; i < changes.size() && changes[i].stack == stack; ++i) {
            if (changes[i].end < ends) { // Else it ends behind the last one.
                bytes.add(changes[i].end, changes[i].bytes);
                at_last[label::indexOf(changes[i].bucket)] += changes[i].bytes;
            }
        }
        bool is_changed = false;
        bytes.forEachStep([&](std::int64_t, std::int64_t, std::size_t) { is_changed = true; });
        if (is_changed) {
            const auto most = std::ranges::max_element(at_last) - at_last.begin();
            growth.stacks.push_back(
                growthOf(stack, label::bucketAt(static_cast<std::size_t>(most)), bytes));
        }
    }
    std::ranges::stable_sort(growth.stacks, {}, [](const StackGrowth& g) {
        return std::tuple(g.verdict != GrowthVerdict::rising, -std::abs(g.bytes_per_step),
                          -std::abs(g.last_bytes - g.first_bytes));
    });
    return growth;
}

} // namespace tidemark::curves
