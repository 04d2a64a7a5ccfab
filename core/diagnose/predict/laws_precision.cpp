// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/keyed_hash.h"
#include "core/base/language.h"
#include "core/diagnose/facts/made_by.h"
#include "core/diagnose/facts/unseen_states.h"
#include "core/diagnose/predict/law_helpers.h"
#include "core/diagnose/predict/laws.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

constexpr double kUsual = 0.62; // left of activations
constexpr double kHalf = 0.5;

/// Linear layers between two norms: all but the last read the result of the first norm (query, key
/// and value; gate and up), the last what was made of them.
class NormReaders {
public:
    /// `left` is what is left of the results of the size of the last norm's; null: it is not saved.
    void begin(double* left)
    {
        finish();
        m_left = left;
    }
    void addLinear()
    {
        ++m_linears;
    }
    /// Every reader saves a copy of its own: autocast keeps only those of weights.
    void finish()
    {
        if (m_left != nullptr && m_linears > 2) {
            *m_left += kHalf * (m_linears - 2);
        }
        m_left = nullptr;
        m_linears = 0;
    }

private:
    double* m_left = nullptr;
    int m_linears = 0;
};

/// What autocast leaves of the activations of one size: all of what a layer's or a group's norm
/// reads, half of what norms, products with weights and activation functions make, of others as is
/// usual: models keep 0.55 to 0.7 of all. Of a norm that is written out what it makes stays in 32
/// bits (powers and roots do), but for its result, of which a product reads a copy:
///
///     x ─▶ x² ─▶ mean ─▶ root ─▶ x · root ─▶ … · weight ─▶ (copy) ─▶ linear
///     32                         32          16 instead of 32
///
/// Each product that reads what a norm made saves a copy of its own in 16 bits: autocast keeps only
/// the copies of weights (ATen's autocast_mode.cpp). Query, key and value save one and a half of
/// what they share in 32 bits.
class Fp32UnderAutocast {
public:
    /// O(allocations).
    explicit Fp32UnderAutocast(const Facts& facts);
    /// Of activations of that size, 0 to 1.
    [[nodiscard]] double of(std::int64_t bytes) const;

private:
    struct Sum {
        double left = 0; ///< Of as many as there are.
        int count = 0;
    };
    std::unordered_map<std::int64_t, Sum, KeyedNumberHash> m_sums; ///< By bytes.
};

Fp32UnderAutocast::Fp32UnderAutocast(const Facts& facts)
{
    Sum* read = nullptr; // of the one before, and what was counted of it
    double counted = 0;
    Sum* result = nullptr; // of what a norm that is written out made last, if it is saved
    std::int64_t bytes_before = 0;
    bool was_written_out = false;
    NormReaders readers;
    Sum* normed = nullptr; // the largest that the norm at hand made
    std::int64_t normed_bytes = 0;
    for (const AllocationId a : facts.ids()) {
        if (facts.phaseOf(a) != Phase::forward) {
            continue;
        }
        const MadeBy made_by = facts.madeBy(a);
        const std::int64_t bytes = facts.bytes(a);
        const bool is_written_out = facts.fp32_sites[a.index()].kind == Fp32Site::Kind::norm;
        if (read != nullptr && bytes == bytes_before
            && (made_by == MadeBy::norm || (is_written_out && !was_written_out))) {
            read->left += 1 - counted;
        }
        if (!is_written_out && result != nullptr) {
            result->left -= kHalf;
        }
        const bool is_norm = is_written_out || made_by == MadeBy::norm;
        if (!is_norm && normed_bytes > 0) {
            Sum* const of_norm = result != nullptr ? result : normed;
            readers.begin(of_norm == nullptr ? nullptr : &of_norm->left);
            normed = nullptr;
            normed_bytes = 0;
        }
        if (made_by == MadeBy::linear) {
            readers.addLinear();
        }
        was_written_out = is_written_out;
        const bool is_counted = facts.bucket(a) == Bucket::activation
            && facts.role(a) != Role::attention_matrix && facts.role(a) != Role::logits;
        read = is_counted ? &m_sums[bytes] : nullptr;
        counted = is_written_out                                   ? 1
            : made_by == MadeBy::other || made_by == MadeBy::table ? kUsual
                                                                   : kHalf;
        bytes_before = bytes;
        if (read != nullptr) {
            read->left += counted;
            ++read->count;
        }
        result = is_written_out ? read : nullptr;
        if (is_norm && bytes >= normed_bytes) {
            normed = read;
            normed_bytes = bytes;
        }
    }
    readers.finish();
}

double Fp32UnderAutocast::of(std::int64_t bytes) const
{
    const auto found = m_sums.find(bytes);
    return found == m_sums.end() ? kUsual : found->second.left / found->second.count;
}

/// Halves what operations make in 16 bits under autocast.
class AutocastLaw final : public Law {
public:
    explicit AutocastLaw(const Facts& facts)
        : m_facts(facts)
    {
        if (!facts.sixteen_bit) {
            sumMatrices();
            countMatrices();
            m_left.emplace(facts);
            m_loss = lossWidth(facts, facts.fp32_sites);
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
    /// A copy is made where its weight is first used. Autograd keeps it until backward has used it;
    /// without a graph autocast's own cache keeps it until the context is left.
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        if (m_facts.sixteen_bit) {
            return spans;
        }
        for (const Pass& pass : m_facts.passes) {
            Amount copies = copiedWeights();
            // Nothing in a file in 32 bits tells no_grad from inference_mode, which caches nothing.
            copies.low = pass.isTraining() ? copies.low : 0;
            spans.push_back({middleOf(pass.forward),
                             pass.backward.isEmpty() ? graphEnd(pass) : middleOf(pass.backward),
                             copies, Bucket::activation, Role::weight_cast});
        }
        return spans;
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        if (m_facts.sixteen_bit) {
            return {say("The run already computes in 16 bits.")};
        }
        return {
            m_facts.isWidthKnown()
                ? say(
                    "The recorded run is fp32; norms, softmax and losses stay fp32 under autocast.")
                : say("No dtype is recorded: the run is taken for fp32; norms, softmax and losses "
                      "stay fp32 under autocast."),
            say("Weights, gradients and optimizer state stay fp32; autocast adds 16-bit copies of "
                "the weights.")};
    }

private:
    [[nodiscard]] Amount copiedWeights() const
    {
        const std::optional<Amount> of_program = copiedMatrices();
        return of_program ? *of_program : copiedUnlessTables();
    }
    static StateId middleOf(Interval<StateId> in)
    {
        return {(in.begin.value + in.end.value) / 2};
    }
    /// When what a pass without backward saved is dropped: the copies are part of its graph. One
    /// without a graph drops them where it ends.
    [[nodiscard]] StateId graphEnd(const Pass& pass) const
    {
        StateId end{pass.forward.end.value + 1};
        if (!pass.isTraining()) {
            return end;
        }
        std::int64_t largest = 0;
        for (const AllocationId a : m_facts.madeIn(pass)) {
            if (m_facts.bucket(a) == Bucket::activation && m_facts.bytes(a) > largest) {
                largest = m_facts.bytes(a);
                end = std::max(end, m_facts.end(a));
            }
        }
        return end;
    }
    /// Half of the matrices that rows are multiplied with, as the program has them: those of the
    /// layers, and of the vocabulary's all but the one that is looked up; a single one is both.
    /// Nullopt where it does not know the weights' shapes, or where some are frozen: of these only
    /// what a gradient passes through has a copy that stays.
    [[nodiscard]] std::optional<Amount> copiedMatrices() const
    {
        const program::Program& program = m_facts.program;
        const program::Dimension* const layers = program.find(program::DimensionName::layers);
        if (layers == nullptr || program.weights.sizes.empty()) {
            return std::nullopt;
        }
        const program::Dimension* const vocabulary =
            program.find(program::DimensionName::vocabulary);
        double sure = 0;
        double perhaps = 0;
        for (const program::WeightSize& w : program.weights.sizes) {
            const std::int64_t count = w.parameters();
            if (count == 0) {
                continue; // Autocast casts what enters a matrix product: no table of positions.
            }
            if (w.element_bytes != kFullWidth || w.trainable == std::optional(false)) {
                return std::nullopt;
            }
            const auto half = static_cast<double>(w.bytes) / 2;
            if (w.shape.size() != 2) {
                perhaps += half * static_cast<double>(count);
                continue;
            }
            const bool is_table = vocabulary != nullptr
                && std::ranges::find(w.shape, vocabulary->value) != w.shape.end();
            const bool is_of_layers = count >= layers->value;
            const std::int64_t used = is_table ? std::max<std::int64_t>(1, count - 1)
                : is_of_layers                 ? count
                                               : 0;
            sure += half * static_cast<double>(used);
            perhaps += half * static_cast<double>(count - used);
        }
        return Amount{sure, sure, sure + perhaps};
    }
    /// Half the weights, but for tables that are looked up: of these only what is a head as well,
    /// which shows where no other weight has its size.
    [[nodiscard]] Amount copiedUnlessTables() const
    {
        std::unordered_map<std::int64_t, int, KeyedNumberHash> others;
        std::vector<std::int64_t> tables;
        const auto& allocations = m_facts.allocations();
        for (const AllocationId a : m_facts.ids()) {
            if (m_facts.bucket(a) != Bucket::parameter
                || !allocations.isLive(a, m_facts.moment.state)) {
                continue;
            }
            if (m_facts.madeBy(a) == MadeBy::table) {
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
        for (const AllocationId a : m_facts.ids()) {
            if (m_facts.role(a) != Role::attention_matrix
                || m_facts.bucket(a) != Bucket::activation) {
                continue;
            }
            const StackId stack = m_facts.stack(a);
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
    [[nodiscard]] program::TensorKind whatIs(const Subject& s) const
    {
        return s.allocation.isNone() || m_facts.program.size_of.empty()
            ? program::TensorKind::unknown
            : m_facts.program.sizeOf(s.allocation).what;
    }
    /// Of the attention matrices that a layer saves all but one are results of operations that
    /// autocast keeps in 32 bits (exp, softmax, what is added to a mask of 32 bits); the one that
    /// is multiplied with the values is a copy in 16. A single one is both.
    void countMatrices()
    {
        const program::Dimension* const layers =
            m_facts.program.find(program::DimensionName::layers);
        const auto pass = std::ranges::find_if(m_facts.passes, &Pass::isTraining);
        if (layers == nullptr || pass == m_facts.passes.end()) {
            return;
        }
        std::int64_t saved = 0;
        const auto [first, last] = m_facts.madeIn(*pass);
        for (std::size_t i = first; i < last; ++i) {
            const program::SizeUse& use = m_facts.program.sizeOf(AllocationId(i));
            saved += use.kind == program::Usage::saved
                    && use.what == program::TensorKind::attention_matrix
                    && use.expressions.front().element_bytes == kFullWidth
                ? 1
                : 0;
        }
        const double each = static_cast<double>(saved) / static_cast<double>(layers->value);
        if (each >= 1) {
            m_matrix.mid = each < 2 ? 1.5 : (each - 0.5) / each;
        }
    }
    /// Of the logits, and of what a loss saves of them. A loss that casts them computes in 32 bits.
    /// cross_entropy does not: it has log_softmax keep the precision of its input (ATen's
    /// LossNLL.cpp), and nll_loss reads a copy in 32 bits, which is saved beside it.
    [[nodiscard]] Amount logitsFactor(Fp32Site part) const
    {
        switch (part.kind) {
        case Fp32Site::Kind::loss:
            return part.is_surely ? Amount::exactly(1)
                                  : Amount{0.5, m_loss.mid == 1 ? 1 : 1.5, 1.5};
        case Fp32Site::Kind::logits:
            return {0.5, part.is_surely ? 1 : 0.5, 1};
        default:
            return {0.5, 1, 1};
        }
    }
    [[nodiscard]] Amount autocastFactor(const Subject& s) const
    {
        const bool in_pass = s.phase != Phase::optimizer && s.phase != Phase::setup;
        if (in_pass && s.role == Role::logits) {
            return logitsFactor(s.wide);
        }
        if (s.bucket == Bucket::activation && s.attention >= AttentionPart::unfused_call) {
            return withinFused(s.attention);
        }
        const program::TensorKind what = whatIs(s);
        const bool is_matrix =
            s.role == Role::attention_matrix || what == program::TensorKind::attention_matrix;
        if (in_pass && is_matrix && s.bucket != Bucket::temporary) {
            return m_matrix;
        }
        if (in_pass && is_matrix && s.phase != Phase::backward) {
            return {0.5, 0.75, 1}; // scores in 16 bits, what the softmax makes of them in 32
        }
        if (s.isOfBackward()) {
            const double of_matrix = (m_matrix_gradient - kOfBackward) * s.matrix_share;
            const double of_loss = (m_loss.mid - kOfBackward) * s.logits_share;
            return {0.5, kOfBackward + (s.logits_share > s.matrix_share ? of_loss : of_matrix), 1};
        }
        switch (label::infoOf(s.bucket).kind) {
        case program::Usage::saved: {
            // Outputs of linear layers, and what an activation function makes of them.
            if (what == program::TensorKind::feed_forward
                || what == program::TensorKind::projection) {
                return {0.5, 0.5, 0.78};
            }
            const double left = m_left->of(s.bytes);
            return {0.5, left, std::min(1.0, std::max(0.78, 1.15 * left))};
        }
        case program::Usage::result:
            return {0.5, kUsual, 0.78};
        case program::Usage::scratch:
            return in_pass ? Amount{0.5, 0.65, 1} : Amount::exactly(1);
        default:
            return Amount::exactly(1);
        }
    }

    static constexpr std::int32_t kFullWidth = 4; ///< Bytes.
    static constexpr double kOfBackward = 0.65; ///< Left of what backward makes, as is usual.

    const Facts& m_facts;
    Amount m_loss{0.5, 1, 1}; ///< Factor on the gradients of logits.
    Amount m_matrix{0.5, 1, 1.5}; ///< Factor on saved attention matrices under autocast.
    /// On their gradients. Backward of the product drops the 16-bit copy, half a matrix, before
    /// that of the softmax has two of them: half a matrix less, taken from both.
    double m_matrix_gradient = 1;
    std::optional<Fp32UnderAutocast> m_left; ///< Of other activations.
};

} // namespace

std::unique_ptr<Law> autocastLaw(const Facts& facts)
{
    return std::make_unique<AutocastLaw>(facts);
}

} // namespace tidemark::diagnose
