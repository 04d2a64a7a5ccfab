// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/base/result.h"
#include "core/diagnose/analysis.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::exports {

/// What other programs read.
enum class Format : std::uint8_t { perfetto, pprof, speedscope, folded, sqlite, csv, pickle, json };

/// Of CSV: one file per table.
inline constexpr std::string_view kAllTables = "all";

/// What of a run is to be written.
struct Wanted {
    Format format = Format::perfetto;
    std::optional<std::int32_t> device; ///< As in `report::chosenDevices`.
    /// Numbers of the first and the last event; those of the main device, or of `device`.
    std::optional<std::pair<std::int64_t, std::int64_t>> range;
    std::string table = "allocations"; ///< Of CSV; or `kAllTables`.
    Bytes least{16 << 20}; ///< Perfetto: allocations from this size on are slices.
    std::int64_t base_time_ns = 0; ///< Perfetto: taken off every time.
    std::string version; ///< Of this program.
};

/// The part of a device that is written: what happens in the events [states.begin, states.end − 1),
/// from the state `states.begin` on; `states.end` is one past the last state.
struct Part {
    std::size_t device = 0; ///< Index into the snapshot's devices.
    Interval<StateId> states;

    [[nodiscard]] StateId last() const
    {
        return {states.end.value - 1};
    }
    [[nodiscard]] std::uint32_t firstEvent() const
    {
        return states.begin.value;
    }
    [[nodiscard]] std::uint32_t endEvent() const
    {
        return last().value;
    }
    /// Whether an allocation is live in any of the states.
    [[nodiscard]] bool has(const replay::Allocations& allocations, std::size_t a) const
    {
        return allocations.begin[a] < states.end && states.begin < allocations.end[a];
    }
};

/// What every format is written from.
struct Source {
    const diagnose::Analysis& analysis;
    std::vector<Part> parts; ///< By device.
    const Wanted& wanted;
};

// Each writes all of its format; the stream's state says whether it could be written.

/// TracePackets of Perfetto: per device counters of allocated and reserved bytes and of each
/// bucket, phases and steps, OOM events, and large allocations as slices. Times are those of the
/// file less `base_time_ns`; without times, microseconds are event numbers.
void writePerfetto(std::ostream& out, const Source& source);
/// pprof's profile.proto, gzipped: live bytes and blocks by stack at the peak.
Result<Done> writePprof(std::ostream& out, const Source& source);
/// The same as speedscope's JSON, one profile per device.
void writeSpeedscope(std::ostream& out, const Source& source);
/// "frame;frame;frame bytes", outermost first, as flamegraph.pl reads it.
void writeFolded(std::ostream& out, const Source& source);
/// One table, or each in a file of its own.
Result<Done> writeCsv(const std::filesystem::path& file, const Source& source);
/// A database at `file`, which is there and empty. Errors: cannotWrite.
Result<Done> writeSqlite(const std::filesystem::path& file, const Source& source);
/// The same, where the database cannot be made in place.
Result<Done> writeSqlite(std::ostream& out, const Source& source);
/// The range as a snapshot that PyTorch's viewer and this program open: its events, the segments
/// and blocks as they were at its end, annotations within it and the allocator's settings.
void writeCut(std::ostream& out, const Source& source);

/// The sentence that says that names were replaced; empty where they are the recording's.
std::string hiddenNames(const Source& source);

/// Times of the states of a device in microseconds, never falling; event numbers without any.
std::vector<std::int64_t> timesOf(const diagnose::Analysis& analysis, std::size_t device);

} // namespace tidemark::exports
