// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/document.h"
#include "core/report/text_tools.h"

#include <algorithm>

namespace tidemark::report {
namespace {

void appendMarkdown(std::string& out, const Paragraph& paragraph)
{
    const bool is_lead = paragraph.emphasis == Emphasis::lead;
    const std::string_view mark = is_lead ? "**" : "";
    if (!paragraph.head.empty()) {
        out += "**" + escapeMarkdown(paragraph.head) + ".** ";
    }
    out.append(mark).append(escapeMarkdown(paragraph.text)).append(mark).append("\n");
}

void appendMarkdown(std::string& out, const Bullets& bullets)
{
    for (const std::string& item : bullets.items) {
        out += "- " + escapeMarkdown(item) + '\n';
    }
}

void appendMarkdown(std::string& out, const Table& table)
{
    std::string titles = "|";
    std::string rule = "|";
    for (const Column& column : table.columns) {
        titles += ' ' + escapeMarkdown(column.title) + " |";
        rule += column.align == Align::right ? " ---: |" : " --- |";
    }
    out += titles + '\n' + rule + '\n';
    for (const auto& row : table.rows) {
        out += '|';
        for (const std::string& cell : row) {
            out += ' ' + escapeMarkdown(cell) + " |";
        }
        out += '\n';
    }
}

void appendMarkdown(std::string& out, const Code& code)
{
    if (!code.label.empty()) {
        out += escapeMarkdown(code.label) + "\n\n";
    }
    for (const std::string& line : code.lines) {
        out += "    " + visibleText(line) + '\n';
    }
}

void appendMarkdown(std::string& out, const Figure& figure)
{
    appendMarkdown(out, Paragraph{figure.alt, Emphasis::none});
}

} // namespace

std::string toMarkdown(const Document& document)
{
    std::string out =
        document.title.empty() ? std::string() : "# " + escapeMarkdown(document.title) + '\n';
    for (const Section& section : document.sections) {
        if (section.blocks.empty()) {
            continue;
        }
        if (!section.title.empty()) {
            out += "\n## " + escapeMarkdown(section.title) + '\n';
        }
        for (const Block& block : section.blocks) {
            out += out.empty() ? "" : "\n";
            std::visit([&out](const auto& b) { appendMarkdown(out, b); }, block);
        }
    }
    return out;
}

} // namespace tidemark::report
