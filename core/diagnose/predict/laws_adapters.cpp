// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/joined.h"
#include "core/base/language.h"
#include "core/diagnose/facts/adapter_pairs.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/predict/law_helpers.h"
#include "core/diagnose/predict/laws.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

/// Only small added matrices are trained: their gradients and states replace those of the weights.
class AdapterLaw final : public Law {
public:
    AdapterLaw(const Facts& facts, const Change& change)
        : m_facts(facts)
        , m_weights(*facts.blocks)
        , m_rank(change.count())
        , m_layers(change.layers)
        , m_quantised(change.kind == ChangeKind::qlora)
        , m_width(facts.weightWidth())
    {
        for (const auto& [size, count] : m_weights.sizes) {
            const auto bytes = static_cast<double>(size * count);
            m_adapters += Amount::exactly(bytes).times(adapterFactor(size));
        }
        m_inner = innerShare();
        // PEFT keeps adapters in 32 bits over weights in 16, and each adapted layer reads a copy of
        // its input as wide (tuners/lora/layer.py, `_cast_input_dtype`), a quantized one, too.
        m_copies = m_width == 2 ? 2 : 0;
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::gradient, Bucket::optimizer_state, Bucket::temporary,
                          Bucket::parameter, Bucket::activation});
    }
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        if (subject.bucket == Bucket::gradient || subject.bucket == Bucket::optimizer_state
            || isOptimizerTransient(subject)) {
            return adapterFactor(subject.bytes);
        }
        if (subject.bucket == Bucket::activation && subject.use == InputUse::adapted) {
            return {0, 1 + m_inner + 2 * m_copies, 1 + 2 * m_inner + kMostReaders * m_copies};
        }
        if (subject.bucket == Bucket::activation && subject.use == InputUse::frozen) {
            return {0, areAll() ? 1.0 : 0, 1 + kMostReaders * m_copies};
        }
        return subject.bucket == Bucket::parameter && m_quantised
            ? quantisedFactor(m_weights, subject.bytes, m_width)
            : Amount::exactly(1);
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
        std::vector<std::string> texts{
            areAll() ? say("Adapters of rank {} on all linear layers.", m_rank)
                : !m_layers.empty()
                ? say("Adapters of rank {} on the usual layers: which of the recorded ones {} are "
                      "is not known; the range covers them.",
                      m_rank, joined(m_layers, ", "))
                : m_weights.adaptsQueriesAndValues()
                ? say("Adapters of rank {} on queries and values, the usual choice; the upper "
                      "bound has them on all linear layers.",
                      m_rank)
                : say("Adapters of rank {} on the layers after a norm (queries, keys, values, "
                      "first MLP layer); the upper bound has them on all linear layers.",
                      m_rank)};
        if (m_quantised) {
            texts.emplace_back(translated(kQuantisedNote));
        }
        return texts;
    }

private:
    [[nodiscard]] bool areAll() const
    {
        return m_layers == std::vector<std::string>{"all-linear"};
    }
    /// Of the matrices of a size.
    [[nodiscard]] double shareWithAdapter(std::int64_t size) const
    {
        return areAll() ? 1 : m_weights.shareWithAdapter(size);
    }

    /// Each adapter keeps what its first matrix makes, r numbers per row, for its second one: as a
    /// share of what it reads, which in a block is the results of two norms, or of attention's.
    [[nodiscard]] double innerShare() const
    {
        const double norms = m_weights.adaptsQueriesAndValues() && !areAll() ? 1 : 2;
        if (m_weights.width <= 0 || m_weights.blocks == 0) {
            return 0;
        }
        double adapters = 0;
        for (const auto& [size, count] : m_weights.sizes) {
            if (m_weights.otherSide(size) > 0) {
                adapters += static_cast<double>(count) * shareWithAdapter(size);
            }
        }
        const double columns = static_cast<double>(m_weights.vector) / m_weights.width;
        return adapters / (norms * static_cast<double>(m_weights.blocks)) * m_rank / columns;
    }

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
            const double factor = m_rank * sides / bytes;
            const double least = areAll() ? factor : m_layers.empty() ? factor / 4 : 0;
            return {least, factor * shareWithAdapter(matrix), factor};
        }
        const double elements = bytes / m_width;
        if (elements < kSmallestMatrix) {
            return {0, 0, 0.05};
        }
        const double factor = std::min(1.0, 2 * m_rank / std::sqrt(elements));
        return {factor / 2, factor, std::min(1.0, 2.5 * factor)};
    }

    const Facts& m_facts;
    const BlockWeights& m_weights;
    int m_rank;
    std::vector<std::string> m_layers; ///< As named; none: the usual ones.
    bool m_quantised;
    double m_width; ///< Bytes per element.
    static constexpr double kMostReaders = 3; ///< Of one input: queries, keys and values.
    double m_copies = 0; ///< Of an input, for each adapted layer that reads it.
    double m_inner = 0; ///< What adapters keep between their matrices, as a share of their input.
    Amount m_adapters; ///< Bytes of all of them.
};

/// Gives the adapters of a run another rank: their matrices, gradients and states follow it, and
/// what they make between the two matrices of a pair.
class RankLaw final : public Law {
public:
    RankLaw(const Facts& facts, LowRank adapters, const Change& change)
        : m_adapters(std::move(adapters))
        , m_weights(*facts.blocks)
        , m_width(facts.weightWidth())
        , m_change(change)
        , m_ratio(change.number / static_cast<double>(m_adapters.rank))
    {
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::parameter, Bucket::gradient, Bucket::optimizer_state,
                          Bucket::temporary, Bucket::activation});
    }
    [[nodiscard]] Amount factor(const Subject& s) const override
    {
        const bool is_frozen = s.bucket == Bucket::parameter && s.role == Role::frozen;
        if (is_frozen && m_change.kind == ChangeKind::qlora) {
            return quantisedFactor(m_weights, s.bytes, m_width);
        }
        const bool is_state = s.bucket == Bucket::parameter || s.bucket == Bucket::gradient
            || s.bucket == Bucket::optimizer_state || isOptimizerTransient(s);
        const bool follows = is_state
            ? !is_frozen && m_adapters.sizes.contains(s.bytes)
            : m_adapters.between.contains(s.bytes) && s.role == Role::none;
        return Amount::exactly(follows ? m_ratio : 1);
    }
    [[nodiscard]] Amount futureState() const override
    {
        return Amount::exactly(m_ratio);
    }
    [[nodiscard]] Amount futureGradients() const override
    {
        return Amount::exactly(m_ratio);
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        std::vector<std::string> texts{
            say("The recorded adapters of rank {} get rank {} on the same layers.", m_adapters.rank,
                m_change.count())};
        if (!m_change.layers.empty()) {
            texts.emplace_back(say("The layers that the change names are ignored."));
        }
        if (m_change.kind == ChangeKind::qlora) {
            texts.emplace_back(translated(kQuantisedNote));
        }
        return texts;
    }

private:
    LowRank m_adapters;
    const BlockWeights& m_weights;
    double m_width; ///< Bytes of an element of the weights.
    Change m_change;
    double m_ratio;
};

} // namespace

std::unique_ptr<Law> adapterLaw(const Facts& facts, const Change& change)
{
    if (std::optional<LowRank> adapters = lowRank(facts)) {
        return std::make_unique<RankLaw>(facts, std::move(*adapters), change);
    }
    return std::make_unique<AdapterLaw>(facts, change);
}

} // namespace tidemark::diagnose
