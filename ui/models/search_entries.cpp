// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/search_entries.h"

#include "core/base/short_text.h"
#include "ui/models/text.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kLetter = 1;
constexpr int kInARow = 4;
constexpr int kWordBegins = 6;

bool beginsWord(const QString& text, qsizetype at)
{
    return at == 0 || !text[at - 1].isLetterOrNumber()
        || (text[at].isUpper() && text[at - 1].isLower());
}

/// The score of `typed` where its first letter stands for that at `start`; 0: it does not fit.
int scoreFrom(const QString& typed, const QString& text, qsizetype start)
{
    int score = 0;
    qsizetype at = start;
    qsizetype before = -2;
    for (const QChar letter : typed) {
        if (letter.isSpace()) {
            continue;
        }
        while (at < text.size() && text[at].toCaseFolded() != letter.toCaseFolded()) {
            ++at;
        }
        if (at == text.size()) {
            return 0;
        }
        score +=
            kLetter + (at == before + 1 ? kInARow : 0) + (beginsWord(text, at) ? kWordBegins : 0);
        before = at;
        ++at;
    }
    return score;
}

} // namespace

int matchScore(const QString& typed, const QString& text)
{
    const QString sought = typed.trimmed();
    if (sought.isEmpty()) {
        return 0;
    }
    constexpr int kMostStarts = 8; // Of a letter that is everywhere the first few will do.
    int best = 0;
    int starts = 0;
    for (qsizetype at = 0; at < text.size() && starts < kMostStarts; ++at) {
        if (text[at].toCaseFolded() == sought[0].toCaseFolded()) {
            best = std::max(best, scoreFrom(sought, text, at));
            ++starts;
        }
    }
    return best;
}

std::vector<SearchEntry> bestEntries(const std::vector<SearchEntry>& entries, const QString& typed,
                                     std::size_t most)
{
    if (typed.trimmed().isEmpty()) {
        return {entries.begin(),
                entries.begin() + static_cast<std::ptrdiff_t>(std::min(most, entries.size()))};
    }
    std::vector<std::pair<int, std::size_t>> scores;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (const int score = matchScore(typed, entries[i].title); score > 0) {
            scores.emplace_back(-score, i);
        }
    }
    std::ranges::sort(scores);
    std::vector<SearchEntry> best;
    for (std::size_t i = 0; i < std::min(most, scores.size()); ++i) {
        best.push_back(entries[scores[i].second]);
    }
    return best;
}

CodeNames::CodeNames(const trace::Snapshot& snapshot)
{
    std::set<StringId> functions;
    std::set<StringId> files;
    for (std::size_t i = 0; i < snapshot.stacks.frameCount(); ++i) {
        const Frame& frame = snapshot.stacks.frame(FrameId(static_cast<std::uint32_t>(i)));
        functions.insert(frame.name);
        files.insert(frame.filename);
    }
    for (const auto& [ids, is_file] : {std::pair(&functions, false), std::pair(&files, true)}) {
        for (const StringId id : *ids) {
            const std::string_view name = snapshot.strings.text(id);
            if (!name.empty() && shownName(name) == name) { // What nobody types is not offered.
                m_names.push_back({text(name), is_file});
            }
        }
    }
    std::ranges::sort(m_names, [](const Name& a, const Name& b) {
        return std::forward_as_tuple(a.text.size(), a.text)
            < std::forward_as_tuple(b.text.size(), b.text);
    });
}

std::vector<CodeNames::Name> CodeNames::holding(const QString& typed, std::size_t most) const
{
    const QString sought = typed.trimmed();
    std::vector<Name> found;
    if (sought.isEmpty()) {
        return found;
    }
    for (const Name& name : m_names) {
        if (name.text.contains(sought, Qt::CaseInsensitive)) {
            found.push_back(name);
            if (found.size() == most) {
                break;
            }
        }
    }
    return found;
}

} // namespace tidemark::ui
