// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/corrections_json.h"

#include "core/base/json_depth.h"
#include "core/base/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace tidemark::label {
namespace {

using Json = nlohmann::ordered_json;

/// Thrown inside this file only.
struct BadRule {
    std::string sentence;
};

[[noreturn]] void fail(const std::string& place, std::string_view what)
{
    throw BadRule{fmt::format("{}: {}.", place, what)};
}

template <std::size_t N>
void checkKeys(const Json& object, const std::string& place,
               const std::array<std::string_view, N>& known)
{
    if (!object.is_object()) {
        fail(place, say("it must be an object with keys in braces"));
    }
    for (const auto& item : object.items()) {
        if (std::ranges::find(known, item.key()) == known.end()) {
            fail(place, say("'{}' is not a key here; use {}", item.key(), fmt::join(known, ", ")));
        }
    }
}

std::string textOf(const Json& value, const std::string& place)
{
    if (!value.is_string()) {
        fail(place, say("it must be a quoted string"));
    }
    return value.get<std::string>();
}

/// A text that says something.
std::string wordsOf(const Json& value, const std::string& place)
{
    std::string words = textOf(value, place);
    if (words.empty()) {
        fail(place, say("it must not be empty; leave the key out instead"));
    }
    return words;
}

std::int64_t integerOf(const Json& value, const std::string& place, std::int64_t least,
                       std::int64_t most)
{
    const bool is_whole = value.is_number_integer()
        && !(value.is_number_unsigned()
             && value.get<std::uint64_t>()
                 > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    const std::int64_t number = is_whole ? value.get<std::int64_t>() : least;
    if (!is_whole || number < least || number > most) {
        fail(place, say("it must be an integer from {} to {}", least, most));
    }
    return number;
}

Bytes bytesOf(const Json& value, const std::string& place)
{
    return {integerOf(value, place, 0, std::int64_t{1} << 62)};
}

Address addressOf(const Json& value, const std::string& place)
{
    if (value.is_number_unsigned()) {
        return value.get<std::uint64_t>();
    }
    const std::string text = value.is_string() ? value.get<std::string>() : std::string();
    Address address = 0;
    const char* const last = text.data() + text.size();
    const bool is_hex = text.starts_with("0x") && text.size() > 2;
    const auto parsed = is_hex ? std::from_chars(text.data() + 2, last, address, 16)
                               : std::from_chars_result{text.data(), std::errc::invalid_argument};
    if (parsed.ec != std::errc() || parsed.ptr != last) {
        fail(place, say("it must be an address, as a number or such as \"0x7f0000000000\""));
    }
    return address;
}

std::int32_t deviceOf(const Json& value, const std::string& place)
{
    if (value == "host") {
        return -1;
    }
    if (!value.is_number_integer()) {
        fail(place, say("it must be a CUDA index such as 0, or \"host\""));
    }
    return static_cast<std::int32_t>(integerOf(value, place, -1, 1 << 20));
}

Bucket bucketOf(const Json& value, const std::string& place)
{
    const std::string id = textOf(value, place);
    const auto bucket = bucketFromId(id);
    if (!bucket) {
        fail(place, say("'{}' is not a bucket; use {}", id, fmt::join(bucketIds(), ", ")));
    }
    return *bucket;
}

Phase phaseOf(const Json& value, const std::string& place)
{
    const std::string id = textOf(value, place);
    const auto phase = phaseFromId(id);
    if (!phase) {
        fail(place, say("'{}' is not a phase; use {}", id, fmt::join(phaseIds(), ", ")));
    }
    return *phase;
}

/// A role that the bucket can have.
Role roleOf(const Json& value, const std::string& place, Bucket bucket)
{
    const std::string id = textOf(value, place);
    if (id == "none") {
        return Role::none;
    }
    const std::span<const Role> roles = rolesOf(bucket);
    const auto role = roleFromId(id);
    if (!role || std::ranges::find(roles, *role) == roles.end()) {
        std::vector<std::string_view> ids{"none"};
        std::ranges::transform(roles, std::back_inserter(ids), roleId);
        fail(place,
             say("'{}' is not a role of bucket {}; use {}", id, bucketId(bucket),
                 fmt::join(ids, ", ")));
    }
    return *role;
}

std::vector<FrameText> stackOf(const Json& value, const std::string& place)
{
    static constexpr std::array<std::string_view, 3> kKeys{"name", "filename", "line"};
    if (!value.is_array() || value.empty()) {
        fail(place, say("it must be a list of frames in brackets, innermost first"));
    }
    std::vector<FrameText> stack;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string at = fmt::format("{}[{}]", place, i);
        checkKeys(value[i], at, kKeys);
        if (!value[i].contains("name") || !value[i].contains("filename")) {
            fail(at, say("a frame needs a \"name\" and a \"filename\""));
        }
        FrameText frame{textOf(value[i]["name"], at + ".name"),
                        textOf(value[i]["filename"], at + ".filename"), 0};
        if (value[i].contains("line")) {
            frame.line = static_cast<std::int32_t>(
                integerOf(value[i]["line"], at + ".line", 0, std::numeric_limits<int>::max()));
        }
        stack.push_back(std::move(frame));
    }
    return stack;
}

void readCondition(CorrectionMatch& match, const std::string& key, const Json& value,
                   const std::string& place)
{
    if (key == "device") {
        match.device = deviceOf(value, place);
    } else if (key == "alloc_event") {
        match.alloc_event =
            integerOf(value, place, -1, std::numeric_limits<std::uint32_t>::max() - 1);
    } else if (key == "address") {
        match.address = addressOf(value, place);
    } else if (key == "stack") {
        match.stack = stackOf(value, place);
    } else if (key == "function") {
        match.function = wordsOf(value, place);
    } else if (key == "file") {
        match.file = wordsOf(value, place);
    } else if (key == "bytes") {
        match.bytes = bytesOf(value, place);
    } else if (key == "min_bytes") {
        match.min_bytes = bytesOf(value, place);
    } else if (key == "max_bytes") {
        match.max_bytes = bytesOf(value, place);
    } else if (key == "bucket") {
        match.bucket = bucketOf(value, place);
    } else if (key == "phase") {
        match.phase = phaseOf(value, place);
    } else {
        match.rule = wordsOf(value, place);
    }
}

CorrectionMatch matchOf(const Json& value, const std::string& place)
{
    static constexpr std::array<std::string_view, 12> kKeys{
        "device", "alloc_event", "address",   "stack",  "function", "file",
        "bytes",  "min_bytes",   "max_bytes", "bucket", "phase",    "rule"};
    checkKeys(value, place, kKeys);
    CorrectionMatch match;
    for (const auto& item : value.items()) {
        readCondition(match, item.key(), item.value(), place + '.' + item.key());
    }
    if (match.isEmpty()) {
        fail(place, say("it has no condition, so the rule would relabel everything"));
    }
    return match;
}

void readLabel(Correction& rule, const Json& value, const std::string& place)
{
    if (!value.contains("match") || !value.contains("bucket")) {
        fail(place,
             say("a rule needs a \"match\" and a \"bucket\", or a \"dimension\" and a \"value\""));
    }
    rule.match = matchOf(value["match"], place + ".match");
    rule.bucket = bucketOf(value["bucket"], place + ".bucket");
    if (value.contains("role")) {
        rule.role = roleOf(value["role"], place + ".role", rule.bucket);
    }
}

program::DimensionName dimensionOf(const Json& value, const std::string& place)
{
    const std::string id = textOf(value, place);
    const auto name = program::dimensionFromId(id);
    if (!name) {
        std::vector<std::string_view> ids;
        for (std::size_t i = 0; i < program::kDimensionCount; ++i) {
            ids.push_back(program::idOf(static_cast<program::DimensionName>(i)));
        }
        fail(place, say("'{}' is not a dimension; use {}", id, fmt::join(ids, ", ")));
    }
    return *name;
}

void readDimension(Correction& rule, const Json& value, const std::string& place)
{
    static constexpr std::array<std::string_view, 1> kMatchKeys{"device"};
    if (!value.contains("dimension") || !value.contains("value")) {
        fail(place, say("a rule about a dimension needs a \"dimension\" and a \"value\""));
    }
    if (value.contains("bucket") || value.contains("role")) {
        fail(place, say("a rule cannot have both a bucket and a dimension"));
    }
    if (value.contains("match")) {
        checkKeys(value["match"], place + ".match", kMatchKeys);
        if (!value["match"].empty()) {
            rule.match = matchOf(value["match"], place + ".match");
        }
    }
    const auto name = dimensionOf(value["dimension"], place + ".dimension");
    rule.dimension = program::SaidDimension{
        name, integerOf(value["value"], place + ".value", 1, program::mostOf(name))};
}

Correction ruleOf(const Json& value, const std::string& place)
{
    static constexpr std::array<std::string_view, 7> kKeys{"id",        "match", "bucket", "role",
                                                           "dimension", "value", "note"};
    checkKeys(value, place, kKeys);
    Correction rule;
    if (value.contains("dimension") || value.contains("value")) {
        readDimension(rule, value, place);
    } else {
        readLabel(rule, value, place);
    }
    if (value.contains("id")) {
        rule.id = wordsOf(value["id"], place + ".id");
    }
    if (value.contains("note")) {
        rule.note = textOf(value["note"], place + ".note");
    }
    return rule;
}

std::vector<Correction> rulesOf(const Json& root)
{
    static constexpr std::array<std::string_view, 2> kKeys{"tidemark_rules", "rules"};
    if (!root.is_object() || !root.contains("tidemark_rules")) {
        throw BadRule{
            say("Not a rules file: it must begin with {{\"tidemark_rules\": 1, \"rules\": […]}}.")};
    }
    if (root["tidemark_rules"] != kRulesVersion) {
        fail("tidemark_rules",
             say("this program reads only rules files of version {}", kRulesVersion));
    }
    checkKeys(root, say("The file"), kKeys);
    if (!root.contains("rules") || !root["rules"].is_array()) {
        fail("rules", say("it must be a list of rules in brackets"));
    }
    const Json& list = root["rules"];
    if (list.size() > kMostRules) {
        fail("rules", say("{} rules, but only {} are read", list.size(), kMostRules));
    }
    std::vector<Correction> rules;
    for (std::size_t i = 0; i < list.size(); ++i) {
        rules.push_back(ruleOf(list[i], fmt::format("rules[{}]", i)));
    }
    return rules;
}

/// Where in a text a parser gave up.
std::string placeIn(std::string_view text, std::size_t byte)
{
    const std::string_view before = text.substr(0, std::min(text.size(), byte == 0 ? 0 : byte - 1));
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t begin = before.rfind('\n');
    const std::size_t column =
        before.size() - (begin == std::string_view::npos ? 0 : begin + 1) + 1;
    return say("line {}, column {}", line, column);
}

} // namespace

Result<std::vector<Correction>> parseCorrections(std::string_view text)
{
    if (text.size() > kMostRulesText) {
        return Error{ErrorCode::badArgument, say("Too long for a rules file."), {}};
    }
    try {
        return rulesOf(Json::parse(text, limitJsonDepth));
    } catch (const BadRule& bad) {
        return Error{ErrorCode::badArgument, bad.sentence, {}};
    } catch (const JsonTooDeep&) {
        return Error{ErrorCode::badArgument, say("Nested too deep for a rules file."), {}};
    } catch (const Json::parse_error& error) {
        return Error{ErrorCode::badArgument, say("Invalid JSON at {}.", placeIn(text, error.byte)),
                     error.byte};
    } catch (const Json::exception&) { // A number beyond what the parser holds.
        return Error{ErrorCode::badArgument, say("A number is too large."), {}};
    }
}

nlohmann::ordered_json matchJson(const CorrectionMatch& match)
{
    Json json = Json::object();
    if (match.device) {
        json["device"] = *match.device < 0 ? Json("host") : Json(*match.device);
    }
    if (match.alloc_event) {
        json["alloc_event"] = *match.alloc_event;
    }
    if (match.address) {
        json["address"] = *match.address;
    }
    for (const FrameText& frame : match.stack) {
        json["stack"].push_back(
            {{"name", frame.name}, {"filename", frame.filename}, {"line", frame.line}});
    }
    const auto addText = [&json](const char* key, std::string_view text) {
        if (!text.empty()) {
            json[key] = text;
        }
    };
    addText("function", match.function);
    addText("file", match.file);
    const auto addBytes = [&json](const char* key, const std::optional<Bytes>& bytes) {
        if (bytes) {
            json[key] = bytes->value;
        }
    };
    addBytes("bytes", match.bytes);
    addBytes("min_bytes", match.min_bytes);
    addBytes("max_bytes", match.max_bytes);
    addText("bucket", match.bucket ? bucketId(*match.bucket) : "");
    addText("phase", match.phase ? phaseId(*match.phase) : "");
    addText("rule", match.rule);
    return json;
}

std::string correctionsText(std::span<const Correction> rules)
{
    Json list = Json::array();
    for (const Correction& rule : rules) {
        Json json = Json::object();
        if (!rule.id.empty()) {
            json["id"] = rule.id;
        }
        if (!rule.match.isEmpty() || !rule.dimension) {
            json["match"] = matchJson(rule.match);
        }
        if (rule.dimension) {
            json["dimension"] = program::idOf(rule.dimension->name);
            json["value"] = rule.dimension->value;
        } else {
            json["bucket"] = bucketId(rule.bucket);
        }
        if (rule.role) {
            json["role"] = *rule.role == Role::none ? "none" : roleId(*rule.role);
        }
        if (!rule.note.empty()) {
            json["note"] = rule.note;
        }
        list.push_back(std::move(json));
    }
    const Json root = {{"tidemark_rules", kRulesVersion}, {"rules", std::move(list)}};
    return root.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace tidemark::label
