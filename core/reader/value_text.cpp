// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/value_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string_view>

namespace tidemark::reader {
namespace {

/// What is deeper than this would be foreign and is not followed.
constexpr int kDeepestShown = 3;
constexpr std::int64_t kItemsShown = 64;
constexpr std::string_view kMore = "...";

/// Where a text of at most `length` bytes can be cut without splitting a character.
std::size_t cutAt(std::string_view text, std::size_t length)
{
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0U) == 0x80U) {
        --length;
    }
    return length;
}

class Writer {
public:
    Writer(ValueTree& tree, std::size_t longest)
        : m_tree(tree)
        , m_longest(longest)
    {
    }

    std::string run(ValueTree::Node node)
    {
        write(node, 0);
        return std::move(m_text);
    }

private:
    [[nodiscard]] bool isFull() const
    {
        return m_text.size() >= m_longest;
    }

    void write(ValueTree::Node node, int depth)
    {
        const ValueTree::Value value = m_tree.value(node);
        switch (value.kind) {
        case NodeKind::nothing:
            m_text += "none";
            break;
        case NodeKind::boolean:
            m_text += value.integer != 0 ? "true" : "false";
            break;
        case NodeKind::integer:
            fmt::format_to(std::back_inserter(m_text), "{}", value.integer);
            break;
        case NodeKind::huge_integer:
            m_text += "(a number beyond 64 bits)";
            break;
        case NodeKind::floating:
            fmt::format_to(std::back_inserter(m_text), "{}", value.floating);
            break;
        case NodeKind::text:
            writeText(value.text);
            break;
        case NodeKind::list:
            writeList(node, value.integer, depth);
            break;
        case NodeKind::dict:
            writeDict(node, value.integer, depth);
            break;
        case NodeKind::other:
            m_text += "(another kind of value)";
            break;
        }
    }

    void writeText(std::string_view text)
    {
        const std::size_t room = isFull() ? 0 : m_longest - m_text.size();
        if (text.size() <= room) {
            m_text += text;
        } else {
            m_text += text.substr(0, cutAt(text, room));
            m_text += kMore;
        }
    }

    void writeList(ValueTree::Node node, std::int64_t size, int depth)
    {
        m_text += '[';
        std::int64_t i = 0;
        for (; i < size && i < kItemsShown && depth < kDeepestShown && !isFull(); ++i) {
            m_text += i == 0 ? "" : ", ";
            write(m_tree.item(node, static_cast<std::size_t>(i)), depth + 1);
        }
        close(i, size, "]");
    }

    void writeDict(ValueTree::Node node, std::int64_t size, int depth)
    {
        m_text += '{';
        std::ptrdiff_t position = 0;
        ValueTree::Entry entry;
        std::int64_t i = 0;
        for (; i < size && i < kItemsShown && depth < kDeepestShown && !isFull(); ++i) {
            if (!m_tree.nextEntry(node, position, entry)) {
                break;
            }
            m_text += i == 0 ? "" : ", ";
            write(entry.key, depth + 1);
            m_text += ": ";
            write(entry.value, depth + 1);
        }
        close(i, size, "}");
    }

    void close(std::int64_t written, std::int64_t size, std::string_view bracket)
    {
        if (written < size) {
            m_text += written == 0 ? "" : ", ";
            m_text += kMore;
        }
        m_text += bracket;
    }

    ValueTree& m_tree;
    std::size_t m_longest;
    std::string m_text;
};

} // namespace

std::string valueText(ValueTree& tree, ValueTree::Node node, std::size_t longest_bytes)
{
    return Writer(tree, longest_bytes).run(node);
}

} // namespace tidemark::reader
