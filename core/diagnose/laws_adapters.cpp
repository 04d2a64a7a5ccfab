// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/block_weights.h"
#include "core/diagnose/law_helpers.h"
#include "core/diagnose/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

bool isOfLinear(const Facts& facts, StackId stack)
{
    if (stack.isNone() || facts.snapshot.stacks.frames(stack).empty()) {
        return false;
    }
    const Frame& frame = facts.snapshot.stacks.frame(facts.snapshot.stacks.frames(stack).front());
    return facts.snapshot.text(frame.filename).ends_with("torch/nn/modules/linear.py");
}

/// What only the gradients of weights need: the inputs of linear layers, and what a norm that is
/// written out multiplies its weight with. Adapters lie on the layers that read a norm's result, so
/// the inputs of these stay; a norm shows by the statistics per row beside it.
class FrozenInputs {
public:
    enum class Use : std::uint8_t {
        other, ///< Something else needs it, too.
        adapted, ///< The layer that reads it may have an adapter.
        frozen,
    };

    FrozenInputs(const Facts& facts, const BlockWeights& weights)
        : m_uses(facts.allocations().count(), Use::other)
    {
        if (facts.layers.count == 0) {
            return;
        }
        const std::size_t count = facts.allocations().count();
        const bool frames_name_them = anyLinearInBlocks(facts);
        AllocationId input;
        std::int32_t pass = -1;
        std::int64_t widened = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const AllocationId a(i);
            if (facts.phase[i] != Phase::forward || facts.pass_of[i] < 0) {
                continue;
            }
            if (facts.pass_of[i] != pass) {
                pass = facts.pass_of[i];
                input = AllocationId::none();
            }
            const bool is_linear = isOfLinear(facts, facts.allocations().stack[i])
                || (!frames_name_them && !input.isNone() && !isOfAttention(facts, input, a)
                    && widens(weights, facts.bytes(input), facts.bytes(a)));
            if (is_linear && !input.isNone() && facts.bytes(a) * kSmall > facts.bytes(input)) {
                // Two layers of equal, wider results side by side read the same norm: a gated MLP.
                const bool in_block = facts.layers.layerOf(a) != nullptr;
                const bool is_twin = in_block && facts.bytes(a) == widened;
                const bool adapted = in_block && isOfNorm(facts, input);
                widened = adapted && facts.bytes(a) != facts.bytes(input) ? facts.bytes(a)
                    : is_twin                                             ? widened
                                                                          : 0;
                m_uses[input.index()] = adapted || is_twin ? Use::adapted : Use::frozen;
            }
            if (facts.bucket(a) == Bucket::activation && !isStatistic(facts, a, input)) {
                if (isWeighedNorm(facts, input, a)) {
                    m_uses[input.index()] = Use::frozen;
                }
                input = a;
            }
        }
    }
    [[nodiscard]] Use useOf(AllocationId a) const
    {
        return a.isNone() ? Use::other : m_uses[a.index()];
    }

private:
    static constexpr std::int64_t kSmall = 32;

    /// Whether Y is what one of the blocks' matrices makes of X, rows as long as the hidden state
    /// or made that long. Equal sizes tell nothing: most operations make what they read.
    static bool widens(const BlockWeights& weights, std::int64_t x, std::int64_t y)
    {
        if (weights.vector <= 0 || x == y) {
            return false;
        }
        return std::ranges::any_of(weights.sizes, [&](const auto& entry) {
            const double other = weights.otherSide(entry.first);
            const auto vector = static_cast<double>(weights.vector);
            const double ratio = static_cast<double>(y) / static_cast<double>(x);
            return other > 0 && other != vector
                && (ratio == other / vector || ratio == vector / other);
        });
    }
    /// Then sizes need not tell, which are the same for other operations by chance.
    static bool anyLinearInBlocks(const Facts& facts)
    {
        for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
            if (facts.layers.layerOf(AllocationId(i)) != nullptr
                && isOfLinear(facts, facts.allocations().stack[i])) {
                return true;
            }
        }
        return false;
    }
    static bool isOfAttention(const Facts& facts, AllocationId x, AllocationId y)
    {
        return facts.role(x) == Role::attention_matrix || facts.role(y) == Role::attention_matrix;
    }
    /// The product of a norm's rows and its weight, one line's second result.
    static bool isWeighedNorm(const Facts& facts, AllocationId rows, AllocationId product)
    {
        const auto& stack = facts.allocations().stack;
        return !rows.isNone() && !stack[rows.index()].isNone()
            && stack[rows.index()] == stack[product.index()]
            && facts.bytes(rows) == facts.bytes(product) && hasStatisticBeside(facts, rows, -1);
    }
    /// One number per row of what came before.
    static bool isStatistic(const Facts& facts, AllocationId a, AllocationId before)
    {
        return !before.isNone() && facts.bytes(a) * kSmall <= facts.bytes(before);
    }
    static bool isOfNorm(const Facts& facts, AllocationId a)
    {
        const Layer* layer = facts.layers.layerOf(a);
        const bool is_wider = layer != nullptr && !layer->output.isNone()
            && facts.bytes(a) != facts.bytes(layer->output);
        return !is_wider && hasAnyStatistic(facts, a);
    }
    static bool hasAnyStatistic(const Facts& facts, AllocationId a)
    {
        return hasStatisticBeside(facts, a, 1) || hasStatisticBeside(facts, a, -1);
    }
    /// Right beside it, but for a product of its own size.
    static bool hasStatisticBeside(const Facts& facts, AllocationId a, int direction)
    {
        static constexpr int kFurthest = 3;
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

    std::vector<Use> m_uses;
};

/// Only small added matrices are trained: their gradients and states replace those of the weights.
class AdapterLaw final : public Law {
public:
    AdapterLaw(const Facts& facts, int rank, bool quantised)
        : m_facts(facts)
        , m_weights(blockWeights(facts))
        , m_frozen_inputs(facts, m_weights)
        , m_rank(rank)
        , m_quantised(quantised)
        , m_width(facts.weightWidth())
    {
        for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
            const AllocationId a(i);
            if (facts.bucket(a) == Bucket::parameter
                && facts.allocations().isLive(a, facts.moment.state)) {
                const auto bytes = static_cast<double>(facts.bytes(a));
                m_adapters += Amount::exactly(bytes).times(adapterFactor(facts.bytes(a)));
            }
        }
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::gradient, Bucket::optimizer_state, Bucket::temporary,
                          Bucket::parameter, Bucket::activation});
    }
    void apply(const Subject& subject, std::vector<Span>& spans) const override
    {
        if (subject.bucket == Bucket::gradient || subject.bucket == Bucket::optimizer_state
            || isOptimizerTransient(subject)) {
            scale(spans, adapterFactor(subject.bytes));
        } else if (subject.bucket == Bucket::activation) {
            using Use = FrozenInputs::Use;
            const Use use = m_frozen_inputs.useOf(subject.allocation);
            if (use != Use::other) {
                scale(spans, {0, use == Use::adapted ? 1.0 : 0.0, 1});
            }
        } else if (subject.bucket == Bucket::parameter && m_quantised
                   && static_cast<double>(subject.bytes) / m_width >= kSmallestMatrix) {
            scale(spans, {0.516 / m_width, 0.54 / m_width, std::min(1.0, 0.75 / m_width)});
        }
    }
    [[nodiscard]] std::vector<Span> additions() const override
    {
        return {{StateId::start(), StateId{m_facts.replay.lastState().value + 1}, m_adapters,
                 Bucket::parameter}};
    }
    [[nodiscard]] Amount futureState() const override
    {
        const auto trainable =
            static_cast<double>(std::max<std::int64_t>(m_facts.states.trainable, 1));
        return {m_adapters.low / trainable, m_adapters.mid / trainable,
                std::min(1.0, m_adapters.high / trainable)};
    }
    [[nodiscard]] Amount futureGradients() const override
    {
        return futureState();
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        std::vector<std::string> texts{fmt::format(
            "Adapters of rank {} on the layers that read a norm's result (queries, keys, values, "
            "the first of each MLP); the upper end has them on all linear layers of the blocks.",
            m_rank)};
        if (m_quantised) {
            texts.emplace_back(
                "Quantised weights take 0.52 to 0.56 B per parameter; embeddings and norms "
                "keep their precision.");
        }
        return texts;
    }

private:
    static constexpr double kSmallestMatrix = 16384; // elements; vectors get no adapter

    /// r (m + n) of m n elements. Where the sides are not known 2 r / √(m n), which holds for a
    /// square matrix, and more for an oblong one.
    [[nodiscard]] Amount adapterFactor(std::int64_t matrix) const
    {
        const auto bytes = static_cast<double>(matrix);
        if (m_weights.width > 0) {
            const double other = m_weights.otherSide(matrix);
            if (other <= 0) {
                return {0, 0, 0}; // a vector, the embedding or the head
            }
            const double sides = static_cast<double>(m_weights.vector) + other;
            const double factor = std::min(1.0, m_rank * sides / bytes);
            return {factor / 4, factor * m_weights.shareThatReadsNorms(matrix), factor};
        }
        const double elements = bytes / m_width;
        if (elements < kSmallestMatrix) {
            return {0, 0, 0.05};
        }
        const double factor = std::min(1.0, 2 * m_rank / std::sqrt(elements));
        return {factor / 2, factor, std::min(1.0, 2.5 * factor)};
    }

    const Facts& m_facts;
    BlockWeights m_weights;
    FrozenInputs m_frozen_inputs;
    int m_rank;
    bool m_quantised;
    double m_width; ///< Bytes per element.
    Amount m_adapters; ///< Bytes of all of them.
};

} // namespace

std::unique_ptr<Law> adapterLaw(const Facts& facts, int rank, bool quantised)
{
    return std::make_unique<AdapterLaw>(facts, rank, quantised);
}

} // namespace tidemark::diagnose
