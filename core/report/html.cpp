// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/digest.h"
#include "core/base/language.h"
#include "core/report/document.h"
#include "core/report/text_tools.h"
#include "resources/page/page.css.h"
#include "resources/page/page.js.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tidemark::report {
namespace {

void writeHtml(std::string& out, const Paragraph& paragraph)
{
    const std::string_view opening = paragraph.emphasis == Emphasis::lead ? "<p class=\"lead\">"
        : paragraph.emphasis == Emphasis::quiet                           ? "<p class=\"quiet\">"
                                                                          : "<p>";
    out += opening;
    if (!paragraph.head.empty()) {
        out += "<b>" + escapeHtml(paragraph.head) + ".</b> ";
    }
    out.append(escapeHtml(paragraph.text)).append("</p>\n");
}

void writeHtml(std::string& out, const Bullets& bullets)
{
    out += "<ul>\n";
    for (const std::string& item : bullets.items) {
        out += "<li>" + escapeHtml(item) + "</li>\n";
    }
    out += "</ul>\n";
}

void appendCell(std::string& out, std::string_view tag, Align align, const std::string& content)
{
    const std::string_view side = align == Align::right ? " class=\"right\"" : "";
    out += fmt::format("<{0}{1}>{2}</{0}>", tag, side, content);
}

/// A fill of the style: the policy of a page allows no style beside it.
std::string swatchClass(std::string_view fill)
{
    return fill.starts_with('#') ? fmt::format("fill-{}", fill.substr(1)) : std::string(fill);
}

void writeHtml(std::string& out, const Table& table)
{
    out += "<div class=\"wide\"><table>\n";
    if (std::ranges::any_of(table.columns, [](const Column& c) { return !c.title.empty(); })) {
        out += "<thead><tr>";
        for (const Column& column : table.columns) {
            appendCell(out, "th", column.align, escapeHtml(column.title));
        }
        out += "</tr></thead>\n";
    }
    out += "<tbody>\n";
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        out += isSum(table, r) ? "<tr class=\"sum\">" : "<tr>";
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            std::string content = escapeHtml(table.rows[r][c]);
            if (c == 0 && r < table.swatches.size() && !table.swatches[r].empty()) {
                content.insert(0,
                               fmt::format("<span class=\"swatch {}\"></span>",
                                           swatchClass(table.swatches[r])));
            }
            appendCell(out, "td", table.columns[c].align, content);
        }
        out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
}

void writeHtml(std::string& out, const Code& code)
{
    if (!code.label.empty()) {
        out += "<p class=\"label\">" + escapeHtml(code.label) + "</p>\n";
    }
    out += "<pre>";
    for (const std::string& line : code.lines) {
        out += escapeHtml(line) + '\n';
    }
    out += "</pre>\n";
}

void writeHtml(std::string& out, const Figure& figure)
{
    out += "<figure>\n" + figure.svg;
    out += "<figcaption>" + escapeHtml(figure.alt) + "</figcaption>\n</figure>\n";
}

/// The page's own, and the fills of its tables.
std::string styleOf(const Document& document)
{
    std::set<std::string_view> fills;
    for (const Section& section : document.sections) {
        for (const Block& block : section.blocks) {
            if (const auto* table = std::get_if<Table>(&block)) {
                fills.insert(table->swatches.begin(), table->swatches.end());
            }
        }
    }
    std::string style(resources::pageStyle());
    for (const std::string_view fill : fills) {
        if (fill.starts_with('#')) {
            style += fmt::format(".{} {{ background: {}; }}\n", swatchClass(fill), fill);
        }
    }
    if (document.paper != PaperSize::any) {
        style += fmt::format("@page {{ size: {} portrait; }}\n",
                             document.paper == PaperSize::a4 ? "A4" : "letter");
    }
    return style;
}

/// JSON in which HTML and XML see no mark-up: the same values for those who parse it.
std::string escapedData(std::string_view json)
{
    std::string out;
    out.reserve(json.size());
    for (const char c : json) {
        switch (c) {
        case '<':
            out += "\\u003c";
            break;
        case '>':
            out += "\\u003e";
            break;
        case '&':
            out += "\\u0026";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string hashOf(std::string_view text)
{
    return "'sha256-" + base64(sha256(text)) + '\'';
}

void writeSection(std::string& out, const Section& section)
{
    out += "<section";
    if (section.tone != Tone::plain) {
        out += section.tone == Tone::alarm ? " class=\"alarm\"" : " class=\"good\"";
    }
    if (!section.part.empty()) {
        out += fmt::format(" data-part=\"{}\"", section.part);
    }
    out += ">\n";
    if (!section.title.empty()) {
        out += "<h2>" + escapeHtml(section.title) + "</h2>\n";
    }
    for (const Block& block : section.blocks) {
        std::visit([&out](const auto& b) { writeHtml(out, b); }, block);
    }
    out += "</section>\n";
}

} // namespace

std::string toHtml(const Document& document, std::string_view data)
{
    const std::string style = styleOf(document);
    // For readers of XML, too.
    const std::string script = data.empty()
        ? std::string()
        : "//<![CDATA[\n" + std::string(resources::pageScript()) + "//]]>";
    std::string policy =
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + hashOf(style);
    if (!script.empty()) {
        policy += "; script-src " + hashOf(script);
    }
    const std::string title = escapeHtml(document.title);
    std::string out = "<!DOCTYPE html>\n<html lang=\"" + language().id
        + "\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\""
        + policy + "\"/>\n<title>" + title + "</title>\n<style>" + style
        + "</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n";
    for (const Section& section : document.sections) {
        if (!section.blocks.empty()) {
            writeSection(out, section);
        }
    }
    if (!script.empty()) {
        out += "<script type=\"application/json\" id=\"tidemark-data\">" + escapedData(data)
            + "</script>\n<script>" + script + "</script>\n";
    }
    out += "</body>\n</html>\n";
    return out;
}

} // namespace tidemark::report
