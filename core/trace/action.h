// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tidemark::trace {

/// What a trace entry says. Source: c10/cuda/CUDACachingAllocator, TraceEntry::Action; `annotate`
/// since 2.14.1, `user_defined` in mid-2024 builds only. Anything else is `other` and keeps its
/// name.
enum class Action : std::uint8_t {
    alloc, ///< A block is handed out; size = requested bytes.
    free_requested, ///< The owner freed it.
    free_completed, ///< The block is back in the free pool.
    segment_alloc, ///< cudaMalloc.
    segment_free, ///< cudaFree.
    segment_map, ///< Pages mapped into an expandable segment.
    segment_unmap,
    snapshot, ///< An earlier snapshot call.
    oom, ///< The allocation failed; size = rounded request, `deviceFree` instead of an address.
    annotate,
    user_defined,
    other,
};

inline constexpr std::array<std::string_view, 12> kActionNames{
    "alloc",        "free_requested", "free_completed", "segment_alloc",
    "segment_free", "segment_map",    "segment_unmap",  "snapshot",
    "oom",          "annotate",       "user_defined",   "other"};

constexpr std::string_view actionName(Action a)
{
    return kActionNames[static_cast<std::size_t>(a)];
}

/// `Action::other` for a name that is not known.
constexpr Action actionFromName(std::string_view name)
{
    for (std::size_t i = 0; i + 1 < kActionNames.size(); ++i) {
        if (kActionNames[i] == name) {
            return static_cast<Action>(i);
        }
    }
    return Action::other;
}

} // namespace tidemark::trace
