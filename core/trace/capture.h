// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::trace {

/// What begins or ends at a moment that the capture module marked.
enum class MomentKind : std::uint8_t {
    record_begin,
    forward_begin, ///< Named "training", "eval_mode", "evaluation" or "inference".
    forward_end,
    backward_begin,
    backward_end,
    optimizer_begin,
    optimizer_end,
    phase, ///< Said by the program; the name is the phase's.
    phase_end,
    step, ///< The end of a step, said by the program.
    note, ///< Tensors pointed out by the program.
    dump, ///< The file was written.
    other, ///< Of a later version.
};

/// Moments as columns, in the order of time. All of the same length.
struct CaptureMoments {
    std::vector<MomentKind> kind;
    std::vector<std::string> name;
    std::vector<std::int64_t> step; ///< Steps completed before.
    std::vector<std::int64_t> time_us; ///< The program's clock, Unix time.
    /// Bytes of an allocation that marks the place where there is no clock; 0 without.
    std::vector<std::int64_t> marker_bytes;

    [[nodiscard]] std::size_t count() const
    {
        return kind.size();
    }
    friend bool operator==(const CaptureMoments&, const CaptureMoments&) = default;
};

/// What one device's allocator had counted at each moment: allocations + requests to free. The
/// difference to the count at the dump is the number of such events that follow in the trace.
struct CaptureClock {
    std::int32_t device = 0;
    std::vector<std::int64_t> operations; ///< By moment; −1 where it was not read.
    std::vector<std::int64_t> epoch; ///< By moment; counts of another epoch cannot be compared.
    friend bool operator==(const CaptureClock&, const CaptureClock&) = default;
};

/// What tensors are, with the words of the file; each may be empty.
struct CaptureThing {
    std::string bucket;
    std::string role;
    std::string name; ///< "layers.0.weight".
    std::string shape; ///< "768x768".
    std::string dtype; ///< "float32".
    friend bool operator==(const CaptureThing&, const CaptureThing&) = default;
};

/// Which tensor lay where, as columns of the same length.
struct CaptureTensors {
    std::vector<std::uint32_t> moment; ///< Index into the moments.
    std::vector<std::uint32_t> thing; ///< Index into the things.
    std::vector<std::int32_t> device;
    std::vector<Address> address; ///< Of the storage, so of the allocation.
    std::vector<Bytes> bytes; ///< Size of the storage.

    [[nodiscard]] std::size_t count() const
    {
        return moment.size();
    }
    friend bool operator==(const CaptureTensors&, const CaptureTensors&) = default;
};

struct CaptureDevice {
    std::int32_t index = 0;
    std::string name;
    std::optional<Bytes> total; ///< Of the card.
    std::optional<Bytes> free; ///< What the driver had free at the dump.
    std::optional<Bytes> reserved; ///< What this process had reserved at the dump.
    std::optional<Bytes> capacity; ///< What this process could have had.
    std::optional<Bytes> limit; ///< What set_per_process_memory_fraction allows it.
    std::optional<std::int64_t> operations; ///< At the dump, as in CaptureClock.
    std::int64_t epoch = 0;
    bool is_exact = true; ///< No other thread was busy while the snapshot was made.
    bool overflowed = false; ///< The ring buffer was full.
    friend bool operator==(const CaptureDevice&, const CaptureDevice&) = default;
};

/// The request that failed, as the allocator told the module.
struct CaptureOom {
    std::int32_t device = 0;
    Bytes requested;
    Bytes total;
    Bytes free;
    friend bool operator==(const CaptureOom&, const CaptureOom&) = default;
};

/// What the capture module (resources/capture/tidemark_capture.py) put beside the snapshot.
struct Capture {
    static constexpr std::int64_t kVersion = 1;

    std::string reason; ///< Why the file was written: "end", "exception", "oom", "manual", "exit",
                        ///< "terminated".
    std::string torch;
    std::string python;
    std::optional<std::int64_t> rank;
    std::optional<std::int64_t> local_rank;
    std::optional<std::int64_t> world_size;
    std::vector<std::pair<std::string, std::string>> settings;
    std::vector<CaptureDevice> devices;
    std::int64_t steps = 0; ///< Completed.
    std::string error_type; ///< Empty without an exception.
    std::string error_message;
    std::optional<CaptureOom> oom;
    std::optional<std::int64_t> overhead_us; ///< Time the module itself took.
    CaptureMoments moments;
    std::vector<CaptureClock> clocks;
    std::vector<CaptureThing> things;
    CaptureTensors tensors;
    std::vector<std::string> warnings;

    /// Null for a device that it says nothing about. O(devices).
    [[nodiscard]] const CaptureDevice* device(std::int32_t index) const
    {
        for (const CaptureDevice& d : devices) {
            if (d.index == index) {
                return &d;
            }
        }
        return nullptr;
    }
    friend bool operator==(const Capture&, const Capture&) = default;
};

} // namespace tidemark::trace
