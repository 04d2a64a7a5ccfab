// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/facts/activation_gradients.h"
#include "core/diagnose/predict/law_helpers.h"
#include "core/diagnose/predict/laws.h"
#include "core/diagnose/predict/size_growth.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

/// How an allocation's size follows the number of samples (or tokens).
enum class Scaling : std::uint8_t {
    fixed,
    linear,
    /// A temporary of backward whose size is that of a weight and of an activation, too.
    fixed_or_linear,
    /// What a library works in for a weight's gradient: as large as the algorithm has it.
    scratch,
    pairs, ///< Each sample against each.
    unknown,
};

bool followsBatch(Bucket bucket)
{
    return !program::isFixed(label::infoOf(bucket).kind);
}

/// All that `scalingOf` may call anything but fixed.
BucketSet bucketsThatFollow()
{
    BucketSet set;
    for (const label::BucketInfo& info : label::kBuckets) {
        set.set(label::indexOf(info.bucket), followsBatch(info.bucket));
    }
    return set;
}

/// Whether passes make things of that size that are no copies of weights: they save some, or, where
/// blocks are made again, drop what an activation function made or more than there are weights.
bool isLikeActivation(const Facts& facts, const SizeCounts& use)
{
    const auto training = std::ranges::count_if(facts.passes, &Pass::isTraining);
    return use.forward > 0 || use.activates
        || static_cast<std::int64_t>(use.passing) > training * std::int64_t{use.weights};
}

bool isOfPairs(const Facts& facts, const Subject& s)
{
    const auto use = facts.size_counts.find(s.bytes);
    return use != facts.size_counts.end() && use->second.of_pairs
        && (s.phase == Phase::forward || s.phase == Phase::backward);
}

/// What is made outside passes does not follow the batch, whatever its size.
bool isOutsidePasses(const Subject& s)
{
    return s.bucket == Bucket::temporary
        && (s.role == Role::optimizer_transient || s.role == Role::weight_cast
            || s.phase == Phase::optimizer || s.phase == Phase::setup);
}

Scaling scalingOf(const Facts& facts, const Subject& s)
{
    if (followsBatch(s.bucket) && isOfPairs(facts, s)) {
        return Scaling::pairs;
    }
    switch (label::infoOf(s.bucket).kind) {
    case program::Usage::saved:
        return s.role == Role::weight_cast ? Scaling::fixed : Scaling::linear;
    case program::Usage::input:
    case program::Usage::result:
        return Scaling::linear;
    case program::Usage::scratch: {
        if (isOutsidePasses(s)) {
            return Scaling::fixed;
        }
        const auto use = facts.size_counts.find(s.bytes);
        if (use == facts.size_counts.end() || use->second.states == 0) {
            const bool is_scratch = use != facts.size_counts.end()
                && (s.phase == Phase::backward || use->second.pads_weight)
                && use->second.isScratch();
            return is_scratch ? Scaling::scratch : Scaling::linear;
        }
        return isLikeActivation(facts, use->second) ? Scaling::fixed_or_linear : Scaling::fixed;
    }
    case program::Usage::unknown:
        return Scaling::unknown;
    default:
        return Scaling::fixed; // `program::isFixed`
    }
}

Amount ordered(double a, double mid, double b)
{
    return {std::min({a, mid, b}), mid, std::max({a, mid, b})};
}

/// No batch changes copies of weights.
Amount butForCopies(const Amount& factor, const Subject& s)
{
    const double copies = s.copy_share;
    const double rest = 1 - copies;
    return {copies + rest * factor.low, copies + rest * factor.mid, copies + rest * factor.high};
}

/// As the program's products have it; nullopt where it does not say.
std::optional<Amount> growthFactor(const SizeGrowth& growth, const Subject& s, const Ratios& ratios)
{
    if (!followsBatch(s.bucket) || isOutsidePasses(s) || s.role == Role::weight_cast) {
        return std::nullopt;
    }
    const std::optional<Amount> factor = growth.factor(s, ratios);
    return factor ? std::optional(butForCopies(*factor, s)) : std::nullopt;
}

/// The factor for a subject when what scales linearly scales by `ratio`. Padding, masks and buffers
/// that do not follow the batch make real runs shrink a little less.
Amount factorFor(Scaling scaling, double ratio)
{
    static constexpr double kFollowsLess = 0.02;
    const double slack = kFollowsLess * (1 - ratio);
    switch (scaling) {
    case Scaling::fixed:
    case Scaling::pairs: // of samples, whatever their length; `MicroBatchLaw` squares them
        return Amount::exactly(1);
    case Scaling::linear:
        return ordered(ratio, ratio, ratio + slack);
    case Scaling::fixed_or_linear:
        return ordered(ratio, ratio, 1);
    case Scaling::scratch:
        return ordered(ratio, 1, 1);
    case Scaling::unknown:
        return ordered(ratio, (1 + ratio) / 2, 1);
    }
    return Amount::exactly(1);
}

class MicroBatchLaw final : public Law {
public:
    MicroBatchLaw(const Facts& facts, double ratio)
        : m_facts(facts)
        , m_growth(facts)
        , m_ratio(ratio)
    {
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketsThatFollow();
    }
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        const Scaling scaling = scalingOf(m_facts, subject);
        if (scaling == Scaling::pairs) {
            return ordered(m_ratio * m_ratio, m_ratio * m_ratio, m_ratio);
        }
        if (const auto grown = growthFactor(m_growth, subject, {m_ratio, 1})) {
            return *grown;
        }
        return butForCopies(factorFor(scaling, m_ratio), subject);
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        return {say("Activations, inputs, outputs and their gradients scale with the samples ({}); "
                    "weights, gradients and optimizer state do not.",
                    formatRatio(m_ratio))};
    }

private:
    const Facts& m_facts;
    SizeGrowth m_growth;
    double m_ratio;
};

/// Until the last micro-batch the gradients of those before stay, so they are there during forward,
/// too.
class AccumulationLaw final : public Law {
public:
    AccumulationLaw(const Facts& facts, int count)
        : m_facts(facts)
        , m_count(count)
        , m_from(facts.allocations().count())
    {
        LiveBySize live;
        std::set<std::pair<StateId, AllocationId>> by_end; // Of the same.
        std::size_t seen = 0;
        for (const Pass& pass : facts.passes) {
            for (const std::size_t first = facts.madeIn(pass).first; seen < first; ++seen) {
                const AllocationId g(seen);
                if (facts.bucket(g) == Bucket::gradient) {
                    live[facts.bytes(g)].insert(g);
                    by_end.emplace(facts.allocations().end[seen], g);
                }
            }
            while (!by_end.empty() && by_end.begin()->first <= pass.forward.begin) {
                const AllocationId g = by_end.begin()->second;
                live[facts.bytes(g)].erase(g);
                by_end.erase(by_end.begin());
            }
            findBegins(pass, live);
        }
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::gradient});
    }
    [[nodiscard]] std::string_view cutting() const override
    {
        return m_count < 2 ? "" : "accumulation";
    }
    [[nodiscard]] bool keepsGradients() const override
    {
        return m_count >= 2;
    }
    void cut(const Subject& subject, Life& life) const override
    {
        if (m_count < 2 || subject.pass < 0) {
            return;
        }
        // Parts of a gradient, of a weight that is used twice, are added up before backward ends.
        const auto p = static_cast<std::size_t>(subject.pass);
        const Pass& pass = m_facts.passes[p];
        if (subject.end <= std::min(m_added_up[p], m_facts.replay.lastState())) {
            return;
        }
        const StateId from = m_from[subject.allocation.index()];
        for (Interval<StateId>& live : life.live) {
            if (live.begin == subject.begin && from < live.begin) {
                live.begin = from;
            }
        }
        if (pass.backward.contains(subject.begin)) {
            // From the second micro-batch on, each new gradient stands beside the one that it is
            // added to until the operation that makes it is done.
            static constexpr std::uint32_t kOperation = 4; // events
            const StateId end{std::min(subject.begin.value + kOperation, pass.backward.end.value)};
            life.possible_second_use.push_back({subject.begin, end});
        }
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        return {
            say("{} micro-batches per optimizer step: gradients stay allocated from the first on.",
                m_count)};
    }

private:
    using LiveBySize = std::map<std::int64_t, std::set<AllocationId>>;

    /// `gradients`: those that live when the pass begins. A pass before which gradients are not
    /// cleared finds those of the step before: they go when they are cleared, and only then stand
    /// those of the micro-batches in their place. O(made in the pass · log gradients).
    void findBegins(const Pass& pass, const LiveBySize& gradients)
    {
        std::map<std::int64_t, std::set<AllocationId>::const_iterator> earlier; // Next of a size.
        const auto [first, end] = m_facts.madeIn(pass);
        bool is_step_seen = first == end;
        for (std::size_t i = first; i < end; ++i) {
            const AllocationId g(i);
            if (m_facts.bucket(g) != Bucket::gradient) {
                continue;
            }
            is_step_seen = is_step_seen || m_facts.allocations().end[i] > pass.backward.end;
            m_from[i] = pass.forward.begin;
            const auto of_size = gradients.find(m_facts.bytes(g));
            if (of_size == gradients.end()) {
                continue;
            }
            auto& next = earlier.try_emplace(of_size->first, of_size->second.begin()).first->second;
            if (next != of_size->second.end()) {
                m_from[i] = std::max(m_from[i], m_facts.allocations().end[next->index()]);
                ++next;
            }
        }
        // Fused Adam requests nothing: gradients are cleared behind all that backward makes.
        m_added_up.push_back(is_step_seen ? pass.backward.end
                                          : m_facts.allocations().begin[end - 1]);
    }

    const Facts& m_facts;
    int m_count;
    std::vector<StateId> m_added_up; ///< Per pass: what is a gradient behind it is kept.
    std::vector<StateId> m_from; ///< Per gradient: since when it, or one before it, is there.
};

class SequenceLaw final : public Law {
public:
    SequenceLaw(const Facts& facts, double ratio)
        : m_facts(facts)
        , m_growth(facts)
        , m_ratio(ratio)
    {
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketsThatFollow();
    }
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        const double square = m_ratio * m_ratio;
        // Whatever else is as large: rows of a feed-forward are where it is heads times as wide as
        // the sequence is long.
        if (subject.role == Role::attention_matrix) {
            return ordered(square, square, square + 0.02 * (1 - square));
        }
        if (const auto grown = growthFactor(m_growth, subject, {1, m_ratio})) {
            return *grown;
        }
        const Scaling scaling = scalingOf(m_facts, subject);
        const Amount linear = factorFor(scaling, m_ratio);
        if (subject.attention >= AttentionPart::matrix && subject.bucket == Bucket::activation
            && subject.attention != AttentionPart::unfused_call) {
            return ordered(linear.mid, square, square);
        }
        const double share = scaling != Scaling::fixed ? subject.matrix_share : 0;
        if (share == 0) {
            return butForCopies(linear, subject);
        }
        const double mid = share * square + (1 - share) * linear.mid;
        const bool sure = share == 1;
        return ordered(square, mid, sure ? square : linear.high);
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        std::vector<std::string> texts{
            say("Activations scale with sequence length ({}).", formatRatio(m_ratio))};
        if (!m_facts.attention_kin->empty()) {
            texts.push_back(say("Attention matrices scale with its square ({}).",
                                formatRatio(m_ratio * m_ratio)));
        }
        return texts;
    }

private:
    const Facts& m_facts;
    SizeGrowth m_growth;
    double m_ratio;
};

} // namespace

std::unique_ptr<Law> microBatchLaw(const Facts& facts, double ratio)
{
    return std::make_unique<MicroBatchLaw>(facts, ratio);
}

std::unique_ptr<Law> accumulationLaw(const Facts& facts, int count)
{
    return std::make_unique<AccumulationLaw>(facts, count);
}

std::unique_ptr<Law> sequenceLaw(const Facts& facts, double ratio)
{
    return std::make_unique<SequenceLaw>(facts, ratio);
}

} // namespace tidemark::diagnose
