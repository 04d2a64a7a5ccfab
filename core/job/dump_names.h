// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::job {

/// Why a dump was written, as far as its name or its folder's says it.
enum class DumpKind : std::uint8_t { periodic, exit, oom };

/// Which of several dumps of one rank: "step 9", "step 9, exit", "cycle0 rollout". Ordered by time.
struct DumpMoment {
    std::optional<std::int64_t> step; ///< "step_9", "iteration_9", "rank0.18.memory_snapshot".
    DumpKind kind = DumpKind::periodic;
    std::string words; ///< What else differs among one rank's dumps; empty: nothing.

    [[nodiscard]] bool isNone() const
    {
        return !step && kind == DumpKind::periodic && words.empty();
    }
    /// For people: "step 9, exit"; empty where isNone().
    [[nodiscard]] std::string text() const;
    /// What was written at an exit or an OOM without its step comes after all steps.
    friend std::strong_ordering operator<=>(const DumpMoment& a, const DumpMoment& b);
    friend bool operator==(const DumpMoment&, const DumpMoment&) = default;
};

/// Where a rank lies in the mesh of processes: "pp" → 2, "dp" → 0, "tp" → 3, "cp", "ep".
using Coordinates = std::map<std::string, std::int64_t>;

/// What the path of one dump says.
struct DumpName {
    std::string group; ///< Equal for the dumps of one job: the path without what differs in it.
    std::optional<std::uint32_t> rank; ///< Of the job; of a host only where it names no other.
    std::optional<std::uint32_t> world_size; ///< "rank3-of-8".
    std::string host; ///< "node2"; empty: it names none.
    DumpMoment moment;
    Coordinates coordinates;
    friend bool operator==(const DumpName&, const DumpName&) = default;
};

/// Reads the paths of a folder's dumps together, since a bare number is a rank only where siblings
/// differ in it alone (snapshot_0.pickle, snapshot_1.pickle). `paths`: relative to the folder that
/// was named, '/' between folders; files of one path are read as one dump. The rules: the rank may
/// stand in a folder's name; process ids and times ("pid77", "time1795800869.62", ten digits of
/// Unix time, "20261127-173400") are no part of what groups; folders that differ in nothing else
/// belong together; "p0d1c0t3", "TP-1" are coordinates; "step_9", "iteration_9", with "_exit" or
/// "_oom", are moments. O(paths · log paths).
std::vector<DumpName> nameDumps(std::span<const std::string> paths);

/// What a person calls a moment: "step 9, exit", "out of memory", "cycle2 train".
DumpMoment momentOf(std::string_view text);

} // namespace tidemark::job
