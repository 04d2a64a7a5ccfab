// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/texts.h"

#include "core/base/beside.h"
#include "core/base/format.h"
#include "core/base/language.h"
#include "resources/causes.json.h"
#include "resources/fixes.json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cassert>
#include <span>

namespace tidemark::diagnose {
namespace {

using Json = nlohmann::ordered_json;

// The files are embedded at build time, so a mistake in them is found by the tests, not by a user.

std::map<std::string, CauseText, std::less<>> parseCauses()
{
    std::map<std::string, CauseText, std::less<>> causes;
    const Json file = Json::parse(resources::causesJson());
    for (const auto& [id, entry] : file.at("causes").items()) {
        CauseText text{entry.at("title"), entry.at("headline"), {}, entry.at("sure"), {}};
        if (const auto myth = entry.find("myth"); myth != entry.end()) {
            text.myth = file.at("myths").at(myth->get<std::string>());
        }
        for (const auto& [name, sentence] : entry.at("evidence").items()) {
            text.evidence.emplace(name, sentence.get<std::string>());
        }
        causes.emplace(id, std::move(text));
    }
    return causes;
}

/// What a fix costs and asks for.
void readTerms(const Json& entry, FixText& text)
{
    text.group = entry.value("group", "");
    text.cost = entry.at("cost");
    text.verify = entry.at("verify");
    for (const Json& sentence : entry.at("conflicts")) {
        text.conflicts.push_back(sentence);
    }
    const Json& needs = entry.at("needs");
    text.needs.torch = needs.value("torch", "");
    text.needs.gpu = needs.value("gpu", "");
    text.needs.other = needs.value("other", "");
}

std::vector<FixText> parseFixes()
{
    std::vector<FixText> fixes;
    const Json file = Json::parse(resources::fixesJson());
    for (const Json& entry : file.at("fixes")) {
        FixText text = fixTextOf(entry);
        text.missing = entry.at("missing");
        text.already = entry.value("already", "");
        text.apply = entry.value("apply", std::vector<std::string>{});
        readTerms(entry, text);
        fixes.push_back(std::move(text));
    }
    return fixes;
}

} // namespace

FixText fixTextOf(const Json& entry)
{
    FixText text;
    text.id = entry.at("id");
    text.knowledge = entry.at("knowledge");
    text.cost_rank = entry.at("rung");
    text.changes_science = entry.at("changes_science");
    text.title = entry.at("title");
    text.why = entry.at("why");
    text.why_needs_nothing = entry.value("why_needs_nothing", false);
    for (const auto& [framework, line] : entry.at("how").items()) {
        text.how.emplace_back(framework, line.get<std::string>());
    }
    return text;
}

namespace {

/// Calls `each` with every «name» and what stands before it; returns what is behind the last.
template <typename Each>
std::string_view eachName(std::string_view text, const Each& each)
{
    static constexpr std::string_view kOpen = "«";
    static constexpr std::string_view kClose = "»";
    while (true) {
        const std::size_t open = text.find(kOpen);
        const std::size_t close = open == std::string_view::npos ? open : text.find(kClose, open);
        if (close == std::string_view::npos) {
            return text;
        }
        each(text.substr(0, open), text.substr(open + kOpen.size(), close - open - kOpen.size()));
        text.remove_prefix(close + kClose.size());
    }
}

template <typename Shown>
std::string filled(std::string_view text, const Figures& figures, const Shown& shown)
{
    std::vector<Bytes> sizes;
    eachName(text, [&](std::string_view, std::string_view name) {
        const auto figure = figures.find(name);
        if (figure != figures.end() && figure->second.bytes) {
            sizes.push_back(*figure->second.bytes);
        }
    });
    const OneUnit unit = unitOfSentence(sizes);
    std::string result;
    result += eachName(text, [&](std::string_view before, std::string_view name) {
        const auto figure = figures.find(name);
        result += before;
        if (figure == figures.end()) {
            result += fmt::format("«{}»", name);
        } else if (const auto& bytes = figure->second.bytes) {
            result += bytes->value == 0 ? say("nothing") : unit(*bytes);
        } else {
            result += shown(figure->second.text);
        }
    });
    return result;
}

} // namespace

std::string filledIn(std::string_view text, const Figures& figures)
{
    return filled(translated(text), figures, translated);
}

std::string lineFilledIn(std::string_view line, const Figures& figures)
{
    return filled(line, figures, [](std::string_view figure) { return figure; });
}

const CauseText& causeText(Cause cause)
{
    static const auto kTexts = parseCauses();
    const auto found = kTexts.find(causeId(cause));
    assert(found != kTexts.end());
    return found->second;
}

std::string_view causeTitle(Cause cause)
{
    return translated(causeText(cause).title);
}

std::string evidenceText(Cause cause, std::string_view name, const Figures& figures)
{
    const auto& evidence = causeText(cause).evidence;
    const auto found = evidence.find(name);
    assert(found != evidence.end());
    return filledIn(found->second, figures);
}

void sayWhatWouldHelp(std::vector<CauseFinding>& causes)
{
    for (CauseFinding& finding : causes) {
        if (finding.score < kSure || finding.cause == Cause::unclear) {
            finding.to_be_sure = translated(causeText(finding.cause).sure);
        }
    }
}

void addTerms(const FixText& text, Fix& fix)
{
    fix.cost = translated(text.cost);
    fix.verify = translated(text.verify);
    for (const std::string& conflict : text.conflicts) {
        fix.conflicts.emplace_back(translated(conflict));
    }
    fix.needs = text.needs;
    fix.needs.gpu = translated(text.needs.gpu);
    fix.needs.other = translated(text.needs.other);
}

const std::vector<FixText>& fixTexts()
{
    static const std::vector<FixText> kFixes = parseFixes();
    return kFixes;
}

} // namespace tidemark::diagnose
