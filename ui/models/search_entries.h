// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/query/code_line.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tidemark::ui {

/// What a search leads to, in the order in which equally good ones are shown.
enum class SearchGroup : std::uint8_t { places, steps, allocations, files, commands };
[[nodiscard]] QString searchGroupName(SearchGroup group);

/// Something that a search can lead to.
struct SearchEntry {
    QString title;
    QString detail; ///< How many and how much, or its key.
    std::function<void()> run;
    SearchGroup group = SearchGroup::commands;
    int score = 0; ///< See `matchScore`.
};

// How well what was typed stands for a text, at least: a score of `matchScore`.
inline constexpr int kWholeText = 40'000;
inline constexpr int kWholeWord = 30'000;
inline constexpr int kWordBegins = 20'000;
inline constexpr int kPartOfText = 10'000;

/// How well what was typed stands for a text: 0 not at all; best the text itself, then a word of
/// it, the beginning of one, a part, and last letters in this order, more for those in a row and
/// those that begin words. In any case of letters. O(length of the text).
[[nodiscard]] int matchScore(const QString& typed, const QString& text);

/// The entries that what was typed stands for, the best first, at most so many; with nothing typed
/// the first ones as they are.
[[nodiscard]] std::vector<SearchEntry> bestEntries(const std::vector<SearchEntry>& entries,
                                                   const QString& typed, std::size_t most);

/// Puts entries of a group together, the group with the best one first, and in it the best first.
void sortByGroup(std::vector<SearchEntry>& entries);

/// Some allocations, over the run and at a moment.
struct Shares {
    std::int64_t count = 0; ///< In the whole run.
    std::int64_t live = 0; ///< At the moment.
    Bytes bytes; ///< Of those that live.
};

/// The functions and files of the stacks that allocated on a device, each name once.
class CodeNames {
public:
    CodeNames() = default;
    /// O(frames of stacks + allocations).
    CodeNames(const trace::Snapshot& snapshot, const replay::DeviceReplay& replay, StateId moment);

    struct Name {
        QString text; ///< "forward", "/srv/model.py"
        bool is_file = false;
        Shares shares; ///< Of the allocations with it in their stack.
        int score = 0; ///< See `matchScore`.
    };
    /// Those that hold a text, in any case: the best first, at most so many. O(names).
    [[nodiscard]] std::vector<Name> holding(const QString& typed, std::size_t most) const;

private:
    std::vector<Name> m_names; ///< Shorter ones first.
};

/// The allocations that a line of a file made or led to, largest first. O(frames of stacks +
/// allocations).
[[nodiscard]] std::vector<AllocationId> allocationsAtLine(const trace::Snapshot& snapshot,
                                                          const replay::Allocations& all,
                                                          const query::CodeLine& line);

/// The allocations that had an address, at any time, in their order.
[[nodiscard]] std::vector<AllocationId> allocationsAtAddress(const replay::DeviceReplay& replay,
                                                             Address address);

} // namespace tidemark::ui
