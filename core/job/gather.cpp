// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/gather.h"

#include "core/base/file_head.h"
#include "core/base/language.h"
#include "core/job/job_choice.h"
#include "core/job/manifest.h"
#include "core/job/summary_json.h"
#include "core/job/unpack.h"
#include "core/pipeline/dump_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace tidemark::job {
namespace fs = std::filesystem;

namespace {

/// A dump on its way: what it is called for naming, and when it was written.
struct FoundDump {
    Dump dump;
    std::string path; ///< From the folder that all have in common.
    std::int64_t time = 0;
    std::size_t source = 0; ///< Which folder or archive that was named it is from.
    bool is_named = false; ///< By a manifest.
};

constexpr std::size_t kAlone = static_cast<std::size_t>(-1); ///< Named by itself.

enum class FileKind : std::uint8_t { dump, summary, manifest, other };

constexpr std::size_t kHead = std::size_t{64} << 10;

/// Of what `.json` and `.html` also stand for, told by how it begins.
FileKind kindOfText(const fs::path& file)
{
    const std::string head = fileHead(file, kHead);
    const auto has = [&](std::string_view key) { return head.find(key) != std::string::npos; };
    if (looksLikeManifest(head)) {
        return FileKind::manifest;
    }
    if (looksLikeSummary(head)) {
        return FileKind::summary;
    }
    const bool is_snapshot = has("\"device_traces\"") || has("\"segments\"")
        || has("\"base64\""); // torch.cuda._memory_viz puts the snapshot into its page.
    return is_snapshot ? FileKind::dump : FileKind::other;
}

bool endsWith(const fs::path& file, std::string_view ending)
{
    return file.filename().string().ends_with(ending);
}

bool hasArchiveName(const fs::path& file)
{
    constexpr std::array<std::string_view, 8> kEndings{
        ".zip", ".tar", ".tgz", ".tzst", ".tar.gz", ".tar.xz", ".tar.zst", ".tar.bz2"};
    return std::ranges::any_of(kEndings,
                               [&](std::string_view ending) { return endsWith(file, ending); });
}

/// The deepest folder that all of these are in; of one folder itself, of files alone the one above:
/// theirs may be "step_9_exit", or "rank_3".
fs::path commonFolder(std::span<const fs::path> paths)
{
    fs::path common;
    bool are_files = true;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        std::error_code error;
        fs::path folder = fs::absolute(paths[i], error).lexically_normal();
        if (!folder.has_filename()) {
            folder = folder.parent_path(); // "a/"
        }
        if (fs::is_directory(folder, error)) {
            are_files = false;
        } else {
            folder = folder.parent_path();
        }
        if (i == 0) {
            common = folder;
            continue;
        }
        fs::path shared;
        for (auto a = common.begin(), b = folder.begin();
             a != common.end() && b != folder.end() && *a == *b; ++a, ++b) {
            shared /= *a;
        }
        common = shared;
    }
    return are_files ? common.parent_path() : common;
}

class Gatherer {
public:
    explicit Gatherer(const std::stop_token& stop)
        : m_stop(stop)
    {
    }

    Result<Gathered> gather(std::span<const fs::path> paths)
    {
        m_paths = paths;
        m_common = commonFolder(paths);
        for (const fs::path& path : paths) {
            m_shown.push_back(path.string());
        }
        for (std::size_t i = 0; i < m_paths.size(); ++i) {
            const Result<Done> added = add(m_paths[i], i);
            if (!added.has_value()) {
                Error error = added.error();
                const bool is_one = m_paths.size() == 1;
                error.message = (is_one ? "" : m_paths[i].string() + ": ") + error.message;
                return error;
            }
        }
        if (m_found.empty()) {
            return Error{ErrorCode::cannotOpen, say("Give a folder or files."), {}};
        }
        return finish();
    }

    Result<Gathered> gather(std::span<const FileOfFolder> files, const std::string& folder)
    {
        m_shown.push_back(folder);
        for (const FileOfFolder& file : files) {
            const Result<Done> added = addListed(file, 0, nullptr);
            if (!added.has_value()) {
                return added.error();
            }
        }
        return finish();
    }

private:
    Gathered finish()
    {
        nameAll();
        for (std::size_t i = 0; i < m_shown.size(); ++i) {
            keepNewestJob(i);
        }
        dropTwins();
        noteHosts();
        Gathered gathered;
        for (FoundDump& found : m_found) {
            gathered.dumps.push_back(std::move(found.dump));
        }
        sortDumps(gathered.dumps);
        gathered.notes = std::move(m_notes);
        return gathered;
    }

    Result<Done> add(const fs::path& path, std::size_t source)
    {
        std::error_code error;
        const std::size_t before = m_found.size();
        if (fs::is_directory(path, error)) {
            const Result<Done> added = addFolder(path, source);
            if (added.has_value() && m_found.size() == before) {
                return Error{ErrorCode::cannotOpen,
                             say("The folder has no snapshots; give one that does (symbolic links "
                                 "are not followed)."),
                             {}};
            }
            return added;
        }
        if (!fs::exists(path, error)) {
            return Error{ErrorCode::cannotOpen, say("No such file or folder; check the path."), {}};
        }
        if (fs::is_regular_file(path, error)) {
            const FileKind kind = kindOfText(path);
            if (kind == FileKind::manifest) {
                return addManifest(path, source);
            }
            if (isArchive(path)) {
                // Of several things that are named each archive is a folder.
                const std::string outer = m_paths.size() > 1 ? pathOf(path) + '/' : "";
                const Result<Done> unpacked =
                    addArchive({path, {}, timeOf(path)}, source, outer, outer);
                if (!unpacked.has_value() || m_found.size() > before) {
                    return unpacked;
                }
            }
            addFile(path, path.string(), kAlone, kind == FileKind::summary);
            return Done{};
        }
        addFile(path, path.string(), kAlone, false);
        return Done{};
    }

    /// From the folder in common.
    [[nodiscard]] std::string pathOf(const fs::path& file) const
    {
        std::error_code error;
        return fs::absolute(file, error)
            .lexically_normal()
            .lexically_relative(m_common)
            .generic_string();
    }

    void addFile(const fs::path& file, std::string shown, std::size_t source, bool is_summary)
    {
        FoundDump found;
        found.dump = {file, std::move(shown), {}, is_summary, nullptr};
        found.path = pathOf(file);
        found.source = source;
        found.time = timeOf(file);
        m_found.push_back(std::move(found));
    }
    static std::int64_t timeOf(const fs::path& file)
    {
        std::error_code error;
        const auto time = fs::last_write_time(file, error);
        return error ? 0 : time.time_since_epoch().count();
    }

    Result<Done> addFolder(const fs::path& folder, std::size_t source)
    {
        const Result<pipeline::DumpFiles> files = pipeline::findDumps(folder, m_stop);
        if (!files.has_value()) {
            return files.error();
        }
        if (files.value().is_cut) {
            m_notes.push_back(
                say("{} has too many files or too deep folders; give the job's own folder.",
                    folder.string()));
        }
        if (files.value().unreadable > 0) {
            m_notes.push_back(sayCounted(static_cast<std::int64_t>(files.value().unreadable),
                                         "{1} folder of {0} cannot be read and is skipped.",
                                         "{1} folders of {0} cannot be read and are skipped.",
                                         folder.string(), files.value().unreadable));
        }
        for (const pipeline::DumpFile& dump : files.value().files) {
            const bool is_top = dump.file.parent_path() == folder
                || dump.file.parent_path() == folder.parent_path();
            if (is_top && endsWith(dump.file, ".json")
                && kindOfText(dump.file) == FileKind::manifest) {
                std::erase_if(m_found, [&](const auto& found) { return found.source == source; });
                return addManifest(dump.file, source);
            }
            const Result<Done> added =
                addListed({dump.file, pathOf(dump.file), dump.time}, source, nullptr);
            if (!added.has_value()) {
                return added;
            }
        }
        return Done{};
    }

    /// One of the files of a folder; of an archive those in it.
    Result<Done> addListed(const FileOfFolder& listed, std::size_t source,
                           const std::shared_ptr<const ScratchFolder>& unpacked)
    {
        const fs::path& file = listed.file;
        const bool may_be_other = endsWith(file, ".json") || endsWith(file, ".html");
        const FileKind kind = may_be_other ? kindOfText(file) : FileKind::dump;
        if (kind == FileKind::other || kind == FileKind::manifest) {
            return Done{};
        }
        if (unpacked == nullptr && hasArchiveName(file)) {
            const std::size_t before = m_found.size();
            const Result<Done> done =
                addArchive(listed, source, listed.path + '/', listed.path + '/');
            if (!done.has_value() && done.error().code == ErrorCode::cancelled) {
                return done;
            }
            if (m_found.size() > before) {
                return Done{};
            } // Else its row says what is wrong with it.
        }
        FoundDump found;
        found.dump = {file, listed.path, {}, kind == FileKind::summary, unpacked};
        found.path = listed.path;
        found.time = listed.time;
        found.source = source;
        m_found.push_back(std::move(found));
        return Done{};
    }

    /// `outer`: the archive as a folder in names, `shown`: for people.
    Result<Done> addArchive(const FileOfFolder& archive, std::size_t source,
                            const std::string& outer, const std::string& shown)
    {
        const Result<Unpacked> unpacked = unpackDumps(archive.file, {}, m_stop);
        if (!unpacked.has_value()) {
            return unpacked.error();
        }
        const fs::path& folder = unpacked.value().folder->path();
        const auto files = pipeline::findDumps(folder, m_stop);
        if (!files.has_value()) {
            return files.error();
        }
        if (!unpacked.value().broken.empty()) {
            m_notes.push_back(archive.file.string() + ": " + unpacked.value().broken);
        }
        for (const pipeline::DumpFile& dump : files.value().files) {
            const std::string inner = dump.file.lexically_relative(folder).generic_string();
            const std::size_t before = m_found.size();
            const Result<Done> added = addListed({dump.file, outer + inner, archive.time}, source,
                                                 unpacked.value().folder);
            if (!added.has_value()) {
                return added;
            }
            if (m_found.size() > before) {
                m_found.back().dump.shown = shown + inner;
            }
        }
        return Done{};
    }

    Result<Done> addManifest(const fs::path& file, std::size_t source)
    {
        Result<std::vector<Dump>> dumps = readManifest(file);
        if (!dumps.has_value()) {
            return dumps.error();
        }
        if (dumps.value().empty()) {
            return Error{ErrorCode::cannotOpen, say("The job's manifest names no files."), {}};
        }
        for (Dump& dump : dumps.value()) {
            dump.is_summary =
                endsWith(dump.file, ".json") && kindOfText(dump.file) == FileKind::summary;
            m_found.push_back({std::move(dump), {}, 0, source, true});
        }
        return Done{};
    }

    void nameAll()
    {
        std::vector<std::string> paths;
        for (const FoundDump& found : m_found) {
            paths.push_back(found.path);
        }
        std::vector<DumpName> names = nameDumps(paths);
        for (std::size_t i = 0; i < m_found.size(); ++i) {
            if (!m_found[i].is_named) {
                m_found[i].dump.name = std::move(names[i]);
            }
        }
    }

    /// Of the jobs in one folder. Files that name their ranks are a job before those that do not.
    void keepNewestJob(std::size_t source)
    {
        std::vector<DumpName> names;
        std::vector<std::int64_t> times;
        for (const FoundDump& found : m_found) {
            if (found.source == source && !found.is_named) {
                names.push_back(found.dump.name);
                times.push_back(found.time);
            }
        }
        const JobChoice job = chooseJob(names, times);
        if (job.others == 0) {
            return;
        }
        m_notes.push_back(othersNote(job, m_shown[source]));
        std::erase_if(m_found, [&](const FoundDump& found) {
            return found.source == source && !found.is_named && found.dump.name.group != job.group;
        });
    }

    /// Of the files of one dump the page that shows it goes, and of a snapshot and its summary the
    /// older one: a summary is quicker to read.
    void dropTwins()
    {
        const auto isPage = [](const FoundDump& found) {
            return endsWith(found.dump.file, ".html");
        };
        const auto key = [](const FoundDump& found) {
            const DumpName& name = found.dump.name;
            return std::tuple(found.source, name.group, name.host, name.rank, name.moment,
                              name.rank ? std::string() : withoutKind(found.path));
        };
        std::map<decltype(key(m_found.front())), std::vector<const FoundDump*>> same;
        for (const FoundDump& found : m_found) {
            if (found.source != kAlone && !found.is_named) {
                same[key(found)].push_back(&found);
            }
        }
        std::set<const FoundDump*> dropped;
        for (const auto& [name, twins] : same) {
            const FoundDump* snapshot = nullptr;
            for (const FoundDump* const twin : twins) {
                if (!isPage(*twin) && !twin->dump.is_summary) {
                    snapshot = twin;
                }
            }
            for (const FoundDump* const twin : twins) {
                if (snapshot != nullptr && isPage(*twin)) {
                    dropped.insert(twin);
                } else if (snapshot != nullptr && twin->dump.is_summary) {
                    dropped.insert(twin->time >= snapshot->time ? snapshot : twin);
                }
            }
        }
        std::vector<FoundDump> kept;
        for (FoundDump& found : m_found) {
            if (!dropped.contains(&found)) {
                kept.push_back(std::move(found));
            }
        }
        m_found = std::move(kept);
    }

    static std::string withoutKind(std::string path)
    {
        return path.substr(0, path.find('.', path.rfind('/') + 1));
    }

    void noteHosts()
    {
        std::set<std::string> hosts;
        for (const FoundDump& found : m_found) {
            if (!found.dump.name.rank && !found.dump.name.host.empty()) {
                hosts.insert(found.dump.name.host);
            }
        }
        if (hosts.size() > 1) {
            m_notes.push_back(
                say("The files of {} hosts have no global ranks; add a manifest.", hosts.size()));
        }
    }

    std::span<const fs::path> m_paths;
    std::vector<std::string> m_shown; ///< What was named.
    fs::path m_common;
    const std::stop_token& m_stop;
    std::vector<FoundDump> m_found;
    std::vector<std::string> m_notes;
};

} // namespace

void sortDumps(std::vector<Dump>& dumps)
{
    std::ranges::stable_sort(dumps, {}, [](const Dump& dump) {
        const DumpName& name = dump.name;
        return std::tuple(!name.rank, name.rank.value_or(0), name.host, name.moment,
                          name.coordinates, dump.shown);
    });
}

Result<Gathered> gather(std::span<const fs::path> paths, const std::stop_token& stop)
{
    return Gatherer(stop).gather(paths);
}

Result<Gathered> gather(std::span<const FileOfFolder> files, const std::string& folder,
                        const std::stop_token& stop)
{
    return Gatherer(stop).gather(files, folder);
}

} // namespace tidemark::job
