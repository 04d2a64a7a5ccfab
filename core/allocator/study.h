// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/baseline.h"
#include "core/allocator/simulate.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tidemark::allocator {

/// Where a capacity comes from.
enum class CapacitySource : std::uint8_t {
    unknown, ///< Then nothing runs out.
    given, ///< By the user.
    oom_event, ///< Reserved + what the driver had free there.
    limit, ///< The capture module noted what is allowed to this process.
    /// PyTorch refused where the driver had room: the limit lies below reserved + request.
    unseen_limit,
    /// The most that was ever reserved: the driver refused more at another time, so it is close.
    refusal,
};
std::string_view capacitySourceId(CapacitySource source);

struct CapacityFound {
    std::optional<Bytes> bytes; ///< Of an interval the lower end: what surely is there.
    Bytes most; ///< The upper end; the same where it is exact.
    CapacitySource source = CapacitySource::unknown;
};
/// What this process could have got when the request of an OOM event failed; unknown where the
/// event does not say what the driver had free and no limit was noted.
CapacityFound capacityAt(const trace::Snapshot& snapshot, const trace::Device& device,
                         const replay::DeviceReplay& replay, EventId oom);
/// The same over the whole trace: what the user says, else the larger of those at the OOM events
/// and the most that was ever reserved, else that most if requests were refused.
CapacityFound capacityOf(const trace::Snapshot& snapshot, const trace::Device& device,
                         const replay::DeviceReplay& replay, const RequestStream& requests,
                         std::optional<Bytes> given);

/// The most block bytes that live at once, the request that failed with them: no allocator needs
/// less, however it packs. Blocks are rounded as by default, 512 B.
struct IdealPeak {
    Bytes bytes;
    StateId state; ///< Before the failed request, if that makes the peak.
};
IdealPeak idealPeak(const trace::Device& device, const replay::DeviceReplay& replay,
                    const replay::Rounding& rounding);

/// What to find out about a device's allocator.
struct StudyOptions {
    std::optional<Settings> settings; ///< To simulate; nothing: those recorded.
    std::optional<Bytes> capacity; ///< Nothing: calibrated at the OOM event.
    bool searches = false; ///< Also tries the settings of `candidateSettings`.
    bool preallocates = false; ///< Also tries first blocks, see `Conditions::preallocated`.
    std::size_t points = 0; ///< Of each curve.
};

struct Study {
    Baseline baseline;
    CapacityFound capacity;
    IdealPeak ideal;
    Simulation recorded; ///< Under the recorded settings.
    /// The same with what lived at the start requested anew, as other settings need it; only where
    /// memory was reserved at the start.
    std::optional<Simulation> recorded_anew;
    Simulation result; ///< Under those asked for.
    std::vector<Simulation> candidates; ///< The best first; empty without a search.
    /// The best under the recorded settings with a first block as large as the ideal peak or a
    /// little larger; only where asked for and where it may help.
    std::optional<Simulation> preallocated;
    std::int64_t late_frees = 0; ///< Frees that waited for another stream, as recorded.
    std::int64_t live_at_start = 0; ///< Allocations.

    /// What other settings are to be compared with.
    [[nodiscard]] const Simulation& reference() const
    {
        return recorded_anew ? *recorded_anew : recorded;
    }
    /// No settings can help: even packed without a gap there is more than the capacity.
    [[nodiscard]] bool exceedsIdeal() const
    {
        return capacity.bytes && ideal.bytes > *capacity.bytes;
    }
};

/// Settings worth trying, the recorded ones first; some make sense with a known capacity alone.
std::vector<Settings> candidateSettings(const Settings& recorded, bool has_capacity);

/// Whether `a` is the better outcome: fits (with fewer options, where a capacity
/// is known), runs out later, short by less, reserves less.
bool isBetter(const Simulation& a, const Simulation& b);

/// Simulates one device, of which `known` is the comparison with the file. Candidates run on
/// several threads. Errors: cancelled.
Result<Study> study(const trace::Snapshot& snapshot, std::size_t device,
                    const replay::DeviceReplay& replay, const replay::BlockSizes& sizes,
                    Baseline known, const StudyOptions& options, ProgressSink& progress,
                    const std::stop_token& stop);
/// The same with the comparison made first.
Result<Study> study(const trace::Snapshot& snapshot, std::size_t device,
                    const replay::DeviceReplay& replay, const replay::BlockSizes& sizes,
                    const StudyOptions& options, ProgressSink& progress,
                    const std::stop_token& stop);

} // namespace tidemark::allocator
