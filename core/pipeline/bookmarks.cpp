// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/bookmarks.h"

#include "core/base/json_depth.h"
#include "core/base/language.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tidemark::pipeline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using MarkKey = std::pair<std::size_t, std::uint32_t>;

constexpr std::string_view kBookmarksEnding = ".tidemark-bookmarks";
constexpr std::size_t kMostText = 8 << 20;
constexpr std::size_t kMostBookmarks = 10'000;
constexpr const char* kVersionKey = "tidemark-bookmarks";

MarkKey momentOf(const Bookmark& mark)
{
    return {mark.device, mark.state.value};
}

void cutAtCharacter(std::string& note)
{
    if (note.size() <= kLongestNote) {
        return;
    }
    std::size_t end = kLongestNote;
    while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    note.resize(end);
}

Error bad(std::string sentence)
{
    return {ErrorCode::badArgument, std::move(sentence), {}};
}

/// A whole number in a range; nullopt for anything else.
std::optional<std::int64_t> numberIn(const Json& object, const char* key, std::int64_t least,
                                     std::int64_t most)
{
    const auto value = object.find(key);
    if (value == object.end() || !value->is_number_integer()) {
        return std::nullopt;
    }
    if (value->is_number_unsigned()
        && value->get<std::uint64_t>() > static_cast<std::uint64_t>(most)) {
        return std::nullopt;
    }
    const auto number = value->get<std::int64_t>();
    return number < least || number > most ? std::nullopt : std::optional(number);
}

Result<Bookmark> readBookmark(const Json& entry, std::size_t number)
{
    constexpr std::int64_t kMostDevices = 1024;
    constexpr std::int64_t kMostEvents = std::numeric_limits<std::uint32_t>::max() - 1;
    if (!entry.is_object()) {
        return bad(say("Bookmark {} is not a JSON object.", number));
    }
    const auto device = numberIn(entry, "device", 0, kMostDevices);
    const auto event = numberIn(entry, "event", -1, kMostEvents);
    const auto note = entry.find("note");
    if (!device || !event || note == entry.end() || !note->is_string()) {
        return bad(
            say("Bookmark {} needs a device, an event and a note, which may be empty.", number));
    }
    return Bookmark{static_cast<std::size_t>(*device),
                    StateId{static_cast<std::uint32_t>(*event + 1)}, note->get<std::string>()};
}

Result<std::vector<Bookmark>> readFile(const fs::path& file)
{
    // One byte more than is parsed is enough to be told that it is too long.
    const Result<std::string> text =
        readSavedFile(file, kMostText + 1, Accepts::regular_files, toSay("file of bookmarks"));
    return text.has_value() ? parseBookmarks(text.value()) : text.error();
}

const SavedKind& bookmarksKind()
{
    static const SavedKind kKind{"bookmarks", bookmarksText({}),
                                 [](const fs::path& file) { return readFile(file).has_value(); }};
    return kKind;
}

using Notes = std::map<MarkKey, std::string>;

Notes notesOf(std::span<const Bookmark> list)
{
    Notes notes;
    for (const Bookmark& mark : list) {
        notes.emplace(momentOf(mark), mark.note); // The first, as tidyBookmarks keeps it.
    }
    return notes;
}

std::optional<std::string> noteAt(const Notes& notes, const MarkKey& moment)
{
    const auto note = notes.find(moment);
    return note == notes.end() ? std::nullopt : std::optional(note->second);
}

/// What becomes of one moment; nullopt: it is marked no longer.
std::optional<std::string> mergedNote(const std::optional<std::string>& base,
                                      const std::optional<std::string>& ours,
                                      const std::optional<std::string>& theirs)
{
    if (ours == base || ours == theirs) {
        return theirs;
    }
    if (theirs == base || !theirs) {
        return ours;
    }
    if (!ours) {
        return theirs;
    }
    const bool is_part = ours->find(*theirs) != std::string::npos;
    return is_part ? *ours : *ours + "\n" + *theirs;
}

} // namespace

void tidyBookmarks(std::vector<Bookmark>& list)
{
    for (Bookmark& mark : list) {
        cutAtCharacter(mark.note);
    }
    std::ranges::stable_sort(list, {}, momentOf);
    const auto same = [](const Bookmark& a, const Bookmark& b) {
        return momentOf(a) == momentOf(b);
    };
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
}

std::string bookmarksText(std::span<const Bookmark> list)
{
    Json marks = Json::array();
    for (const Bookmark& mark : list) {
        marks.push_back(
            {{"device", mark.device}, {"event", mark.state.eventNumber()}, {"note", mark.note}});
    }
    const Json file{{kVersionKey, 1}, {"bookmarks", std::move(marks)}};
    constexpr int kIndent = 2;
    return file.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::vector<Bookmark>> parseBookmarks(std::string_view text)
{
    if (text.size() > kMostText) {
        return bad(say("It is too long for a bookmark list."));
    }
    Json file;
    try {
        file = Json::parse(text, limitJsonDepth);
    } catch (const std::exception&) {
        return bad(say("It is not JSON."));
    }
    const auto list = file.is_object() ? file.find("bookmarks") : file.end();
    if (!file.is_object() || numberIn(file, kVersionKey, 1, 1) != 1 || list == file.end()
        || !list->is_array()) {
        return bad(say("It is not a bookmark list, or from a newer version."));
    }
    if (list->size() > kMostBookmarks) {
        return bad(say("It has more than {} bookmarks.", kMostBookmarks));
    }
    std::vector<Bookmark> marks;
    for (const Json& entry : *list) {
        Result<Bookmark> mark = readBookmark(entry, marks.size() + 1);
        if (!mark.has_value()) {
            return mark.error();
        }
        marks.push_back(std::move(mark).value());
    }
    tidyBookmarks(marks);
    return marks;
}

std::vector<Bookmark> mergedBookmarks(std::span<const Bookmark> base,
                                      std::span<const Bookmark> ours,
                                      std::span<const Bookmark> theirs)
{
    const Notes before = notesOf(base);
    const Notes mine = notesOf(ours);
    const Notes others = notesOf(theirs);
    std::set<MarkKey> moments;
    for (const Notes* notes : {&mine, &others}) {
        for (const auto& [moment, note] : *notes) {
            moments.insert(moment);
        }
    }
    std::vector<Bookmark> merged;
    for (const MarkKey& moment : moments) {
        const auto note =
            mergedNote(noteAt(before, moment), noteAt(mine, moment), noteAt(others, moment));
        if (note) {
            merged.push_back({moment.first, StateId{moment.second}, *note});
        }
    }
    tidyBookmarks(merged);
    return merged;
}

SavedBookmarks loadBookmarks(const fs::path& snapshot, const fs::path& folder)
{
    SavedBookmarks saved;
    saved.file = newerOf(savedPlaces(snapshot, folder, kBookmarksEnding));
    if (saved.file.empty()) {
        return saved;
    }
    Result<std::vector<Bookmark>> list = readFile(saved.file);
    if (list.has_value()) {
        saved.list = std::move(list).value();
    } else {
        saved.problem = say("Bookmarks in {} ignored: {}", saved.file.filename().string(),
                            list.error().message);
    }
    return saved;
}

Result<BookmarksSaved> saveBookmarks(const fs::path& snapshot, const fs::path& folder,
                                     std::span<const Bookmark> list,
                                     std::span<const Bookmark> known)
{
    const SavedPlaces places = savedPlaces(snapshot, folder, kBookmarksEnding);
    const FolderLock lock(snapshot.parent_path());
    const fs::path present = newerOf(places);
    const auto theirs = present.empty() ? Result(std::vector<Bookmark>()) : readFile(present);
    std::vector<Bookmark> merged = theirs.has_value()
        ? mergedBookmarks(known, list, theirs.value())
        : std::vector<Bookmark>(list.begin(), list.end());
    tidyBookmarks(merged);
    const Result<SavedWhere> where = merged.empty()
        ? removeSaved(places, bookmarksKind())
        : writeSaved(places, bookmarksText(merged), bookmarksKind());
    return where.has_value()
        ? Result<BookmarksSaved>(BookmarksSaved{where.value(), std::move(merged)})
        : where.error();
}

} // namespace tidemark::pipeline
