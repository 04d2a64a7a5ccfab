// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/size_counts.h"

#include "core/diagnose/facts/linear_calls.h"
#include "core/label/stacks/frame_tests.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::anyFrame;
using label::Bucket;
using label::isFile;
using label::isFileIn;
using label::Phase;
using label::Role;

constexpr std::int64_t kSmallestUse = 4096; // bytes; smaller ones move no total

/// Kernels may read a weight, and compute its gradient, with padded rows: those of recurrent layers
/// do, and compilers that align the sides of a product. What is never saved, and is larger than a
/// weight by no more than such padding, is taken for that.
void markPaddedWeights(const DeviceRun& run, SizeCountsOf& size_counts)
{
    static constexpr std::int64_t kPadding = 16; // of a weight, at most one part in so many
    std::vector<std::int64_t> weights;
    for (const auto& [bytes, use] : size_counts) {
        if (use.weights > 0) {
            weights.push_back(bytes);
        }
    }
    std::ranges::sort(weights);
    for (const AllocationId a : run.ids()) {
        const std::int64_t bytes = run.bytes(a);
        if (run.bucket(a) != Bucket::temporary || bytes < kSmallestUse) {
            continue;
        }
        const auto above = std::ranges::upper_bound(weights, bytes);
        if (above != weights.begin()) {
            const std::int64_t weight = *std::prev(above);
            if (bytes > weight && bytes - weight <= weight / kPadding) {
                size_counts[bytes].pads_weight = true;
            }
        }
    }
}

/// Whether that many bytes are a square of elements of 2 or 4 bytes, or of 2ⁿ times as many.
bool isSquare(std::int64_t bytes)
{
    static constexpr std::int64_t kSmallest = 1 << 20; // smaller ones move no total
    if (bytes < kSmallest) {
        return false;
    }
    return std::ranges::any_of(std::array{1, 2}, [&](std::int64_t width) {
        const std::int64_t side =
            std::llround(std::sqrt(static_cast<double>(bytes) / static_cast<double>(width)));
        return side * side * width == bytes;
    });
}

/// Whether a layer made it, or nothing tells what did.
bool isOfLayer(const trace::Snapshot& snapshot, StackId stack)
{
    return stack.isNone() || anyFrame(snapshot, stack, [](std::string_view, std::string_view file) {
               return isFileIn(file, "torch/nn/modules/") && !isFile(file, "/module.py")
                   && !isFile(file, "/loss.py");
           });
}

/// Sizes that may be squares, none a layer's, and where the last of each begins.
std::map<std::int64_t, StateId> squaresOf(const DeviceRun& run, bool sixteen_bit, const Pass& pass)
{
    std::map<std::int64_t, StateId> squares;
    std::set<std::int64_t> of_layers;
    const auto [first, end] = run.madeIn(pass);
    for (std::size_t i = first; i < end; ++i) {
        const AllocationId a(i);
        if (run.phase[i] != Phase::forward) {
            continue;
        }
        const std::int64_t bytes = run.bytes(a);
        if (run.role(a) == Role::attention_matrix
            || isOfLayer(run.snapshot, run.allocations().stack[i])) {
            of_layers.insert(bytes);
            if (sixteen_bit) {
                of_layers.insert(2 * bytes); // its copy in 32 bits, as a loss makes one
            }
        } else if (isSquare(bytes)) {
            squares[bytes] = run.allocations().begin[i];
        }
    }
    std::erase_if(squares, [&](const auto& entry) { return of_layers.contains(entry.first); });
    return squares;
}

} // namespace

SizeUses sizeUsesOf(const DeviceRun& run)
{
    SizeUses uses;
    for (const AllocationId a : run.ids()) {
        const std::int64_t bytes = run.bytes(a);
        const Bucket bucket = run.bucket(a);
        if (bytes < kSmallestUse) {
            continue;
        }
        if (bucket == Bucket::parameter || bucket == Bucket::gradient) {
            ++uses.size_counts[bytes].states;
            uses.size_counts[bytes].weights += bucket == Bucket::parameter ? 1U : 0U;
        } else if (bucket == Bucket::activation && run.role(a) != Role::weight_cast) {
            SizeCounts& use = uses.size_counts[bytes];
            ++use.forward;
            use.attention += run.role(a) == Role::attention_matrix ? 1U : 0U;
            use.logits += run.role(a) == Role::logits ? 1U : 0U;
        } else if (bucket == Bucket::temporary && run.phaseOf(a) == Phase::forward) {
            SizeCounts& use = uses.size_counts[bytes];
            ++use.passing;
            use.passing_attention += run.role(a) == Role::attention_matrix ? 1U : 0U;
            use.passing_logits += run.role(a) == Role::logits ? 1U : 0U;
            use.activates = use.activates || run.madeBy(a) == MadeBy::activation;
        }
    }
    markPaddedWeights(run, uses.size_counts);
    uses.convolves = std::ranges::find(run.made_by, MadeBy::convolution) != run.made_by.end();
    return uses;
}

SizeCountsOf withSamplePairs(SizeCountsOf size_counts, const DeviceRun& run,
                             const Precision& precision)
{
    static constexpr std::int64_t kFewest = 16; // samples
    const auto pass = std::ranges::find_if(
        run.passes, [](const Pass& p) { return p.isTraining() && !p.backward.isEmpty(); });
    if (pass == run.passes.end()) {
        return size_counts;
    }
    const std::map<std::int64_t, StateId> squares = squaresOf(run, precision.sixteen_bit, *pass);
    if (squares.empty()) {
        return size_counts;
    }
    const LinearCalls calls = findLinearCalls(run, precision, *pass);
    const auto rows = static_cast<std::int64_t>(calls.rows());
    if (!calls.is_sure || rows < kFewest) {
        return size_counts;
    }
    for (const auto& [bytes, begin] : squares) {
        // Elements as wide as the layers' results, or in 32 bits beside 16.
        const std::int64_t width = bytes / (rows * rows);
        const bool is_square =
            bytes % (rows * rows) == 0 && (width == calls.width || width == calls.width * 2);
        SizeCounts& use = size_counts[bytes];
        // As large as a weight it is that one's gradient, which some losses make in forward.
        use.of_pairs = is_square && use.weights == 0 && begin > calls.calls.back().begin;
    }
    return size_counts;
}

} // namespace tidemark::diagnose
