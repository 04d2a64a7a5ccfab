// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/frozen_inputs.h"

#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/cast_shares.h"
#include "core/diagnose/facts/facts.h"
#include "core/label/frame_tests.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::isFile;
using label::Phase;

constexpr std::int64_t kSmall = 32;

/// Per stack: whether a linear layer of torch made the allocation.
std::vector<bool> linearStacks(const Facts& facts)
{
    const StackPool& stacks = facts.snapshot.stacks;
    std::vector<bool> found(stacks.stackCount(), false);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const FrameId line = facts.stacks.pythonFrame(StackId(i));
        found[i] = !line.isNone()
            && isFile(facts.snapshot.text(stacks.frame(line).filename),
                      "torch/nn/modules/linear.py");
    }
    return found;
}

/// One number per row of what came before. Beside attention matrices of long sequences whole hidden
/// states are as small.
bool isStatistic(const Facts& facts, AllocationId a, AllocationId before)
{
    return !before.isNone() && facts.role(before) != label::Role::attention_matrix
        && facts.bytes(a) * kSmall <= facts.bytes(before);
}

/// Right beside it, but for a product of its own size.
bool hasStatisticBeside(const Facts& facts, AllocationId a, int direction)
{
    constexpr int kFurthest = 3;
    for (int k = 1; k <= kFurthest; ++k) {
        const std::int64_t at = static_cast<std::int64_t>(a.index()) + direction * k;
        if (at < 0 || at >= static_cast<std::int64_t>(facts.allocations().count())) {
            return false;
        }
        const AllocationId other(static_cast<std::size_t>(at));
        if (facts.bucket(other) == Bucket::activation && isStatistic(facts, other, a)) {
            return facts.bytes(other) > 0 && facts.bytes(a) % facts.bytes(other) == 0;
        }
        if (facts.bytes(other) != facts.bytes(a)) {
            return false;
        }
    }
    return false;
}

bool hasAnyStatistic(const Facts& facts, AllocationId a)
{
    return hasStatisticBeside(facts, a, 1) || hasStatisticBeside(facts, a, -1);
}

/// The 16-bit copy of a weight that autocast made for a layer.
bool isWeightCopy(const Facts& facts, AllocationId a)
{
    return facts.role(a) == label::Role::weight_cast
        || facts.casts->share(facts, facts.allocations().stack[a.index()], facts.bytes(a)) > 0;
}

/// What autocast copied for a layer to 16 bits, twice as large: best the result of a norm, which
/// nothing else keeps then. None for what is no such copy.
AllocationId copiedFrom(const Facts& facts, AllocationId copy)
{
    static constexpr std::size_t kFurthest = 16; // queries, keys and values each have one
    AllocationId found;
    for (std::size_t k = 1; k <= kFurthest && k <= copy.index(); ++k) {
        const AllocationId a(copy.index() - k);
        if (facts.bytes(a) != 2 * facts.bytes(copy)) {
            continue;
        }
        if (hasAnyStatistic(facts, a)) {
            return a;
        }
        found = found.isNone() ? a : found;
    }
    return found;
}

/// `hidden`: bytes of the hidden state where no block tells; 0 if that is not known.
bool isOfNorm(const Facts& facts, AllocationId a, std::int64_t hidden)
{
    const Layer* layer = facts.layers.layerOf(a);
    const std::int64_t rows =
        layer == nullptr || layer->output.isNone() ? hidden : facts.bytes(layer->output);
    return (rows == 0 || facts.bytes(a) == rows) && hasAnyStatistic(facts, a);
}

/// Whether Y is what one of the blocks' matrices makes of X, rows as long as the hidden state
/// or made that long. Equal sizes tell nothing: most operations make what they read.
bool widens(const BlockWeights& weights, std::int64_t x, std::int64_t y)
{
    if (weights.vector <= 0 || x == y) {
        return false;
    }
    return std::ranges::any_of(weights.sizes, [&](const auto& entry) {
        const double other = weights.otherSide(entry.first);
        const auto vector = static_cast<double>(weights.vector);
        const double ratio = static_cast<double>(y) / static_cast<double>(x);
        return other > 0 && other != vector && (ratio == other / vector || ratio == vector / other);
    });
}

bool isOfAttention(const Facts& facts, AllocationId x, AllocationId y)
{
    return facts.role(x) == label::Role::attention_matrix
        || facts.role(y) == label::Role::attention_matrix;
}

/// Whether what lies before the rows of a norm has one number per row, as far as the weights tell
/// how long these are. It may be half or twice as wide as they.
bool isOnePerRow(const Facts& facts, const BlockWeights& weights, AllocationId rows)
{
    if (weights.width <= 0) {
        return true;
    }
    const double columns = static_cast<double>(weights.vector) / weights.width;
    for (std::size_t i = rows.index(); i-- > 0;) {
        if (facts.bytes(AllocationId(i)) != facts.bytes(rows)) {
            const double ratio = static_cast<double>(facts.bytes(rows))
                / static_cast<double>(facts.bytes(AllocationId(i)));
            return ratio == columns || 2 * ratio == columns || ratio == 2 * columns;
        }
    }
    return false;
}

/// The product of a norm's rows and its weight, one line's second result.
bool isWeighedNorm(const Facts& facts, const BlockWeights& weights, AllocationId rows,
                   AllocationId product)
{
    const auto& stack = facts.allocations().stack;
    return !rows.isNone() && !stack[rows.index()].isNone()
        && facts.stacks.path(stack[rows.index()]) == facts.stacks.path(stack[product.index()])
        && facts.bytes(rows) == facts.bytes(product) && hasStatisticBeside(facts, rows, -1)
        && isOnePerRow(facts, weights, rows);
}

std::vector<bool> inLayers(const Facts& facts)
{
    std::vector<bool> in_layers(facts.allocations().count());
    for (std::size_t i = 0; i < in_layers.size(); ++i) {
        in_layers[i] = facts.layers.layerOf(AllocationId(i)) != nullptr;
    }
    return in_layers;
}

/// All that a pass makes before its last linear layer.
template <typename IsOfLinear>
std::vector<bool> beforeHeads(const Facts& facts, const IsOfLinear& is_of_linear)
{
    std::vector<bool> before(facts.allocations().count(), false);
    std::int32_t seen = -1;
    for (std::size_t i = before.size(); i-- > 0;) {
        before[i] = facts.pass_of[i] >= 0 && facts.pass_of[i] == seen;
        if (is_of_linear(i) && facts.phase[i] == Phase::forward) {
            seen = facts.pass_of[i];
        }
    }
    return before;
}

} // namespace

std::vector<InputUse> inputUses(const Facts& facts, const BlockWeights& weights)
{
    std::vector<InputUse> uses(facts.allocations().count(), InputUse::other);
    const std::size_t count = facts.allocations().count();
    const std::vector<bool> stacks_of_linear = linearStacks(facts);
    const auto is_of_linear = [&](std::size_t i) {
        const StackId stack = facts.allocations().stack[i];
        return !stack.isNone() && stacks_of_linear[stack.index()];
    };
    // Where no block repeats, a single one is all but the head.
    const std::vector<bool> in_block =
        facts.layers.count > 0 ? inLayers(facts) : beforeHeads(facts, is_of_linear);
    // Then sizes need not tell, which are the same for other operations by chance.
    bool frames_name_them = false;
    for (std::size_t i = 0; i < count && !frames_name_them; ++i) {
        frames_name_them = is_of_linear(i) && in_block[i];
    }
    if (facts.layers.count == 0 && !frames_name_them) {
        return uses;
    }
    const bool only_attention = weights.adaptsQueriesAndValues();
    AllocationId input;
    AllocationId original; // of it, where autocast copied it
    std::int32_t pass = -1;
    std::size_t first = 0; // of the pass
    std::size_t output = count; // of the last linear layer
    std::int64_t hidden = 0;
    std::int64_t widened = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const AllocationId a(i);
        if (facts.phase[i] != Phase::forward || facts.pass_of[i] < 0) {
            continue;
        }
        if (facts.pass_of[i] != pass) {
            pass = facts.pass_of[i];
            first = i;
            input = AllocationId::none();
            hidden = facts.layers.count > 0
                ? 0
                : hiddenStateBytes(facts, weights, static_cast<std::uint32_t>(pass));
        }
        if (i > 0 && i == output + 1 && facts.isOfOneCall(output, i)
            && facts.bytes(a) < facts.bytes(AllocationId(output))) {
            ++output;
            continue; // what the kernel works in
        }
        const bool is_copy = facts.sixteen_bit && is_of_linear(i) && facts.isOfOneCall(i, i + 1);
        if (is_copy && isWeightCopy(facts, a)) {
            continue;
        }
        const AllocationId copied = is_copy ? copiedFrom(facts, a) : AllocationId::none();
        if (!copied.isNone()) {
            if (facts.bucket(a) == Bucket::activation) {
                input = a;
                original = copied;
            }
            continue;
        }
        const bool is_linear = is_of_linear(i)
            || (!frames_name_them && !input.isNone() && !isOfAttention(facts, input, a)
                && widens(weights, facts.bytes(input), facts.bytes(a)));
        if (is_linear && !input.isNone() && facts.bytes(a) * kSmall > facts.bytes(input)) {
            output = i;
            for (; first < input.index(); ++first) { // before the first that is trained
                uses[first] = facts.pass_of[first] == pass ? InputUse::frozen : uses[first];
            }
            first = count;
            // Two layers of equal, wider results side by side read the same norm: a gated MLP.
            const bool is_twin = in_block[i] && facts.bytes(a) == widened;
            const bool reads_norm = in_block[i] && isOfNorm(facts, original, hidden);
            // Where only queries and values have adapters, these widen nothing.
            const bool adapted =
                reads_norm && (!only_attention || facts.bytes(a) <= facts.bytes(input));
            widened = reads_norm && facts.bytes(a) != facts.bytes(input) ? facts.bytes(a)
                : is_twin                                                ? widened
                                                                         : 0;
            uses[input.index()] = is_twin ? InputUse::other
                : adapted                 ? InputUse::adapted
                                          : InputUse::frozen;
        }
        if (facts.bucket(a) == Bucket::activation && !isStatistic(facts, a, input)) {
            if (isWeighedNorm(facts, weights, input, a)) {
                uses[input.index()] = InputUse::frozen;
            }
            input = a;
            original = a;
        }
    }
    return uses;
}

} // namespace tidemark::diagnose
