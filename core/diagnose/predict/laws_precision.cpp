// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/keyed_hash.h"
#include "core/diagnose/facts/checked_roles.h"
#include "core/diagnose/facts/kinship.h"
#include "core/diagnose/facts/unseen_states.h"
#include "core/diagnose/predict/laws.h"
#include "core/label/frame_tests.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::isFile;
using label::Phase;
using label::Role;

/// What autocast leaves of the activations of one size: all of what a layer's or a group's norm
/// reads, half of what norms, products with weights and activation functions make, of others as is
/// usual: models keep 0.55 to 0.7 of all.
class LeftByAutocast {
public:
    static constexpr double kUsual = 0.62;

    explicit LeftByAutocast(const Facts& facts)
    {
        std::unordered_map<StackId, MadeBy> known;
        Sum* read = nullptr; // of the one before, and what was counted of it
        double counted = 0;
        std::int64_t bytes_before = 0;
        for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
            const AllocationId a(i);
            if (facts.phase[i] != Phase::forward) {
                continue;
            }
            const StackId stack = facts.allocations().stack[i];
            const auto [entry, is_new] = known.try_emplace(stack, MadeBy::other);
            entry->second = is_new ? madeBy(facts.snapshot, stack) : entry->second;
            const std::int64_t bytes = facts.bytes(a);
            if (read != nullptr && entry->second == MadeBy::norm && bytes == bytes_before) {
                read->left += 1 - counted;
            }
            const bool is_counted = facts.bucket(a) == Bucket::activation
                && facts.role(a) != Role::attention_matrix && facts.role(a) != Role::logits;
            read = is_counted ? &m_sums[bytes] : nullptr;
            counted = entry->second == MadeBy::other ? kUsual : 0.5;
            bytes_before = bytes;
            if (read != nullptr) {
                read->left += counted;
                ++read->count;
            }
        }
    }
    [[nodiscard]] double of(std::int64_t bytes) const
    {
        const auto found = m_sums.find(bytes);
        return found == m_sums.end() ? kUsual : found->second.left / found->second.count;
    }

private:
    enum class MadeBy : std::uint8_t { other, norm, narrow };
    struct Sum {
        double left = 0; ///< Of as many as there are.
        int count = 0;
    };
    static MadeBy madeBy(const trace::Snapshot& snapshot, StackId stack)
    {
        if (stack.isNone()) {
            return MadeBy::other;
        }
        for (const FrameId id : snapshot.stacks.frames(stack)) {
            const Frame& frame = snapshot.stacks.frame(id);
            const std::string_view name = snapshot.text(frame.name);
            const std::string_view file = snapshot.text(frame.filename);
            if (name.find("layer_norm") != std::string_view::npos
                || name.find("group_norm") != std::string_view::npos) {
                return MadeBy::norm;
            }
            if (isFile(file, "torch/nn/modules/linear.py")
                || isFile(file, "torch/nn/modules/conv.py")
                || label::isActivationFunction(name, file)) {
                return MadeBy::narrow;
            }
            if (isFile(file, "torch/nn/modules/module.py")) {
                break; // what is further out did not make it itself
            }
        }
        return MadeBy::other;
    }

    std::unordered_map<std::int64_t, Sum, KeyedNumberHash> m_sums; ///< By bytes.
};

/// Halves what operations make in 16 bits under autocast.
class AutocastLaw final : public Law {
public:
    explicit AutocastLaw(const Facts& facts)
        : m_facts(facts)
    {
        if (!facts.sixteen_bit) {
            sumMatrices();
            m_left.emplace(facts);
        }
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        BucketSet all;
        return m_facts.sixteen_bit ? all : all.set();
    }
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        if (m_facts.sixteen_bit) {
            return Amount::exactly(1); // nothing is left in 32 bits that this change would halve
        }
        return autocastFactor(subject);
    }
    /// Autograd keeps the 16-bit copies of the weights until backward has used them.
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        if (m_facts.sixteen_bit) {
            return spans;
        }
        const Amount copies = copiedWeights();
        for (const Pass& pass : m_facts.passes) {
            const StateId begin{(pass.forward.begin.value + pass.forward.end.value) / 2};
            const StateId end{(pass.backward.begin.value + pass.end().value) / 2};
            spans.push_back({begin, std::max(end, pass.forward.end), copies, Bucket::activation,
                             Role::weight_cast});
        }
        return spans;
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        if (m_facts.sixteen_bit) {
            return {"The run computes in 16 bits already."};
        }
        return {
            "The recorded run is in 32 bits; norms, softmax and losses stay so under autocast.",
            "Weights, gradients and optimizer state stay in 32 bits; 16-bit copies of the weights "
            "are added."};
    }

private:
    /// Half the weights, but for tables that are looked up: of these only what is a head as well,
    /// which shows where no other weight has its size.
    [[nodiscard]] Amount copiedWeights() const
    {
        std::unordered_map<std::int64_t, int, KeyedNumberHash> others;
        std::vector<std::int64_t> tables;
        const auto& allocations = m_facts.allocations();
        for (std::size_t i = 0; i < allocations.count(); ++i) {
            const AllocationId a(i);
            if (m_facts.bucket(a) != Bucket::parameter
                || !allocations.isLive(a, m_facts.moment.state)) {
                continue;
            }
            if (isOfTable(m_facts, allocations.stack[i])) {
                tables.push_back(m_facts.bytes(a));
            } else {
                ++others[m_facts.bytes(a)];
            }
        }
        const std::int64_t largest = tables.empty() ? 0 : *std::ranges::max_element(tables);
        auto looked_up = static_cast<double>(std::accumulate(tables.begin(), tables.end(), 0LL));
        if (!others.contains(largest)) {
            looked_up -= static_cast<double>(largest);
        }
        const auto frozen = static_cast<double>(
            frozenBehindTables(std::accumulate(tables.begin(), tables.end(), std::int64_t{0})));
        const double copies =
            (static_cast<double>(m_facts.states.parameters) - looked_up - frozen) / 2;
        return {0.3 * copies, (tables.empty() ? 0.8 : 1.0) * copies, copies};
    }
    /// Weights behind frozen tables that are frozen as well: autograd saves nothing there, so no
    /// copies. Adapters need those of the weights that they lie on.
    [[nodiscard]] std::int64_t frozenBehindTables(std::int64_t tables) const
    {
        const StateBytes& states = m_facts.states;
        const std::int64_t others = states.model() - states.trainable - tables;
        return others <= 0 || tables == 0 || hasAdapters(m_facts) ? 0 : others;
    }
    /// Of the attention matrices: the softmax computes in 32 bits and keeps its result so, and what
    /// is multiplied with it reads a copy in 16 bits: of that result, or of what dropout made of
    /// it.
    void sumMatrices()
    {
        double softmax = 0; // bytes saved
        double dropout = 0;
        double other = 0;
        for (std::size_t i = 0; i < m_facts.allocations().count(); ++i) {
            const AllocationId a(i);
            if (m_facts.role(a) != Role::attention_matrix
                || m_facts.bucket(a) != Bucket::activation) {
                continue;
            }
            const StackId stack = m_facts.allocations().stack[i];
            double& sum = isOfDropout(m_facts, stack)                     ? dropout
                : m_facts.stacks.traits(stack).has(label::Trait::softmax) ? softmax
                                                                          : other;
            sum += static_cast<double>(m_facts.bytes(a));
        }
        if (softmax == 0) {
            return;
        }
        const double copies = (dropout > 0 ? dropout : softmax) + other;
        m_matrix.mid = (softmax + copies / 2) / (softmax + dropout + other);
        if (dropout == 0) {
            m_matrix_gradient = 0.75;
        }
    }
    /// A loss computes in 32 bits: its log-probabilities and their gradients stay as large.
    [[nodiscard]] Amount autocastFactor(const Subject& s) const
    {
        const bool in_pass = s.phase != Phase::optimizer && s.phase != Phase::setup;
        if (in_pass && s.role == Role::logits) {
            return {0.5, 1, 1};
        }
        if (in_pass && s.role == Role::attention_matrix) {
            return m_matrix;
        }
        if (s.bucket == Bucket::temporary && s.phase == Phase::backward) {
            const double loss = m_facts.logits_kin->share(s.bytes, s.begin);
            const double matrix = m_facts.attention_kin->share(s.bytes, s.begin);
            return {0.5, 0.65 + std::max(0.35 * loss, (m_matrix_gradient - 0.65) * matrix), 1};
        }
        switch (s.bucket) {
        case Bucket::activation: {
            const double left = m_left->of(s.bytes);
            return {0.5, left, std::min(1.0, std::max(0.78, 1.15 * left))};
        }
        case Bucket::output:
        case Bucket::kv_cache:
            return {0.5, LeftByAutocast::kUsual, 0.78};
        case Bucket::temporary:
            return in_pass ? Amount{0.5, 0.65, 1} : Amount::exactly(1);
        default:
            return Amount::exactly(1);
        }
    }

    const Facts& m_facts;
    Amount m_matrix{0.5, 1, 1.5}; ///< Factor on saved attention matrices under autocast.
    /// On their gradients. Backward of the product drops the 16-bit copy, half a matrix, before
    /// that of the softmax has two of them: half a matrix less, taken from both.
    double m_matrix_gradient = 1;
    std::optional<LeftByAutocast> m_left; ///< Of other activations.
};

} // namespace

std::unique_ptr<Law> autocastLaw(const Facts& facts)
{
    return std::make_unique<AutocastLaw>(facts);
}

} // namespace tidemark::diagnose
