// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/diagnose/facts/run_case.h"
#include "core/diagnose/predict/law_helpers.h"
#include "core/diagnose/predict/laws.h"
#include "core/label/stacks/frame_tests.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

/// Makes the weights 16-bit, and with them all that is computed of them, but for what programs cast
/// to 32 bits. Where autocast computes in 16 bits already only the weights and their states are
/// left, and its copies of the weights go.
class PureSixteenBitLaw final : public Law {
public:
    explicit PureSixteenBitLaw(const Facts& facts)
        : m_facts(facts)
        , m_casts_weights(facts.autocasts())
        , m_half{kHalf, kHalf, facts.isWidthKnown() || holdsHistory(facts) ? kHalf : 1}
        , m_parts(facts.sixteen_bit ? std::span<const Fp32Site>() : facts.fp32_sites)
    {
        m_loss = lossWidth(facts, m_parts);
        for (const Fp32Site part : m_parts) {
            m_has_softmax = m_has_softmax || part.kind == Fp32Site::Kind::softmax;
            m_has_norms = m_has_norms || part.kind == Fp32Site::Kind::norm;
        }
        m_of_transformers =
            label::anyFrame(facts.snapshot, [](std::string_view name, std::string_view file) {
                return name == "forward" && label::isFileIn(file, "/transformers/models/");
            });
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        BucketSet all;
        return m_facts.sixteen_bit && !m_casts_weights ? all : all.set();
    }
    [[nodiscard]] Amount factor(const Subject& s) const override
    {
        if (m_casts_weights) {
            return factorUnderAutocast(s);
        }
        if (m_facts.sixteen_bit || s.bucket == Bucket::workspace || s.bucket == Bucket::input) {
            return Amount::exactly(1); // 16 bits already, or integers
        }
        if (s.bucket == Bucket::unknown) {
            return {kHalf, 1, 1}; // whether it would halve is as little known as what it is
        }
        if (m_half.high > kHalf) {
            return m_half;
        }
        if (s.isOfBackward()) {
            return backwardFactor(s);
        }
        if (s.bucket == Bucket::activation && s.attention >= AttentionPart::unfused_call) {
            return withinFused(s.attention);
        }
        switch (s.wide.kind) {
        case Fp32Site::Kind::norm:
            return normFactor(s.wide);
        case Fp32Site::Kind::loss:
            return s.wide.is_surely ? Amount::exactly(1) : m_loss;
        case Fp32Site::Kind::softmax:
            // The wide result, which its own backward reads, and a narrow copy for the product.
            return {kHalf, m_of_transformers ? 1.5 : kHalf, 1.5};
        case Fp32Site::Kind::logits:
        case Fp32Site::Kind::none:
            break;
        }
        return s.role == Role::attention_matrix ? Amount{0.5, 0.5, 1} : Amount{0.5, 0.5, 0.52};
    }
    /// The copy of the logits in 32 bits that a loss works on stands beside those in 16.
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        const replay::Allocations& all = m_facts.allocations();
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            if (m_parts[i].kind != Fp32Site::Kind::logits || i + 1 >= m_parts.size()) {
                continue;
            }
            const auto bytes = static_cast<double>(m_facts.bytes(AllocationId(i)));
            // Made right before the loss makes the first of its own.
            std::size_t last = i;
            for (std::size_t k = i + 1;
                 k < m_parts.size() && m_facts.pass_of[k] == m_facts.pass_of[i]; ++k) {
                last = m_parts[k].kind == Fp32Site::Kind::loss ? k : last;
            }
            if (last == i || isOfLoss(i + 1, last)) {
                continue;
            }
            spans.push_back({all.begin[i], StateId{all.begin[last].value + 1},
                             m_parts[i].is_surely ? Amount::exactly(bytes) : Amount{0, 0, bytes},
                             Bucket::temporary, Role::logits});
        }
        return spans;
    }
    [[nodiscard]] Amount futureState() const override
    {
        return m_facts.sixteen_bit && !m_casts_weights ? Amount::exactly(1) : m_half;
    }
    [[nodiscard]] Amount futureGradients() const override
    {
        return futureState();
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        if (m_casts_weights) {
            return {say("The run computes in 16 bits already, with weights in 32: these, their "
                        "gradients and their state halve, and their copies in 16 bits go.")};
        }
        if (m_facts.sixteen_bit) {
            return {say("The run already computes in 16 bits.")};
        }
        std::vector<std::string> texts{
            m_facts.isWidthKnown()
                ? say("The recorded run is fp32; integers and indices keep their size.")
                : say("No dtype is recorded: the run is taken for fp32; integers and indices keep "
                      "their size.")};
        if (m_loss.mid > kHalf) {
            texts.emplace_back(say("The loss runs on an fp32 copy of the logits."));
        } else if (m_loss.high > kHalf) {
            texts.emplace_back(
                say("The loss runs in 16 bits; the upper bound has an fp32 copy of the logits."));
        }
        if (m_has_norms) {
            texts.emplace_back(say("Unfused norms compute on an fp32 copy of their rows."));
        }
        return texts;
    }

private:
    static constexpr double kHalf = 0.5;

    /// Under autocast what adds to the residual stream, and that itself, has 32 bits.
    [[nodiscard]] Amount activationUnderAutocast(const Subject& s) const
    {
        if (s.wide.kind != Fp32Site::Kind::none || s.role == Role::attention_matrix
            || s.allocation.isNone() || m_facts.program.size_of.empty()) {
            return {s.wide.is_surely ? 1 : kHalf, 1, 1};
        }
        const auto& ways = m_facts.program.sizeOf(s.allocation).expressions;
        const auto isWide = [](const program::Expression& e) { return e.element_bytes == 4; };
        if (ways.empty() || std::ranges::none_of(ways, isWide)) {
            return ways.empty() ? Amount{kHalf, 1, 1} : Amount::exactly(1);
        }
        return isWide(ways.front()) ? Amount{kHalf, kHalf, 1} : Amount{kHalf, 1, 1};
    }
    [[nodiscard]] Amount factorUnderAutocast(const Subject& s) const
    {
        if (s.role == Role::weight_cast) {
            return Amount::exactly(0);
        }
        switch (label::infoOf(s.bucket).kind) {
        case program::Usage::weight:
        case program::Usage::gradient:
        case program::Usage::state:
            return Amount::exactly(kHalf);
        case program::Usage::unknown:
            return {kHalf, 1, 1};
        case program::Usage::saved:
            return activationUnderAutocast(s);
        case program::Usage::scratch:
            return s.phase == Phase::backward ? Amount{kHalf, 1, 1} : Amount::exactly(1);
        default:
            return Amount::exactly(1);
        }
    }
    /// Whether another part of the logits lies between: then that one is nearer to the loss.
    [[nodiscard]] bool isOfLoss(std::size_t first, std::size_t end) const
    {
        for (std::size_t k = first; k < end; ++k) {
            if (m_parts[k].kind == Fp32Site::Kind::logits
                && m_facts.bytes(AllocationId(k)) == m_facts.bytes(AllocationId(first - 1))) {
                return true;
            }
        }
        return false;
    }
    /// A run in 32 bits saves the rows, them divided by their norm, and these weighed. In 16 bits a
    /// wide copy takes the place of the rows, and the two others are halved: as Llama has it, 2 for
    /// 3. Counted here are the two, of which the rows' own half is taken off. Other models keep the
    /// rows as well, or the divided ones wide.
    [[nodiscard]] static Amount normFactor(Fp32Site part)
    {
        return part.is_surely ? Amount{0.75, 0.75, 1} : Amount{kHalf, 0.625, 1};
    }
    [[nodiscard]] Amount backwardFactor(const Subject& s) const
    {
        const double loss = s.logits_share;
        const double matrix = m_has_softmax ? s.matrix_share : 0;
        const double rest = std::max(0.0, 1 - loss - matrix);
        const double softmax = m_of_transformers ? 1 : kHalf;
        return {loss * m_loss.low + (1 - loss) * kHalf,
                loss * m_loss.mid + matrix * softmax + rest * kHalf,
                loss * m_loss.high + matrix * 1.5 + rest * (m_has_norms ? 1 : 0.52)};
    }

    const Facts& m_facts;
    bool m_casts_weights; ///< Autocast copies weights of 32 bits.
    /// Of the weights: what lives at one moment, without a history, may have 16 bits already.
    Amount m_half;
    std::span<const Fp32Site> m_parts; ///< Per allocation; none where 16 bits are computed with.
    Amount m_loss{kHalf, kHalf, 0.52}; ///< Factor on what losses make, and on its gradients.
    bool m_has_softmax = false;
    bool m_has_norms = false;
    bool m_of_transformers = false;
};

} // namespace

std::unique_ptr<Law> pureSixteenBitLaw(const Facts& facts)
{
    return std::make_unique<PureSixteenBitLaw>(facts);
}

} // namespace tidemark::diagnose
