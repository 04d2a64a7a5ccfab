// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// What a sentence says, in whatever order: one of each group's words. Words are compared in any
/// case, and whatever is no letter or digit only separates them, so that "map location" is
/// "map_location", too. "grow*" is any word that begins so; "torch.load" is two words, one behind
/// the other.
struct Saying {
    std::vector<std::vector<std::string>> groups;
    std::vector<std::string> unless; ///< None of these in the same sentence.
};

/// Finds what the sentences of a post say.
class SayingFinder {
public:
    explicit SayingFinder(const std::vector<Saying>& sayings);

    /// Per saying where the last sentence with it ends; 0: nowhere. Words of all groups but the
    /// first do not count behind "not". O(text · log of all words).
    [[nodiscard]] std::vector<std::size_t> find(std::string_view text) const;

private:
    static constexpr std::size_t kUnless = static_cast<std::size_t>(-1);
    struct Part {
        std::string word;
        bool is_beginning = false;
    };
    struct Alternative {
        std::vector<Part> rest; ///< Behind the first word.
        std::size_t saying = 0;
        std::size_t group = 0; ///< Or `kUnless`.
    };

    void add(std::string_view words, std::size_t saying, std::size_t group);

    std::size_t m_sayings = 0;
    std::vector<std::size_t> m_groups; ///< How many each saying has.
    std::map<std::string, std::vector<Alternative>, std::less<>> m_whole; ///< By the first word.
    std::map<std::string, std::vector<Alternative>, std::less<>> m_beginnings;
};

} // namespace tidemark::diagnose
