// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tidemark::report {

// What a command or a report says, before it is known how it is written. The text, Markdown, HTML
// and PDF writers take the same document, so they never disagree. All strings are plain text as
// found; each writer escapes for itself.

enum class Align : std::uint8_t { left, right };

struct Column {
    std::string title;
    Align align = Align::left;
};

/// Swatches of what no tensor uses: cached, and free inside a private pool.
inline constexpr std::string_view kTint = "tint";
inline constexpr std::string_view kDots = "dots";

/// Of a table, cell by cell.
using Rows = std::vector<std::vector<std::string>>;
struct Table {
    std::vector<Column> columns; ///< All titles empty: no header line.
    Rows rows; ///< Each as long as `columns`.
    /// Per row what fills a small square before it: "#RRGGBB", `kTint` or `kDots`; empty: none has
    /// one.
    std::vector<std::string_view> swatches{};
    std::vector<std::size_t> sums{}; ///< Rows that add up those above them.
};

enum class Emphasis : std::uint8_t {
    none,
    lead, ///< The sentence that answers.
    quiet, ///< Secondary.
};

struct Paragraph {
    std::string text;
    Emphasis emphasis = Emphasis::none;
    std::string head{}; ///< What the text is about; stands before it. No full stop.
};

struct Bullets {
    std::vector<std::string> items;
};

/// Lines to paste or to read as they stand, with a line above that says what they are.
struct Code {
    std::string label;
    std::vector<std::string> lines;
};

/// A drawing: the HTML writer takes the SVG, the PDF one draws its own, the others take the
/// sentence.
struct Figure {
    enum class Kind : std::uint8_t {
        none, ///< Of no picture but the SVG.
        timeline,
        lanes, ///< Two runs on one axis.
        job,
    };
    std::string svg;
    std::string alt;
    Kind kind = Kind::none;
    std::size_t run = 0; ///< Of a timeline: 1 for the second run of a comparison.
};

using Block = std::variant<Paragraph, Bullets, Table, Code, Figure>;

/// What a lead says, for the edge of its card.
enum class Tone : std::uint8_t { plain, alarm, good };

struct Section {
    std::string title; ///< Empty: continues what stands above.
    std::vector<Block> blocks;
    Tone tone = Tone::plain;
    bool begins_run = false; ///< On paper a new page.
    std::string_view part{}; ///< What it is, "fixes", in every language; or empty.
};

/// What a page is printed on; any: as the browser or the writer of the PDF has it.
enum class PaperSize : std::uint8_t { any, a4, letter };

struct Document {
    std::string title;
    std::vector<Section> sections;
    PaperSize paper = PaperSize::any;
};

/// A table of two columns without titles: what, and its value.
Table factTable(std::vector<std::vector<std::string>> rows);

[[nodiscard]] bool isSum(const Table& table, std::size_t row);

/// Leaves out a column that says nothing in any row.
void dropEmptyColumn(Table& table, std::size_t column);

/// For a terminal: aligned columns, paragraphs wrapped, no colour. Ends with a line break.
std::string toText(const Document& document);
/// CommonMark with pipe tables; no heading without a title.
std::string toMarkdown(const Document& document);
/// One page that needs nothing from anywhere: no font, no link, and no script but its own, which
/// draws `data` (core/report/page_data.h) and without which the page is the document. Empty: no
/// script. The policy of the page names script and style by their hashes, so nothing else runs.
std::string toHtml(const Document& document, std::string_view data = {});

} // namespace tidemark::report
