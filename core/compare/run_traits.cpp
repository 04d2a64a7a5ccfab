// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/run_traits.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/compare/made_phases.h"
#include "core/curves/step_growth.h"
#include "core/label/runs/passes.h"

#include <algorithm>
#include <functional>
#include <set>

namespace tidemark::compare {
namespace {

using program::TensorKind;

/// Of the bytes of matrices: with fewer copies in 16 bits it is a part that casts, not autocast.
constexpr double kFewestCopies = 0.3;
/// Of the bytes of rows: in runs of 32 bits none are best read with two bytes an element, in those
/// of autocast a fifth to two thirds (31 recordings of either).
constexpr double kNarrowRows = 0.1;
/// Shares of bytes that are no accident.
constexpr double kSomeBytes = 0.01;
/// Most of a set, and nearly all of it.
constexpr double kMost = 0.5;
constexpr double kNearlyAllCopies = 0.9;
/// Of a model's bytes: weights that one run alone has and fewer are tables.
constexpr double kTables = 0.02;
/// Parameters that are written in millions where they are not exact.
constexpr std::int64_t kFewestInMillions = 1'000'000;
constexpr std::int32_t kFull = 4;
constexpr std::int32_t kNarrow = 2;

/// Of the sizes of weights that another run has, too.
std::int64_t sharedElements(const RunTraits& one, const RunTraits& other)
{
    std::int64_t elements = 0;
    for (const auto& [bytes, count] : one.weight_counts) {
        const std::int32_t width = one.weights.at(bytes);
        elements += width > 0 && other.weights.contains(bytes) ? bytes / width * count : 0;
    }
    return elements;
}

void readWeights(const Side& side, RunTraits& traits)
{
    const program::Weights& weights = side.program.weights;
    for (const program::WeightSize& w : weights.sizes) {
        if (w.parameters() > 0) {
            traits.weights[w.bytes] = w.element_bytes;
            traits.weight_counts[w.bytes] = w.parameters();
            traits.trained += w.gradients + w.states > 0 ? w.bytes * w.parameters() : 0;
        }
    }
    traits.parameters = weights.parameters;
    traits.is_exact = weights.trainable > 0 && weights.trainable == weights.parameters;
    traits.adapters = adaptersOf(weights);
}

/// Allocations of one size that belong to no set of weights.
struct MadeSize {
    std::int64_t count = 0;
    std::int64_t copies = 0; ///< Of these, what nothing but the copy of a weight explains as well.

    /// Whether they are copies of so many weights and next to nothing else.
    [[nodiscard]] bool areCopiesOf(std::int64_t weights) const
    {
        return 2 * copies >= weights
            && static_cast<double>(copies) >= kNearlyAllCopies * static_cast<double>(count);
    }
};

std::map<std::int64_t, MadeSize> madeSizes(const Side& side)
{
    std::map<std::int64_t, MadeSize> made;
    for (const program::SizeUse& use : side.program.sizes) {
        if (!program::isFixed(use.kind)) {
            MadeSize& size = made[use.bytes];
            size.count += use.count;
            size.copies += use.what == TensorKind::weight_copy ? use.count : 0;
        }
    }
    const replay::Allocations& all = side.allocations();
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (side.labels().role[i] == label::Role::weight_cast) {
            ++made[all.requested[i].value].copies;
        }
    }
    return made;
}

struct Copies {
    double share = 0; ///< Of the matrices' bytes.
    bool is_shown = false; ///< Some of them can be nothing else.
};

/// Bytes of matrices of 32 bits, and of those the ones of which copies of half the size are made:
/// such copies may be as large as rows of activations, so one size at least has to show them
/// alone. Of a matrix half as large as which another is, nothing shows them: what an optimizer
/// makes for the other has that size.
Copies copiesOf(const Side& side, const std::map<std::int64_t, MadeSize>& made)
{
    double all = 0;
    double copied = 0;
    bool is_shown = false;
    std::set<std::int64_t> sizes;
    for (const program::WeightSize& w : side.program.weights.sizes) {
        sizes.insert(w.bytes);
    }
    for (const program::WeightSize& w : side.program.weights.sizes) {
        if (w.shape.size() == 1 || w.element_bytes != kFull || sizes.contains(w.bytes / 2)) {
            continue;
        }
        const auto bytes = static_cast<double>(w.bytes * w.count);
        all += bytes;
        const auto found = made.find(w.bytes / 2);
        if (found != made.end() && 2 * found->second.count >= w.count) {
            copied += bytes;
            is_shown = is_shown || found->second.areCopiesOf(w.count);
        }
    }
    return {all > 0 ? copied / all : 0, is_shown};
}

/// Of the bytes of what follows the rows: what is best read with two bytes an element.
double narrowShare(const program::Program& program)
{
    double narrow = 0;
    double all = 0;
    for (const program::SizeUse& use : program.sizes) {
        if (program::isFixed(use.kind) || use.what == TensorKind::weight_copy
            || use.expressions.empty()) {
            continue;
        }
        const program::Expression& first = use.expressions.front();
        const bool is_wide = first.element_bytes == kFull;
        const bool is_narrow = first.element_bytes == kNarrow;
        if ((is_wide || is_narrow) && program::growthOf(first).batch > 0) {
            const auto bytes = static_cast<double>(use.bytes) * static_cast<double>(use.count);
            all += bytes;
            narrow += is_narrow ? bytes : 0;
        }
    }
    return all > 0 ? narrow / all : 0;
}

Precision precisionOf(const Side& side, const std::map<std::int64_t, MadeSize>& made)
{
    if (side.program.weights.parameters == 0) {
        return Precision::unknown;
    }
    double narrow = 0;
    double all = 0;
    for (const program::WeightSize& w : side.program.weights.sizes) {
        const auto bytes = static_cast<double>(w.bytes * w.count);
        narrow += w.element_bytes == kNarrow ? bytes : 0;
        all += bytes;
    }
    if (narrow > kMost * all) {
        return Precision::narrow;
    }
    const Copies copies = copiesOf(side, made);
    if (copies.share > kFewestCopies
        && (copies.is_shown || narrowShare(side.program) > kNarrowRows)) {
        return Precision::autocast;
    }
    return side.program.find(program::DimensionName::hidden) != nullptr ? Precision::full
                                                                        : Precision::unknown;
}

void readHalves(const std::map<std::int64_t, MadeSize>& made, RunTraits& traits)
{
    for (const auto& [bytes, width] : traits.weights) {
        if (width == kFull && !traits.weights.contains(bytes / 2)) {
            const auto found = made.find(bytes / 2);
            traits.halves[bytes] = found == made.end()
                ? Halves{}
                : Halves{found->second.count,
                         found->second.areCopiesOf(traits.weight_counts.at(bytes))};
        }
    }
}

/// Of the bytes of weights of both, those of which `one` makes halves and `other` makes none; 0
/// where nothing shows them to be copies.
double halvedAlone(const RunTraits& one, const RunTraits& other)
{
    double all = 0;
    double alone = 0;
    bool are_copies = false;
    for (const auto& [bytes, halves] : one.halves) {
        const auto found = other.halves.find(bytes);
        if (found == other.halves.end()) {
            continue;
        }
        const auto held = static_cast<double>(bytes * one.weight_counts.at(bytes));
        all += held;
        if (found->second.count == 0 && 2 * halves.count >= one.weight_counts.at(bytes)) {
            alone += held;
            are_copies = are_copies || halves.are_copies;
        }
    }
    return are_copies ? alone / all : 0;
}

void readPhases(const Side& side, RunTraits& traits)
{
    for (const label::PhaseSpan& span : side.labels().phases) {
        traits.has_backward |= span.phase == label::Phase::backward;
        traits.has_optimizer |= span.phase == label::Phase::optimizer;
        traits.has_forward |= isForwardKind(span.phase);
    }
    // One that keeps and makes nothing, as plain SGD, leaves its steps and no phase.
    traits.has_optimizer = traits.has_optimizer || !side.labels().steps.empty();
    traits.has_graph = recordsGraph(side);
    std::int64_t passes = 0;
    const std::vector<label::Pass> all =
        label::findPasses(side.labels(), side.replay().stateCount());
    const std::size_t steps = side.labels().steps.size();
    for (const label::Pass& pass : all) {
        passes += pass.isWholeTraining() && pass.step >= 1 && pass.step <= steps ? 1 : 0;
    }
    const auto count = static_cast<std::int64_t>(steps);
    traits.passes_per_step = count > 0 && passes % count == 0 ? passes / count : 0;
}

void readActivations(const Side& side, RunTraits& traits)
{
    const replay::Allocations& all = side.allocations();
    std::int64_t remade = 0;
    std::int64_t saved = 0;
    std::int64_t matrices = 0;
    std::map<StackId, std::int64_t> matrices_of;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const std::int64_t bytes = all.requested[i].value;
        const label::Role role = side.labels().role[i];
        const bool is_saved = side.labels().bucket[i] == label::Bucket::activation;
        remade += role == label::Role::recomputed ? bytes : 0;
        saved += is_saved ? bytes : 0;
        if (is_saved
            && (role == label::Role::attention_matrix
                || side.program.sizeOf(AllocationId(i)).what == TensorKind::attention_matrix)) {
            matrices += bytes;
            if (!all.stack[i].isNone()) {
                matrices_of[all.stack[i]] += bytes;
            }
        }
    }
    for (const auto& [stack, bytes] : matrices_of) {
        traits.matrix_stacks.push_back(stack);
    }
    std::ranges::stable_sort(traits.matrix_stacks, std::ranges::greater(),
                             [&](StackId stack) { return matrices_of.at(stack); });
    traits.makes_again = static_cast<double>(remade) > kSomeBytes * static_cast<double>(saved);
    traits.keeps_matrices = static_cast<double>(matrices) > kSomeBytes * static_cast<double>(saved);
}

void readStates(const Side& side, RunTraits& traits)
{
    traits.states = side.curves().largestOf(label::Bucket::optimizer_state);
    if (traits.trained > 0 && traits.has_optimizer) {
        traits.states_per_byte =
            static_cast<double>(traits.states) / static_cast<double>(traits.trained);
    }
}

void readGrowth(const Side& side, RunTraits& traits)
{
    const curves::StepGrowth growth =
        curves::growthPerStep(side.replay(), side.labels(), side.replay().lastState());
    double rise = 0;
    for (const curves::StackGrowth& stack : growth.stacks) {
        if (stack.verdict == curves::GrowthVerdict::rising) {
            rise += stack.bytes_per_step;
            traits.leaking.push_back(stack.stack);
        }
    }
    traits.leak_per_step = static_cast<std::int64_t>(rise);
}

bool isGenerated(const trace::Snapshot& snapshot, StackId stack)
{
    for (const FrameId id : snapshot.stacks.frames(stack)) {
        const std::string_view file = snapshot.text(snapshot.stacks.frame(id).filename);
        if (file.find("torchinductor_") != std::string_view::npos
            || file.find("/torch/_inductor/") != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

void readCompiled(const Side& side, RunTraits& traits)
{
    const trace::Snapshot& snapshot = side.snapshot();
    std::vector<bool> generated(snapshot.stacks.stackCount());
    for (std::size_t s = 0; s < generated.size(); ++s) {
        generated[s] = isGenerated(snapshot, StackId(s));
        traits.is_compiled = traits.is_compiled || generated[s];
    }
    for (const AllocationId a : replay::livingAt(side.replay(), side.replay().peak)) {
        const StackId stack = side.allocations().stack[a.index()];
        traits.compiled_bytes += !stack.isNone() && generated[stack.index()] ? side.bytes(a) : 0;
    }
}

} // namespace

std::string nameOf(Precision precision)
{
    switch (precision) {
    case Precision::full:
        return "fp32";
    case Precision::autocast:
        return "autocast";
    case Precision::narrow:
        return "16-bit";
    case Precision::unknown:
        break;
    }
    return say("not known");
}

std::pair<std::string, std::string> parameterTexts(const RunTraits& a, const RunTraits& b)
{
    const bool are_exact = a.is_exact && b.is_exact;
    const auto text = [are_exact](std::int64_t count) {
        return count == 0 ? std::string()
            : are_exact || count < kFewestInMillions
            ? formatCount(count)
            : say("{:.1f} M", static_cast<double>(count) / 1e6);
    };
    const std::int64_t shared_a = sharedElements(a, b);
    const std::int64_t shared_b = sharedElements(b, a);
    const auto isTables = [](std::int64_t rest, std::int64_t all) {
        return static_cast<double>(rest) <= kTables * static_cast<double>(all);
    };
    if (!are_exact && shared_a == shared_b && isTables(a.parameters - shared_a, a.parameters)
        && isTables(b.parameters - shared_b, b.parameters)) {
        const std::string one = text(a.is_exact       ? a.parameters
                                         : b.is_exact ? b.parameters
                                                      : shared_a);
        return {one, one};
    }
    return {text(a.parameters), text(b.parameters)};
}

RunTraits traitsOf(const Side& side)
{
    RunTraits traits;
    readWeights(side, traits);
    const std::map<std::int64_t, MadeSize> made = madeSizes(side);
    traits.precision = precisionOf(side, made);
    readHalves(made, traits);
    readPhases(side, traits);
    readActivations(side, traits);
    readStates(side, traits);
    readGrowth(side, traits);
    readCompiled(side, traits);
    traits.in_use = diagnose::fixesInUse(side.snapshot());
    traits.died = !side.replay().ooms.empty();
    return traits;
}

bool areToldApart(const RunTraits& a, const RunTraits& b)
{
    return a.precision != b.precision && a.precision != Precision::unknown
        && b.precision != Precision::unknown;
}

void tellPrecisions(RunTraits& a, RunTraits& b)
{
    if (areToldApart(a, b) || a.precision == Precision::narrow
        || b.precision == Precision::narrow) {
        return;
    }
    const double in_a = halvedAlone(a, b);
    const double in_b = halvedAlone(b, a);
    if (std::min(in_a, in_b) == 0 && std::max(in_a, in_b) > kFewestCopies) {
        a.precision = in_a > 0 ? Precision::autocast : Precision::full;
        b.precision = in_b > 0 ? Precision::autocast : Precision::full;
    }
}

} // namespace tidemark::compare
