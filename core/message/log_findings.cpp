// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/log_findings.h"

#include "core/base/ascii.h"
#include "core/message/log_vocabulary.h"
#include "core/message/log_window.h"
#include "core/message/log_words.h"
#include "core/message/message_reader.h"
#include "core/message/model_families.h"
#include "core/message/printed_size.h"
#include "core/message/rising_figure.h"
#include "core/message/translated.h"
#include "core/message/typed_message.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kMostMessages = 800;
constexpr std::size_t kMostReadings = 400;
constexpr std::size_t kTypedByHand = 2000; ///< Longer texts come from programs.

/// Without the rows of tables: "9233MiB |" before "GPU 0" is no size of that GPU.
std::string withoutRows(std::string_view text)
{
    std::string rest;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        if (!trimmed(line).starts_with("|")) {
            rest.append(line).push_back('\n');
        }
        at = end + 1;
    }
    return rest;
}

class LogReader {
public:
    explicit LogReader(std::string_view log)
        : m_log(log)
    {
    }

    LogFindings read()
    {
        const LogVocabulary& words = logVocabulary();
        for (const WordHit& hit : words.finder.find(m_log)) {
            take(hit, words);
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
        if (m_findings.messages.empty() && m_counts_ooms) {
            takeSummary();
        }
        m_findings.main = mainMessage();
        if (m_findings.main) {
            completeMain(m_findings.messages[*m_findings.main]);
        }
        setStage();
        m_findings.trap_signs.addPost(m_log);
        m_findings.rising = risingFigure(m_findings.readings);
        keepLastReadings();
        closeUnits();
        numberLines();
        return std::move(m_findings);
    }

private:
    void take(const WordHit& hit, const LogVocabulary& words)
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
            if (m_bare.size() < kMostMessages && !isDeniedAnchor(m_log, hit.end, word)) {
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
        case WordGroup::ooms:
            m_counts_ooms = m_counts_ooms
                || numberAfter(squeezedText(lineAt(m_log, hit.end - 1)), kOomCount).value_or(0) > 0;
            break;
        case WordGroup::family:
            addFamily(modelFamilies()[words.numbers[hit.word]]);
            break;
        case WordGroup::framework:
            addFramework(frameworkWordings()[words.numbers[hit.word]].name);
            break;
        case WordGroup::stage:
            m_stages.emplace_back(hit.end, stageWordings()[words.numbers[hit.word]].stage);
            break;
        case WordGroup::translated:
            m_brackets.push_back(hit.end);
            break;
        case WordGroup::vllm:
            m_findings.mentions_vllm = true;
            addFramework("vLLM");
            break;
        case WordGroup::backward:
            m_findings.mentions_backward = true;
            break;
        case WordGroup::settings:
            takeAllocatorSettings(hit.end);
            break;
        case WordGroup::trap_phrase:
            m_findings.trap_signs.addPhrase(m_log, words.numbers[hit.word], hit.end);
            break;
        case WordGroup::trap_file:
            m_findings.trap_signs.addFile(m_log, words.numbers[hit.word], hit.end);
            break;
        }
    }

    /// The options behind "PYTORCH_CUDA_ALLOC_CONF", as a shell, Python, YAML or JSON write them.
    /// PyTorch's own advice says "try setting" before it.
    void takeAllocatorSettings(std::size_t place)
    {
        static constexpr std::size_t kLongest = 300;
        static constexpr std::array<std::string_view, 6> kFirst{
            "expandable_segments:",          "max_split_size_mb:",        "backend:",
            "garbage_collection_threshold:", "roundup_power2_divisions:", "pinned_"};
        if (lineAt(m_log, place - 1, 120).find("try setting") != std::string_view::npos) {
            return;
        }
        const std::string text = squeezedText(m_log.substr(place, kLongest));
        std::string_view options = text;
        options.remove_prefix(std::min(options.find_first_not_of("\"'[](){}:=,;"), options.size()));
        if (std::ranges::none_of(
                kFirst, [&](std::string_view name) { return options.starts_with(name); })) {
            return;
        }
        // Squeezed text has ';' for a comma, and goes on in the next line, which may set it anew.
        options = options.substr(0, options.find("alloc_conf"));
        options = options.substr(
            0, options.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_:.,;[]"));
        if (options.find("expandable_segments:true") != std::string_view::npos) {
            m_findings.expandable_is_on = true;
            m_findings.max_split_is_on |=
                options.find("max_split_size_mb:") != std::string_view::npos;
        }
    }

    void addFamily(const ModelFamily& family)
    {
        auto& known = m_findings.factors.named_vocabularies;
        for (const std::int64_t size : family.vocabularies) {
            const bool is_known =
                std::ranges::any_of(known, [&](const auto& named) { return named.size == size; });
            if (!is_known) {
                known.push_back({std::string(family.name), size});
            }
        }
    }

    void addFramework(std::string_view name)
    {
        auto& names = m_findings.frameworks;
        if (std::ranges::find(names, name) == names.end()) {
            names.emplace_back(name);
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
            const auto place = hit.end - 1 - static_cast<std::size_t>(line.data() - m_log.data());
            m_findings.events.push_back(
                {wording.kind, shownLine(line, place), hit.end, 0, prefixOf(line).rank});
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
            if (auto message = readTypedMessage(withoutRows(m_log))) {
                m_findings.messages.push_back(std::move(*message));
            }
        }
    }

    /// A table of torch.cuda.memory_summary() that counts OOM events: what it holds is filled in
    /// from its rows (`completedBy`).
    void takeSummary()
    {
        const auto& readings = m_findings.readings;
        const auto row = std::ranges::find_if(readings, [](const MemoryReading& reading) {
            return reading.source == "memory_summary" && reading.what == "allocated";
        });
        if (row != readings.end()) {
            OomMessage message;
            message.backend = "CUDA";
            message.gpu = row->gpu;
            message.offset = row->offset;
            m_findings.messages.push_back(std::move(message));
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

    /// The last stage before what ended the run.
    void setStage()
    {
        const std::size_t end =
            m_findings.main ? m_findings.messages[*m_findings.main].offset : m_log.size();
        for (const auto& [place, stage] : m_stages) {
            if (place <= end) {
                m_findings.stage = stage;
            }
        }
    }

    /// The last message. Where several ranks have some, that of the rank whose last one comes
    /// first: the others lost a partner.
    [[nodiscard]] std::size_t lastOfFirstRank() const
    {
        const auto& messages = m_findings.messages;
        std::map<std::int64_t, std::size_t> last_of_rank;
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (messages[i].rank) {
                last_of_rank[*messages[i].rank] = i;
            }
        }
        if (last_of_rank.size() < 2) {
            return messages.size() - 1;
        }
        std::size_t first = messages.size();
        for (const auto& [rank, place] : last_of_rank) {
            first = std::min(first, place);
        }
        return first;
    }

    /// What ended the run; where a summary repeats it cut off, the fullest of the same failure.
    [[nodiscard]] std::optional<std::size_t> mainMessage() const
    {
        const auto& messages = m_findings.messages;
        if (messages.empty()) {
            return std::nullopt;
        }
        std::size_t best = lastOfFirstRank();
        const OomMessage& last = messages[best];
        const auto same = [&](const OomMessage& other) {
            return std::ranges::all_of(last.printed,
                                       [&](const PrintedFigure& figure) {
                                           const PrintedFigure* twin = other.figure(figure.name);
                                           return twin != nullptr && twin->bytes == figure.bytes;
                                       })
                && (!last.gpu || last.gpu == other.gpu) && (!last.rank || last.rank == other.rank);
        };
        if (last.rejected_by_limit && best > 0 && messages[best - 1].rejected_by_limit
            && messages[best - 1].allowed && messages[best - 1].rank == last.rank) {
            return best - 1; // the warning before the error has the figures
        }
        if (!last.printed.empty()) {
            for (std::size_t i = 0; i < messages.size(); ++i) {
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
        if (auto& rising = m_findings.rising) {
            at = 0;
            line = 1;
            rising->first_line = lineOf(rising->first.offset);
            rising->last_line = lineOf(rising->last.offset);
        }
    }

    std::string_view m_log;
    LogFindings m_findings;
    bool m_counts_ooms = false;
    std::vector<OomMessage> m_bare;
    std::vector<std::size_t> m_card_places; ///< Where words about a card end.
    std::vector<std::pair<std::size_t, LogStage>> m_stages; ///< Where their words end.
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
