// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/saved_rules.h"

#include "core/base/language.h"
#include "core/base/new_file.h"
#include "core/label/corrections/corrections_json.h"
#include "core/pipeline/merged_rules.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace tidemark::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRulesEnding = ".tidemark-rules.json";

Result<std::vector<label::Correction>> readRules(const fs::path& file, Accepts accepts)
{
    const Result<std::string> text =
        // One byte more than is parsed is enough to be told that it is too long.
        readSavedFile(file, label::kMostRulesText + 1, accepts, toSay("rules file"));
    if (!text.has_value()) {
        return text.error();
    }
    Result<std::vector<label::Correction>> rules = label::parseCorrections(text.value());
    const std::string name = file.filename().string();
    if (!rules.has_value()) {
        return Error{rules.error().code, fmt::format("{}: {}", name, rules.error().message),
                     rules.error().where};
    }
    for (label::Correction& rule : rules.value()) {
        rule.source = name;
    }
    return rules;
}

const SavedKind& rulesKind()
{
    static const SavedKind kKind{
        "corrections", label::correctionsText({}),
        [](const fs::path& file) { return readRules(file, Accepts::regular_files).has_value(); }};
    return kKind;
}

Result<SavedWhere> saveList(const SavedPlaces& places, std::span<const label::Correction> rules)
{
    return rules.empty() ? removeSaved(places, rulesKind())
                         : writeSaved(places, label::correctionsText(rules), rulesKind());
}

} // namespace

SavedPlaces savedRulesPlaces(const fs::path& snapshot, const fs::path& folder)
{
    return savedPlaces(snapshot, folder, kRulesEnding);
}

fs::path userRulesFolder()
{
    const char* const data = std::getenv("XDG_DATA_HOME");
    if (data != nullptr && *data == '/') {
        return fs::path(data) / "tidemark/rules";
    }
    const char* const home = std::getenv("HOME");
    return home != nullptr && *home != '\0' ? fs::path(home) / ".local/share/tidemark/rules"
                                            : fs::path();
}

SavedRules loadSavedRules(const fs::path& snapshot, const fs::path& folder)
{
    const SavedPlaces places = savedRulesPlaces(snapshot, folder);
    SavedRules saved;
    saved.file = newerOf(places);
    if (saved.file.empty()) {
        return saved;
    }
    Result<std::vector<label::Correction>> rules = readRules(saved.file, Accepts::regular_files);
    const std::string where = saved.file == places.beside
        ? say("beside the snapshot, in {}", saved.file.filename().string())
        : say("in {}", saved.file.string());
    if (!rules.has_value()) {
        saved.notes.add("saved-rules-damaged",
                        say("Corrections saved {} ignored: {}", where, rules.error().message));
        return saved;
    }
    saved.rules = std::move(rules).value();
    if (!saved.rules.empty()) {
        saved.notes.add("saved-rules", say("Labels include the corrections saved {}.", where),
                        static_cast<std::int64_t>(saved.rules.size()));
    }
    return saved;
}

Result<SavedAt> saveRules(const fs::path& snapshot, const fs::path& folder,
                          std::span<const label::Correction> rules,
                          const std::optional<std::vector<label::Correction>>& known)
{
    const SavedPlaces places = savedRulesPlaces(snapshot, folder);
    const FolderLock lock(snapshot.parent_path());
    std::optional<std::vector<label::Correction>> merged;
    if (known) {
        const fs::path present = newerOf(places);
        const auto theirs = present.empty() ? Result(std::vector<label::Correction>())
                                            : readRules(present, Accepts::regular_files);
        if (theirs.has_value() && !isSameList(*known, theirs.value())
            && !isSameList(rules, theirs.value())) {
            merged = mergedRules(*known, rules, theirs.value());
        }
    }
    const Result<SavedWhere> saved =
        saveList(places, merged ? std::span<const label::Correction>(*merged) : rules);
    if (!saved.has_value()) {
        return saved.error();
    }
    return SavedAt{saved.value().file, saved.value().is_beside, std::move(merged)};
}

Result<std::vector<label::Correction>> readRulesFile(const fs::path& file)
{
    return readRules(file, Accepts::pipes_too);
}

Result<Done> writeRulesFile(const fs::path& file, std::span<const label::Correction> rules)
{
    const Result<Done> written = writeNewFile(file, label::correctionsText(rules));
    return written.has_value() ? written
                               : Error{ErrorCode::cannotWrite,
                                       say("Cannot write the corrections to {} ({}).",
                                           file.string(), written.error().message),
                                       {}};
}

} // namespace tidemark::pipeline
