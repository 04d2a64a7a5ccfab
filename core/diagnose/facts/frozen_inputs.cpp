// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/frozen_inputs.h"

#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/cast_shares.h"
#include "core/diagnose/facts/facts.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

/// Tells what a norm keeps of each row, a mean and the like: one number beside as many as a row
/// has.
class RowStatistics {
public:
    explicit RowStatistics(const Facts& facts)
        : m_facts(facts)
    {
    }
    /// How many numbers of a row there are at least for each of these.
    static constexpr std::int64_t kLeast = 32;

    /// Of what came before. Beside attention matrices of long sequences whole hidden states are as
    /// small.
    [[nodiscard]] bool isOf(AllocationId before, AllocationId a) const
    {
        return !before.isNone() && m_facts.role(before) != label::Role::attention_matrix
            && m_facts.bytes(a) * kLeast <= m_facts.bytes(before);
    }
    /// Whether there is one right beside it, but for a product of its own size.
    [[nodiscard]] bool areBeside(AllocationId a) const
    {
        return isBeside(a, 1) || isBefore(a);
    }
    [[nodiscard]] bool isBefore(AllocationId a) const
    {
        return isBeside(a, -1);
    }

private:
    [[nodiscard]] bool isBeside(AllocationId a, int direction) const
    {
        constexpr int kFurthest = 3;
        for (int k = 1; k <= kFurthest; ++k) {
            const std::int64_t at = static_cast<std::int64_t>(a.index()) + direction * k;
            if (at < 0 || at >= static_cast<std::int64_t>(m_facts.allocations().count())) {
                return false;
            }
            const AllocationId other(static_cast<std::size_t>(at));
            if (m_facts.bucket(other) == Bucket::activation && isOf(a, other)) {
                return m_facts.bytes(other) > 0 && m_facts.bytes(a) % m_facts.bytes(other) == 0;
            }
            if (m_facts.bytes(other) != m_facts.bytes(a)) {
                return false;
            }
        }
        return false;
    }

    const Facts& m_facts;
};

/// The 16-bit copy of a weight that autocast made for a layer.
bool isWeightCopy(const Facts& facts, AllocationId a)
{
    return facts.role(a) == label::Role::weight_cast
        || facts.casts->share(facts, facts.stack(a), facts.bytes(a)) > 0;
}

/// What autocast copied for a layer to 16 bits, twice as large: best the result of a norm, which
/// nothing else keeps then. None for what is no such copy.
AllocationId copiedFrom(const Facts& facts, const RowStatistics& statistics, AllocationId copy)
{
    static constexpr std::size_t kFurthest = 16; // queries, keys and values each have one
    AllocationId found;
    for (std::size_t k = 1; k <= kFurthest && k <= copy.index(); ++k) {
        const AllocationId a(copy.index() - k);
        if (facts.bytes(a) != 2 * facts.bytes(copy)) {
            continue;
        }
        if (statistics.areBeside(a)) {
            return a;
        }
        found = found.isNone() ? a : found;
    }
    return found;
}

/// `hidden`: bytes of the hidden state where no block tells; 0 if that is not known.
bool isOfNorm(const Facts& facts, const RowStatistics& statistics, AllocationId a,
              std::int64_t hidden)
{
    const Layer* layer = facts.layers.layerOf(a);
    const std::int64_t rows =
        layer == nullptr || layer->output.isNone() ? hidden : facts.bytes(layer->output);
    const std::int64_t bytes = facts.bytes(a);
    const bool is_as_large = rows == 0 || bytes == rows
        || (facts.sixteen_bit && (bytes == 2 * rows || 2 * bytes == rows));
    return is_as_large && statistics.areBeside(a);
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

/// The product of a norm's rows and its weight, of the same function, where the weights show norms.
bool isWeighedNorm(const Facts& facts, const BlockWeights& weights, const RowStatistics& statistics,
                   AllocationId rows, AllocationId product)
{
    const auto& stack = facts.allocations().stack;
    return weights.vector > 0 && !rows.isNone() && !stack[rows.index()].isNone()
        && facts.stacks.function(stack[rows.index()])
        == facts.stacks.function(stack[product.index()])
        && facts.bytes(rows) == facts.bytes(product) && statistics.isBefore(rows);
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

/// Goes through what forward passes made, in order, and asks of each what it read: what was made
/// right before it, as far as that is kept.
class InputScan {
public:
    InputScan(const Facts& facts, const BlockWeights& weights)
        : m_facts(facts)
        , m_weights(weights)
        , m_statistics(facts)
        , m_count(facts.allocations().count())
        , m_only_attention(weights.adaptsQueriesAndValues())
        , m_output(m_count)
        , m_uses(m_count, InputUse::other)
    {
        const auto is_of_linear = [this](std::size_t i) { return isOfLinear(i); };
        // Where no block repeats, a single one is all but the head.
        m_in_block = facts.layers.count > 0 ? inLayers(facts) : beforeHeads(facts, is_of_linear);
        // Then sizes need not tell, which are the same for other operations by chance.
        for (std::size_t i = 0; i < m_count && !m_frames_name_them; ++i) {
            m_frames_name_them = isOfLinear(i) && m_in_block[i];
        }
    }

    std::vector<InputUse> run()
    {
        if (m_facts.layers.count == 0 && !m_frames_name_them) {
            return std::move(m_uses);
        }
        for (std::size_t i = 0; i < m_count; ++i) {
            if (m_facts.phase[i] == Phase::forward && m_facts.pass_of[i] >= 0) {
                enterPass(i);
                take(i);
            }
        }
        return std::move(m_uses);
    }

private:
    [[nodiscard]] bool isOfLinear(std::size_t i) const
    {
        return m_facts.madeBy(AllocationId(i)) == MadeBy::linear;
    }

    void enterPass(std::size_t i)
    {
        if (m_facts.pass_of[i] == m_pass) {
            return;
        }
        m_pass = m_facts.pass_of[i];
        m_first = i;
        m_input = m_before = AllocationId::none();
        m_hidden = m_facts.layers.count > 0
            ? 0
            : hiddenStateBytes(m_facts, m_weights, static_cast<std::uint32_t>(m_pass));
    }

    void take(std::size_t i)
    {
        const AllocationId a(i);
        if (isKernelWorkspace(i)) {
            ++m_output;
            return;
        }
        if (m_facts.sixteen_bit && isOfLinear(i) && m_facts.isOfOneCall(i, i + 1)) {
            if (isWeightCopy(m_facts, a)) {
                return;
            }
            if (const AllocationId copied = copiedFrom(m_facts, m_statistics, a);
                !copied.isNone()) {
                if (m_facts.bucket(a) == Bucket::activation) {
                    m_input = a;
                    m_original = copied;
                }
                return;
            }
        }
        if (isOutput(i)) {
            markInput(i);
        }
        const bool is_saved =
            m_facts.bucket(a) == Bucket::activation && !m_statistics.isOf(m_input, a);
        if (isWeighedNorm(m_facts, m_weights, m_statistics, m_input, a)) {
            m_uses[m_input.index()] = InputUse::frozen;
            if (!is_saved) { // the norm of a head: the next layer reads what its own layer did
                m_input = m_original = m_before;
            }
        }
        if (is_saved) {
            m_before = m_input;
            m_input = m_original = a;
        }
    }

    /// Of the kernel that made the last output: smaller than it, or gone before anything else is
    /// made.
    [[nodiscard]] bool isKernelWorkspace(std::size_t i) const
    {
        if (i == 0 || i != m_output + 1 || !m_facts.isOfOneCall(m_output, i)) {
            return false;
        }
        const std::int64_t bytes = m_facts.bytes(AllocationId(i));
        const std::int64_t output = m_facts.bytes(AllocationId(m_output));
        return bytes < output || (bytes > output && m_facts.isGoneAtOnce(i));
    }

    /// Of a linear layer that read the input.
    [[nodiscard]] bool isOutput(std::size_t i) const
    {
        const AllocationId a(i);
        if (m_input.isNone()
            || m_facts.bytes(a) * RowStatistics::kLeast <= m_facts.bytes(m_input)) {
            return false;
        }
        return isOfLinear(i)
            || (!m_frames_name_them && !isOfAttention(m_facts, m_input, a)
                && widens(m_weights, m_facts.bytes(m_input), m_facts.bytes(a)));
    }

    void markInput(std::size_t i)
    {
        m_output = i;
        for (; m_first < m_input.index(); ++m_first) { // before the first that is trained
            if (m_facts.pass_of[m_first] == m_pass) {
                m_uses[m_first] = InputUse::frozen;
            }
        }
        m_first = m_count;
        const std::int64_t bytes = m_facts.bytes(AllocationId(i));
        const std::int64_t read = m_facts.bytes(m_input);
        // Two layers of equal, wider results side by side read the same norm: a gated MLP.
        const bool is_twin = m_in_block[i] && bytes == m_widened;
        const bool reads_norm =
            m_in_block[i] && isOfNorm(m_facts, m_statistics, m_original, m_hidden);
        // Where only queries and values have adapters, these widen nothing.
        const bool is_adapted = reads_norm && (!m_only_attention || bytes <= read);
        m_widened = reads_norm && bytes != read ? bytes : is_twin ? m_widened : 0;
        m_uses[m_input.index()] = is_twin ? InputUse::other
            : is_adapted                  ? InputUse::adapted
                                          : InputUse::frozen;
    }

    const Facts& m_facts;
    const BlockWeights& m_weights;
    RowStatistics m_statistics;
    std::size_t m_count;
    std::vector<bool> m_in_block; ///< Per allocation.
    bool m_frames_name_them = false; ///< Linear layers of blocks.
    bool m_only_attention; ///< Adapters lie on queries and values.
    AllocationId m_input; ///< What the next operation reads.
    AllocationId m_original; ///< Of it, where autocast copied it.
    AllocationId m_before; ///< What was the input before it.
    std::int32_t m_pass = -1;
    std::size_t m_first = 0; ///< Of the pass, until its first input.
    std::size_t m_output; ///< Of the last linear layer.
    std::int64_t m_hidden = 0;
    std::int64_t m_widened = 0;
    std::vector<InputUse> m_uses;
};

} // namespace

std::vector<InputUse> inputUses(const Facts& facts, const BlockWeights& weights)
{
    return InputScan(facts, weights).run();
}

} // namespace tidemark::diagnose
