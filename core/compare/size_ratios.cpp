// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/size_ratios.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/compare/size_steps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tidemark::compare {
namespace {

using program::DimensionName;

/// Smaller allocations are scalars and counters.
constexpr std::int64_t kSmallest = 512;
/// Of the evidence of sizes that changed: what has to obey before a change is stated, where
/// programs state it, and where only ratios do.
constexpr double kStatedShare = 0.5;
constexpr double kRatioShare = 0.7;
/// Of the same: squares of a ratio are no accident above it.
constexpr double kSquareShare = 0.05;
/// One reading is better than another by more than this.
constexpr double kClearly = 0.15;
/// Ratios this near are one.
constexpr double kSameRatio = 0.01;
/// Ratios of whole numbers that are equal.
constexpr double kRounding = 1e-9;
/// Of the changed weights, those that grew as the activations did: the width explains both.
constexpr double kWidthShare = 0.5;
/// So many times the keys and values of a layer grow by the same bytes, or it is an accident.
constexpr std::size_t kFewestTokens = 3;
/// Changed sizes say nothing about a run in which this share of the evidence did not change.
constexpr double kFewChanged = 0.02;

struct Vote {
    const program::SizeUse* a = nullptr;
    const program::SizeUse* b = nullptr;
    double weight = 0;
    [[nodiscard]] double ratio() const
    {
        return static_cast<double>(b->bytes) / static_cast<double>(a->bytes);
    }
    [[nodiscard]] bool isChanged() const
    {
        return a->bytes != b->bytes;
    }
};

std::vector<Vote> votesOf(const Side& a, const Side& b, const std::vector<SizePair>& pairs)
{
    std::vector<Vote> votes;
    for (const SizePair& pair : pairs) {
        const program::SizeUse& use_a = a.program.sizes[pair.use_a];
        const program::SizeUse& use_b = b.program.sizes[pair.use_b];
        const bool is_fixed = program::isFixed(use_a.kind) || program::isFixed(use_b.kind)
            || use_a.what == program::What::weight_copy;
        if (!is_fixed && std::min(use_a.bytes, use_b.bytes) >= kSmallest) {
            const double weight = std::log2(1.0 + static_cast<double>(pair.count))
                * std::log2(static_cast<double>(std::max(use_a.bytes, use_b.bytes)));
            votes.push_back({&use_a, &use_b, weight});
        }
    }
    return votes;
}

double weightOf(const std::vector<Vote>& votes, const std::function<bool(const Vote&)>& counts)
{
    double sum = 0;
    for (const Vote& vote : votes) {
        sum += counts(vote) ? vote.weight : 0;
    }
    return sum;
}

bool isNear(double x, double y)
{
    return std::abs(x / y - 1) <= kSameRatio;
}

/// Share of the evidence of changed sizes that growths lead to.
double obeyed(const std::vector<Vote>& votes, const Growths& growths)
{
    const double changed = weightOf(votes, &Vote::isChanged);
    return changed <= 0
        ? 0
        : weightOf(votes, [&](const Vote& v) {
              return v.isChanged() && stepsBetween(*v.a, *v.b, growths).has_value();
          }) / changed;
}

/// How a size grows, where all its expressions agree.
std::optional<program::Growth> growthOf(const program::SizeUse& use)
{
    std::optional<program::Growth> growth;
    for (const program::Expression& expression : use.expressions) {
        const program::Growth own = program::growthOf(expression);
        if (growth && !(*growth == own)) {
            return std::nullopt;
        }
        growth = own;
    }
    return growth;
}

/// Whether a size follows as its expressions say, in either run; of sizes with none, or with some
/// that differ, nothing is said.
bool followsItsExpression(const Vote& vote, const Growths& growths)
{
    for (const program::SizeUse* use : {vote.a, vote.b}) {
        if (const auto growth = growthOf(*use)) {
            const double expected = std::pow(growths.sequence, growth->sequence)
                * std::pow(growths.batch, growth->batch);
            return isNear(vote.ratio(), expected)
                || (growths.changes_width
                    && (isNear(vote.ratio(), expected / 2) || isNear(vote.ratio(), expected * 2)));
        }
    }
    return false;
}

/// Ratio of a dimension that both programs state.
std::optional<double> statedRatio(const Side& a, const Side& b, DimensionName name)
{
    const program::Dimension* const in_a = a.program.find(name);
    const program::Dimension* const in_b = b.program.find(name);
    if (in_a == nullptr || in_b == nullptr || in_a->value <= 0) {
        return std::nullopt;
    }
    return static_cast<double>(in_b->value) / static_cast<double>(in_a->value);
}

struct CommonRatio {
    double value = 1;
    double share = 0; ///< Of the changed evidence that has this ratio or its square.
    double squares = 0;
};

/// The ratio that most changed sizes have, by itself or squared. Where both are there it is the
/// smaller one.
CommonRatio commonRatio(const std::vector<Vote>& votes, bool changes_width)
{
    const double changed = weightOf(votes, &Vote::isChanged);
    const auto has = [&](const Vote& v, double ratio) {
        return isNear(v.ratio(), ratio)
            || (changes_width && (isNear(v.ratio(), ratio / 2) || isNear(v.ratio(), ratio * 2)));
    };
    CommonRatio best;
    for (const Vote& vote : votes) {
        const double ratio = vote.ratio();
        if (!vote.isChanged() || isNear(ratio, 1)
            || (changes_width && (isNear(ratio, 0.5) || isNear(ratio, 2)))) {
            continue;
        }
        const double once =
            weightOf(votes, [&](const Vote& v) { return v.isChanged() && has(v, ratio); });
        const double squared = weightOf(votes, [&](const Vote& v) {
            return v.isChanged() && !has(v, ratio) && has(v, ratio * ratio);
        });
        const CommonRatio found{ratio, (once + squared) / changed, squared / changed};
        if (found.share > best.share + 1e-9) {
            best = found;
        }
    }
    return best;
}

/// Of all ratios near a common one the one that most evidence has exactly: sizes with a constant
/// part grow a little less than the dimension they follow.
double exactRatio(const std::vector<Vote>& votes, double common)
{
    double best = common;
    double most = 0;
    for (const Vote& vote : votes) {
        const double ratio = vote.ratio();
        if (!isNear(ratio, common)) {
            continue;
        }
        const double weight = weightOf(
            votes, [ratio](const Vote& v) { return std::abs(v.ratio() / ratio - 1) < kRounding; });
        if (weight > most) {
            most = weight;
            best = ratio;
        }
    }
    return best;
}

/// Share of the changed weights that have a ratio or its square: a vector is as long as the model
/// is wide, a matrix mostly so in both directions.
double weightsWith(double ratio, const Side& a, const Side& b, const std::vector<SizePair>& pairs)
{
    double changed = 0;
    double with = 0;
    for (const SizePair& pair : pairs) {
        const program::SizeUse& use_a = a.program.sizes[pair.use_a];
        const program::SizeUse& use_b = b.program.sizes[pair.use_b];
        if (!program::isFixed(use_a.kind) || !program::isFixed(use_b.kind)
            || use_a.bytes == use_b.bytes) {
            continue;
        }
        const auto weight = static_cast<double>(pair.count);
        const double grew = static_cast<double>(use_b.bytes) / static_cast<double>(use_a.bytes);
        changed += weight;
        with += isNear(grew, ratio) || isNear(grew, ratio * ratio) ? weight : 0;
    }
    return changed > 0 ? with / changed : 0;
}

/// Bytes that one more token adds to the keys or values of a layer: their sizes rise by it from one
/// token to the next, however long the sequence is. Nullopt: no cache of them grows.
/// O(allocations).
std::optional<std::int64_t> bytesPerToken(const Side& side)
{
    std::set<std::int64_t> sizes;
    for (std::size_t i = 0; i < side.allocations().count(); ++i) {
        if (side.labels().bucket[i] == label::Bucket::kv_cache) {
            sizes.insert(side.allocations().requested[i].value);
        }
    }
    std::map<std::int64_t, std::size_t> rises;
    for (auto it = sizes.begin(); it != sizes.end() && std::next(it) != sizes.end(); ++it) {
        ++rises[*std::next(it) - *it];
    }
    const auto most =
        std::ranges::max_element(rises, {}, &std::pair<const std::int64_t, std::size_t>::second);
    return most != rises.end() && most->second >= kFewestTokens && 2 * most->second > sizes.size()
        ? std::optional(most->first)
        : std::nullopt;
}

ShapeChange fromRatios(const Side& a, const Side& b, const std::vector<SizePair>& pairs,
                       const std::vector<Vote>& votes, bool changes_width, bool is_other_model)
{
    ShapeChange found;
    found.growths.changes_width = changes_width;
    const double all = weightOf(votes, [](const Vote&) { return true; });
    const double changed = weightOf(votes, &Vote::isChanged);
    if (changed <= kFewChanged * all) {
        return found;
    }
    CommonRatio common = commonRatio(votes, changes_width);
    common.value = exactRatio(votes, common.value);
    const double widths = !changes_width
        ? 0
        : weightOf(votes, [](const Vote& v) {
              return v.isChanged() && (isNear(v.ratio(), 0.5) || isNear(v.ratio(), 2));
          }) / changed;
    if (widths >= kRatioShare && widths >= common.share) {
        return found;
    }
    if (common.share < kRatioShare) {
        found.open =
            say("Whether batch or sequence changed is not identified: sizes at matched places "
                "have no ratio in common.");
        return found;
    }
    if (is_other_model && weightsWith(common.value, a, b, pairs) >= kWidthShare) {
        found.model = common.value;
        return found;
    }
    Growths as_sequence{common.value, 1, 1, changes_width};
    Growths as_batch{1, common.value, 1, changes_width};
    const auto follow = [&](const Growths& growths) {
        return weightOf(
                   votes,
                   [&](const Vote& v) { return v.isChanged() && followsItsExpression(v, growths); })
            / changed;
    };
    const double sequence = follow(as_sequence);
    const double batch = follow(as_batch);
    if (common.squares >= kSquareShare || sequence > batch + kClearly) {
        found.growths = as_sequence;
        found.evidence = say("Sizes at matched places grew × {:.4g}, some × {:.4g}, its square.",
                             common.value, common.value * common.value);
    } else if (batch > sequence + kClearly) {
        found.growths = as_batch;
        found.evidence = say("Sizes at matched places grew × {:.4g}; what depends on the "
                             "sequence alone did not.",
                             common.value);
    } else if (const auto per_a = bytesPerToken(a), per_b = bytesPerToken(b); per_a && per_b
               && isNear(static_cast<double>(*per_b) / static_cast<double>(*per_a), common.value)) {
        found.growths = as_batch;
        found.evidence =
            say("Sizes at matched places grew × {:.4g}, and so did what one more token "
                "adds to the keys or values of a layer ({} in {}, {} in {}).",
                common.value, formatBytes({*per_a}), a.letter, formatBytes({*per_b}), b.letter);
    } else if (per_a && per_a == per_b) {
        found.growths = as_sequence;
        found.evidence = say("Sizes at matched places grew × {:.4g}, but one more token adds {} to "
                             "the keys or values of a layer in both.",
                             common.value, formatBytes({*per_a}));
    } else {
        found.growths = {1, 1, common.value, changes_width};
        found.evidence =
            say("Sizes at matched places grew × {:.4g} and none by its square; whether "
                "batch or sequence is not identified.",
                common.value);
        found.open = say("Whether batch or sequence changed is not identified.");
    }
    return found;
}

} // namespace

ShapeChange findShapeChange(const Side& a, const Side& b, const std::vector<SizePair>& pairs,
                            bool changes_width, bool is_other_model)
{
    const std::vector<Vote> votes = votesOf(a, b, pairs);
    const auto sequence = statedRatio(a, b, DimensionName::sequence);
    const auto batch = statedRatio(a, b, DimensionName::batch);
    if (sequence && batch) {
        ShapeChange stated;
        stated.growths = {*sequence, *batch, 1, changes_width};
        const double share = obeyed(votes, stated.growths);
        const bool is_still = *sequence == 1 && *batch == 1;
        if (is_still || share >= kStatedShare) {
            stated.evidence = is_still
                ? std::string()
                : say("Both programs state it, and {:.0f} % of the sizes that changed at "
                      "matched places follow.",
                      100 * share);
            return stated;
        }
        if (votes.empty()) {
            stated.growths = {1, 1, 1, changes_width};
            stated.open = say("The programs differ in batch or sequence, but no places match that "
                              "would bear it out.");
            return stated;
        }
    }
    return fromRatios(a, b, pairs, votes, changes_width, is_other_model);
}

} // namespace tidemark::compare
