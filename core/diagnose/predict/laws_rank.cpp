// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/diagnose/facts/adapter_pairs.h"
#include "core/diagnose/predict/law_helpers.h"
#include "core/diagnose/predict/laws.h"

#include <optional>
#include <utility>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Role;

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

std::unique_ptr<Law> rankLaw(const Facts& facts, const Change& change)
{
    std::optional<LowRank> adapters = lowRank(facts);
    return adapters ? std::make_unique<RankLaw>(facts, std::move(*adapters), change) : nullptr;
}

} // namespace tidemark::diagnose
