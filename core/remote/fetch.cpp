// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/fetch.h"

#include "core/base/format.h"
#include "core/base/new_file.h"
#include "core/remote/ssh_process.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace tidemark::remote {
namespace {

constexpr std::size_t kMostGreeting = std::size_t{1} << 20; ///< What login scripts may print first.
constexpr std::size_t kMostListing = std::size_t{64} << 20;

std::vector<std::string> sshArguments(const Address& address)
{
    std::vector<std::string> arguments{"ssh",
                                       "-T", // No terminal there: bytes stay as they are.
                                       "-o",  "ClearAllForwardings=yes", "-o", "ConnectTimeout=30",
                                       "-o",  "ServerAliveInterval=15"};
    if (!address.port.empty()) {
        arguments.insert(arguments.end(), {"-p", address.port});
    }
    arguments.insert(arguments.end(), {"--", address.login(), "exec /bin/sh"});
    return arguments;
}

/// The last line that says something.
std::string lastLine(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t end = text.find_last_not_of(kBlank);
    if (end == std::string_view::npos) {
        return {};
    }
    text = text.substr(0, end + 1);
    return std::string(text.substr(text.find_last_of("\r\n") + 1));
}

Error cannotOpen(std::string message)
{
    return {ErrorCode::cannotOpen, std::move(message), {}};
}

/// What ssh or the other side complained of; it ended before it answered.
Error noAnswer(const Address& address, SshProcess& process)
{
    const int code = process.wait();
    constexpr int kSshFailed = 255;
    std::string said = lastLine(process.complaints());
    if (said.empty()) {
        said = fmt::format("exit code {}", code);
    }
    const std::string port = address.port.empty() ? "" : "-p " + address.port + " ";
    if (code == kSshFailed) {
        return cannotOpen(fmt::format("ssh did not reach {} ({}); try \"ssh {}{}\" in a terminal, "
                                      "and open it again when that works.",
                                      address.host, said, port, address.login()));
    }
    return cannotOpen(fmt::format("{} did not answer as a POSIX system does ({}); copy the file by "
                                  "hand.",
                                  address.host, said));
}

/// Bytes from the other side, beginning with what came along with the answer.
class Arriving {
public:
    explicit Arriving(std::unique_ptr<SshProcess> process)
        : m_process(std::move(process))
    {
    }
    [[nodiscard]] SshProcess& process()
    {
        return *m_process;
    }
    /// Reads until the answer is there. None: the output ended before.
    Result<std::optional<FarAnswer>> answer(const std::stop_token& stop)
    {
        while (m_text.size() < kMostGreeting) {
            const Result<std::size_t> count = readMore(stop);
            if (!count.has_value()) {
                return count.error();
            }
            if (count.value() == 0) {
                break;
            }
            if (std::optional<FarAnswer> answer = findAnswer(m_text)) {
                m_text.erase(0, answer->end);
                return answer;
            }
        }
        return std::optional<FarAnswer>();
    }
    /// Adds what comes next to `text`; 0 at the end.
    Result<std::size_t> readMore(const std::stop_token& stop)
    {
        const Result<std::size_t> count = m_process->read(m_bytes, stop);
        if (count.has_value()) {
            m_text.append(m_bytes.data(), count.value());
        }
        return count;
    }
    std::string& text()
    {
        return m_text;
    }

private:
    std::unique_ptr<SshProcess> m_process;
    std::string m_text;
    std::array<char, std::size_t{1} << 16> m_bytes{};
};

/// Says how far it is, not more often than people can see.
class Teller {
public:
    Teller(const FetchOptions& options, Received received)
        : m_options(options)
        , m_received(received)
    {
    }
    void add(std::uint64_t bytes)
    {
        m_received.bytes += bytes;
        if (m_received.bytes == 0) {
            return; // The answer came alone.
        }
        const auto now = std::chrono::steady_clock::now();
        constexpr std::chrono::milliseconds kBetween{100};
        if (m_options.progress && now - m_told >= kBetween) {
            m_told = now;
            m_options.progress(m_received);
        }
    }
    [[nodiscard]] const Received& received() const
    {
        return m_received;
    }

private:
    const FetchOptions& m_options;
    Received m_received;
    std::chrono::steady_clock::time_point m_told{};
};

Result<Fetched> receiveListing(Arriving& arriving, const std::stop_token& stop)
{
    for (;;) {
        const Result<std::size_t> count = arriving.readMore(stop);
        if (!count.has_value()) {
            return count.error();
        }
        if (count.value() == 0 || arriving.text().size() > kMostListing) {
            Fetched fetched;
            fetched.listing = parseListing(arriving.text());
            return fetched;
        }
    }
}

Error cannotKeep(const Error& error)
{
    return {
        ErrorCode::cannotWrite,
        fmt::format("The copy cannot be written ({}); check the space on the disk.", error.message),
        {}};
}

Result<Fetched> receiveFile(const Address& address, const FarAnswer& answer, Arriving& arriving,
                            const FetchOptions& options, const std::stop_token& stop)
{
    const KeptCopies copies(options.folder);
    const FarStamp stamp{answer.size, answer.modified};
    Fetched fetched;
    if (const auto known = copies.find(address, stamp)) {
        fetched.file = *known;
        fetched.is_known = true;
        return fetched;
    }
    const Result<std::filesystem::path> place = copies.place(address);
    if (!place.has_value()) {
        return place.error();
    }
    Result<NewFile> file = NewFile::create(place.value());
    if (!file.has_value()) {
        return cannotKeep(file.error());
    }
    Teller teller(options, {0, answer.size, answer.is_packed});
    std::string failure;
    for (;;) {
        std::string& text = arriving.text();
        file.value().stream().write(text.data(), static_cast<std::streamsize>(text.size()));
        teller.add(text.size());
        text.clear();
        const Result<std::size_t> count = arriving.readMore(stop);
        if (!count.has_value() && count.error().code == ErrorCode::cancelled) {
            return count.error();
        }
        if (!count.has_value() || count.value() == 0) {
            break;
        }
    }
    const int code = arriving.process().wait();
    const std::uint64_t came = teller.received().bytes;
    const bool is_short = !answer.is_packed && answer.size > 0 && came < answer.size;
    if (code != 0 || is_short) {
        const std::string said = lastLine(arriving.process().complaints());
        fetched.broken =
            fmt::format("The line broke off after {}{}; this is what came of it. Open it "
                        "again to fetch all of it.",
                        formatBytes(Bytes{static_cast<std::int64_t>(came)}),
                        said.empty() ? "" : " (" + said + ")");
        if (came == 0) {
            return cannotOpen(fmt::format("{} sent nothing of the file ({}); try again.",
                                          address.host,
                                          said.empty() ? fmt::format("exit code {}", code) : said));
        }
    }
    const Result<Done> done = file.value().commit();
    if (!done.has_value()) {
        return cannotKeep(done.error());
    }
    fetched.file = place.value();
    if (fetched.broken.empty()) {
        copies.keep(address, stamp);
    }
    return fetched;
}

} // namespace

Result<Fetched> fetch(const Address& address, const FetchOptions& options,
                      const std::stop_token& stop)
{
    if (options.folder.empty()) {
        return Error{ErrorCode::cannotWrite,
                     "There is no folder for the copy; set HOME or XDG_CACHE_HOME.",
                     {}};
    }
    Result<std::unique_ptr<SshProcess>> process =
        SshProcess::start(sshArguments(address), farScript(address.path), options.has_terminal);
    if (!process.has_value()) {
        return process.error();
    }
    Arriving arriving(std::move(process).value());
    const Result<std::optional<FarAnswer>> answer = arriving.answer(stop);
    if (!answer.has_value()) {
        return answer.error();
    }
    if (!answer.value()) {
        return noAnswer(address, arriving.process());
    }
    switch (answer.value()->kind) {
    case FarKind::file:
        return receiveFile(address, *answer.value(), arriving, options, stop);
    case FarKind::folder:
        return receiveListing(arriving, stop);
    case FarKind::missing:
        return cannotOpen(
            fmt::format("There is no such file on {}; check the path.", address.host));
    case FarKind::unreadable:
        break;
    }
    return cannotOpen(fmt::format("It is no file that can be read on {}; check what it is, and who "
                                  "may read it.",
                                  address.host));
}

} // namespace tidemark::remote
