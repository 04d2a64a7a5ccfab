// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/document_pages.h"

#include "ui/report/table.h"
#include "ui/views/look/palette.h"

#include <QtCore/QStringList>

#include <algorithm>
#include <optional>
#include <variant>

namespace tidemark::ui::report {
namespace {

namespace core = tidemark::report;

constexpr TextStyle kTitle{17, true, false, kInk};
constexpr TextStyle kLead{12, true, false, kInk};
constexpr TextStyle kCellText{8, false, false, kInk};
constexpr TextStyle kCellName{8, false, false, kGrey};
constexpr TextStyle kCellSum{8, true, false, kInk};
constexpr double kCellRoom = 2; ///< Beside the text of a column that is as wide as it.
constexpr double kRowPadding = 1.1;
constexpr double kMostWord = 96; ///< Longer ones are broken.
constexpr double kMostLines = 3; ///< Of title and cell; the middle of a longer text is left out.

QString elidedCell(const std::string& said, const TextStyle& style, double width)
{
    const QString words = shown(said);
    const bool is_long = textWidth(words, style) > kMostLines * width;
    // Lines end at words, so that they are not full.
    return is_long ? elidedMiddle(words, style, (kMostLines - 0.5) * width) : words;
}

double longestWord(const QString& words, const TextStyle& style)
{
    double longest = 0;
    for (const QString& word : words.split(u' ')) {
        longest = std::max(longest, textWidth(word, style));
    }
    return longest;
}

/// What a column would like and what it can do with.
struct Wish {
    double natural = 0;
    double least = 0;
    bool wraps = false;
    double width = 0;
};

std::vector<Wish> wishesOf(const core::Table& table)
{
    std::vector<Wish> wishes;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const QString title = shown(table.columns[c].title);
        Wish wish;
        wish.wraps = table.columns[c].align == core::Align::left;
        wish.natural = textWidth(title, kSmallBold);
        wish.least = longestWord(title, kSmallBold);
        const double inset = c == 0 && !table.swatches.empty() ? kSwatchAdvance : 0;
        for (std::size_t r = 0; r < table.rows.size(); ++r) {
            const TextStyle& style = core::isSum(table, r) ? kCellSum : kCellText;
            const QString words = shown(table.rows[r][c]);
            wish.natural = std::max(wish.natural, inset + textWidth(words, style));
            wish.least =
                std::max(wish.least, inset + std::min(kMostWord, longestWord(words, style)));
        }
        wish.natural += kCellRoom;
        wish.least = std::min(wish.least + kCellRoom, wish.natural);
        wishes.push_back(wish);
    }
    return wishes;
}

/// Figures stand in one line; what is left goes to the columns of words, which share what is not
/// enough for all.
void shareWidth(std::vector<Wish>& wishes, double width)
{
    double left = width - kColumnGap * static_cast<double>(wishes.size() - 1);
    std::vector<Wish*> sharing;
    for (Wish& wish : wishes) {
        wish.width = wish.wraps ? wish.least : std::min(wish.natural, width / 4);
        left -= wish.width;
        if (wish.wraps) {
            sharing.push_back(&wish);
        }
    }
    // Those that want least are served first, so that none gets more than it wants.
    std::ranges::sort(sharing, {}, [](const Wish* wish) { return wish->natural - wish->width; });
    for (std::size_t i = 0; i < sharing.size() && left > 0; ++i) {
        const double share = left / static_cast<double>(sharing.size() - i);
        const double more = std::min(share, sharing[i]->natural - sharing[i]->width);
        sharing[i]->width += more;
        left -= more;
    }
    if (left < 0) { // Not even words fit: all give way.
        const double sum = width - left - kColumnGap * static_cast<double>(wishes.size() - 1);
        for (Wish& wish : wishes) {
            wish.width *= (sum + left) / sum;
        }
    } else if (!sharing.empty()) {
        Wish& wide = wishes.back().wraps ? wishes.back()
            : wishes.front().wraps       ? wishes.front()
                                         : *sharing.back();
        wide.width += left;
    }
}

std::optional<Swatch> swatchOf(const core::Table& table, std::size_t row)
{
    if (row >= table.swatches.size() || table.swatches[row].empty()) {
        return std::nullopt;
    }
    const std::string_view fill = table.swatches[row];
    const QColor cached = themeColours(Theme::light).cached;
    return fill == core::kTint ? Swatch{cached, Swatch::Kind::tint}
        : fill == core::kDots  ? Swatch{cached, Swatch::Kind::dots}
                               : Swatch{QColor(shown(fill))};
}

Table onPaper(const core::Table& said, double width)
{
    std::vector<Wish> wishes = wishesOf(said);
    shareWidth(wishes, width);
    Table table;
    table.row_padding = kRowPadding;
    for (std::size_t c = 0; c < said.columns.size(); ++c) {
        table.columns.push_back({shown(said.columns[c].title), wishes[c].width,
                                 said.columns[c].align == core::Align::right
                                     ? TextBlock::Align::right
                                     : TextBlock::Align::left});
    }
    for (std::size_t r = 0; r < said.rows.size(); ++r) {
        TableRow& row = table.rows.emplace_back();
        row.is_total = core::isSum(said, r);
        const TextStyle& style = row.is_total ? kCellSum : kCellText;
        for (std::size_t c = 0; c < said.columns.size(); ++c) {
            row.cells.push_back(cell(elidedCell(said.rows[r][c], style, wishes[c].width), style));
        }
        row.cells.front().swatch = swatchOf(said, r);
    }
    return table;
}

bool isFacts(const core::Table& table)
{
    return table.columns.size() == 2 && table.columns[0].title.empty()
        && table.columns[1].title.empty();
}

/// Names and their values in `count` pairs of columns beside each other.
Table factsOnPaper(const core::Rows& facts, std::size_t count, double width)
{
    constexpr double kMostName = 0.45; ///< Of the width that a name and its value have.
    const std::size_t rows = (facts.size() + count - 1) / count;
    const auto gaps = static_cast<double>(count - 1) * kColumnGap;
    const double pair = (width - gaps) / static_cast<double>(count);
    Table table;
    table.row_padding = kRowPadding;
    table.rows.resize(rows);
    for (std::size_t p = 0; p < count; ++p) {
        double names = 0;
        for (std::size_t f = p * rows; f < std::min((p + 1) * rows, facts.size()); ++f) {
            names = std::max(names, textWidth(shown(facts[f][0]), kCellName) + kCellRoom);
        }
        names = std::min(names, kMostName * pair);
        const double values = pair - names - kColumnGap;
        table.columns.push_back({QString(), names});
        table.columns.push_back({QString(), values});
        for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t f = p * rows + r;
            const bool is_there = f < facts.size();
            table.rows[r].cells.push_back(
                cell(is_there ? shown(facts[f][0]) : QString(), kCellName));
            table.rows[r].cells.push_back(
                cell(is_there ? elidedCell(facts[f][1], kCellText, values) : QString(), kCellText));
        }
    }
    return table;
}

std::vector<Run> runsOf(const core::Paragraph& paragraph)
{
    const bool is_quiet = paragraph.emphasis == core::Emphasis::quiet;
    const TextStyle style =
        is_quiet ? TextStyle{8, false, false, kGrey} : TextStyle{8.5, false, false, kInk};
    std::vector<Run> runs;
    if (!paragraph.head.empty()) {
        TextStyle bold = style;
        bold.bold = true;
        runs.push_back({shown(paragraph.head) % QStringLiteral(".  "), bold});
    }
    runs.push_back({shown(paragraph.text), style});
    return runs;
}

class SectionFlow {
public:
    SectionFlow(PageFlow& flow, const core::Section& section, const PlaceFigure& placeFigure)
        : m_flow(flow)
        , m_section(section)
        , m_place_figure(placeFigure)
    {
    }

    void run()
    {
        if (!m_section.title.empty()) {
            addHeading(m_flow, shown(m_section.title), 1, keepOf(m_section.blocks.front()));
        }
        for (m_at = 0; m_at < m_section.blocks.size(); ++m_at) {
            std::visit([this](const auto& block) { add(block); }, m_section.blocks[m_at]);
        }
    }

private:
    /// How much of a block its heading stays with.
    [[nodiscard]] double keepOf(const core::Block& block) const
    {
        constexpr double kTimeline = 230;
        constexpr double kLanes = 335;
        if (const auto* const figure = std::get_if<core::Figure>(&block)) {
            return figure->kind == core::Figure::Kind::lanes ? kLanes : kTimeline;
        }
        constexpr double kWhole = 110; ///< Short tables are not torn apart.
        const auto* const table = std::get_if<core::Table>(&block);
        return table == nullptr ? 40
                                : std::min(kWhole, tableHeight(m_flow, tablesOf(*table).front()));
    }

    /// The table as it stands on paper; of facts the short ones in two columns, then the long ones.
    [[nodiscard]] std::vector<Table> tablesOf(const core::Table& table) const
    {
        constexpr double kShort = 195; ///< Width of a value beside which there is a second one.
        constexpr std::size_t kFew = 3;
        if (!isFacts(table)) {
            return {onPaper(table, m_flow.width())};
        }
        core::Rows few;
        core::Rows wide;
        for (const auto& row : table.rows) {
            (textWidth(shown(row[1]), kCellText) <= kShort ? few : wide).push_back(row);
        }
        if (few.size() <= kFew) {
            return {factsOnPaper(table.rows, 1, m_flow.width())};
        }
        std::vector<Table> tables{factsOnPaper(few, 2, m_flow.width())};
        if (!wide.empty()) {
            tables.push_back(factsOnPaper(wide, 1, m_flow.width()));
        }
        return tables;
    }

    [[nodiscard]] const core::Paragraph* nextPlain() const
    {
        if (m_at + 1 >= m_section.blocks.size()) {
            return nullptr;
        }
        const auto* const next = std::get_if<core::Paragraph>(&m_section.blocks[m_at + 1]);
        return next != nullptr && next->emphasis == core::Emphasis::none ? next : nullptr;
    }

    void addLead(const core::Paragraph& lead)
    {
        const ThemeColours& colours = themeColours(Theme::light);
        const bool is_good = m_section.tone == core::Tone::good;
        TextStyle style = kLead;
        style.color = is_good ? colours.good : kInk;
        std::vector<std::vector<Run>> card{{{shown(lead.text), style}}};
        while (const core::Paragraph* next = nextPlain()) {
            card.push_back(runsOf(*next));
            ++m_at;
        }
        addCard(m_flow,
                is_good                                   ? colours.good
                    : m_section.tone == core::Tone::alarm ? colours.danger
                                                          : colours.accent,
                card);
    }

    void add(const core::Paragraph& paragraph)
    {
        if (paragraph.emphasis == core::Emphasis::lead) {
            addLead(paragraph);
            return;
        }
        if (!paragraph.head.empty()) { // Begins something of its own.
            m_flow.space(4);
            m_flow.ensure(40);
        }
        addParagraph(m_flow, runsOf(paragraph), 0, 3);
    }

    void add(const core::Bullets& bullets)
    {
        for (const std::string& item : bullets.items) {
            addBullet(m_flow, {{shown(item), kCellText}});
        }
        m_flow.space(2);
    }

    void add(const core::Table& table)
    {
        for (const Table& part : tablesOf(table)) {
            addTable(m_flow, part);
        }
    }

    void add(const core::Code& code)
    {
        std::string lines;
        for (const std::string& line : code.lines) {
            lines.append(lines.empty() ? "" : "\n").append(line);
        }
        addCode(m_flow, shown(code.label), shown(lines, true));
    }

    void add(const core::Figure& figure)
    {
        if (!m_place_figure(m_flow, figure)) {
            addParagraph(m_flow, shown(figure.alt));
        }
    }

    PageFlow& m_flow;
    const core::Section& m_section;
    const PlaceFigure& m_place_figure;
    std::size_t m_at = 0;
};

} // namespace

void addDocument(PageFlow& flow, const core::Document& document, const PlaceFigure& placeFigure,
                 const std::stop_token& stop)
{
    const QString title = shown(document.title);
    flow.addBookmark(title, 0);
    addParagraph(flow, {{elidedCell(document.title, kTitle, flow.width()), kTitle}}, 0, 4);
    bool has_run = false;
    for (const core::Section& section : document.sections) {
        if (stop.stop_requested()) {
            return;
        }
        if (section.blocks.empty()) {
            continue;
        }
        if (section.begins_run && has_run && !flow.isAtTop()) {
            flow.breakPage();
        }
        has_run = true;
        SectionFlow(flow, section, placeFigure).run();
    }
}

} // namespace tidemark::ui::report
