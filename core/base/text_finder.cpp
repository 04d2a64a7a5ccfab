// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/text_finder.h"

#include <algorithm>
#include <numeric>

namespace tidemark {

TextFinder::TextFinder(std::span<const std::string_view> texts)
    : m_found_by(texts.size(), 0)
{
    addNodes(texts);
    link();
}

/// Level by level: a node is a range of the sorted texts that begin alike.
void TextFinder::addNodes(std::span<const std::string_view> texts)
{
    struct Range {
        std::size_t first = 0;
        std::size_t end = 0;
    };
    std::vector<std::uint32_t> sorted(texts.size());
    std::iota(sorted.begin(), sorted.end(), std::uint32_t{0});
    std::ranges::sort(sorted, {}, [&](std::uint32_t t) { return texts[t]; });
    std::vector<Range> level{{0, texts.size()}};
    m_byte.push_back('\0');
    for (std::size_t depth = 0; !level.empty(); ++depth) {
        std::vector<Range> below;
        for (const Range range : level) {
            // Of texts that begin alike the one that ends here comes first.
            const bool ends_here =
                range.first < range.end && texts[sorted[range.first]].size() == depth;
            m_text.push_back(ends_here ? sorted[range.first] : kNone);
            m_first_child.push_back(static_cast<Node>(m_byte.size()));
            for (std::size_t i = range.first + (ends_here ? 1 : 0); i < range.end;) {
                const char byte = texts[sorted[i]][depth];
                const std::size_t first = i;
                while (i < range.end && texts[sorted[i]][depth] == byte) {
                    ++i;
                }
                m_byte.push_back(byte);
                below.push_back({first, i});
            }
        }
        level = std::move(below);
    }
    m_first_child.push_back(static_cast<Node>(m_byte.size()));
}

void TextFinder::link()
{
    m_fallback.assign(m_byte.size(), kRoot);
    m_ending.assign(m_byte.size(), kRoot);
    for (Node node = kRoot; node < m_byte.size(); ++node) { // Shorter ones come first.
        m_ending[node] = m_text[node] == kNone ? m_ending[m_fallback[node]] : node;
        for (Node below = m_first_child[node]; below < m_first_child[node + 1]; ++below) {
            m_fallback[below] = node == kRoot ? kRoot : next(m_fallback[node], m_byte[below]);
        }
    }
}

TextFinder::Node TextFinder::child(Node node, char c) const
{
    const auto first = m_byte.begin() + m_first_child[node];
    const auto last = m_byte.begin() + m_first_child[node + 1];
    const auto byteOf = [](char byte) { return static_cast<unsigned char>(byte); };
    const auto it = std::ranges::lower_bound(first, last, byteOf(c), {}, byteOf);
    return it != last && *it == c ? static_cast<Node>(it - m_byte.begin()) : kNone;
}

TextFinder::Node TextFinder::next(Node node, char c) const
{
    for (;; node = m_fallback[node]) {
        const Node below = child(node, c);
        if (below != kNone) {
            return below;
        }
        if (node == kRoot) {
            return kRoot;
        }
    }
}

void TextFinder::find(std::string_view text, std::vector<std::uint32_t>& found)
{
    ++m_searches;
    Node node = kRoot;
    for (const char c : text) {
        node = next(node, c);
        // What was found before, was found with all that it ends in.
        for (Node end = m_ending[node]; end != kRoot && m_found_by[m_text[end]] != m_searches;
             end = m_ending[m_fallback[end]]) {
            m_found_by[m_text[end]] = m_searches;
            found.push_back(m_text[end]);
        }
    }
}

void TextFinder::findEndings(std::string_view text, std::vector<std::uint32_t>& found) const
{
    Node node = kRoot;
    for (const char c : text) {
        node = next(node, c);
    }
    appendEndings(node, found);
}

std::vector<TextFinder::Node> TextFinder::table(const std::array<std::uint8_t, 256>& column_of,
                                                std::size_t columns) const
{
    std::vector<Node> table(m_byte.size() * columns, kRoot);
    for (Node node = kRoot; node < m_byte.size(); ++node) {
        const auto row = table.begin() + static_cast<std::ptrdiff_t>(node * columns);
        if (node != kRoot) { // Its fallback is shorter, so its row is there.
            std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(m_fallback[node] * columns),
                        columns, row);
        }
        for (Node below = m_first_child[node]; below < m_first_child[node + 1]; ++below) {
            row[column_of[static_cast<unsigned char>(m_byte[below])]] = below;
        }
    }
    return table;
}

void TextFinder::appendEndings(Node node, std::vector<std::uint32_t>& found) const
{
    for (Node end = m_ending[node]; end != kRoot; end = m_ending[m_fallback[end]]) {
        found.push_back(m_text[end]);
    }
}

} // namespace tidemark
