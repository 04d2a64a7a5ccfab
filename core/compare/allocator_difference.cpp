// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/allocator_difference.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/replay/memory_state.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace tidemark::compare {
namespace {

/// Live bytes are about the same up to this share.
constexpr double kSameLive = 0.01;
/// Reserved bytes differ from this share on.
constexpr double kOtherReserved = 0.02;
/// Functions of torch that two recordings must share, and the share of them that lies elsewhere,
/// before their torch counts as another.
constexpr std::size_t kFewestFunctions = 5;
constexpr double kMovedFunctions = 0.3;

AllocatorTraits allocatorTraitsOf(const Side& side)
{
    const replay::DeviceReplay& replay = side.replay();
    AllocatorTraits traits;
    traits.reserved_peak = {*std::ranges::max_element(replay.reserved)};
    traits.reserved = replay.reservedAt(replay.peak);
    traits.cached =
        traits.reserved - replay.activeAt(replay.peak) - replay.privateCachedAt(replay.peak);
    traits.ooms = static_cast<std::int64_t>(replay.ooms.size());
    if (side.analysis.block_sizes != nullptr) {
        const replay::MemoryState state =
            replay::memoryStateAt(replay, (*side.analysis.block_sizes)[side.index], replay.peak);
        traits.largest_hole = replay::fragmentationOf(state).largest_hole;
        traits.segments = static_cast<std::int64_t>(state.segments.size());
    }
    for (const trace::Action action : side.device().events.action) {
        traits.segments_made +=
            action == trace::Action::segment_alloc || action == trace::Action::segment_map ? 1 : 0;
        traits.segments_returned +=
            action == trace::Action::segment_free || action == trace::Action::segment_unmap ? 1 : 0;
    }
    return traits;
}

/// Lines of each of torch's Python functions, by its path inside torch and its name.
using TorchLines = std::map<std::pair<std::string_view, std::string_view>, std::set<std::int32_t>>;

TorchLines torchLines(const trace::Snapshot& snapshot)
{
    static constexpr std::string_view kTorch = "-packages/torch/";
    TorchLines lines;
    for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        const Frame& frame = snapshot.stacks.frame(FrameId(f));
        const std::string_view file = snapshot.text(frame.filename);
        const std::size_t at = file.rfind(kTorch);
        if (at != std::string_view::npos && file.ends_with(".py")) {
            lines[{file.substr(at + kTorch.size()), snapshot.text(frame.name)}].insert(frame.line);
        }
    }
    return lines;
}

bool isOtherTorch(const trace::Snapshot& a, const trace::Snapshot& b)
{
    const TorchLines in_a = torchLines(a);
    const TorchLines in_b = torchLines(b);
    std::size_t shared = 0;
    std::size_t moved = 0;
    for (const auto& [function, lines] : in_a) {
        const auto found = in_b.find(function);
        if (found == in_b.end()) {
            continue;
        }
        ++shared;
        const bool is_there = std::ranges::any_of(
            lines, [&](std::int32_t line) { return found->second.contains(line); });
        moved += is_there ? std::size_t{0} : std::size_t{1};
    }
    return shared >= kFewestFunctions
        && static_cast<double>(moved) > kMovedFunctions * static_cast<double>(shared);
}

bool differ(Bytes x, Bytes y, double share)
{
    return static_cast<double>(std::abs((x - y).value))
        > share * static_cast<double>(std::max(x.value, y.value));
}

std::string sentenceFor(const Side& side_a, const Side& side_b, const AllocatorDifference& found)
{
    const Bytes live_a = side_a.replay().activeAt(side_a.replay().peak);
    const Bytes live_b = side_b.replay().activeAt(side_b.replay().peak);
    if (differ(live_a, live_b, kSameLive)
        || !differ(found.a.reserved_peak, found.b.reserved_peak, kOtherReserved)) {
        return {};
    }
    const Bytes delta = found.b.reserved_peak - found.a.reserved_peak;
    const Bytes difference{std::abs(delta.value)};
    const Bytes of_a = found.a.reserved_peak;
    const Bytes of_b = found.b.reserved_peak;
    return delta.value > 0 ? say("Live memory is about equal, but {} reserves {} more than {} ({} "
                                 "vs. {}): the allocator differs, not the program.",
                                 side_b.letter, difference, side_a.letter, of_b, of_a)
                           : say("Live memory is about equal, but {} reserves {} less than {} ({} "
                                 "vs. {}): the allocator differs, not the program.",
                                 side_b.letter, difference, side_a.letter, of_b, of_a);
}

} // namespace

AllocatorDifference compareAllocators(const Side& a, const Side& b)
{
    AllocatorDifference found;
    found.a = allocatorTraitsOf(a);
    found.b = allocatorTraitsOf(b);
    found.is_other_torch = isOtherTorch(a.snapshot(), b.snapshot());
    found.sentence = sentenceFor(a, b, found);
    return found;
}

} // namespace tidemark::compare
