// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/report/document.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::report {
namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --text: #1c2024; --quiet: #5f666d; --line: #d9dde1; --page: #ffffff;
  --panel: #f5f6f8; --alarm: #cc3311; --good: #1a7f37; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e7ea; --quiet: #9aa2aa; --line: #3a4046; --page: #17191c; --panel: #202327; --alarm: #ee6655;
  --good: #4ac26b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 68rem; background: var(--page);
  color: var(--text); font: 15px/1.5 system-ui, "Segoe UI", "Noto Sans", sans-serif; }
h1 { font-size: 1.35rem; font-weight: 600; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; padding-bottom: .25rem;
  border-bottom: 1px solid var(--line); }
.lead { font-size: 1.25rem; font-weight: 600; line-height: 1.35; }
.alarm .lead, .good .lead { padding-left: .7rem; border-left: 4px solid; }
.alarm .lead { border-color: var(--alarm); }
.good .lead { border-color: var(--good); }
.quiet { color: var(--quiet); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .9rem .22rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--quiet); }
th.right, td.right { text-align: right; white-space: nowrap; }
td { overflow-wrap: break-word; }
tr.sum td { font-weight: 600; }
.swatch { display: inline-block; width: .75em; height: .75em; margin-right: .5em; }
.tint { background: color-mix(in srgb, var(--quiet) 16%, transparent); outline: 1px solid var(--quiet); outline-offset: -1px; }
.dots { background: radial-gradient(var(--quiet) 1px, transparent 1px) 0 0 / 3px 3px; }
pre { background: var(--panel); padding: .7rem .9rem; overflow-x: auto; font-size: .86rem; }
.label { margin: 1rem 0 .2rem; }
figure { margin: 1rem 0; }
figcaption { color: var(--quiet); font-size: .9rem; }
svg { width: 100%; height: auto; }
svg text.alarm { fill: var(--alarm); }
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; } tr { break-inside: avoid; } }
)css";

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

std::string swatchHtml(std::string_view fill)
{
    return fill.starts_with('#')
        ? fmt::format("<span class=\"swatch\" style=\"background:{}\"></span>", fill)
        : fmt::format("<span class=\"swatch {}\"></span>", fill);
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
                content.insert(0, swatchHtml(table.swatches[r]));
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

} // namespace

std::string toHtml(const Document& document)
{
    std::string out = "<!DOCTYPE html>\n<html lang=\"" + language().id
        + "\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\"/>\n";
    const std::string title = escapeHtml(document.title);
    out += "<title>" + title + "</title>\n<style>";
    out += kStyle;
    out += "</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n";
    for (const Section& section : document.sections) {
        if (section.blocks.empty()) {
            continue;
        }
        out += section.tone == Tone::alarm ? "<section class=\"alarm\">\n"
            : section.tone == Tone::good   ? "<section class=\"good\">\n"
                                           : "<section>\n";
        if (!section.title.empty()) {
            out += "<h2>" + escapeHtml(section.title) + "</h2>\n";
        }
        for (const Block& block : section.blocks) {
            std::visit([&out](const auto& b) { writeHtml(out, b); }, block);
        }
        out += "</section>\n";
    }
    out += "</body>\n</html>\n";
    return out;
}

} // namespace tidemark::report
