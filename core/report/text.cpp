// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/document.h"
#include "core/report/text_tools.h"

#include <algorithm>

namespace tidemark::report {
namespace {

constexpr std::size_t kTextWidth = 96;
constexpr std::string_view kGap = "  ";

void appendPadded(std::string& out, const std::string& text, std::size_t width, Align align,
                  bool is_last)
{
    const std::size_t missing = width - std::min(width, characterCount(text));
    if (align == Align::right) {
        out.append(missing, ' ');
    }
    out += text;
    if (align == Align::left && !is_last) {
        out.append(missing, ' ');
    }
}

void appendText(std::string& out, const Paragraph& paragraph)
{
    const std::string head = paragraph.head.empty() ? std::string() : paragraph.head + ". ";
    for (const std::string& line : wrapText(visibleText(head + paragraph.text), kTextWidth)) {
        out += line + '\n';
    }
}

void appendText(std::string& out, const Bullets& bullets)
{
    for (const std::string& item : bullets.items) {
        std::string_view mark = "- ";
        for (const std::string& line : wrapText(visibleText(item), kTextWidth - 2)) {
            out.append(mark).append(line).append("\n");
            mark = "  ";
        }
    }
}

void appendText(std::string& out, const Table& table)
{
    std::vector<std::vector<std::string>> lines;
    std::vector<std::string> titles;
    for (const Column& column : table.columns) {
        titles.push_back(column.title);
    }
    const bool has_titles = std::ranges::any_of(titles, [](auto& t) { return !t.empty(); });
    if (has_titles) {
        lines.push_back(titles);
    }
    for (const auto& row : table.rows) {
        lines.emplace_back();
        std::ranges::transform(row, std::back_inserter(lines.back()), visibleText);
    }
    std::vector<std::size_t> widths(table.columns.size(), 0);
    for (const auto& line : lines) {
        for (std::size_t c = 0; c < widths.size(); ++c) {
            widths[c] = std::max(widths[c], characterCount(line[c]));
        }
    }
    for (const auto& line : lines) {
        std::string row;
        for (std::size_t c = 0; c < widths.size(); ++c) {
            row.append(c == 0 ? "" : kGap);
            appendPadded(row, line[c], widths[c], table.columns[c].align, c + 1 == widths.size());
        }
        row.erase(row.find_last_not_of(' ') + 1);
        out += row + '\n';
    }
}

void appendText(std::string& out, const Code& code)
{
    if (!code.label.empty()) {
        out += visibleText(code.label) + '\n';
    }
    for (const std::string& line : code.lines) {
        out += "    " + visibleText(line) + '\n';
    }
}

void appendText(std::string& out, const Figure& figure)
{
    appendText(out, Paragraph{figure.alt, Emphasis::none});
}

} // namespace

std::string toText(const Document& document)
{
    std::string out;
    if (!document.title.empty()) {
        const std::string title = visibleText(document.title);
        out += title + '\n' + std::string(characterCount(title), '=') + '\n';
    }
    for (const Section& section : document.sections) {
        if (section.blocks.empty()) {
            continue;
        }
        out.append(out.empty() ? "" : "\n");
        if (!section.title.empty()) {
            const std::string title = visibleText(section.title);
            out.append(title).append("\n").append(characterCount(title), '-').append("\n");
        }
        bool is_first = true;
        for (const Block& block : section.blocks) {
            out.append(is_first ? "" : "\n");
            is_first = false;
            std::visit([&out](const auto& b) { appendText(out, b); }, block);
        }
    }
    return out;
}

} // namespace tidemark::report
