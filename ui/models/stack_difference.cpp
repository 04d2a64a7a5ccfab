// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/stack_difference.h"

#include "core/base/format.h"
#include "core/base/short_text.h"
#include "core/label/stacks/stack_text.h"
#include "ui/models/comparison_words.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace tidemark::ui {
namespace {

/// A frame as two runs have it in common: folders and lines may differ.
struct PlainFrame {
    std::string_view function;
    std::string_view file; ///< Its last component.
    std::string_view path;
    std::int64_t line = 0;
    bool is_own = false; ///< The program's.

    [[nodiscard]] bool isLike(const PlainFrame& other) const
    {
        return function == other.function && file == other.file;
    }
};

std::vector<PlainFrame> framesOf(const trace::Snapshot& snapshot, StackId stack)
{
    std::vector<PlainFrame> frames;
    if (stack.isNone()) {
        return frames;
    }
    for (const FrameId id : snapshot.stacks.frames(stack)) {
        const label::FrameOrigin origin = label::frameOrigin(snapshot, id);
        if (origin == label::FrameOrigin::noise) {
            continue;
        }
        const Frame& frame = snapshot.stacks.frame(id);
        const std::string_view path = snapshot.text(frame.filename);
        frames.push_back({snapshot.text(frame.name), baseName(path), path, frame.line,
                          origin == label::FrameOrigin::user});
    }
    return frames;
}

/// Lengths of the longest common subsequences of what follows each pair of frames.
class CommonFrames {
public:
    CommonFrames(const std::vector<PlainFrame>& a, const std::vector<PlainFrame>& b)
        : m_columns(b.size() + 1)
        , m_lengths((a.size() + 1) * m_columns)
    {
        for (std::size_t i = a.size(); i-- > 0;) {
            for (std::size_t j = b.size(); j-- > 0;) {
                m_lengths[i * m_columns + j] =
                    a[i].isLike(b[j]) ? 1 + at(i + 1, j + 1) : std::max(at(i + 1, j), at(i, j + 1));
            }
        }
    }
    [[nodiscard]] std::uint32_t at(std::size_t i, std::size_t j) const
    {
        return m_lengths[i * m_columns + j];
    }

private:
    std::size_t m_columns;
    std::vector<std::uint32_t> m_lengths;
};

QString pathWords(const PlainFrame& frame)
{
    constexpr std::size_t kMostCharacters = 300;
    return text(shownName(shortenPath(frame.path, kMostCharacters)));
}

RowCell lineCell(const PlainFrame* frame)
{
    if (frame == nullptr) {
        return {QStringLiteral("–")};
    }
    const QString path = pathWords(*frame);
    return {frame->line > 0 ? QString::number(frame->line) : QString(), {}, path};
}

TextRow frameRow(const PlainFrame* a, const PlainFrame* b)
{
    const PlainFrame& shown = a != nullptr ? *a : *b;
    const QString function = text(shownName(shown.function));
    const QString words = function
        % (shown.file.empty() ? QString() : QStringLiteral("  ") % text(shownName(shown.file)));
    return {{{words, {}, function % u'\n' % pathWords(shown)}, lineCell(a), lineCell(b)},
            a != nullptr && b != nullptr ? Emphasis::normal : Emphasis::strong};
}

} // namespace

TextTable stacksTable(const ComparedRuns& runs, std::size_t place, bool shows_libraries)
{
    TextTable table{{{ComparisonWords::tr("innermost call first")},
                     {runs.base.letter, true},
                     {runs.against.letter, true}},
                    {}};
    const compare::PlaceDifference& difference = runs.difference.parts.places[place];
    const std::vector<PlainFrame> a = framesOf(*runs.base.analysis.snapshot, difference.stack_a);
    const std::vector<PlainFrame> b = framesOf(*runs.against.analysis.snapshot, difference.stack_b);
    const CommonFrames common(a, b);
    std::vector<TextRow> libraries;
    const auto add = [&](const PlainFrame* of_a, const PlainFrame* of_b) {
        const bool is_own = (of_a != nullptr && of_a->is_own) || (of_b != nullptr && of_b->is_own);
        (is_own ? table.rows : libraries).push_back(frameRow(of_a, of_b));
    };
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i].isLike(b[j])) {
            add(&a[i++], &b[j++]);
        } else if (j == b.size() || (i < a.size() && common.at(i + 1, j) >= common.at(i, j + 1))) {
            add(&a[i++], nullptr);
        } else {
            add(nullptr, &b[j++]);
        }
    }
    const bool has_own = !table.rows.empty();
    if (has_own && !libraries.empty()) {
        const QString count =
            ComparisonWords::tr("%Ln library frame|"
                                "%Ln library frames",
                                nullptr, plural(static_cast<std::int64_t>(libraries.size())));
        const QString mark = shows_libraries ? QStringLiteral("▾ ") : QStringLiteral("▸ ");
        table.rows.push_back(
            {{{QString(mark % count)}, {}, {}}, Emphasis::secondary, {}, kLibraryFrames, {}});
    }
    if (!has_own || shows_libraries) {
        table.rows.insert(table.rows.end(), libraries.begin(), libraries.end());
    }
    // Where a run has no stack, none of its frames is missing.
    if (a.empty() || b.empty()) {
        for (TextRow& row : table.rows) {
            row.emphasis = row.source == kLibraryFrames ? Emphasis::secondary : Emphasis::normal;
        }
    }
    return table;
}

} // namespace tidemark::ui
