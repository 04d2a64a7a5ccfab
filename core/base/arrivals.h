// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tidemark {

/// A file as a look into its folder shows it.
struct ListedFile {
    std::string name;
    std::uint64_t size = 0;
    std::int64_t time = 0; ///< Of its last change, in any unit.
};

/// Which files of a folder have become complete, from one look into it after the other. A dump is
/// written in place by PyTorch, so it counts as complete when its size and time are the same in two
/// looks:
///
///     look 1   look 2   look 3   look 4
///     –        10 MB    80 MB    80 MB → complete
///
class Arrivals {
public:
    /// With `knows_first` what the first look shows is known, and not reported until it changes.
    explicit Arrivals(bool knows_first = true)
        : m_knows(knows_first)
    {
    }
    /// Those that became complete since the look before, the oldest first. O(files · log).
    std::vector<std::string> take(const std::vector<ListedFile>& files);

private:
    struct Seen {
        std::uint64_t size = 0;
        std::int64_t time = 0;
        bool is_reported = false;
    };
    std::map<std::string, Seen> m_seen;
    bool m_knows; ///< What the next look shows.
};

} // namespace tidemark
