// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark::reader {

/// Every dictionary key that some torch release writes into a snapshot, that of our own capture
/// module, and torch-snapkit's `source_code`. Sources: torch/csrc/cuda/
/// Module.cpp and memory_snapshot.cpp from 1.13 to 2.15, torch/csrc/xpu/Module.cpp, _memory_viz.py.
enum class Key : std::uint8_t {
    unknown,
    action,
    active_size,
    addr,
    address,
    allocated_size,
    allocator_settings,
    blocks,
    category,
    compile_context,
    device,
    device_free,
    device_traces,
    external_annotations,
    filename,
    forward_frames,
    frames,
    fx_node_info,
    fx_node_name,
    fx_node_op,
    fx_node_target,
    fx_original_trace,
    history,
    host_segments,
    host_traces,
    internal_metadata,
    is_expandable,
    line,
    name,
    pool_id,
    real_size,
    requested_size,
    segment_pool_id,
    segment_type,
    segments,
    size,
    source_code,
    stage,
    state,
    stream,
    tidemark,
    time_us,
    total_size,
    user_metadata,
};

/// `Key::unknown` for any other text. O(log n).
Key keyFromName(std::string_view name);
/// The key as it stands in the file.
std::string_view keyName(Key key);

} // namespace tidemark::reader
