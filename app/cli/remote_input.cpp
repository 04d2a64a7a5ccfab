// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/remote_input.h"

#include "core/base/format.h"
#include "core/base/units.h"
#include "core/remote/fetch.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace tidemark::cli {
namespace {

Bytes bytesOf(std::uint64_t count)
{
    return Bytes{static_cast<std::int64_t>(count)};
}

/// One line on a terminal that is written over again and again.
class ProgressLine {
public:
    explicit ProgressLine(std::string name)
        : m_name(report::visibleText(name))
        , m_is_shown(::isatty(STDERR_FILENO) == 1)
    {
    }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine()
    {
        if (m_is_begun) {
            std::fputs("\r\x1b[K", stderr);
        }
    }
    void show(const remote::Received& received)
    {
        if (!m_is_shown) {
            return;
        }
        m_is_begun = true;
        const std::string of = received.size == 0 ? std::string()
            : received.is_packed
            ? fmt::format(" packed, of {}", formatBytes(bytesOf(received.size)))
            : fmt::format(" of {}", formatBytes(bytesOf(received.size)));
        fmt::print(stderr, "\r{}: {}{}\x1b[K", m_name, formatBytes(bytesOf(received.bytes)), of);
    }

private:
    std::string m_name;
    bool m_is_shown;
    bool m_is_begun = false;
};

Error folderNamed(const remote::Address& address, const std::vector<remote::FarFile>& dumps)
{
    if (dumps.empty()) {
        return {ErrorCode::cannotOpen, "It is a folder without snapshots; name a file.", {}};
    }
    constexpr std::size_t kMostNamed = 10;
    std::string names;
    for (std::size_t i = 0; i < std::min(dumps.size(), kMostNamed); ++i) {
        names += (i == 0 ? "" : ", ") + dumps[i].name;
    }
    const std::string more = dumps.size() > kMostNamed
        ? fmt::format(" and {} older ones", dumps.size() - kMostNamed)
        : "";
    return {ErrorCode::cannotOpen,
            fmt::format("It is a folder; name one of its snapshots, as {}. The newest first: {}{}.",
                        address.in(dumps.front().name).text(), names, more),
            {}};
}

} // namespace

Result<LocalInput> localInput(const std::string& name)
{
    const std::optional<remote::Address> address = remote::farAddress(name);
    if (!address) {
        return LocalInput{name};
    }
    ProgressLine line(name);
    remote::FetchOptions options;
    options.has_terminal = ::isatty(STDIN_FILENO) == 1;
    options.progress = [&line](const remote::Received& received) { line.show(received); };
    Result<remote::Fetched> fetched = remote::fetch(*address, options, {});
    if (!fetched.has_value()) {
        return fetched.error();
    }
    if (fetched.value().file.empty()) {
        return folderNamed(*address, fetched.value().listing);
    }
    return LocalInput{fetched.value().file, true, fetched.value().broken};
}

} // namespace tidemark::cli
