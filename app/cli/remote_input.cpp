// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/remote_input.h"

#include "app/cli/status_line.h"
#include "core/base/growing_file.h"
#include "core/base/language.h"
#include "core/job/job_choice.h"
#include "core/remote/fetch.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

namespace tidemark::cli {
namespace {

Error folderNamed(const remote::Address& address, const std::vector<remote::FarFile>& dumps)
{
    if (dumps.empty()) {
        return {ErrorCode::cannotOpen, say("This folder has no snapshots; give a file."), {}};
    }
    constexpr std::size_t kMostNamed = 10;
    std::string names;
    for (std::size_t i = 0; i < std::min(dumps.size(), kMostNamed); ++i) {
        names += (i == 0 ? "" : ", ") + dumps[i].name;
    }
    const std::string first = address.in(dumps.front().name).text();
    return {ErrorCode::cannotOpen,
            dumps.size() > kMostNamed
                ? say("This is a folder; give one of its snapshots, such as {}. Newest first: {} "
                      "and {} older.",
                      first, names, dumps.size() - kMostNamed)
                : say("This is a folder; give one of its snapshots, such as {}. Newest first: {}.",
                      first, names),
            {}};
}

/// Begins to fetch, and shows on a terminal how far that is.
std::unique_ptr<remote::Transfer> transferOf(const remote::Address& address)
{
    remote::FetchOptions options;
    options.has_terminal = ::isatty(STDIN_FILENO) == 1;
    options.progress = [line = std::make_shared<StatusLine>(),
                        name =
                            report::visibleText(address.text())](const remote::Received& received) {
        if (line->isVisible()) {
            line->show(fmt::format("{}: {}", name, remote::receivedWords(received)));
        }
    };
    return std::make_unique<remote::Transfer>(address, std::move(options));
}

Result<LocalInput> inputOf(const remote::Address& address, const Result<remote::Fetched>& fetched)
{
    if (!fetched.has_value()) {
        return fetched.error();
    }
    if (fetched.value().file.empty()) {
        return folderNamed(address, fetched.value().listing);
    }
    return LocalInput{fetched.value().file, fetched.value().size, fetched.value().broken};
}

/// The names and times of a listing, for core/job.
struct ListedPaths {
    explicit ListedPaths(const std::vector<remote::FarFile>& listing)
    {
        for (const remote::FarFile& file : listing) {
            paths.push_back(file.name);
            times.push_back(file.modified);
        }
    }
    std::vector<std::string> paths;
    std::vector<std::int64_t> times;
};

/// Which files a folder stands for.
void tellOfJob(const std::string& folder, const job::JobChoice& job, std::size_t ranks,
               std::size_t others)
{
    std::string words = say("tidemark-cli: {}: a job of {} ranks, {}", folder, ranks, job.group);
    if (others > 0) {
        words = sayCounted(static_cast<std::int64_t>(others),
                           "{}; {} other file of the folder is skipped",
                           "{}; {} other files of the folder are skipped", words, others);
    }
    fmt::print(stderr, "{}.\n", report::visibleText(words));
}

/// Of a folder of another machine the files of its newest job, fetched.
Result<job::Gathered> gatherFolder(const std::string& name, const remote::Address& folder,
                                   const std::vector<remote::FarFile>& listing)
{
    if (listing.empty()) {
        return folderNamed(folder, listing);
    }
    const ListedPaths listed(listing);
    const job::JobChoice job = job::chooseJob(job::nameDumps(listed.paths), listed.times);
    std::vector<job::FileOfFolder> files;
    std::vector<std::string> notes;
    std::optional<Error> failure;
    for (const std::size_t dump : job.dumps) {
        const remote::Address file = folder.in(listing[dump].name);
        const Result<LocalInput> here = inputOf(file, transferOf(file)->result());
        if (!here.has_value()) {
            failure = here.error();
            notes.push_back(listing[dump].name + ": " + here.error().message);
            continue;
        }
        if (!here.value().notice.empty()) {
            notes.push_back(listing[dump].name + ": " + here.value().notice);
        }
        files.push_back({here.value().file, listing[dump].name, listing[dump].modified});
    }
    if (files.empty()) {
        return *failure;
    }
    Result<job::Gathered> gathered = job::gather(files, name, {});
    if (!gathered.has_value()) {
        return gathered;
    }
    if (job.others > 0) {
        notes.push_back(job::othersNote(job, name));
    }
    std::ranges::move(notes, std::back_inserter(gathered.value().notes));
    return gathered;
}

/// What a far file is called by its own path: its copy lies in a folder that is named otherwise,
/// and the digits there (of the host, of a hash) say nothing of its rank.
job::DumpName farName(const remote::Address& address)
{
    const std::filesystem::path path(address.path);
    const std::vector<std::string> named{
        (path.parent_path().filename() / path.filename()).generic_string()};
    return job::nameDumps(named).front();
}

} // namespace

Result<LocalInput> localInput(const std::string& name)
{
    const std::optional<remote::Address> address = remote::farAddress(name);
    return address ? inputOf(*address, transferOf(*address)->result())
                   : Result<LocalInput>(LocalInput{name});
}

void callAsNamed(diagnose::Analysis& analysis, const std::string& name)
{
    if (remote::farAddress(name)) {
        analysis.file = name;
    }
}

std::vector<NamedInput> namedInputs(const std::string& name)
{
    const std::optional<remote::Address> address = remote::farAddress(name);
    if (!address) {
        return {{name}};
    }
    const std::shared_ptr<remote::Transfer> begun = transferOf(*address);
    if (begun->onTheWay()) {
        return {{name, address, begun}};
    }
    const Result<remote::Fetched>& seen = begun->result();
    if (!seen.has_value()) {
        return {{name, address, begun}};
    }
    const std::vector<remote::FarFile>& listing = seen.value().listing;
    const ListedPaths listed(listing);
    const job::JobChoice job = job::newestRanks(listed.paths, listed.times);
    if (job.last.empty()) {
        return {{name, address, begun}};
    }
    tellOfJob(name, job, job.last.size(), listing.size() - job.last.size());
    std::vector<NamedInput> inputs;
    for (const std::size_t dump : job.last) {
        const remote::Address rank = address->in(listing[dump].name);
        inputs.push_back({rank.text(), rank});
    }
    return inputs;
}

Result<job::Gathered> gatherInputs(const std::vector<std::string>& names)
{
    std::vector<std::filesystem::path> here;
    job::Gathered all;
    const auto add = [&all](Result<job::Gathered> gathered) -> std::optional<Error> {
        if (!gathered.has_value()) {
            return gathered.error();
        }
        std::ranges::move(gathered.value().dumps, std::back_inserter(all.dumps));
        std::ranges::move(gathered.value().notes, std::back_inserter(all.notes));
        return std::nullopt;
    };
    const auto named = [&names](const std::string& name, Error error) {
        error.message = (names.size() > 1 ? name + ": " : "") + error.message;
        return error;
    };
    for (const std::string& name : names) {
        const std::optional<remote::Address> address = remote::farAddress(name);
        if (!address) {
            here.emplace_back(name);
            continue;
        }
        const auto transfer = transferOf(*address);
        const Result<remote::Fetched>& fetched = transfer->result();
        if (!fetched.has_value()) {
            return named(name, fetched.error());
        }
        std::optional<Error> failure;
        if (fetched.value().file.empty()) {
            failure = add(gatherFolder(name, *address, fetched.value().listing));
        } else {
            const std::vector<std::filesystem::path> copy{fetched.value().file};
            Result<job::Gathered> file = job::gather(copy, {});
            if (file.has_value() && file.value().dumps.size() == 1) {
                job::Dump& dump = file.value().dumps[0];
                dump.shown = name;
                if (dump.file == copy[0]) { // Else it is of an archive, which names it.
                    dump.name = farName(*address);
                }
            }
            if (!fetched.value().broken.empty()) {
                all.notes.push_back(name + ": " + fetched.value().broken);
            }
            failure = add(std::move(file));
        }
        if (failure) {
            return named(name, *failure);
        }
    }
    if (!here.empty()) {
        if (const std::optional<Error> failure = add(job::gather(here, {}))) {
            return *failure;
        }
    }
    job::sortDumps(all.dumps);
    return all;
}

Result<diagnose::Analysis> readInput(const NamedInput& input, const pipeline::Options& options,
                                     const std::function<void(const std::string&)>& tell)
{
    const auto read = [&options](const LocalInput& here,
                                 const std::shared_ptr<const GrowingFile>& growing) {
        pipeline::Options how = options;
        how.read.original_bytes = here.original_bytes;
        how.read.growing = growing;
        NoProgress silent;
        StageLine line;
        // While a file comes from another machine there is a line already, on that.
        ProgressSink& progress = growing == nullptr ? static_cast<ProgressSink&>(line) : silent;
        return pipeline::analyze(here.file, how, progress, {});
    };
    if (!input.address) {
        return read(LocalInput{input.name}, nullptr);
    }
    const std::shared_ptr<remote::Transfer> transfer =
        input.begun ? input.begun : transferOf(*input.address);
    std::optional<Result<diagnose::Analysis>> analysis;
    if (const std::optional<remote::OnTheWay> arriving = transfer->onTheWay()) {
        analysis = read({arriving->copy, arriving->file->size()}, arriving->file);
        if (!analysis->has_value()) {
            transfer->cancel();
        }
    }
    const Result<LocalInput> whole = inputOf(*input.address, transfer->result());
    if (whole.has_value() && !whole.value().notice.empty()) {
        tell(whole.value().notice);
    }
    if (!analysis) {
        return whole.has_value() ? read(whole.value(), nullptr) : whole.error();
    }
    const bool has_arrived = whole.has_value() || whole.error().code == ErrorCode::cancelled;
    return has_arrived ? std::move(*analysis) : whole.error();
}

} // namespace tidemark::cli
