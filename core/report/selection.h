// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/diagnose/analysis.h"
#include "core/diagnose/detailed_devices.h"
#include "core/diagnose/moment.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::report {

/// A moment as a person names it. At an event means the state after it, at an OOM the state before
/// the last one.
struct NamedMoment {
    enum class Kind : std::uint8_t { start, peak, oom, end, event };
    Kind kind = Kind::peak;
    std::uint32_t event = 0; ///< For Kind::event.
};

/// "start", "peak", "oom", "end", an event number, or -1 for the start. Errors: badArgument.
Result<NamedMoment> parseMoment(std::string_view text);

/// The state of a device at a moment; nullopt without an OOM event or beyond the end of the trace.
std::optional<StateId> stateAt(const replay::DeviceReplay& replay, NamedMoment moment);

/// What to say where none of some devices has a moment.
Error noSuchMoment(const diagnose::Analysis& analysis, const std::vector<std::size_t>& devices,
                   NamedMoment moment);

/// "GPU 0", or "Host memory".
std::string deviceName(const trace::Device& device);

/// "GPU 0", or "host" of −1: for programs, in every language.
std::string deviceKey(std::int32_t device);
std::string deviceKey(const trace::Device& device);

/// Indices into the snapshot's devices: the one with the CUDA index `wanted` (−1: host memory), or
/// all of them, empty ones too. Errors: badArgument if the file has no such device.
Result<std::vector<std::size_t>> chosenDevices(const diagnose::Analysis& analysis,
                                               std::optional<std::int32_t> wanted);

/// "12 devices with lower peaks are not shown; see …"; empty where none are left out.
std::string leftOutText(const diagnose::DetailedDevices& devices);

/// Which allocations to list.
struct AllocationQuery {
    NamedMoment at;
    std::optional<std::int32_t> device; ///< As in `chosenDevices`; unset: all that are not empty.
    std::optional<label::Bucket> bucket;
    std::string match; ///< Kept: stacks with this text in a frame's name or filename.
    std::optional<std::size_t> top; ///< Unset: all.
};

/// What a query finds on one device.
struct AllocationSelection {
    std::size_t device = 0; ///< Index into the snapshot's devices.
    StateId state;
    std::vector<AllocationId> ids; ///< Largest first, cut at `top`.
    std::size_t found = 0; ///< Before the cut.
    Bytes found_bytes; ///< Requested, before the cut.
};

/// O(allocations + stacks) per device. Devices that have no such moment are left out. Errors:
/// badArgument if none has it, or for an unknown device.
Result<std::vector<AllocationSelection>> selectAllocations(const diagnose::Analysis& analysis,
                                                           const AllocationQuery& query);

} // namespace tidemark::report
