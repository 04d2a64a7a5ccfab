// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/remote_input.h"

#include "app/cli/status_line.h"
#include "core/base/language.h"
#include "core/remote/fetch.h"
#include "core/remote/job_files.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

namespace tidemark::cli {
namespace {

Error folderNamed(const remote::Address& address, const std::vector<remote::FarFile>& dumps)
{
    if (dumps.empty()) {
        return {ErrorCode::cannotOpen, say("It is a folder without snapshots; name a file."), {}};
    }
    constexpr std::size_t kMostNamed = 10;
    std::string names;
    for (std::size_t i = 0; i < std::min(dumps.size(), kMostNamed); ++i) {
        names += (i == 0 ? "" : ", ") + dumps[i].name;
    }
    const std::string first = address.in(dumps.front().name).text();
    return {ErrorCode::cannotOpen,
            dumps.size() > kMostNamed
                ? say("It is a folder; name one of its snapshots, as {}. The newest first: {} and "
                      "{} older ones.",
                      first, names, dumps.size() - kMostNamed)
                : say("It is a folder; name one of its snapshots, as {}. The newest first: {}.",
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
    return LocalInput{fetched.value().file, true, fetched.value().size, fetched.value().broken};
}

/// Which files a folder stands for.
void tellOfJob(const std::string& folder, const remote::Job& job, std::size_t dumps)
{
    const std::size_t others = dumps - job.dumps.size();
    std::string words =
        say("tidemark-cli: {}: a job of {} ranks, {}", folder, job.dumps.size(), job.name);
    if (others > 0) {
        words = sayCounted(static_cast<std::int64_t>(others),
                           "{}; {} other file of the folder is left out",
                           "{}; {} other files of the folder are left out", words, others);
    }
    fmt::print(stderr, "{}.\n", report::visibleText(words));
}

} // namespace

Result<LocalInput> localInput(const std::string& name)
{
    const std::optional<remote::Address> address = remote::farAddress(name);
    return address ? inputOf(*address, transferOf(*address)->result())
                   : Result<LocalInput>(LocalInput{name});
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
    const auto job = seen.has_value() ? remote::newestJob(seen.value().listing) : std::nullopt;
    if (!job) {
        return {{name, address, begun}};
    }
    tellOfJob(name, *job, seen.value().listing.size());
    std::vector<NamedInput> inputs;
    for (const std::size_t dump : job->dumps) {
        const remote::Address rank = address->in(seen.value().listing[dump].name);
        inputs.push_back({rank.text(), rank});
    }
    return inputs;
}

Result<diagnose::Analysis> readInput(const NamedInput& input, const ReadInput& read,
                                     const std::function<void(const std::string&)>& tell)
{
    if (!input.address) {
        return read(LocalInput{input.name}, nullptr);
    }
    const std::shared_ptr<remote::Transfer> transfer =
        input.begun ? input.begun : transferOf(*input.address);
    std::optional<Result<diagnose::Analysis>> analysis;
    if (const std::optional<remote::OnTheWay> arriving = transfer->onTheWay()) {
        analysis = read({arriving->copy, true, arriving->file->size()}, arriving->file);
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
