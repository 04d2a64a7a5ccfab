// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/fix_cases.h"

#include "core/base/language.h"
#include "core/message/texts.h"
#include "resources/fixes.json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace tidemark::diagnose {
namespace {

using Json = nlohmann::ordered_json;

// The file is embedded at build time, so a mistake in it is found by the tests, not by a user.

/// The value of an enumeration up to `last` whose id is `id`.
template <class Enum, class IdOf>
Enum named(std::string_view id, Enum last, const IdOf& idOf)
{
    for (int value = 0; value <= static_cast<int>(last); ++value) {
        if (idOf(static_cast<Enum>(value)) == id) {
            return static_cast<Enum>(value);
        }
    }
    throw std::invalid_argument("fixes.json: no such name: " + std::string(id));
}

std::vector<FixCase> parseCases()
{
    std::vector<FixCase> cases;
    const Json file = Json::parse(resources::fixesJson());
    for (const Json& fix : file.at("fixes")) {
        const Json& entry = fix.at("when");
        FixCase row;
        row.fix = fix.at("id");
        for (const std::string run : entry.at("runs")) {
            if (run != "any") {
                row.runs.push_back(named(run, RunCase::generation, runCaseId));
            }
        }
        for (const std::string phase : entry.value("phases", Json::array())) {
            row.phases.push_back(label::phaseFromId(phase).value());
        }
        for (const std::string cause : entry.value("not_if", Json::array())) {
            row.not_if.push_back(named(cause, Cause::unclear, causeId));
        }
        for (const std::string cause : entry.value("cures", Json::array())) {
            row.cures.push_back(named(cause, Cause::unclear, causeId));
        }
        cases.push_back(std::move(row));
    }
    return cases;
}

template <class Value>
bool has(const std::vector<Value>& values, Value value)
{
    return std::ranges::find(values, value) != values.end();
}

} // namespace

const std::vector<FixCase>& fixCases()
{
    static const std::vector<FixCase> kCases = parseCases();
    return kCases;
}

const FixCase* fixCase(std::string_view fix)
{
    const auto found = std::ranges::find(fixCases(), fix, &FixCase::fix);
    return found == fixCases().end() ? nullptr : &*found;
}

std::string whyNotOfCase(const FixCase& row, const CaseAtMoment& at)
{
    if (at.run == RunCase::unknown) {
        return {};
    }
    if (!row.runs.empty() && !has(row.runs, at.run)) {
        return say("No effect {}.", runCaseWords(at.run));
    }
    if (!row.phases.empty() && !has(row.phases, at.phase)) {
        return say("No effect in this phase ({}).", label::phaseId(at.phase));
    }
    if (at.first && has(row.not_if, *at.first)) {
        return say("It does not address the cause, {}.", causeTitle(*at.first));
    }
    return {};
}

} // namespace tidemark::diagnose
