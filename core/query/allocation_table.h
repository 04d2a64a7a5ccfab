// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/label/modules/details.h"
#include "core/label/stacks/code_lines.h"
#include "core/program/program.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::query {

/// A line of a program that allocations come from, as an index into the table's lines. 0: none is
/// known.
using LineNumber = std::uint32_t;

/// Everything that lists say, ask and sum about the allocations of one device, as functions of an
/// allocation; nothing is stored per row but the line, step and phase that made it. Immutable, but
/// for the places in the model, which are found when they are first asked for; all functions may be
/// called from several threads at once.
class AllocationTable {
public:
    /// O(allocations + frames of their stacks + frames of the file). `programs` may be null.
    AllocationTable(std::shared_ptr<const trace::Snapshot> snapshot,
                    std::shared_ptr<const replay::Replay> replay,
                    std::shared_ptr<const label::Labels> labels,
                    std::shared_ptr<const std::vector<program::Program>> programs,
                    std::size_t device);
    /// Another device of the file: shares what is known of all of them, so that many devices take
    /// what one file does. O(allocations + frames of their stacks).
    AllocationTable(const AllocationTable& other, std::size_t device);

    [[nodiscard]] std::size_t count() const
    {
        return m_replay->devices[m_device].allocations.count();
    }
    [[nodiscard]] const trace::Snapshot& snapshot() const
    {
        return *m_snapshot;
    }
    [[nodiscard]] const trace::Device& device() const
    {
        return m_snapshot->devices[m_device];
    }
    [[nodiscard]] const replay::DeviceReplay& replay() const
    {
        return m_replay->devices[m_device];
    }
    [[nodiscard]] const label::DeviceLabels& labels() const
    {
        return m_labels->devices[m_device];
    }
    [[nodiscard]] const std::shared_ptr<const label::Labels>& sharedLabels() const
    {
        return m_labels;
    }
    [[nodiscard]] const std::shared_ptr<const std::vector<program::Program>>& sharedPrograms() const
    {
        return m_programs;
    }
    [[nodiscard]] std::size_t deviceIndex() const
    {
        return m_device;
    }

    /// Whether lifetimes are times; else they count events.
    [[nodiscard]] bool hasTimes() const
    {
        return device().events.hasTimes();
    }
    [[nodiscard]] Bytes bytes(AllocationId a) const
    {
        return replay().allocations.requested[a.index()];
    }
    /// How long it lived within the trace: microseconds, or events where there are no times.
    [[nodiscard]] std::int64_t lifetime(AllocationId a) const
    {
        const auto [begin, end] = replay().allocations.lifetime(a);
        return hasTimes() ? std::max<std::int64_t>(0, timeOf(end) - timeOf(begin))
                          : lifetimeInEvents(a);
    }
    [[nodiscard]] std::int64_t lifetimeInEvents(AllocationId a) const
    {
        const auto [begin, end] = replay().allocations.lifetime(a);
        return std::int64_t{end.value} - std::int64_t{begin.value};
    }
    /// Bytes × lifetime: what it kept from others. Byte-seconds, or byte-events without times.
    [[nodiscard]] double bytesLifetime(AllocationId a) const
    {
        return static_cast<double>(bytes(a).value) * static_cast<double>(lifetime(a))
            / (hasTimes() ? 1e6 : 1.0);
    }
    /// Its bytes if the trace both made and freed it, else 0: what was allocated and freed.
    [[nodiscard]] Bytes churn(AllocationId a) const
    {
        const replay::Allocations& all = replay().allocations;
        const bool comes_and_goes =
            !all.alloc_event[a.index()].isNone() && !all.free_event[a.index()].isNone();
        return comes_and_goes ? bytes(a) : Bytes{};
    }
    /// Its bytes if it is live at the peak, else 0.
    [[nodiscard]] Bytes peakBytes(AllocationId a) const
    {
        return replay().allocations.isLive(a, replay().peak) ? bytes(a) : Bytes{};
    }
    /// Bytes as a part of all that is live at the peak, 0 to 1.
    [[nodiscard]] double shareOfPeak(Bytes peak_bytes) const;
    [[nodiscard]] bool isKept(AllocationId a) const
    {
        return replay().allocations.end[a.index()] > replay().lastState();
    }

    /// The phase that made it; none for what was there before the trace.
    [[nodiscard]] std::optional<label::Phase> phase(AllocationId a) const;
    /// The step that made it, as the trace counts; 0 before the first and outside of all.
    [[nodiscard]] std::uint32_t step(AllocationId a) const;
    /// The same by the number that people know.
    [[nodiscard]] std::int64_t stepNumber(AllocationId a) const
    {
        return labels().numbers.of(step(a));
    }

    [[nodiscard]] LineNumber line(AllocationId a) const
    {
        return m_line[a.index()];
    }
    [[nodiscard]] const std::string& lineText(LineNumber line) const
    {
        return m_lines[line];
    }
    [[nodiscard]] std::size_t lineCount() const
    {
        return m_lines.size();
    }
    /// "batch · sequence · hidden · 2 B"; several with "or" between; empty where nothing explains
    /// the size.
    [[nodiscard]] std::string expression(AllocationId a) const;
    /// The same for every size that is used alike, and which of them an allocation has; behind the
    /// last where the program is not known.
    [[nodiscard]] std::vector<std::string> expressionsBySize() const;
    [[nodiscard]] std::size_t sizeUse(AllocationId a) const;

    /// Modules, layers and shapes of the whole file; made by the first call of all tables of the
    /// file, in O(frames of all stacks + allocations log allocations). Null if it was stopped.
    [[nodiscard]] std::shared_ptr<const label::Details> details(const std::stop_token& stop) const;
    /// The same if it was made before, else null.
    [[nodiscard]] std::shared_ptr<const label::Details> knownDetails() const;

private:
    /// Microseconds; events before the first and behind the last take their times.
    [[nodiscard]] std::int64_t timeOf(StateId state) const
    {
        const std::vector<TimePoint>& times = device().events.time;
        const std::size_t event = state.value == 0 ? 0 : state.index() - 1;
        return microseconds(times[std::min(event, times.size() - 1)]);
    }
    /// What tables of all devices of a file share.
    struct OfFile {
        explicit OfFile(const trace::Snapshot& snapshot)
            : finder(snapshot)
        {
        }
        label::LineFinder finder;
        std::mutex mutex;
        std::shared_ptr<const label::Details> details; ///< Guarded by the mutex.
    };
    [[nodiscard]] const program::Program* program() const; ///< Null where it is not known.
    void findLines();
    void findSpans();

    std::shared_ptr<const trace::Snapshot> m_snapshot;
    std::shared_ptr<const replay::Replay> m_replay;
    std::shared_ptr<const label::Labels> m_labels;
    std::shared_ptr<const std::vector<program::Program>> m_programs;
    std::size_t m_device = 0;
    std::vector<std::uint32_t> m_span; ///< Per allocation: index of its phase span; kNoSpan.
    std::vector<std::string> m_lines; ///< The first is empty.
    std::vector<LineNumber> m_line; ///< Per allocation.
    std::shared_ptr<OfFile> m_file;
};

} // namespace tidemark::query
