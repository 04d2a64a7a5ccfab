// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/made_by.h"

#include "core/diagnose/facts/device_run.h"
#include "core/label/stacks/frame_tests.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::diagnose {
namespace {

MadeBy makerOf(std::string_view name, std::string_view file)
{
    const auto isModule = [&](std::string_view module) {
        return label::isFile(file, std::string("torch/nn/modules/") + std::string(module));
    };
    if (name.find("layer_norm") != std::string_view::npos
        || name.find("group_norm") != std::string_view::npos) {
        return MadeBy::norm;
    }
    if (name == "multi_head_attention_forward") {
        return MadeBy::attention;
    }
    if (isModule("conv.py") || name.find("convolution") != std::string_view::npos) {
        return MadeBy::convolution;
    }
    return isModule("linear.py")                  ? MadeBy::linear
        : isModule("rnn.py")                      ? MadeBy::recurrent
        : isModule("sparse.py")                   ? MadeBy::table
        : label::isActivationFunction(name, file) ? MadeBy::activation
                                                  : MadeBy::other;
}

} // namespace

std::vector<MadeBy> makers(const trace::Snapshot& snapshot)
{
    // Stacks share frames.
    std::vector<MadeBy> of_frame(snapshot.stacks.frameCount(), MadeBy::other);
    std::vector<bool> ends(of_frame.size());
    for (std::size_t f = 0; f < of_frame.size(); ++f) {
        const Frame& frame = snapshot.stacks.frame(FrameId(f));
        const std::string_view file = snapshot.text(frame.filename);
        of_frame[f] = makerOf(snapshot.text(frame.name), file);
        ends[f] = of_frame[f] != MadeBy::other || label::isFile(file, "torch/nn/modules/module.py");
    }
    std::vector<MadeBy> found(snapshot.stacks.stackCount(), MadeBy::other);
    for (std::size_t s = 0; s < found.size(); ++s) {
        for (const FrameId id : snapshot.stacks.frames(StackId(s))) {
            if (ends[id.index()]) {
                found[s] = of_frame[id.index()];
                break;
            }
        }
    }
    return found;
}

std::vector<bool> inModules(const trace::Snapshot& snapshot)
{
    std::vector<bool> inside(snapshot.stacks.stackCount());
    for (std::size_t s = 0; s < inside.size(); ++s) {
        inside[s] =
            label::anyFrame(snapshot, StackId(s), [](std::string_view name, std::string_view file) {
                return name == "_call_impl" || name == "_wrapped_call_impl"
                    || (name == "forward" && !label::isFile(file, "torch/nn/modules/loss.py"));
            });
    }
    return inside;
}

bool isOfDropout(const DeviceRun& run, StackId stack)
{
    return label::anyFrame(run.snapshot, stack, [](std::string_view name, std::string_view) {
        return name.find("dropout") != std::string_view::npos;
    });
}

namespace {

bool isOfFusedCall(const DeviceRun& run, StackId stack)
{
    return label::anyFrame(run.snapshot, stack, [](std::string_view name, std::string_view) {
        return name == "sdpa_attention_forward"
            || name.find("scaled_dot_product_attention") != std::string_view::npos;
    });
}

/// What calls of scaled_dot_product_attention at one place save.
struct FusedCalls {
    std::map<std::int64_t, std::int64_t> counts; ///< By size.
    std::int64_t usual = 0; ///< The size of most.

    /// A fused call saves its result and a number per row. Where most of what one place saves is of
    /// one size and some is larger, the larger are matrices.
    void findUsual()
    {
        static constexpr std::int64_t kSmallest = 64; // times smaller than the largest
        std::int64_t most = 0;
        for (const auto& [bytes, count] : counts) {
            if (bytes * kSmallest >= counts.rbegin()->first && count > most) {
                usual = bytes;
                most = count;
            }
        }
    }
    [[nodiscard]] bool writesMatrices() const
    {
        return counts.rbegin()->first > usual;
    }
};

/// What native_dropout makes behind its result: a matrix's elements as bytes.
bool isDropped(const DeviceRun& run, std::size_t i)
{
    const auto bytes = [&](std::size_t a) { return run.bytes(AllocationId(a)); };
    return i > 0 && bytes(i) > 0 && (bytes(i - 1) == 4 * bytes(i) || bytes(i - 1) == 2 * bytes(i))
        && run.role(AllocationId(i - 1)) == label::Role::attention_matrix
        && run.isOfOneCall(i - 1, i) && isOfDropout(run, run.allocations().stack[i]);
}

} // namespace

double groupedShare(const DeviceRun& run)
{
    const auto* const grouped = run.program.find(program::DimensionName::kv_width);
    const auto* const hidden = run.program.find(program::DimensionName::hidden);
    return grouped == nullptr || hidden == nullptr
        ? 1
        : static_cast<double>(grouped->value) / static_cast<double>(hidden->value);
}

std::vector<AttentionPart> attentionParts(const DeviceRun& run)
{
    const replay::Allocations& all = run.allocations();
    std::unordered_map<StackId, FusedCalls> fused;
    std::unordered_set<StackId> repeating;
    for (std::size_t s = 0; s < run.snapshot.stacks.stackCount(); ++s) {
        if (isOfFusedCall(run, StackId(s))) {
            fused.try_emplace(StackId(s));
        } else if (label::anyFrame(run.snapshot, StackId(s),
                                   [](std::string_view name, std::string_view) {
                                       return name == "repeat_kv";
                                   })) {
            repeating.insert(StackId(s));
        }
    }
    for (std::size_t i = 0; i < all.count(); ++i) {
        const auto found = fused.find(all.stack[i]);
        if (found != fused.end() && run.bucket(AllocationId(i)) == label::Bucket::activation) {
            ++found->second.counts[run.bytes(AllocationId(i))];
        }
    }
    std::erase_if(fused, [](const auto& at) { return at.second.counts.empty(); });
    for (auto& [stack, calls] : fused) {
        calls.findUsual();
    }
    const bool are_grouped = groupedShare(run) < 1;
    std::vector<AttentionPart> parts(all.count(), AttentionPart::none);
    for (std::size_t i = 0; i < all.count(); ++i) {
        const AllocationId a(i);
        const auto found = fused.find(all.stack[i]);
        if (found == fused.end()) {
            parts[i] = repeating.contains(all.stack[i]) ? AttentionPart::repeated
                : isDropped(run, i)                     ? AttentionPart::dropped
                                                        : AttentionPart::none;
            continue;
        }
        const FusedCalls& calls = found->second;
        const bool is_matrix =
            run.role(a) == label::Role::attention_matrix || run.bytes(a) > calls.usual;
        const bool is_unfused = are_grouped && calls.writesMatrices();
        parts[i] = is_unfused && is_matrix ? AttentionPart::unfused_matrix
            : is_unfused                   ? AttentionPart::unfused_call
            : is_matrix                    ? AttentionPart::matrix
                                           : AttentionPart::none;
    }
    return parts;
}

} // namespace tidemark::diagnose
