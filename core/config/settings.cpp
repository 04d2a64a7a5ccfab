// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/config/settings.h"

#include "core/base/ascii.h"
#include "core/base/language.h"

#include <algorithm>

namespace tidemark::config {
namespace {

Error unusable(std::string sentence)
{
    return {ErrorCode::badArgument, std::move(sentence)};
}

/// A name and a colon at the beginning of a line that no option comes before: YAML, not a command.
bool looksLikeYaml(std::string_view text)
{
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trimmed(text.substr(at, end - at));
        at = end + 1;
        if (line.empty() || line.front() == '#' || line == "---") {
            continue;
        }
        const std::size_t colon = line.find(':');
        const std::size_t other = line.find_first_of(" \t=");
        return colon != std::string_view::npos && colon < other
            && (colon + 1 == line.size() || line[colon + 1] == ' ');
    }
    return false;
}

} // namespace

std::string plainName(std::string_view name)
{
    name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
    std::string plain;
    for (const char c : name) {
        plain += c == '-' ? '_' : lowered(c);
    }
    return plain;
}

Result<Settings> readSettings(std::string_view text)
{
    static constexpr std::string_view kMark = "\xEF\xBB\xBF"; // of UTF-8, before the text
    text.remove_prefix(text.starts_with(kMark) ? kMark.size() : 0);
    text = trimmed(text);
    if (text.empty()) {
        return unusable(say("The configuration is empty."));
    }
    if (text.size() > kMostConfigBytes) {
        return Error{ErrorCode::tooLarge,
                     say("The configuration is larger than {} KiB; give the file with the "
                         "training's settings.",
                         kMostConfigBytes >> 10),
                     {}};
    }
    if (text.find('\0') != std::string_view::npos) {
        return unusable(say("The configuration is not text."));
    }
    std::optional<Settings> settings;
    if (text.front() == '{') {
        settings = settingsFromJson(text);
        if (!settings) {
            return unusable(say("The configuration is not valid JSON; check brackets and commas."));
        }
        return *std::move(settings);
    }
    if (looksLikeYaml(text)) {
        settings = settingsFromYaml(text);
        if (!settings) {
            return unusable(say("The configuration is not valid YAML; check its indentation."));
        }
        return *std::move(settings);
    }
    settings = settingsFromSections(text);
    settings = settings ? settings : settingsFromPython(text);
    settings = settings ? settings : settingsFromWords(text);
    settings = settings ? settings : settingsFromAssignments(text);
    if (!settings) {
        return unusable(say("No configuration found; give DeepSpeed's JSON, trainer arguments, a "
                            "YAML or TOML file, overrides such as a.b=c, or the launch line."));
    }
    return *std::move(settings);
}

} // namespace tidemark::config
