// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/diagnose/analysis.h"
#include "core/job/dump_names.h"
#include "core/label/bucket.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::job {

/// Bytes that one line of the program holds in one bucket, at the moment that decides.
struct PlaceBytes {
    std::string line; ///< "train.py:68 forward"; empty: no stack was recorded.
    std::string operation; ///< "softmax"; may be empty.
    label::Bucket bucket = label::Bucket::unknown;
    Bytes bytes;
    std::int64_t count = 0; ///< Allocations.
    friend bool operator==(const PlaceBytes&, const PlaceBytes&) = default;
};

/// A request that failed.
struct RankOom {
    std::int64_t event = 0;
    std::optional<TimePoint> time;
    Bytes requested;
    std::optional<Bytes> device_free;
    Bytes active; ///< Just before it.
    Bytes reserved;
    std::string phase; ///< "forward", as `label::phaseId`; empty: not known.
    std::uint32_t step = 0; ///< As its trace counts; 0: before the first.
    std::optional<std::int64_t> stated_step; ///< As its program counts, where that tells.
    /// So much was allocated after it that the program caught it, whatever its steps.
    bool went_on = false;
    friend bool operator==(const RankOom&, const RankOom&) = default;
};

/// The bands of a rank in few points, each the fullest state of its interval, for small pictures.
struct RankCurve {
    struct Point {
        std::int64_t event = 0; ///< −1: the start.
        std::optional<TimePoint> time;
        Bytes reserved;
        label::BucketBytes buckets{};
        friend bool operator==(const Point&, const Point&) = default;
    };
    std::vector<Point> points; ///< Rising events; at most `kCurvePoints`.
    friend bool operator==(const RankCurve&, const RankCurve&) = default;
};
inline constexpr std::size_t kCurvePoints = 160;
inline constexpr std::size_t kMostPlaces = 48; ///< The largest; the rest is in no place.

/// All that a job's answer needs of one device of one dump: of a rank at a moment. A few kilobytes,
/// made beside the dump and sent where the ranks come together. Sizes are requested bytes.
struct RankSummary {
    std::string file; ///< As shown to people.
    std::filesystem::path snapshot; ///< Here, to be opened; empty: only its summary is here.
    std::string error; ///< A sentence: why it could not be read; then nothing below is known.
    std::optional<std::uint32_t> rank; ///< As the capture module noted it, else the file's name.
    std::optional<std::uint32_t> named_rank; ///< As the name has it.
    std::optional<std::uint32_t> world_size;
    DumpMoment moment;
    Coordinates coordinates;
    std::string host; ///< Empty: not known.
    std::string reason; ///< Why the capture module wrote it: "oom", "exception", …; or empty.
    std::string failure; ///< The exception it noted, one line; empty: none.
    std::int32_t device = 0; ///< CUDA index in the process.
    std::string card; ///< "NVIDIA H200"; empty: not known.
    std::optional<Bytes> capacity; ///< What the process could have got, at least.
    bool has_segments = true; ///< Else its totals are what its events leave, from nothing on.
    bool is_cut_off = false; ///< Only the beginning of the file is here.
    bool starts_in_use = false; ///< Memory was held before the recording began.

    std::int64_t events = 0;
    std::optional<TimePoint> first_time;
    std::optional<TimePoint> last_time;
    std::uint32_t steps = 0; ///< Completed.
    Bytes peak;
    Bytes reserved; ///< The most there was.
    std::optional<RankOom> oom; ///< The last one, which ended the run.
    /// What lived at the moment that decides: just before the OOM that ended it, else at the peak.
    label::BucketBytes decisive{};
    std::string decisive_phase; ///< As RankOom::phase.
    std::uint32_t decisive_step = 0;
    /// Of each bucket at any moment: of ranks that ended in different phases that tells more than
    /// what they held then.
    label::BucketBytes largest{};
    label::BucketBytes at_end{};
    std::vector<PlaceBytes> places; ///< At the same moment as `decisive`, the most bytes first.

    std::map<std::string, std::int64_t> dimensions; ///< Stated ones, as `program` names them.
    std::int64_t parameters = 0; ///< Elements of the weights it holds; 0: not known.
    std::vector<std::string> in_use; ///< Ids of fixes that frames show in use ("fsdp", "zero-3").
    std::string torch; ///< Release; empty: not known.
    std::string settings; ///< The allocator's, as last parsed.
    RankCurve curve;

    /// Whether a request failed and that was the end: a program that catches it, as one that looks
    /// for the largest batch does, completes further steps, and one without steps goes on
    /// allocating. Where neither is known it was the end.
    [[nodiscard]] bool hasFailed() const
    {
        return oom && !oom->went_on && (oom->step == 0 || steps <= oom->step);
    }
    /// Whether its frames show a fix in use.
    [[nodiscard]] bool uses(std::string_view fix) const
    {
        return std::ranges::find(in_use, fix) != in_use.end();
    }
    /// `decisive` and the request that ended the run: the bytes it wanted to hold.
    [[nodiscard]] Bytes wanted() const;
    [[nodiscard]] bool isRead() const
    {
        return error.empty();
    }
    friend bool operator==(const RankSummary&, const RankSummary&) = default;
};

/// What the names of the files tell where they come together, beside what a row has noted itself: a
/// rank of the capture module stays, a moment or a rank of an earlier name goes.
void applyName(RankSummary& row, const DumpName& name);

/// What `ranks` and the job's page need of every device with a trace or memory of its own (a rank's
/// file lists the other cards too, empty). Names come from the capture module where it wrote the
/// file, else from `name`; without either, several devices of one file are ranks of their number.
/// Requires programs. O(allocations + states).
std::vector<RankSummary> summarize(const diagnose::Analysis& analysis, const DumpName& name = {});

} // namespace tidemark::job
