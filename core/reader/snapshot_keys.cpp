// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/snapshot_keys.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tidemark::reader {
namespace {

/// In the order of the enumeration from its second value on, which is the order of the alphabet.
constexpr auto kKeyNames = std::to_array<std::string_view>({"action",
                                                            "active_size",
                                                            "addr",
                                                            "address",
                                                            "allocated_size",
                                                            "allocator_settings",
                                                            "blocks",
                                                            "category",
                                                            "compile_context",
                                                            "device",
                                                            "device_free",
                                                            "device_traces",
                                                            "external_annotations",
                                                            "filename",
                                                            "forward_frames",
                                                            "frames",
                                                            "fx_node_info",
                                                            "fx_node_name",
                                                            "fx_node_op",
                                                            "fx_node_target",
                                                            "fx_original_trace",
                                                            "history",
                                                            "host_segments",
                                                            "host_traces",
                                                            "internal_metadata",
                                                            "is_expandable",
                                                            "line",
                                                            "name",
                                                            "pool_id",
                                                            "real_size",
                                                            "requested_size",
                                                            "segment_pool_id",
                                                            "segment_type",
                                                            "segments",
                                                            "size",
                                                            "source_code",
                                                            "stage",
                                                            "state",
                                                            "stream",
                                                            "tidemark",
                                                            "time_us",
                                                            "total_size",
                                                            "user_metadata"});
static_assert(std::ranges::is_sorted(kKeyNames));
static_assert(kKeyNames.size() == static_cast<std::size_t>(Key::user_metadata));

} // namespace

Key keyFromName(std::string_view name)
{
    const auto* const it = std::ranges::lower_bound(kKeyNames, name);
    if (it == kKeyNames.end() || *it != name) {
        return Key::unknown;
    }
    return static_cast<Key>(it - kKeyNames.begin() + 1);
}

std::string_view keyName(Key key)
{
    return key == Key::unknown ? std::string_view("?")
                               : kKeyNames[static_cast<std::size_t>(key) - 1];
}

} // namespace tidemark::reader
