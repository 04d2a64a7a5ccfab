// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/stack_search.h"

#include "core/base/text_finder.h"
#include "core/label/corrections/written_stacks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace tidemark::label {
namespace {

struct IsBefore {
    bool operator()(const std::vector<FrameText>* a, const std::vector<FrameText>* b) const
    {
        return std::ranges::lexicographical_compare(
            *a, *b, {}, [](const FrameText& f) { return std::tie(f.name, f.filename, f.line); },
            [](const FrameText& f) { return std::tie(f.name, f.filename, f.line); });
    }
};

} // namespace

StackSearch::StackSearch(const trace::Snapshot& snapshot, const FrameUses* uses,
                         std::span<const Correction> rules, std::size_t most_kept)
    : m_snapshot(snapshot)
    , m_uses(uses)
    , m_most_kept(most_kept)
{
    std::size_t count = rules.size();
    while (count > 1 && !search(rules.first(count), m_most_kept)) {
        count /= 2;
    }
    if (count <= 1) {
        search(rules.first(count), std::numeric_limits<std::size_t>::max());
    }
}

bool StackSearch::search(std::span<const Correction> rules, std::size_t most)
{
    m_query_of.clear();
    m_queries.clear();
    m_functions = {};
    m_files = {};
    const std::vector<const std::vector<FrameText>*> written = addQueries(rules);
    if (m_uses != nullptr
        && !(m_functions.findIn(m_uses->names, most) && m_files.findIn(m_uses->files, most))) {
        return false;
    }
    auto found = findWrittenStacks(m_snapshot, written, most);
    if (!found) {
        return false;
    }
    m_written = std::move(*found);
    return true;
}

std::vector<const std::vector<FrameText>*>
StackSearch::addQueries(std::span<const Correction> rules)
{
    std::map<const std::vector<FrameText>*, std::uint32_t, IsBefore> stacks;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> queries;
    std::vector<const std::vector<FrameText>*> written;
    for (const Correction& rule : rules) {
        const CorrectionMatch& match = rule.match;
        Query query;
        query.function = match.function.empty() ? kNone : m_functions.add(match.function);
        query.file = match.file.empty() ? kNone : m_files.add(match.file);
        if (!match.stack.empty()) {
            const auto next = static_cast<std::uint32_t>(written.size());
            const auto [it, is_new] = stacks.try_emplace(&match.stack, next);
            if (is_new) {
                written.push_back(&match.stack);
            }
            query.written = it->second;
        }
        if (query.function == kNone && query.file == kNone && query.written == kNone) {
            m_query_of.push_back(kNone);
            continue;
        }
        const auto next = static_cast<std::uint32_t>(m_queries.size());
        const auto [it, is_new] =
            queries.try_emplace({query.function, query.file, query.written}, next);
        if (is_new) {
            m_queries.push_back(query);
        }
        m_query_of.push_back(it->second);
    }
    return written;
}

std::uint32_t StackSearch::Texts::add(const std::string& text)
{
    const auto next = static_cast<std::uint32_t>(texts.size());
    const auto [it, is_new] = numbers.try_emplace(text, next);
    if (is_new) {
        texts.push_back(it->first);
    }
    return it->second;
}

bool StackSearch::Texts::findIn(const FrameTexts& part, std::size_t& most)
{
    std::vector<std::string_view> sought; // What is longer is in none.
    std::vector<std::uint32_t> number;
    for (std::uint32_t t = 0; t < texts.size(); ++t) {
        if (texts[t].size() <= part.longest) {
            sought.push_back(texts[t]);
            number.push_back(t);
        }
    }
    places.resize(texts.size());
    uses.assign(texts.size(), 0);
    TextFinder finder(sought);
    std::vector<std::uint32_t> found;
    for (std::uint32_t place = 0; place < part.texts.size(); ++place) {
        found.clear();
        finder.find(part.texts[place], found);
        if (found.size() > most) {
            return false;
        }
        most -= found.size();
        for (const std::uint32_t f : found) {
            places[number[f]].push_back(place);
            uses[number[f]] += part.uses[place];
        }
    }
    return true;
}

bool StackSearch::Texts::occurs(std::uint32_t text, std::uint32_t place) const
{
    return text == kNone || std::ranges::binary_search(places[text], place);
}

bool StackSearch::hasFrame(const Query& query, std::span<const FrameId> frames) const
{
    return std::ranges::any_of(frames, [&](FrameId f) {
        return m_functions.occurs(query.function, m_uses->names.of_frame[f.index()])
            && m_files.occurs(query.file, m_uses->files.of_frame[f.index()]);
    });
}

bool StackSearch::isMeant(std::size_t rule, StackId stack) const
{
    const Query& query = m_queries[m_query_of[rule]];
    const bool asks_text = query.function != kNone || query.file != kNone;
    return !stack.isNone()
        && (query.written == kNone || std::ranges::binary_search(m_written[query.written], stack))
        && (!asks_text || hasFrame(query, m_snapshot.stacks.frames(stack)));
}

std::size_t StackSearch::cost(std::size_t rule) const
{
    const Query& query = m_queries[m_query_of[rule]];
    if (query.written != kNone) {
        return m_written[query.written].size();
    }
    static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    return std::min(query.function == kNone ? kAll : m_functions.uses[query.function],
                    query.file == kNone ? kAll : m_files.uses[query.file]);
}

std::span<const StackId> StackSearch::stacks(std::size_t rule)
{
    const Query& query = m_queries[m_query_of[rule]];
    const bool asks_text = query.function != kNone || query.file != kNone;
    if (!asks_text) {
        return m_written[query.written];
    }
    if (m_listed_size > m_most_kept) {
        m_listed.clear();
        m_listed_size = 0;
    }
    const auto [it, is_new] = m_listed.try_emplace(m_query_of[rule]);
    if (is_new) {
        if (query.written == kNone) {
            it->second = stacksWithFrame(query);
        } else {
            std::ranges::copy_if(
                m_written[query.written], std::back_inserter(it->second),
                [&](StackId s) { return hasFrame(query, m_snapshot.stacks.frames(s)); });
        }
        m_listed_size += it->second.size();
    }
    return it->second;
}

/// Goes through the frames that have the text with fewer uses.
std::vector<StackId> StackSearch::stacksWithFrame(const Query& query) const
{
    const bool by_name = query.file == kNone
        || (query.function != kNone
            && m_functions.uses[query.function] <= m_files.uses[query.file]);
    const FrameTexts& part = by_name ? m_uses->names : m_uses->files;
    std::vector<StackId> found;
    for (const std::uint32_t place :
         by_name ? m_functions.places[query.function] : m_files.places[query.file]) {
        for (const std::uint32_t frame : part.frames.of(place)) {
            const bool is_meant = by_name
                ? m_files.occurs(query.file, m_uses->files.of_frame[frame])
                : m_functions.occurs(query.function, m_uses->names.of_frame[frame]);
            if (is_meant) {
                for (const std::uint32_t stack : m_uses->stacks.of(frame)) {
                    found.emplace_back(stack);
                }
            }
        }
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace tidemark::label
