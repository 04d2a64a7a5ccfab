// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/attention_calls.h"

#include "core/base/format.h"
#include "core/label/stacks/frame_tests.h"
#include "core/label/stacks/stack_text.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace tidemark::compare {
namespace {

/// A line of a function, as both runs know it: folders may differ.
using Line = std::tuple<std::string_view, std::string_view, std::uint32_t>;

/// Nothing for what is torch's, or no Python.
std::optional<Line> lineOf(const trace::Snapshot& snapshot, FrameId id)
{
    const label::FrameOrigin origin = label::frameOrigin(snapshot, id);
    const Frame& frame = snapshot.stacks.frame(id);
    const std::string_view file = snapshot.text(frame.filename);
    return origin == label::FrameOrigin::noise || origin == label::FrameOrigin::native
            || label::isFileIn(file, "/torch/")
        ? std::nullopt
        : std::optional(Line{baseName(file), snapshot.text(frame.name), frame.line});
}

/// The caller of the innermost function outside of torch.
std::optional<Line> callOf(const trace::Snapshot& snapshot, StackId stack)
{
    bool is_outside = false;
    for (const FrameId id : snapshot.stacks.frames(stack)) {
        if (const std::optional<Line> line = lineOf(snapshot, id)) {
            if (is_outside) {
                return line;
            }
            is_outside = true;
        }
    }
    return std::nullopt;
}

std::vector<bool> passing(const trace::Snapshot& snapshot, const std::set<Line>& calls)
{
    std::vector<bool> is_call(snapshot.stacks.frameCount());
    for (std::size_t f = 0; f < is_call.size(); ++f) {
        const std::optional<Line> line = lineOf(snapshot, FrameId(f));
        is_call[f] = line && calls.contains(*line);
    }
    std::vector<bool> passes(snapshot.stacks.stackCount());
    for (std::size_t s = 0; s < passes.size(); ++s) {
        passes[s] = std::ranges::any_of(snapshot.stacks.frames(StackId(s)),
                                        [&](FrameId id) { return is_call[id.index()]; });
    }
    return passes;
}

} // namespace

std::pair<std::string, std::string> otherAttention(const Both& both, const RunTraits& a,
                                                   const RunTraits& b)
{
    std::set<PlaceId> in_a;
    for (const StackId stack : a.matrix_stacks) {
        in_a.insert(both.places.inA(stack));
    }
    const bool share = std::ranges::any_of(
        b.matrix_stacks, [&](StackId stack) { return in_a.contains(both.places.inB(stack)); });
    return share || a.matrix_stacks.empty() || b.matrix_stacks.empty()
        ? std::pair<std::string, std::string>()
        : std::pair(label::operationText(both.a.snapshot(), a.matrix_stacks.front()),
                    label::operationText(both.b.snapshot(), b.matrix_stacks.front()));
}

AttentionCalls attentionCalls(const Both& both, const RunTraits& a, const RunTraits& b)
{
    std::set<Line> calls;
    const auto add = [&calls](const trace::Snapshot& snapshot, const RunTraits& traits) {
        for (const StackId stack : traits.matrix_stacks) {
            if (const std::optional<Line> call = callOf(snapshot, stack)) {
                calls.insert(*call);
            }
        }
    };
    add(both.a.snapshot(), a);
    add(both.b.snapshot(), b);
    return {passing(both.a.snapshot(), calls), passing(both.b.snapshot(), calls)};
}

} // namespace tidemark::compare
