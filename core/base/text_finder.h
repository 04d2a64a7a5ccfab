// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark {

/// Finds which of many texts occur in another one, which is read once however many there are: the
/// automaton of Aho and Corasick, over bytes as they are.
class TextFinder {
public:
    /// A state of the automaton: the longest beginning of a text that what was read ends in.
    using Node = std::uint32_t;

    /// `texts`: all different, none empty; they need not outlive it. O(n log n) of their bytes,
    /// about 20 bytes for each.
    explicit TextFinder(std::span<const std::string_view> texts);

    /// Appends the index of every text that occurs in `text`, each once, in no order. O(length of
    /// `text` + what is found).
    void find(std::string_view text, std::vector<std::uint32_t>& found);
    /// The same for those that `text` ends in.
    void findEndings(std::string_view text, std::vector<std::uint32_t>& found) const;

    /// All transitions: per node one for each of `columns`, of which `column_of` says a byte's. For
    /// texts of few different bytes where speed counts. O(nodes · columns).
    [[nodiscard]] std::vector<Node> table(const std::array<std::uint8_t, 256>& column_of,
                                          std::size_t columns) const;
    /// Appends the texts that end in a node, the longest first.
    void appendEndings(Node node, std::vector<std::uint32_t>& found) const;

private:
    static constexpr std::uint32_t kNone = 0xffffffff;
    static constexpr Node kRoot = 0; ///< Nothing of any text.

    void addNodes(std::span<const std::string_view> texts);
    void link();
    [[nodiscard]] Node child(Node node, char c) const; ///< kNone without one.
    [[nodiscard]] Node next(Node node, char c) const;

    // Nodes lie level by level, so the children of one lie side by side, in the order of their
    // bytes.
    std::vector<char> m_byte; ///< The last one that leads to a node.
    std::vector<Node> m_first_child; ///< One more than there are nodes.
    std::vector<Node> m_fallback; ///< Of the longest other ending of what leads to a node.
    std::vector<std::uint32_t> m_text; ///< That ends in a node.
    std::vector<Node> m_ending; ///< The first node, by way of fallbacks, in which a text ends.
    std::vector<std::uint32_t> m_found_by; ///< Per text: the last search that found it.
    std::uint32_t m_searches = 0;
};

} // namespace tidemark
