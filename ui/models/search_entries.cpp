// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/search_entries.h"

#include "core/base/short_text.h"
#include "core/replay/by_stack.h"
#include "ui/models/text.h"

#include <QtCore/QCoreApplication>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace tidemark::ui {
namespace {

struct SearchWords {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::SearchWords)
};

constexpr int kLetter = 1;
constexpr int kInARow = 4;
constexpr int kBeginsWord = 6;

bool beginsWord(const QString& text, qsizetype at)
{
    return at == 0 || !text[at - 1].isLetterOrNumber()
        || (text[at].isUpper() && text[at - 1].isLower());
}

bool endsWord(const QString& text, qsizetype at)
{
    return at == text.size() || !text[at].isLetterOrNumber();
}

/// Where all that was typed stands in a text as it is; 0: nowhere.
int scoreOfPart(const QString& typed, const QString& text)
{
    int best = 0;
    for (qsizetype at = text.indexOf(typed, 0, Qt::CaseInsensitive); at >= 0;
         at = text.indexOf(typed, at + 1, Qt::CaseInsensitive)) {
        const bool begins = beginsWord(text, at);
        const bool ends = endsWord(text, at + typed.size());
        best = std::max(best, begins && ends ? kWholeWord : begins ? kWordBegins : kPartOfText);
    }
    if (best > 0 && typed.size() == text.size()) {
        return kWholeText;
    }
    // Of equally good ones the one with less beside it.
    constexpr qsizetype kMostBeside = 1'000;
    return best == 0 ? 0
                     : best + static_cast<int>(std::max<qsizetype>(0, kMostBeside - text.size()));
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
            kLetter + (at == before + 1 ? kInARow : 0) + (beginsWord(text, at) ? kBeginsWord : 0);
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
    if (const int part = scoreOfPart(sought, text); part > 0) {
        return part;
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
    return std::min(best, kPartOfText - 1);
}

QString searchGroupName(SearchGroup group)
{
    switch (group) {
    case SearchGroup::places:
        return SearchWords::tr("Places");
    case SearchGroup::steps:
        return SearchWords::tr("Steps");
    case SearchGroup::allocations:
        return SearchWords::tr("Allocations");
    case SearchGroup::files:
        return SearchWords::tr("Files");
    case SearchGroup::commands:
        return SearchWords::tr("Commands");
    }
    return {};
}

void sortByGroup(std::vector<SearchEntry>& entries)
{
    std::array<int, 5> best{};
    for (const SearchEntry& entry : entries) {
        int& of_group = best[static_cast<std::size_t>(entry.group)];
        of_group = std::max(of_group, entry.score);
    }
    std::ranges::stable_sort(entries, [&](const SearchEntry& a, const SearchEntry& b) {
        // By tens of thousands: what kind of match it is.
        const auto rank = [&](const SearchEntry& entry) {
            const int of_group = best[static_cast<std::size_t>(entry.group)];
            return std::tuple(of_group == 0 ? 1 : -(of_group / kPartOfText), entry.group,
                              -entry.score);
        };
        return rank(a) < rank(b);
    });
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
        best.back().score = -scores[i].first;
    }
    return best;
}

namespace {

std::vector<Shares> sharesOfStacks(const trace::Snapshot& snapshot,
                                   const replay::DeviceReplay& replay, StateId moment)
{
    std::vector<Shares> shares(snapshot.stacks.stackCount());
    for (const StackId stack : replay.allocations.stack) {
        if (!stack.isNone()) {
            ++shares[stack.index()].count;
        }
    }
    for (const AllocationId a : replay::livingAt(replay, moment)) {
        if (const StackId stack = replay.allocations.stack[a.index()]; !stack.isNone()) {
            ++shares[stack.index()].live;
            shares[stack.index()].bytes += replay.allocations.requested[a.index()];
        }
    }
    return shares;
}

} // namespace

CodeNames::CodeNames(const trace::Snapshot& snapshot, const replay::DeviceReplay& replay,
                     StateId moment)
{
    struct Found {
        Shares shares;
        std::size_t last_stack = 0; ///< Plus 1: a name counts once per stack.
    };
    std::array<std::map<StringId, Found>, 2> found; // Functions, files.
    const std::vector<Shares> stacks = sharesOfStacks(snapshot, replay, moment);
    for (std::size_t i = 0; i < stacks.size(); ++i) {
        if (stacks[i].count == 0) {
            continue;
        }
        for (const FrameId id : snapshot.stacks.frames(StackId(static_cast<std::uint32_t>(i)))) {
            const Frame& frame = snapshot.stacks.frame(id);
            for (const auto& [kind, name] : {std::pair(0U, frame.name), {1U, frame.filename}}) {
                Found& entry = found[kind][name];
                if (entry.last_stack != i + 1) {
                    entry.last_stack = i + 1;
                    entry.shares.count += stacks[i].count;
                    entry.shares.live += stacks[i].live;
                    entry.shares.bytes += stacks[i].bytes;
                }
            }
        }
    }
    for (std::size_t kind = 0; kind < found.size(); ++kind) {
        for (const auto& [id, entry] : found[kind]) {
            const std::string_view name = snapshot.strings.text(id);
            if (!name.empty() && shownName(name) == name) { // What nobody types is not offered.
                m_names.push_back({text(name), kind == 1, entry.shares});
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
            // A file goes by its own name, its folders count less.
            const QString own = name.text.section(u'/', -1);
            found.back().score =
                std::max(matchScore(sought, own), matchScore(sought, name.text) / 2);
        }
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Name::score);
    found.resize(std::min(most, found.size()));
    return found;
}

std::vector<AllocationId> allocationsAtLine(const trace::Snapshot& snapshot,
                                            const replay::Allocations& all,
                                            const query::CodeLine& line)
{
    const auto leads = [&](StackId stack) {
        return std::ranges::any_of(snapshot.stacks.frames(stack), [&](FrameId frame) {
            return line.isOf(snapshot, snapshot.stacks.frame(frame));
        });
    };
    std::vector<AllocationId> found = replay::allocationsByStack(all, snapshot.stacks, leads);
    std::ranges::stable_sort(found, std::ranges::greater{},
                             [&](AllocationId a) { return all.requested[a.index()]; });
    return found;
}

std::vector<AllocationId> allocationsAtAddress(const replay::DeviceReplay& replay, Address address)
{
    std::vector<AllocationId> found;
    const replay::Allocations& all = replay.allocations;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const Address offset = address - all.address[i];
        if (address >= all.address[i]
            && offset < static_cast<Address>(std::max<std::int64_t>(1, all.requested[i].value))) {
            found.push_back(AllocationId(static_cast<std::uint32_t>(i)));
        }
    }
    return found;
}

} // namespace tidemark::ui
