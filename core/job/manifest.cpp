// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/manifest.h"

#include "core/base/json_depth.h"
#include "core/base/language.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tidemark::job {
namespace fs = std::filesystem;

namespace {

using ManifestJson = nlohmann::json;

Error brokenManifest(const std::string& why)
{
    return {ErrorCode::damaged, say("The job's manifest is broken ({}); fix it.", why), {}};
}

/// None: there is no such key. Sets `error` for what is no number of that range.
std::optional<std::int64_t> whole(const ManifestJson& json, const char* key, std::int64_t most,
                                  std::string& error)
{
    const auto at = json.find(key);
    if (at == json.end() || at->is_null()) {
        return std::nullopt;
    }
    if (!at->is_number_integer() || at->get<std::int64_t>() < 0 || at->get<std::int64_t>() > most) {
        error = say("\"{}\" is not an integer", key);
        return std::nullopt;
    }
    return at->get<std::int64_t>();
}

std::string textOf(const ManifestJson& json, const char* key, std::string& error)
{
    const auto at = json.find(key);
    if (at == json.end() || at->is_null()) {
        return {};
    }
    if (!at->is_string()) {
        error = say("\"{}\" is not a string", key);
        return {};
    }
    return at->get<std::string>();
}

/// Over what the file's name says; the first thing that is wrong, else empty.
std::string addStated(const ManifestJson& entry, DumpName& name)
{
    constexpr std::int64_t kMostStated = 10'000'000;
    std::string error;
    if (const auto rank = whole(entry, "rank", kMostStated, error)) {
        name.rank = static_cast<std::uint32_t>(*rank);
    }
    if (const auto world = whole(entry, "world_size", kMostStated, error)) {
        name.world_size = static_cast<std::uint32_t>(*world);
    }
    const std::string host = textOf(entry, "host", error);
    name.host = host.empty() ? name.host : host;
    const std::string moment = textOf(entry, "moment", error);
    name.moment = moment.empty() ? name.moment : momentOf(moment);
    const auto places = entry.find("coordinates");
    if (places != entry.end() && !places->is_null()) {
        if (!places->is_object()) {
            return say("\"{}\" is not an object", "coordinates");
        }
        name.coordinates.clear();
        for (const auto& [axis, value] : places->items()) {
            if (const auto at = whole(*places, axis.c_str(), kMostStated, error)) {
                name.coordinates[axis] = *at;
            }
        }
    }
    return error;
}

} // namespace

bool looksLikeManifest(std::string_view beginning)
{
    const std::size_t brace = beginning.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    return brace != std::string_view::npos && beginning[brace] == '{'
        && beginning.find("\"tidemark-job\"") != std::string_view::npos;
}

Result<std::vector<Dump>> readManifest(const fs::path& file)
{
    constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    std::error_code error;
    if (fs::file_size(file, error) > kMostBytes || error) {
        return brokenManifest(error ? error.message() : say("it is too large"));
    }
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    ManifestJson json;
    try {
        json = ManifestJson::parse(text, limitJsonDepth, false);
    } catch (const JsonTooDeep&) {
        json = ManifestJson(ManifestJson::value_t::discarded);
    }
    if (!json.is_object() || !json.contains("ranks") || !json["ranks"].is_array()) {
        return brokenManifest(say("it is not a JSON object with a list \"ranks\""));
    }
    std::string wrong;
    if (whole(json, "tidemark-job", std::numeric_limits<std::int64_t>::max(), wrong) != 1) {
        return brokenManifest(say("\"tidemark-job\" is not 1, the only known version"));
    }
    std::vector<std::string> names;
    std::map<fs::path, std::size_t> entry_of;
    for (const ManifestJson& entry : json["ranks"]) {
        names.push_back(entry.is_object() ? textOf(entry, "file", wrong) : std::string());
        if (names.back().empty()) {
            return brokenManifest(say("entry {} of \"ranks\" has no \"file\"", names.size()));
        }
        // One dump is of one rank at one moment: else a rank would be compared with itself.
        const fs::path file_of_it = (file.parent_path() / names.back()).lexically_normal();
        const auto [known, is_new] = entry_of.emplace(file_of_it, names.size());
        if (!is_new) {
            return brokenManifest(say("entry {} of \"ranks\" repeats the file of entry {}",
                                      names.size(), known->second));
        }
    }
    const std::vector<DumpName> said = nameDumps(names);
    std::vector<Dump> dumps;
    for (std::size_t i = 0; i < names.size(); ++i) {
        Dump dump{file.parent_path() / names[i], names[i], said[i], false, nullptr};
        dump.name.group = file.filename().string();
        wrong = addStated(json["ranks"][i], dump.name);
        if (!wrong.empty()) {
            return brokenManifest(say("entry {} of \"ranks\": {}", i + 1, wrong));
        }
        dumps.push_back(std::move(dump));
    }
    return dumps;
}

} // namespace tidemark::job
