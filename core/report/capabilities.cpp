// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/capabilities.h"

#include "core/base/language.h"
#include "core/diagnose/predict/change_words.h"
#include "core/label/bucket.h"
#include "core/label/label_rules.h"
#include "core/message/texts.h"
#include "core/query/keys.h"
#include "core/query/order.h"

#include <array>
#include <string>
#include <vector>

namespace tidemark::report {
namespace {

/// A word that the program knows; `what` may be empty.
Json wordJson(std::string_view id, std::string_view title, std::string_view what)
{
    Json word = {{"id", id}, {"title", translated(title)}};
    if (!what.empty()) {
        word["what"] = translated(what);
    }
    return word;
}

Json bucketList()
{
    Json words = Json::array();
    for (const label::BucketInfo& info : label::kBuckets) {
        Json word = wordJson(info.id, info.name, info.what);
        word["colour"] = info.colour;
        word["roles"] = Json::array();
        for (const label::Role role : label::rolesOf(info.bucket)) {
            word["roles"].push_back(label::roleId(role));
        }
        words.push_back(std::move(word));
    }
    return words;
}

Json roleList()
{
    Json words = Json::array();
    for (const label::RoleInfo& info : label::kRoles) {
        if (info.role != label::Role::none) {
            words.push_back(wordJson(info.id, info.name, info.what));
        }
    }
    return words;
}

Json phaseList()
{
    Json words = Json::array();
    for (const label::PhaseInfo& info : label::kPhases) {
        words.push_back(wordJson(info.id, info.name, {}));
        words.back()["colour"] = info.colour;
    }
    return words;
}

/// How sure each rule of labels is, in percent.
Json ruleList()
{
    Json words = Json::array();
    for (const label::RuleInfo& info : label::kRules) {
        words.push_back(wordJson(info.id, info.what, {}));
        words.back()["confidence"] = info.confidence;
        words.back()["confidence_without_frames"] = info.without_frames;
    }
    return words;
}

Json causeList()
{
    Json words = Json::array();
    for (const diagnose::CauseInfo& info : diagnose::kCauses) {
        words.push_back(wordJson(info.id, diagnose::causeText(info.cause).title, {}));
    }
    return words;
}

Json changeList()
{
    Json words = Json::array();
    for (const diagnose::ChangeWord& word : diagnose::changeWords()) {
        words.push_back(wordJson(word.id, word.title, word.help));
        words.back()["apply"] = diagnose::grammarOf(word);
    }
    return words;
}

Json fixList()
{
    Json words = Json::array();
    for (const diagnose::FixText& fix : diagnose::fixTexts()) {
        words.push_back(wordJson(fix.id, fix.title, {}));
    }
    return words;
}

Json columnList()
{
    Json words = Json::array();
    for (const query::ColumnInfo& info : query::kColumns) {
        words.push_back(wordJson(info.id, info.title, {}));
    }
    return words;
}

Json queryKeyList()
{
    Json words = Json::array();
    for (const query::KeyInfo& info : query::keyTable()) {
        words.push_back(wordJson(info.name, info.what, {}));
        words.back()["example"] = info.example;
    }
    return words;
}

/// A list of words: its key in JSON, its heading for people.
struct Vocabulary {
    std::string_view key;
    std::string_view title;
    Json (*words)();
};
constexpr std::array kVocabularies{
    Vocabulary{"buckets", toSay("Buckets"), bucketList},
    Vocabulary{"roles", toSay("Roles"), roleList},
    Vocabulary{"phases", toSay("Phases"), phaseList},
    Vocabulary{"rules", toSay("Rules of labels"), ruleList},
    Vocabulary{"causes", toSay("Causes"), causeList},
    Vocabulary{"changes", toSay("Changes of predict"), changeList},
    Vocabulary{"fixes", toSay("Fixes"), fixList},
    Vocabulary{"columns", toSay("Columns of allocations"), columnList},
    Vocabulary{"query_keys", toSay("Keys of a query"), queryKeyList},
};

} // namespace

Json capabilitiesJson(std::string_view version)
{
    Json all = {{"version", version}};
    for (const Vocabulary& vocabulary : kVocabularies) {
        all[std::string(vocabulary.key)] = vocabulary.words();
    }
    return all;
}

Document capabilitiesDocument()
{
    Document document;
    for (const Vocabulary& vocabulary : kVocabularies) {
        Table table{{{}, {}, {}}, {}, {}};
        for (const Json& word : vocabulary.words()) {
            table.rows.push_back({word.at("id"), word.at("title"), word.value("what", "")});
        }
        dropEmptyColumn(table, 2);
        document.sections.push_back(
            {std::string(translated(vocabulary.title)), {std::move(table)}});
    }
    return document;
}

} // namespace tidemark::report
