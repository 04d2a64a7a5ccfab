// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/texts.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "resources/causes.json.h"
#include "resources/fixes.json.h"

#include <nlohmann/json.hpp>

#include <cassert>

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

/// What a remedy costs and asks for.
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
    text.rung = entry.at("rung");
    text.changes_science = entry.at("changes_science");
    text.title = entry.at("title");
    text.why = entry.at("why");
    for (const auto& [framework, line] : entry.at("how").items()) {
        text.how.emplace_back(framework, line.get<std::string>());
    }
    return text;
}

namespace {

template <typename Shown>
std::string filled(std::string_view text, const Figures& figures, const Shown& shown)
{
    static constexpr std::string_view kOpen = "«";
    static constexpr std::string_view kClose = "»";
    std::string result;
    while (true) {
        const std::size_t open = text.find(kOpen);
        const std::size_t close = open == std::string_view::npos ? open : text.find(kClose, open);
        if (close == std::string_view::npos) {
            return result.append(text);
        }
        const std::string_view name = text.substr(open + kOpen.size(), close - open - kOpen.size());
        const auto figure = figures.find(name);
        result.append(text.substr(0, open));
        if (figure == figures.end()) {
            result.append(text.substr(open, close + kClose.size() - open));
        } else {
            result.append(shown(figure->second));
        }
        text.remove_prefix(close + kClose.size());
    }
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

std::string sizeText(Bytes bytes)
{
    static constexpr std::int64_t kInGiB = 102LL << 20; // a tenth
    return bytes.value == 0     ? say("nothing")
        : bytes.value >= kInGiB ? formatGiB(bytes)
                                : formatBytes(bytes);
}

std::string sizeText(Bytes least, Bytes most)
{
    const std::string from = sizeText(least);
    const std::string to = sizeText(most);
    return from == to ? from : say("{} to {}", from, to);
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
