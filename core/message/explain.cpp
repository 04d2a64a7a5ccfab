// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/explain.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/message/text_rules.h"
#include "core/message/went_on.h"
#include "resources/explain.json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <set>

namespace tidemark::diagnose {
namespace {

using Json = nlohmann::ordered_json;

ExplainTexts parseTexts()
{
    ExplainTexts texts;
    const Json file = Json::parse(resources::explainJson());
    for (const auto& [id, sentence] : file.at("headlines").items()) {
        texts.headlines.emplace(id, sentence.get<std::string>());
    }
    for (const auto& [name, sentence] : file.at("evidence").items()) {
        texts.evidence.emplace(name, sentence.get<std::string>());
    }
    texts.fixes = fixTexts();
    for (const Json& entry : file.at("fixes")) {
        const auto id = entry.at("id").get<std::string>();
        const auto known = std::ranges::find(texts.fixes, id, &FixText::id);
        if (known == texts.fixes.end()) {
            texts.fixes.push_back(fixTextOf(entry));
            continue;
        }
        known->why = entry.at("why");
        known->why_needs_nothing = entry.value("why_needs_nothing", false);
        known->title = entry.value("title", known->title);
        known->missing = entry.value("missing", known->missing);
        if (entry.contains("how")) {
            known->how.clear();
            for (const auto& [framework, line] : entry.at("how").items()) {
                known->how.emplace_back(framework, line.get<std::string>());
            }
        }
    }
    std::ranges::stable_sort(texts.fixes, {}, &FixText::cost_rank);
    return texts;
}

std::optional<Bytes> midOf(const std::optional<PrintedRange>& range)
{
    return range ? std::optional(Bytes{range->mid}) : std::nullopt;
}

struct KnownCapacity {
    std::optional<Bytes> bytes;
    std::string source;
};

KnownCapacity capacityOf(const MessageProof& proof, const ExplainOptions& options)
{
    if (options.capacity) {
        return {options.capacity, say("You gave it.")};
    }
    if (proof.allowed) {
        return {midOf(proof.allowed), say("The message names a limit for this process.")};
    }
    if (proof.reserved && proof.free && !proof.above_capacity) {
        return {midOf(*proof.reserved + *proof.free), say("Reserved plus free, from the message.")};
    }
    if (proof.total) {
        return {midOf(proof.total), say("The GPU's size; other processes' share is unknown.")};
    }
    return {std::nullopt, say("The text does not give the GPU's size.")};
}

/// "GPU 0 ran out of memory", "Rank 3 (GPU 3) ran out of memory".
std::string whoRanOut(const OomMessage& message)
{
    if (message.rank) {
        return message.gpu ? say("Rank {} (GPU {}) ran out of memory", *message.rank, *message.gpu)
                           : say("Rank {} (its GPU) ran out of memory", *message.rank);
    }
    return message.gpu ? say("GPU {} ran out of memory", *message.gpu)
                       : say("The GPU ran out of memory");
}

std::string headlineOf(const TextCase& in, const CauseFinding& first)
{
    // A bare text shows neither in which pass it died nor what was made just then.
    const bool is_bare = in.message == nullptr || in.message->is_bare;
    const bool knows_pass = !is_bare && (in.frame || in.findings.mentions_backward);
    const std::string_view key = first.cause == Cause::activations && !knows_pass
        ? "activations-batch"
        : first.cause == Cause::optimizer_state && is_bare ? "optimizer-state-held"
        : first.cause == Cause::model_states && factsOf(in, first.cause).runsForwardOnly()
        ? "weights"
        : causeId(first.cause);
    const auto found = explainTexts().headlines.find(key);
    const TrapMatch* const trap = decidingTrap(in, {first});
    const std::string words = trap != nullptr     ? claimOf(*trap->trap)
        : found == explainTexts().headlines.end() ? std::string(causeTitle(first.cause))
                                                  : filledIn(found->second, in.figures());
    if (in.message != nullptr && first.cause != Cause::host_memory
        && first.cause != Cause::not_gpu_memory && first.cause != Cause::pinned_host
        && first.cause != Cause::not_capacity && first.cause != Cause::hidden_oom) {
        const std::string who = whoRanOut(*in.message);
        return fmt::format("{}: {}",
                           in.findings.went_on ? say("{}, but the run went on", who) : who, words);
    }
    std::string headline = words;
    if (!headline.empty() && headline[0] >= 'a' && headline[0] <= 'z') {
        headline[0] = static_cast<char>(headline[0] - 'a' + 'A');
    }
    return headline;
}

/// Which ranks wrote messages, where there are several.
std::string ranksSentence(const TextCase& in)
{
    const auto& messages = in.findings.messages;
    std::set<std::int64_t> ranks;
    for (const OomMessage& message : messages) {
        if (message.rank) {
            ranks.insert(*message.rank);
        }
    }
    if (messages.size() < 2 || ranks.size() < 2) {
        return {};
    }
    static constexpr std::size_t kMostNamed = 8;
    const auto end = ranks.size() > kMostNamed ? std::next(ranks.begin(), kMostNamed) : ranks.end();
    const std::string numbers = fmt::format("{}", fmt::join(ranks.begin(), end, ", "));
    const std::string names =
        end == ranks.end() ? say("ranks {}", numbers) : say("ranks {} and others", numbers);
    const OomMessage& first = messages.front();
    return in.sentence(
        "ranks",
        {{"count", formatCount(static_cast<std::int64_t>(messages.size()))},
         {"ranks", names},
         {"first", formatCount(in.findings.message_lines.front())},
         {"who", first.rank ? say("rank {}", *first.rank) : say("an unnamed rank")}});
}

std::string explanationOf(const TextCase& in)
{
    std::vector<std::string> sentences = proofSentences(in);
    if (std::string ranks = ranksSentence(in); !ranks.empty()) {
        sentences.push_back(std::move(ranks));
    }
    if (const std::optional<WentOn>& went_on = in.findings.went_on) {
        sentences.push_back(
            in.sentence(went_on->step.empty() ? "finished" : "went-on",
                        {{"step", went_on->step}, {"line", formatCount(went_on->line)}}));
    }
    if (in.message != nullptr && !in.message->is_bare) {
        for (const LogEvent& event : in.findings.events) {
            const bool is_own =
                event.kind == LogEventKind::vllm_cache || event.kind == LogEventKind::vllm_busy;
            if (!is_own) {
                const bool is_host = event.kind == LogEventKind::host_killed
                    || event.kind == LogEventKind::host_refused
                    || event.kind == LogEventKind::shared_memory;
                sentences.push_back(in.sentence(is_host ? "also-host" : "also", lineOf(event)));
            }
        }
    }
    return fmt::format("{}", fmt::join(sentences, " "));
}

std::string fixHeadline(const std::vector<Fix>& fixes, const TextCase& in)
{
    std::string titles;
    for (const Fix& fix : fixes) {
        if (fix.status == FixStatus::recommended) {
            titles = titles.empty() ? fix.title : say("{}; or {}", titles, fix.title);
        }
    }
    if (!titles.empty()) {
        return say("Try first: {}", titles);
    }
    return in.message == nullptr
        ? std::string()
        : say("Record a snapshot to see what filled the GPU and which fix frees enough");
}

} // namespace

const ExplainTexts& explainTexts()
{
    static const ExplainTexts kTexts = parseTexts();
    return kTexts;
}

Figures TextCase::figures() const
{
    Figures figures;
    const auto put = [&](const char* name, const std::optional<PrintedRange>& range) {
        if (range) {
            figures[name] = Bytes{range->mid};
        }
    };
    put("tried", proof.tried);
    put("total", proof.total);
    put("free", proof.free);
    put("allocated", proof.allocated);
    put("allowed", proof.allowed);
    put("reserved", proof.reserved);
    put("unallocated", proof.unallocated);
    put("gap", proof.own_outside);
    put("held_here", proof.held);
    put("others", proof.others ? proof.others : proof.own ? proof.unnamed : proof.outside);
    figures.try_emplace("others", proof.allocated ? say("nearly all") : say("an unstated amount"));
    put("short", proof.short_by);
    put("beyond", proof.beyond_free);
    put("unaccounted", proof.unaccounted);
    figures["share"] = formatPercent(proof.cached_share);
    figures["count"] =
        sayCounted(static_cast<std::int64_t>(proof.other_count), "another process", "{} others",
                   formatCount(static_cast<std::int64_t>(proof.other_count)));
    if (message != nullptr) {
        const auto field = [&](const char* name, const std::optional<Bytes>& bytes) {
            if (bytes) {
                figures[name] = *bytes;
            }
        };
        put("process", proof.own);
        field("private", message->private_pools);
        field("reserve", message->reserve);
    }
    if (proof.above_capacity) {
        const bool by_reserved =
            proof.reserved && (!proof.allocated || proof.reserved->mid > proof.allocated->mid);
        put("held", by_reserved ? proof.reserved : proof.allocated);
        figures["resident"] = proof.free
            ? Figure(Bytes{std::max<std::int64_t>(0, proof.total->mid - proof.free->mid)})
            : Figure(say("less"));
    }
    if (message != nullptr && message->is_absurd) {
        figures["tried"] = say("more than 1 EiB");
    }
    const bool in_backward =
        frame ? frame->evidence == "frame-backward" : findings.mentions_backward;
    figures["pass"] = in_backward ? say("backward") : say("forward");
    figures.try_emplace("gap", say("the requested amount"));
    // What the message does not state is not claimed.
    for (const char* name : {"tried", "total", "free", "allocated", "reserved", "unallocated",
                             "allowed", "private", "reserve", "process", "held", "resident"}) {
        figures.try_emplace(name, say("an unstated amount"));
    }
    return figures;
}

std::string TextCase::sentence(std::string_view name, const Figures& more) const
{
    const auto found = explainTexts().evidence.find(name);
    assert(found != explainTexts().evidence.end());
    Figures all = figures();
    for (const auto& [key, value] : more) {
        all.insert_or_assign(key, value);
    }
    return filledIn(found->second, all);
}

double TextCase::shareOfCard(std::int64_t bytes) const
{
    const std::int64_t card = proof.total ? proof.total->mid : capacity ? capacity->value : 0;
    return card <= 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(card);
}

Explanation explain(std::string_view text, const ExplainOptions& options)
{
    Explanation result;
    result.findings = readLog(text);
    TextCase in{text, result.findings, nullptr, {}, {}, options.capacity, {}};
    in.run = statedRun(text);
    if (result.findings.main) {
        result.findings.went_on = wentOn(text, result.findings);
        result.message = result.findings.messages[*result.findings.main];
        in.message = &*result.message;
        const OomMessage full =
            completedBy(*result.message, result.findings.readings, in.filled_in);
        in.proof = prove(full,
                         full.processes.size() > result.message->processes.size() ? Listed::every
                                                                                  : Listed::others);
        in.match = matchSize(*result.message, result.findings.factors);
    }
    in.situation = situationOf(text, in.message != nullptr ? in.message->offset : text.size());
    if (in.message != nullptr) {
        in.frame = frameFinding(in);
    }
    const KnownCapacity capacity = capacityOf(in.proof, options);
    in.capacity = result.capacity = capacity.bytes;
    result.capacity_source = capacity.source;
    in.traps =
        matchTraps(result.findings.trap_signs,
                   {text, in.message, !result.findings.events.empty(), mentionsMemory(text)});
    const auto valueOf = [](const std::optional<PrintedRange>& range) {
        return range ? range->mid : 0;
    };
    result.need = Bytes{valueOf(in.proof.allocated) + valueOf(in.proof.tried)};
    result.overhead = Bytes{valueOf(in.proof.unallocated)};
    result.causes = causesOf(in);
    result.headline = headlineOf(in, result.causes.front());
    result.explanation = explanationOf(in);
    result.fixes = fixesOf(in, result.causes);
    if (const TrapMatch* const match = decidingTrap(in, result.causes)) {
        result.trap = {match->trap->id, std::string(translated(match->trap->next)),
                       match->trap->source};
        CauseFinding& first = result.causes.front();
        first.to_be_sure = result.trap->next;
        if (first.evidence.size() > 1) { // the headline says it
            std::erase_if(first.evidence, [&](const Evidence& evidence) {
                return evidence.text == translated(match->trap->say);
            });
        }
        applyTrap(in, *match, factsOf(in, result.causes.front().cause), result.fixes);
    }
    result.ending = endingOf(in, result.causes, result.fixes);
    result.fix_headline = fixHeadline(result.fixes, in);
    return result;
}

} // namespace tidemark::diagnose
