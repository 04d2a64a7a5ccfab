// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/saved_rules.h"

#include "core/label/corrections_json.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace tidemark::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".tidemark-rules.json";

/// FNV-1a, since names must be the same in every version and on every machine.
std::uint64_t hashOf(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return hash;
}

Error cannotWrite(const fs::path& file, int error)
{
    return {ErrorCode::cannotWrite,
            fmt::format("The corrections cannot be written to {} ({}).", file.string(),
                        std::strerror(error)),
            {}};
}

Error cannotRead(const fs::path& file, std::string_view why)
{
    return {ErrorCode::cannotOpen,
            fmt::format("The rules file {} cannot be read ({}).", file.string(), why),
            {}};
}

Result<std::string> contentOf(const fs::path& file)
{
    std::error_code failure;
    if (fs::is_directory(file, failure)) {
        return cannotRead(file, "it is a folder");
    }
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        return cannotRead(file, std::strerror(errno));
    }
    // One byte more than is parsed is enough to be told that it is too long.
    std::string text(label::kMostRulesText + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

/// The newer one of two files, of which either may be missing.
fs::path newerOf(const fs::path& a, const fs::path& b)
{
    std::error_code no_a;
    std::error_code no_b;
    const auto time_a = fs::last_write_time(a, no_a);
    const auto time_b = b.empty() ? fs::file_time_type() : fs::last_write_time(b, no_b);
    const bool has_b = !b.empty() && !no_b;
    if (no_a) {
        return has_b ? b : fs::path();
    }
    return has_b && time_b > time_a ? b : a;
}

/// Moves a file aside that is no rules file, so that nothing of it is lost.
void keepDamaged(const fs::path& file)
{
    std::error_code ignored;
    if (fs::exists(file, ignored) && !readRulesFile(file).has_value()) {
        fs::path aside = file;
        aside += ".damaged";
        fs::rename(file, aside, ignored);
    }
}

Result<SavedAt> removeSaved(const SavedRulesPlaces& places)
{
    for (const fs::path& file : {places.beside, places.away}) {
        std::error_code failure;
        if (!file.empty() && fs::exists(file, failure)) {
            keepDamaged(file);
            fs::remove(file, failure);
            if (failure) {
                // What cannot be removed would come back: an empty list takes its place.
                fs::create_directories(places.away.parent_path(), failure);
                return writeRulesFile(places.away, {}).has_value()
                    ? Result<SavedAt>(SavedAt{places.away, false})
                    : Result<SavedAt>(cannotWrite(file, EACCES));
            }
        }
    }
    return SavedAt{};
}

} // namespace

SavedRulesPlaces savedRulesPlaces(const fs::path& snapshot, const fs::path& folder)
{
    SavedRulesPlaces places{snapshot, {}};
    places.beside += kEnding;
    if (!folder.empty()) {
        std::error_code failure;
        const fs::path whole = fs::weakly_canonical(snapshot, failure);
        const std::uintmax_t size = fs::file_size(snapshot, failure);
        const std::uint64_t key =
            hashOf(fmt::format("{}\n{}", (whole.empty() ? snapshot : whole).string(),
                               failure ? std::uintmax_t{0} : size));
        places.away =
            folder / fmt::format("{}-{:016x}{}", snapshot.filename().string(), key, kEnding);
    }
    return places;
}

fs::path userRulesFolder()
{
    const char* const data = std::getenv("XDG_DATA_HOME"); // NOLINT(concurrency-mt-unsafe): read
    if (data != nullptr && *data == '/') {
        return fs::path(data) / "tidemark/rules";
    }
    const char* const home = std::getenv("HOME"); // NOLINT(concurrency-mt-unsafe): only read
    return home != nullptr && *home != '\0' ? fs::path(home) / ".local/share/tidemark/rules"
                                            : fs::path();
}

SavedRules loadSavedRules(const fs::path& snapshot, const fs::path& folder)
{
    const SavedRulesPlaces places = savedRulesPlaces(snapshot, folder);
    SavedRules saved;
    saved.file = newerOf(places.beside, places.away);
    if (saved.file.empty()) {
        return saved;
    }
    Result<std::vector<label::Correction>> rules = readRulesFile(saved.file);
    const std::string where = saved.file == places.beside
        ? fmt::format("beside the snapshot, in {}", saved.file.filename().string())
        : fmt::format("in {}", saved.file.string());
    if (!rules.has_value()) {
        saved.notes.add(
            "saved-rules-damaged",
            fmt::format("The corrections saved {} are left out: {}", where, rules.error().message));
        return saved;
    }
    saved.rules = std::move(rules).value();
    if (!saved.rules.empty()) {
        saved.notes.add("saved-rules",
                        fmt::format("Labels follow the corrections saved {}.", where),
                        static_cast<std::int64_t>(saved.rules.size()));
    }
    return saved;
}

Result<SavedAt> saveRules(const fs::path& snapshot, const fs::path& folder,
                          std::span<const label::Correction> rules)
{
    const SavedRulesPlaces places = savedRulesPlaces(snapshot, folder);
    if (rules.empty()) {
        return removeSaved(places);
    }
    std::error_code ignored;
    keepDamaged(places.beside);
    Result<Done> written = writeRulesFile(places.beside, rules);
    if (written.has_value()) {
        if (!places.away.empty()) {
            fs::remove(places.away, ignored); // Or an older list could come back one day.
        }
        return SavedAt{places.beside, true};
    }
    if (places.away.empty()) {
        return written.error();
    }
    fs::create_directories(folder, ignored);
    keepDamaged(places.away);
    const Result<Done> away = writeRulesFile(places.away, rules);
    return away.has_value() ? Result<SavedAt>(SavedAt{places.away, false}) : away.error();
}

Result<std::vector<label::Correction>> readRulesFile(const fs::path& file)
{
    const Result<std::string> text = contentOf(file);
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

Result<Done> writeRulesFile(const fs::path& file, std::span<const label::Correction> rules)
{
    fs::path unfinished = file;
    unfinished += ".part";
    std::error_code ignored;
    errno = 0;
    std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
    if (!out) {
        return cannotWrite(file, errno);
    }
    out << label::correctionsText(rules);
    out.close();
    std::error_code failure;
    if (out) {
        fs::rename(unfinished, file, failure);
    }
    if (!out || failure) {
        const int error = failure ? failure.value() : errno;
        fs::remove(unfinished, ignored);
        return cannotWrite(file, error);
    }
    return Done{};
}

} // namespace tidemark::pipeline
