// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/dump_names.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::job {

/// What stands before a number: nothing that says it, a word for a process ("gpu", "worker",
/// "r"), the word "rank".
enum class SlotWord : std::uint8_t { bare, process, rank };

/// A number in a path whose meaning may depend on the paths beside it.
struct Slot {
    std::uint64_t value = 0;
    SlotWord word = SlotWord::bare;
    bool is_local = false; ///< Of the processes of one machine.
    bool is_glued = false; ///< "part3": to a word that says nothing.
    bool may_be_rank = true; ///< "seed_3", "7b" are none.
    bool may_be_step = true;
    bool stands_alone = false; ///< Is a rank without others beside it: "gpu3".
    bool follows = false; ///< Directly behind the slot before it: "rank0.18".
};

/// A part of a path that no field took.
struct PathItem {
    enum class Role : std::uint8_t {
        word,
        neutral, ///< Says what a file is ("memory", "snapshot"), not whose.
        moment, ///< "cycle2", "train".
        slot,
    };
    std::string text; ///< Of a slot: the word before its number, where that is part of it.
    Role role = Role::word;
    std::size_t folder = 0; ///< Which part of the path.
    std::size_t slot = 0; ///< Index in `slots`, of a slot.
    bool is_glued = false; ///< To what stands before it: the 8 and the b of "qwen3-8b".
};

/// A path as fields and what is left.
struct PathFields {
    std::vector<PathItem> items;
    std::vector<Slot> slots; ///< At most `kMostSlots`; further numbers are words.
    std::optional<std::int64_t> step;
    DumpKind kind = DumpKind::periodic;
    std::optional<std::uint32_t> world_size;
    Coordinates coordinates;
    std::string host; ///< "node2"; empty: it names none.
    std::optional<std::uint64_t> host_number;
    std::string pid;
    std::string time; ///< As digits; in one form of writing its order is that of time.
};
inline constexpr std::size_t kMostSlots = 8;

/// Reads one path, '/' between folders. O(length).
PathFields readFields(std::string_view path);

} // namespace tidemark::job
