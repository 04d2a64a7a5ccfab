// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/size_ratios.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/compare/size_routes.h"

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
constexpr double kAllScale = 0.995;
/// Of the same: squares of a ratio are no accident above it.
constexpr double kSquareShare = 0.05;
/// One reading is better than another by more than this.
constexpr double kClearly = 0.15;
/// Ratios this near are one.
constexpr double kSameRatio = 0.01;
/// Of half and twice the size, on a scale of ratios.
constexpr double kNearWidth = 0.05;
/// Ratios of whole numbers that are equal.
constexpr double kRounding = 1e-9;
/// Of the changed weights, those that grew as the activations did: the width explains both.
constexpr double kWidthShare = 0.5;
/// So many times the keys and values of a layer grow by the same bytes, or it is an accident.
constexpr std::size_t kFewestTokens = 3;
/// Batch and sequence are in nearly every size that is no weight: where less of the evidence
/// changed it was something else.
constexpr double kFewChanged = 0.25;
/// Of all evidence: what another precision leaves as it is, as norms and losses.
constexpr double kFewKept = 0.1;
/// What a loop makes has about the ratio of its turns; so many tensors of the whole sequence have
/// it exactly.
constexpr double kLoopSlack = 0.1;
constexpr std::size_t kFewestWhole = 3;

struct Vote {
    const program::SizeUse* a = nullptr;
    const program::SizeUse* b = nullptr;
    double weight = 0;
    bool is_read_a = false; ///< The program of A says how its sizes grow.
    bool is_read_b = false;
    [[nodiscard]] double ratio() const
    {
        return static_cast<double>(b->bytes) / static_cast<double>(a->bytes);
    }
    [[nodiscard]] bool isChanged() const
    {
        return a->bytes != b->bytes;
    }
};

/// Products of dimensions that no program states are no evidence of how a size grows.
bool statesShape(const program::Program& program)
{
    return program.find(DimensionName::batch) != nullptr
        && program.find(DimensionName::sequence) != nullptr;
}

std::vector<Vote> votesOf(const Side& a, const Side& b, const std::vector<SizePair>& pairs)
{
    std::vector<Vote> votes;
    const bool is_read_a = statesShape(a.program);
    const bool is_read_b = statesShape(b.program);
    for (const SizePair& pair : pairs) {
        const program::SizeUse& use_a = a.program.sizes[pair.use_a];
        const program::SizeUse& use_b = b.program.sizes[pair.use_b];
        const bool is_fixed = program::isFixed(use_a.kind) || program::isFixed(use_b.kind)
            || use_a.what == program::TensorKind::weight_copy
            || use_b.what == program::TensorKind::weight_copy;
        if (!is_fixed && std::min(use_a.bytes, use_b.bytes) >= kSmallest) {
            const double weight = std::log2(1.0 + static_cast<double>(pair.count))
                * std::log2(static_cast<double>(std::max(use_a.bytes, use_b.bytes)));
            votes.push_back({&use_a, &use_b, weight, is_read_a, is_read_b});
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
    return std::abs(std::log(x / y)) <= kSameRatio;
}

/// Whether elements of another width explain a ratio alone, with or without a constant part.
bool isOfWidth(double ratio)
{
    return std::abs(std::abs(std::log2(ratio)) - 1) <= kNearWidth;
}

/// Share of the evidence of changed sizes that growths lead to.
double obeyed(const std::vector<Vote>& votes, const Growths& growths)
{
    const double changed = weightOf(votes, &Vote::isChanged);
    return changed <= 0
        ? 0
        : weightOf(votes, [&](const Vote& v) {
              return v.isChanged() && routeBetween(*v.a, *v.b, growths).has_value();
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
    bool follows = false;
    for (const auto& [use, is_read] :
         {std::pair(vote.a, vote.is_read_a), std::pair(vote.b, vote.is_read_b)}) {
        if (const auto growth = is_read ? growthOf(*use) : std::nullopt) {
            const double expected = std::pow(growths.sequence, growth->sequence)
                * std::pow(growths.batch, growth->batch);
            follows = follows || isNear(vote.ratio(), expected)
                || (growths.width != 1
                    && (isNear(vote.ratio(), expected / 2) || isNear(vote.ratio(), expected * 2)));
        }
    }
    return follows;
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

/// What a ratio of the rows explains. Under another precision sizes may be half or twice as large.
CommonRatio readWith(double ratio, const std::vector<Vote>& votes, bool changes_width)
{
    const double changed = weightOf(votes, &Vote::isChanged);
    const auto has = [&](const Vote& v, double r) {
        return isNear(v.ratio(), r)
            || (changes_width && (isNear(v.ratio(), r / 2) || isNear(v.ratio(), r * 2)));
    };
    const double once =
        weightOf(votes, [&](const Vote& v) { return v.isChanged() && has(v, ratio); });
    const double squared = weightOf(votes, [&](const Vote& v) {
        return v.isChanged() && !has(v, ratio) && has(v, ratio * ratio);
    });
    return {ratio, (once + squared) / changed, squared / changed};
}

/// The ratio that most changed sizes have, by itself or squared. Where both are there it is the
/// smaller one.
CommonRatio commonRatio(const std::vector<Vote>& votes, bool changes_width)
{
    CommonRatio best;
    for (const Vote& vote : votes) {
        const double ratio = vote.ratio();
        if (!vote.isChanged() || isNear(ratio, 1) || (changes_width && isOfWidth(ratio))) {
            continue;
        }
        const CommonRatio found = readWith(ratio, votes, changes_width);
        const bool is_nearer = std::abs(std::log(ratio)) < std::abs(std::log(best.value));
        if (found.share > best.share + 1e-9 || (found.share > best.share - 1e-9 && is_nearer)) {
            best = found;
        }
    }
    return best;
}

/// Of all ratios near one the one that most evidence has exactly: sizes with a constant part grow a
/// little less than the dimension they follow. Nullopt: fewer than `fewest` sizes have it.
std::optional<double> exactRatio(const std::vector<Vote>& votes, double near, double slack,
                                 std::size_t fewest)
{
    std::optional<double> best;
    double most = 0;
    for (const Vote& vote : votes) {
        const double ratio = vote.ratio();
        if (std::abs(std::log(ratio / near)) > slack) {
            continue;
        }
        const auto isSame = [ratio](const Vote& v) {
            return std::abs(v.ratio() / ratio - 1) < kRounding;
        };
        const double weight = weightOf(votes, isSame);
        // What has no constant part grows more.
        const bool grows_more = best && std::abs(std::log(ratio)) > std::abs(std::log(*best));
        if (std::cmp_greater_equal(std::ranges::count_if(votes, isSame), fewest)
            && (weight > most || (weight == most && grows_more))) {
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

/// Whose ratios are looked at.
enum class Of : std::uint8_t { runs, one_pass };

ShapeChange fromRatios(Of of, const Side& a, const Side& b, const std::vector<SizePair>& pairs,
                       const std::vector<Vote>& votes, double width, bool is_other_model,
                       double loops)
{
    ShapeChange found;
    found.growths.width = width;
    if (const auto turns =
            loops == 1 ? std::nullopt : exactRatio(votes, loops, kLoopSlack, kFewestWhole)) {
        found.growths.sequence = *turns;
        found.evidence =
            say("Allocations of equal sizes in loops over the sequence: {}.", formatRatio(loops));
        return found;
    }
    const double all = weightOf(votes, [](const Vote&) { return true; });
    const double changed = weightOf(votes, &Vote::isChanged);
    const std::optional<double> tokens =
        of == Of::one_pass ? std::nullopt : statedRatio(a, b, DimensionName::tokens);
    // As many tokens, or too little that changed: neither batch nor sequence did.
    if (changed <= kFewChanged * all || tokens == 1) {
        return found;
    }
    const bool changes_width = width != 1;
    const bool is_stated = tokens && obeyed(votes, {1, 1, *tokens, width}) >= kStatedShare;
    CommonRatio common =
        is_stated ? readWith(*tokens, votes, changes_width) : commonRatio(votes, changes_width);
    if (!is_stated) {
        common.value = exactRatio(votes, common.value, kSameRatio, 1).value_or(common.value);
    }
    // The width alone, with which a ratio may be confused: half as many rows in whole elements.
    const double widths = !changes_width
        ? 0
        : weightOf(votes, [width](const Vote& v) {
              return v.isChanged() && isOfWidth(v.ratio()) && (v.ratio() < 1) == (width < 1);
          }) / changed;
    if (widths >= kStatedShare && common.share <= widths + kClearly) {
        return found;
    }
    if (common.share < (is_stated ? kStatedShare : kRatioShare)) {
        found.open =
            say("Unknown whether batch or sequence changed: matched sizes have no common ratio.");
        return found;
    }
    if (is_other_model && weightsWith(common.value, a, b, pairs) >= kWidthShare) {
        found.model = common.value;
        return found;
    }
    Growths as_sequence{common.value, 1, 1, width};
    Growths as_batch{1, common.value, 1, width};
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
        found.evidence = say("Matched sizes changed {}, some {}, its square.",
                             formatRatio(common.value), formatRatio(common.value * common.value));
    } else if (batch > sequence + kClearly) {
        found.growths = as_batch;
        found.evidence = say("Matched sizes changed {}; those of the sequence alone did not.",
                             formatRatio(common.value));
    } else if (const auto per_a = bytesPerToken(a), per_b = bytesPerToken(b); per_a && per_b
               && isNear(static_cast<double>(*per_b) / static_cast<double>(*per_a), common.value)) {
        found.growths = as_batch;
        found.evidence =
            say("Matched sizes changed {}, and so did one token's keys or values in a layer ({} "
                "in {}, {} in {}).",
                formatRatio(common.value), Bytes{*per_a}, a.letter, Bytes{*per_b}, b.letter);
    } else if (per_a && per_a == per_b) {
        found.growths = as_sequence;
        found.evidence = say("Matched sizes changed {}, but one token adds {} to a layer's keys "
                             "or values in both.",
                             formatRatio(common.value), Bytes{*per_a});
    } else {
        found.growths = {1, 1, common.value, width};
        found.evidence =
            say("Matched sizes changed {}, none by its square: batch or sequence, unknown which.",
                formatRatio(common.value));
        found.open = say("Unknown whether batch or sequence changed.");
    }
    return found;
}

} // namespace

ShapeChange findShapeChange(const Side& a, const Side& b, const std::vector<SizePair>& pairs,
                            double width, bool is_other_model, double loops)
{
    const std::vector<Vote> votes = votesOf(a, b, pairs);
    const auto sequence = statedRatio(a, b, DimensionName::sequence);
    const auto batch = statedRatio(a, b, DimensionName::batch);
    if (sequence && batch) {
        ShapeChange stated;
        stated.growths = {*sequence, *batch, 1, width};
        const double share = obeyed(votes, stated.growths);
        const bool is_still = *sequence == 1 && *batch == 1;
        if (is_still || share >= kStatedShare) {
            stated.evidence = is_still ? std::string()
                : share > kAllScale ? say("Read from both runs; all matched sizes scale with it.")
                                    : say("Read from both runs; {:.0f} % of the matched sizes "
                                          "that changed scale with it.",
                                          100 * share);
            return stated;
        }
        if (votes.empty()) {
            stated.growths = {1, 1, 1, width};
            stated.open =
                say("The programs differ in batch or sequence, but no matched place confirms it.");
            return stated;
        }
    }
    return fromRatios(Of::runs, a, b, pairs, votes, width, is_other_model, loops);
}

double widthBetween(const Side& a, const Side& b, const std::vector<SizePair>& pairs)
{
    const std::vector<Vote> votes = votesOf(a, b, pairs);
    const double all = weightOf(votes, [](const Vote&) { return true; });
    const double changed = weightOf(votes, &Vote::isChanged);
    if (changed <= kFewChanged * all || all - changed < kFewKept * all) {
        return 1;
    }
    for (const double ratio : {0.5, 2.0}) {
        if (weightOf(votes, [&](const Vote& v) { return isNear(v.ratio(), ratio); })
            >= kRatioShare * changed) {
            return ratio;
        }
    }
    return 1;
}

ShapeChange findShapeChangeOfPass(const Side& a, const Side& b, const std::vector<SizePair>& pairs,
                                  ShapeChange of_runs)
{
    const std::vector<Vote> votes = votesOf(a, b, pairs);
    if (obeyed(votes, of_runs.growths) >= kStatedShare) {
        return of_runs;
    }
    ShapeChange found = fromRatios(Of::one_pass, a, b, pairs, votes, 1, false, 1);
    const double ratio = found.growths.sequence * found.growths.batch * found.growths.rows;
    const auto with = std::ranges::count_if(
        votes, [ratio](const Vote& v) { return v.isChanged() && isNear(v.ratio(), ratio); });
    // Best read as a product with the rows: the pass is one of those that the program states.
    const auto states = [&](const program::SizeUse* Vote::*use) {
        const double read = weightOf(votes, [use](const Vote& v) {
            const std::vector<program::Expression>& expressions = (v.*use)->expressions;
            return v.isChanged() && !expressions.empty()
                && program::growthOf(expressions.front()).batch > 0;
        });
        return read >= kRatioShare * weightOf(votes, &Vote::isChanged);
    };
    found.is_of_pass = true;
    found.is_stated_a = states(&Vote::a);
    found.is_stated_b = !found.is_stated_a && states(&Vote::b);
    return std::cmp_greater_equal(with, kFewestWhole) && ratio != 1 ? found : of_runs;
}

} // namespace tidemark::compare
