// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/message/log_findings.h"

#include "core/diagnose/message/log_window.h"
#include "core/diagnose/message/log_words.h"
#include "core/diagnose/message/message_reader.h"
#include "core/diagnose/message/translated.h"
#include "core/diagnose/message/typed_message.h"
#include "core/diagnose/message/word_finder.h"

#include <algorithm>
#include <array>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kMostMessages = 800;
constexpr std::size_t kMostReadings = 400;
constexpr std::size_t kLongestLine = 240;
constexpr std::size_t kTypedByHand = 2000; ///< Longer texts come from programs.

enum class WordGroup : std::uint8_t {
    message,
    card,
    bare,
    event,
    reading,
    factor,
    translated,
    vllm,
    expandable
};

/// All words that are looked for, in one list.
struct Words {
    std::vector<std::string_view> words;
    std::vector<WordGroup> groups;
    std::vector<std::size_t> numbers; ///< Index in the group's own list.
    WordFinder finder;

    Words()
        : finder((fill(), words))
    {
    }

private:
    void add(std::span<const std::string_view> more, WordGroup group)
    {
        for (std::size_t i = 0; i < more.size(); ++i) {
            words.push_back(more[i]);
            groups.push_back(group);
            numbers.push_back(i);
        }
    }

    void fill()
    {
        add(messageAnchors(), WordGroup::message);
        add(cardAnchors(), WordGroup::card);
        add(bareAnchors(), WordGroup::bare);
        std::vector<std::string_view> events;
        for (const EventWording& wording : eventWordings()) {
            events.push_back(wording.words);
        }
        add(events, WordGroup::event);
        add(readingAnchors(), WordGroup::reading);
        add(factorAnchors(), WordGroup::factor);
        static constexpr std::string_view kBrackets[] = {kTranslatedAnchor};
        add(kBrackets, WordGroup::translated);
        static constexpr std::string_view kVllm[] = {"vllm"};
        add(kVllm, WordGroup::vllm);
        static constexpr std::string_view kOn[] = {"alloc_conf=expandable_segments:true"};
        add(kOn, WordGroup::expandable);
    }
};

/// A line for a person: no colours, no control characters, no prefix, not too long.
std::string shownLine(std::string_view line)
{
    const LinePrefix prefix = prefixOf(line);
    if (!prefix.text.empty()) {
        line.remove_prefix(
            static_cast<std::size_t>(prefix.text.data() + prefix.text.size() - line.data()));
    }
    std::string shown;
    for (std::size_t i = 0; i < line.size() && shown.size() < kLongestLine; ++i) {
        const std::size_t end = endOfTerminalCode(line, i);
        if (end > i) {
            i = end - 1;
        } else if (line[i] >= ' ' && line[i] < '\x7f') {
            shown.push_back(line[i]);
        }
    }
    const std::size_t begin = shown.find_first_not_of(' ');
    return begin == std::string::npos ? std::string() : shown.substr(begin);
}

class LogReader {
public:
    explicit LogReader(std::string_view log)
        : m_log(log)
    {
    }

    LogFindings read()
    {
        static const Words kWords;
        for (const WordHit& hit : kWords.finder.find(m_log)) {
            take(hit, kWords);
        }
        if (m_findings.messages.empty()) {
            takeSplitMessages();
        }
        if (m_findings.messages.empty()) {
            takeTranslated();
        }
        if (m_findings.messages.empty()) {
            takeStatement();
        }
        if (m_findings.messages.empty()) {
            m_findings.messages = std::move(m_bare);
        }
        if (m_findings.messages.empty() && m_findings.events.empty()) {
            takeTyped();
        }
        m_findings.main = mainMessage();
        if (m_findings.main) {
            completeMain(m_findings.messages[*m_findings.main]);
        }
        keepLastReadings();
        closeUnits();
        numberLines();
        return std::move(m_findings);
    }

private:
    void take(const WordHit& hit, const Words& words)
    {
        const std::string_view word = words.words[hit.word];
        switch (words.groups[hit.word]) {
        case WordGroup::message:
            takeMessage(hit.end);
            break;
        case WordGroup::card:
            m_card_places.push_back(hit.end);
            break;
        case WordGroup::bare:
            if (m_bare.size() < kMostMessages) {
                m_bare.push_back(bareMessage(word));
                m_bare.back().offset = hit.end;
                m_bare.back().rank = prefixOf(lineAt(m_log, hit.end - 1)).rank;
            }
            break;
        case WordGroup::event:
            takeEvent(hit, eventWordings()[words.numbers[hit.word]]);
            break;
        case WordGroup::reading:
            if (m_findings.readings.size() < 4 * kMostReadings) {
                addReadings(m_log, hit.end, word, m_findings.readings);
            }
            break;
        case WordGroup::factor:
            addFactor(m_log, hit.end, word, m_findings.factors);
            break;
        case WordGroup::translated:
            m_brackets.push_back(hit.end);
            break;
        case WordGroup::vllm:
            m_findings.mentions_vllm = true;
            break;
        case WordGroup::expandable:
            // PyTorch's own advice says "try setting" before it.
            if (lineAt(m_log, hit.end - 1, 120).find("try setting") == std::string_view::npos) {
                m_findings.expandable_is_on = true;
            }
            break;
        }
    }

    void takeMessage(std::size_t place)
    {
        auto message = readMessage(windowAround(m_log, place));
        if (!message) {
            return;
        }
        message->offset = place;
        if (m_findings.messages.size() >= kMostMessages) {
            m_findings.messages.erase(m_findings.messages.begin()
                                      + static_cast<std::ptrdiff_t>(kMostMessages / 2));
        }
        m_findings.messages.push_back(std::move(*message));
    }

    /// "CUDA out of memory. Tried to" and the rest behind the next line's own prefix: the words are
    /// whole only in a window without prefixes.
    void takeSplitMessages()
    {
        static constexpr std::string_view kWords = "triedtoallocate";
        static constexpr std::size_t kMostBetween = 4;
        for (const OomMessage& bare : m_bare) {
            Window window = windowAround(m_log, bare.offset);
            const std::size_t at = window.text.find(kWords, window.anchor);
            if (at == std::string::npos || at > window.anchor + kMostBetween) {
                continue;
            }
            window.anchor = at + kWords.size();
            if (auto message = readMessage(window)) {
                message->offset = bare.offset;
                m_findings.messages.push_back(std::move(*message));
            }
        }
    }

    void takeTranslated()
    {
        for (const std::size_t place : m_brackets) {
            if (auto message = readTranslatedMessage(m_log, place)) {
                message->offset = place;
                message->rank = prefixOf(lineAt(m_log, place - 1)).rank;
                m_findings.messages.push_back(std::move(*message));
            }
        }
    }

    void takeEvent(const WordHit& hit, const EventWording& wording)
    {
        const std::string_view line = lineAt(m_log, hit.end - 1, 1000);
        if (!isEvent(wording, line)) {
            return;
        }
        std::size_t& count = m_findings.event_counts[static_cast<std::size_t>(wording.kind)];
        if (++count == 1) {
            m_findings.events.push_back(
                {wording.kind, shownLine(line), hit.end, 0, prefixOf(line).rank});
        }
    }

    /// A message that lost its beginning, or what a person typed of one: figures of a card with no
    /// request. Elsewhere programs print such figures in passing, so a long log must use PyTorch's
    /// own words.
    void takeStatement()
    {
        for (auto place = m_card_places.rbegin(); place != m_card_places.rend(); ++place) {
            const auto statement = readCardStatement(m_log, *place);
            const bool is_typed =
                m_log.size() <= kTypedByHand && m_findings.readings.empty() && speaksOfGpuMemory();
            if (!statement || !(statement->is_pytorchs || is_typed)
                || !(statement->figures.total || statement->figures.allocated)) {
                continue;
            }
            m_findings.messages.push_back(statement->figures);
            m_findings.messages.back().offset = *place;
            m_findings.messages.back().rank = prefixOf(lineAt(m_log, *place - 1)).rank;
            return;
        }
    }

    void takeTyped()
    {
        if (m_log.size() <= kTypedByHand) {
            if (auto message = readTypedMessage(m_log)) {
                m_findings.messages.push_back(std::move(*message));
            }
        }
    }

    /// Disks and hosts have totals, too.
    [[nodiscard]] bool speaksOfGpuMemory() const
    {
        const std::string text = squeezedText(m_log);
        return std::ranges::any_of(
            std::array<std::string_view, 7>{"gpu", "cuda", "vram", "oom", "outofmemory", "torch",
                                            "allocat"},
            [&](std::string_view word) { return text.find(word) != std::string::npos; });
    }

    /// A message that says only what was asked for: the card's figures may stand right before it.
    void completeMain(OomMessage& message) const
    {
        static constexpr std::size_t kNear = 600;
        if (message.is_bare || message.total || message.allocated || message.free) {
            return;
        }
        for (auto place = m_card_places.rbegin(); place != m_card_places.rend(); ++place) {
            const std::size_t gap =
                std::max(*place, message.offset) - std::min(*place, message.offset);
            if (gap > kNear) {
                continue;
            }
            if (const auto statement = readCardStatement(m_log, *place)) {
                addStatement(*statement, message);
                return;
            }
        }
        if (m_log.size() <= kTypedByHand && m_findings.messages.size() == 1) {
            if (const auto statement = readTypedStatement(m_log)) {
                addStatement(*statement, message);
            }
        }
    }

    /// The last one; where a summary repeats it cut off, the fullest of the same failure.
    [[nodiscard]] std::optional<std::size_t> mainMessage() const
    {
        const auto& messages = m_findings.messages;
        if (messages.empty()) {
            return std::nullopt;
        }
        std::size_t best = messages.size() - 1;
        const OomMessage& last = messages[best];
        const auto same = [&](const OomMessage& other) {
            return std::ranges::all_of(last.printed,
                                       [&](const PrintedFigure& figure) {
                                           const PrintedFigure* twin = other.figure(figure.name);
                                           return twin != nullptr && twin->bytes == figure.bytes;
                                       })
                && (!last.gpu || last.gpu == other.gpu);
        };
        if (!last.printed.empty()) {
            for (std::size_t i = 0; i + 1 < messages.size(); ++i) {
                if (messages[i].printed.size() > messages[best].printed.size()
                    && same(messages[i])) {
                    best = i;
                }
            }
        }
        return best;
    }

    /// Training logs print the same figures at every step: the last of each counts.
    void keepLastReadings()
    {
        std::vector<MemoryReading> kept;
        auto& all = m_findings.readings;
        for (auto reading = all.rbegin(); reading != all.rend(); ++reading) {
            const bool is_known = std::ranges::any_of(kept, [&](const MemoryReading& k) {
                return k.source == reading->source && k.what == reading->what
                    && k.gpu == reading->gpu && k.pid == reading->pid;
            });
            if (!is_known && kept.size() < kMostReadings) {
                kept.push_back(std::move(*reading));
            }
        }
        std::ranges::reverse(kept);
        all = std::move(kept);
    }

    /// "GB" counts 10^9 where counting 2^30 would be more than the card has.
    void closeUnits()
    {
        std::int64_t card = 0;
        for (const OomMessage& message : m_findings.messages) {
            card = std::max(card, message.total ? message.total->value : 0);
        }
        for (const MemoryReading& reading : m_findings.readings) {
            card = std::max(card, reading.what == "total" ? reading.high.value : 0);
        }
        for (MemoryReading& reading : m_findings.readings) {
            if (reading.unit_is_open && card > 0 && reading.high.value > card) {
                reading.unit_is_open = false;
                reading.high = reading.bytes + (reading.bytes - reading.low);
            }
        }
    }

    void numberLines()
    {
        std::size_t at = 0;
        std::int64_t line = 1;
        const auto lineOf = [&](std::size_t offset) {
            const std::size_t begin = offset > 0 ? offset - 1 : 0;
            line += std::count(m_log.begin() + static_cast<std::ptrdiff_t>(at),
                               m_log.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
            at = begin;
            return line;
        };
        for (const OomMessage& message : m_findings.messages) {
            m_findings.message_lines.push_back(lineOf(message.offset));
        }
        at = 0;
        line = 1;
        for (LogEvent& event : m_findings.events) {
            event.line_number = lineOf(event.offset);
        }
    }

    std::string_view m_log;
    LogFindings m_findings;
    std::vector<OomMessage> m_bare;
    std::vector<std::size_t> m_card_places; ///< Where words about a card end.
    std::vector<std::size_t> m_brackets; ///< Where a translated message's may begin.
};

} // namespace

LogFindings readLog(std::string_view log)
{
    return LogReader(log).read();
}

const PrintedFigure* OomMessage::figure(std::string_view name) const
{
    const auto found = std::ranges::find(printed, name, &PrintedFigure::name);
    return found == printed.end() ? nullptr : &*found;
}

std::optional<OomMessage> parseOomMessage(std::string_view text)
{
    const LogFindings findings = readLog(text);
    if (!findings.main) {
        return std::nullopt;
    }
    return findings.messages[*findings.main];
}

} // namespace tidemark::diagnose
