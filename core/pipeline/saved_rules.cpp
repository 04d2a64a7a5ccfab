// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/saved_rules.h"

#include "core/base/new_file.h"
#include "core/label/corrections_json.h"
#include "core/pipeline/merged_rules.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

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

Error cannotWrite(const fs::path& file, std::string_view why)
{
    return {ErrorCode::cannotWrite,
            fmt::format("The corrections cannot be written to {} ({}).", file.string(), why),
            {}};
}

Error cannotRead(const fs::path& file, std::string_view why)
{
    return {ErrorCode::cannotOpen,
            fmt::format("The rules file {} cannot be read ({}).", file.string(), why),
            {}};
}

/// Which files are read: what lies beside a snapshot is opened without being asked for, and a pipe
/// there would be waited for for ever.
enum class Accepts : std::uint8_t { regular_files, pipes_too };

/// Closes a file descriptor.
class Descriptor {
public:
    explicit Descriptor(int fd)
        : m_fd(fd)
    {
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (m_fd >= 0) {
            ::close(m_fd); // Also gives back a lock.
        }
    }
    [[nodiscard]] int get() const
    {
        return m_fd;
    }

private:
    int m_fd;
};

Result<std::string> contentOf(const fs::path& file, Accepts accepts)
{
    const int wait = accepts == Accepts::pipes_too ? 0 : O_NONBLOCK;
    const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | wait));
    struct stat info { };
    if (in.get() < 0 || ::fstat(in.get(), &info) != 0) {
        return cannotRead(file, std::strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return cannotRead(file, "it is a folder");
    }
    if (!S_ISREG(info.st_mode) && accepts == Accepts::regular_files) {
        return cannotRead(file, "it is a pipe or a device");
    }
    // One byte more than is parsed is enough to be told that it is too long.
    std::string text(label::kMostRulesText + 1, '\0');
    std::size_t filled = 0;
    while (filled < text.size()) {
        const ssize_t got = ::read(in.get(), text.data() + filled, text.size() - filled);
        if (got < 0 && errno != EINTR) {
            return cannotRead(file, std::strerror(errno));
        }
        if (got == 0) {
            break;
        }
        filled += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    text.resize(filled);
    return text;
}

Result<std::vector<label::Correction>> readRules(const fs::path& file, Accepts accepts)
{
    const Result<std::string> text = contentOf(file, accepts);
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

/// The folder, locked against other programs that save there; not where the file system knows no
/// locks, nor where somebody does not give it back.
Descriptor lockedFolder(const fs::path& folder)
{
    constexpr int kTries = 50;
    constexpr std::chrono::milliseconds kPause{10};
    const fs::path named = folder.empty() ? fs::path(".") : folder;
    const int fd = ::open(named.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; fd >= 0 && i < kTries; ++i) {
        if (::flock(fd, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) {
            break;
        }
        std::this_thread::sleep_for(kPause);
    }
    return Descriptor(fd);
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
    if (fs::exists(file, ignored) && !readRules(file, Accepts::regular_files).has_value()) {
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
                std::error_code ignored;
                fs::create_directories(places.away.parent_path(), ignored);
                return writeRulesFile(places.away, {}).has_value()
                    ? Result<SavedAt>(SavedAt{places.away, false})
                    : Result<SavedAt>(cannotWrite(file, failure.message()));
            }
        }
    }
    return SavedAt{};
}

Result<SavedAt> saveList(const SavedRulesPlaces& places, std::span<const label::Correction> rules)
{
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
    fs::create_directories(places.away.parent_path(), ignored);
    keepDamaged(places.away);
    const Result<Done> away = writeRulesFile(places.away, rules);
    return away.has_value() ? Result<SavedAt>(SavedAt{places.away, false}) : away.error();
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
        constexpr std::size_t kLongestPart = 200; // A name has at most 255 bytes.
        places.away = folder
            / fmt::format("{}-{:016x}{}", snapshot.filename().string().substr(0, kLongestPart), key,
                          kEnding);
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
    Result<std::vector<label::Correction>> rules = readRules(saved.file, Accepts::regular_files);
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
                          std::span<const label::Correction> rules,
                          const std::optional<std::vector<label::Correction>>& known)
{
    const SavedRulesPlaces places = savedRulesPlaces(snapshot, folder);
    const Descriptor lock = lockedFolder(snapshot.parent_path());
    std::optional<std::vector<label::Correction>> merged;
    if (known) {
        const fs::path present = newerOf(places.beside, places.away);
        const auto theirs = present.empty() ? Result(std::vector<label::Correction>())
                                            : readRules(present, Accepts::regular_files);
        if (theirs.has_value() && !isSameList(*known, theirs.value())
            && !isSameList(rules, theirs.value())) {
            merged = mergedRules(*known, rules, theirs.value());
        }
    }
    Result<SavedAt> saved =
        saveList(places, merged ? std::span<const label::Correction>(*merged) : rules);
    if (saved.has_value()) {
        saved.value().merged = std::move(merged);
    }
    return saved;
}

Result<std::vector<label::Correction>> readRulesFile(const fs::path& file)
{
    return readRules(file, Accepts::pipes_too);
}

Result<Done> writeRulesFile(const fs::path& file, std::span<const label::Correction> rules)
{
    const Result<Done> written = writeNewFile(file, label::correctionsText(rules));
    return written.has_value() ? written : cannotWrite(file, written.error().message);
}

} // namespace tidemark::pipeline
