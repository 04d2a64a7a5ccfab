// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/diagnose/facts/activation_gradients.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/made_by.h"
#include "core/diagnose/predict/law_helpers.h"
#include "core/diagnose/predict/laws.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Role;

/// Whether nothing has changed when it lives.
bool isWhole(const Subject& subject, const Life& life)
{
    return life.live.size() == 1
        && life.live.front() == Interval<StateId>{subject.begin, subject.end};
}

/// Splits a whole life in two: [begin, until) and [from, end).
void split(Life& life, StateId until, StateId from)
{
    const Interval<StateId> whole = life.live.front();
    if (until >= whole.end || from <= until) {
        return;
    }
    life.live.front().end = std::max(until, whole.begin);
    if (from < whole.end) {
        life.live.push_back({std::max(from, whole.begin), whole.end});
    }
}

/// What a block saves lives while the block runs, and again from when backward reaches it; what it
/// hands to the next block stays. That is the last thing that it saves, or nothing of what it
/// saves: where a norm saves what it made of its rows, and not them, each block keeps these all the
/// same.
class CheckpointingLaw final : public Law {
public:
    CheckpointingLaw(const Facts& facts, std::string_view what)
        : m_facts(facts)
        , m_selective(what != "full")
        , m_whole_attention(what == "attention")
    {
        if (m_selective) {
            findAroundMatrices();
            return;
        }
        const auto* const tokens = facts.program.find(program::DimensionName::tokens);
        const std::int64_t rows = tokens == nullptr ? 0 : tokens->value * facts.blocks->vector;
        for (std::uint32_t p = 0; p < facts.passes.size(); ++p) {
            const std::int64_t usual = hiddenStateBytes(facts, *facts.blocks, p);
            const bool is_of_pass = usual == rows || usual == 2 * rows || 2 * usual == rows;
            m_handed_on.push_back(is_of_pass ? rows : 0);
        }
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::activation});
    }
    /// Without blocks it is not known how much is made again at a time.
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        if (!m_selective && !subject.allocation.isNone() && isMadeAgain(subject)
            && subject.pass >= 0) {
            // What a block saves when it is made again is not all that it saved before: a cast that
            // another block had made, or the rows that its first operation read.
            return m_facts.layers.count == 0 ? Amount{0.1, 0.4, 0.9} : Amount{0.92, 1, 1.08};
        }
        const auto around = m_selective && subject.bucket == Bucket::activation
                && subject.role == Role::none && !subject.allocation.isNone()
            ? m_around.find(subject.bytes)
            : m_around.end();
        if (around == m_around.end()) {
            return Amount::exactly(1);
        }
        const double without = 1 - around->second;
        return {without, m_whole_attention ? without : 1, 1};
    }
    [[nodiscard]] std::string_view cutting() const override
    {
        return m_selective ? "selective checkpointing" : "checkpointing";
    }
    void cut(const Subject& subject, Life& life) const override
    {
        if (!isMadeAgain(subject) || !isWhole(subject, life)) {
            return;
        }
        const Layer* layer = m_facts.layers.layerOf(subject.allocation);
        if (layer != nullptr
            && (layer->output != subject.allocation || m_selective || !savesHandedOn(*layer))) {
            split(life, layer->forward_end, madeAgainAt(*layer));
        }
    }
    /// While a block is made again its own temporaries are, too: what it had most of, or one more
    /// of the largest.
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        std::int64_t largest_block = 0;
        for (const Layer& layer : m_facts.layers.layers) {
            const Pass& pass = m_facts.passes[layer.pass];
            largest_block = std::max(largest_block, layer.saved_bytes);
            if (layer.backward_begin < pass.backward.end && !m_selective) {
                const StateId end{
                    std::min(layer.backward_begin.value + 1, pass.backward.end.value)};
                const double passing = madeInPassing(layer);
                const auto largest = static_cast<double>(layer.largest_bytes);
                spans.push_back({layer.backward_begin,
                                 end,
                                 {0, passing, std::max(passing, largest)},
                                 Bucket::activation});
            }
            if (!m_selective && !savesHandedOn(layer)) {
                const auto input = static_cast<double>(m_handed_on[layer.pass]);
                spans.push_back({layer.forward_begin, backwardEnd(layer), Amount::exactly(input),
                                 Bucket::activation});
            }
        }
        if (!m_facts.layers.layers.empty() && !m_selective) {
            // A forward pass that was cut off inside a block, behind the first thing that it makes,
            // will have to hold a whole one.
            const Layer& last = m_facts.layers.layers.back();
            const StateId end{m_facts.replay.lastState().value + 1};
            const auto missing = static_cast<double>(largest_block - last.saved_bytes);
            if (last.forward_end == end && missing > 0) {
                spans.push_back({{last.forward_begin.value + 1},
                                 end,
                                 {0, missing, missing},
                                 Bucket::activation});
            }
        }
        return spans;
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        if (m_facts.layers.count == 0) {
            return {say(
                "No repeated block found in forward, so checkpointing's effect is a rough range.")};
        }
        if (m_whole_attention) {
            return {say("Backward recomputes each of {} blocks' attention, with its queries, keys "
                        "and values.",
                        m_facts.layers.count)};
        }
        if (m_selective) {
            return {say("Backward recomputes each of {} blocks' attention matrices; checkpointing "
                        "the whole attention frees queries, keys and values too.",
                        m_facts.layers.count)};
        }
        return {say("Each of {} blocks is checkpointed: it keeps its input, and backward "
                    "recomputes the rest.",
                    m_facts.layers.count)};
    }

private:
    /// What a block saves between what its attention reads and what the matrix makes of the values
    /// goes as well where the whole attention is checkpointed: the lower end.
    void findAroundMatrices()
    {
        static constexpr std::size_t kBehind = 2; // a copy of the values, and the product
        std::unordered_map<std::int64_t, std::int64_t, KeyedNumberHash> all;
        std::unordered_map<std::int64_t, std::int64_t, KeyedNumberHash> around;
        std::vector<std::vector<AllocationId>> saved(m_facts.layers.layers.size());
        for (const AllocationId a : m_facts.ids()) {
            if (m_facts.bucket(a) != Bucket::activation) {
                continue;
            }
            all[m_facts.bytes(a)] += m_facts.role(a) == Role::none ? 1 : 0;
            if (m_facts.layers.of[a.index()] >= 0) {
                saved[static_cast<std::size_t>(m_facts.layers.of[a.index()])].push_back(a);
            }
        }
        for (const std::vector<AllocationId>& block : saved) {
            std::size_t last = 0; // one past the last matrix
            std::int64_t matrix = 0;
            for (std::size_t k = 0; k < block.size(); ++k) {
                if (m_facts.role(block[k]) == Role::attention_matrix) {
                    last = k + 1;
                    matrix = m_facts.bytes(block[k]);
                }
            }
            bool reads = true; // its input is still to come
            const std::size_t end = last == 0 ? 0 : std::min(last + kBehind, block.size());
            for (std::size_t k = 0; k < end; ++k) {
                const std::int64_t bytes = m_facts.bytes(block[k]);
                const bool counts = m_facts.role(block[k]) == Role::none && bytes * 64 > matrix;
                around[bytes] += counts && !reads ? 1 : 0;
                reads = reads && !counts;
            }
        }
        for (const auto& [bytes, count] : around) {
            m_around[bytes] = static_cast<double>(count) / static_cast<double>(all[bytes]);
        }
    }
    /// Whether what a block saves last may be its result; autocast may save a narrower copy of it.
    [[nodiscard]] bool savesHandedOn(const Layer& layer) const
    {
        const std::int64_t rows = m_handed_on[layer.pass];
        const std::int64_t last = layer.output.isNone() ? rows : m_facts.bytes(layer.output);
        return rows == 0 || last == rows || (m_facts.autocasts() && 2 * last == rows);
    }
    /// Where backward reaches the block before.
    [[nodiscard]] StateId backwardEnd(const Layer& layer) const
    {
        return layer.number > 0
            ? std::prev(&layer)->backward_begin
            : std::max(layer.backward_begin, m_facts.passes[layer.pass].backward.end);
    }
    [[nodiscard]] bool isMadeAgain(const Subject& s) const
    {
        return s.bucket == Bucket::activation && s.role != Role::weight_cast
            && s.role != Role::checkpoint_input
            && (!m_selective || s.role == Role::attention_matrix);
    }
    /// The most that a block's forward had beside what it saves until all of that is there, where
    /// newer versions stop. Behind the last block the head would follow.
    [[nodiscard]] double madeInPassing(const Layer& layer) const
    {
        const StateId before{layer.forward_begin.value - (layer.forward_begin.value > 0 ? 1 : 0)};
        const StateId saved_all = layer.output.isNone()
            ? layer.forward_end
            : StateId{m_facts.allocations().begin[layer.output.index()].value + 1};
        const StateId end = std::min({layer.forward_end, saved_all, m_facts.replay.lastState()});
        std::int64_t most = 0;
        for (StateId s = before; s < end; ++s.value) {
            most = std::max(most, m_facts.replay.active[s.index()]);
        }
        const std::int64_t saved_bytes = m_facts.replay.active[before.index()] + layer.saved_bytes
            + (savesHandedOn(layer) ? 0 : m_facts.bytes(layer.output));
        return static_cast<double>(std::max<std::int64_t>(0, most - saved_bytes));
    }
    /// A backward pass that was cut off while it made the gradient of the logits had not reached
    /// the last block yet. What that needs then an earlier pass shows; without one it is less where
    /// the logits, of which two are gone by then, are larger than the block.
    [[nodiscard]] StateId madeAgainAt(const Layer& layer) const
    {
        const Pass& pass = m_facts.passes[layer.pass];
        const bool is_cut = m_facts.isOom() && pass.backward.contains(m_facts.moment.state)
            && layer.backward_begin == pass.backward.begin;
        const bool is_less =
            m_facts.passes.front().complete || m_facts.moment.requested.value >= layer.saved_bytes;
        const bool in_loss = is_cut && is_less
            && m_facts.logits_kin->share(m_facts.moment.requested.value, m_facts.moment.state) > 0;
        return in_loss ? StateId{m_facts.replay.lastState().value + 1} : layer.backward_begin;
    }

    const Facts& m_facts;
    bool m_selective; ///< Of attention.
    bool m_whole_attention; ///< And of what it reads.
    std::vector<std::int64_t> m_handed_on; ///< Per pass, from block to block; 0: not known.
    std::unordered_map<std::int64_t, double, KeyedNumberHash> m_around; ///< Share of each size.
};

/// Saved tensors move to the host after their block's forward and come back for its backward.
class ActivationOffloadLaw final : public Law {
public:
    explicit ActivationOffloadLaw(const Facts& facts)
        : m_facts(facts)
    {
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::activation});
    }
    /// Without blocks it is not known how much is on the card at a time.
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        const bool is_rough = !subject.allocation.isNone() && leaves(subject)
            && m_facts.layers.count == 0 && subject.pass >= 0;
        return is_rough ? Amount{0.05, 0.3, 0.8} : Amount::exactly(1);
    }
    [[nodiscard]] std::string_view cutting() const override
    {
        return "activations offloaded";
    }
    void cut(const Subject& subject, Life& life) const override
    {
        const Layer* layer = m_facts.layers.layerOf(subject.allocation);
        if (layer != nullptr && leaves(subject) && isWhole(subject, life)) {
            split(life, layer->forward_end, layer->backward_begin);
        }
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        return {say(
            "Saved activations are offloaded after each block and return one block at a time.")};
    }

private:
    [[nodiscard]] static bool leaves(const Subject& s)
    {
        return s.bucket == Bucket::activation && s.role != Role::weight_cast;
    }

    const Facts& m_facts;
};

/// Fused attention never writes the matrix of scores; it keeps one number per row. It reads grouped
/// keys and values as they are, where attention in Python repeats them for each query head.
class FlashAttentionLaw final : public Law {
public:
    FlashAttentionLaw(const Facts& facts, bool to_sixteen_bits)
        : m_grouped(groupedShare(facts))
        , m_is_wide(!facts.sixteen_bit && !to_sixteen_bits)
    {
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::activation, Bucket::temporary, Bucket::output});
    }
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        const double share = subject.role == Role::attention_matrix ? 1 : subject.matrix_share;
        if (subject.attention == AttentionPart::dropped) {
            return {0, 0, staysWide() ? 1.0 : 0.0}; // Fused kernels draw it again.
        }
        if (share == 0) {
            const bool shrinks = subject.attention == AttentionPart::repeated
                && subject.bucket == Bucket::activation;
            return shrinks ? Amount{m_grouped, m_grouped, 1} : Amount::exactly(1);
        }
        const bool sure = share == 1;
        return {kTile, sure ? kTile : 1 - share * (1 - kTile),
                sure && !staysWide() ? 2 * kTile : 1};
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        if (staysWide()) {
            return {say("PyTorch has no fused fp32 kernel for grouped keys and values: without "
                        "precision=bf16 the matrices may stay (upper bound).")};
        }
        return {say("Assumes the fused kernel supports the run's masks, head size and dtype; else "
                    "PyTorch falls back to materializing the matrix.")};
    }

private:
    /// Grouped keys and values in 32 bits.
    [[nodiscard]] bool staysWide() const
    {
        return m_is_wide && m_grouped < 1;
    }

    static constexpr double kTile = 0.015; // one row of statistics and a tile in work
    double m_grouped; ///< Of queries' width, that of keys or values.
    bool m_is_wide; ///< The run computes in 32 bits.
};

} // namespace

std::unique_ptr<Law> checkpointingLaw(const Facts& facts, std::string_view what)
{
    return std::make_unique<CheckpointingLaw>(facts, what);
}

std::unique_ptr<Law> activationOffloadLaw(const Facts& facts)
{
    return std::make_unique<ActivationOffloadLaw>(facts);
}

std::unique_ptr<Law> flashAttentionLaw(const Facts& facts, bool to_sixteen_bits)
{
    return std::make_unique<FlashAttentionLaw>(facts, to_sixteen_bits);
}

} // namespace tidemark::diagnose
