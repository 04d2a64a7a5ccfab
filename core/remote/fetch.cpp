// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/fetch.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/base/new_file.h"
#include "core/remote/ssh_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
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

Error notPosix(const Address& address, const std::string& said)
{
    return cannotOpen(say("{} did not answer like a POSIX system ({}); copy the file by hand.",
                          address.host, said));
}

/// What ssh or the other side complained of; it ended before it answered.
Error noAnswer(const Address& address, SshProcess& process, const std::stop_token& stop)
{
    const int code = process.wait(stop);
    constexpr int kSshFailed = 255;
    std::string said = lastLine(process.complaints());
    if (said.empty()) {
        said = say("exit code {}", code);
    }
    const std::string port = address.port.empty() ? "" : "-p " + address.port + " ";
    if (code == kSshFailed) {
        return cannotOpen(
            say("Cannot reach {} over ssh ({}); try \"ssh {}{}\" in a terminal first.",
                address.host, said, port, address.login()));
    }
    return notPosix(address, said);
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
    /// Reads until the answer is there. None: the output ended before, or `isFlood`.
    Result<std::optional<FarAnswer>> answer(const std::stop_token& stop)
    {
        while (!isFlood()) {
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
    /// Without an answer: more than a login prints. Who writes on is not to be waited for.
    [[nodiscard]] bool isFlood() const
    {
        return m_text.size() >= kMostGreeting;
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
    explicit Teller(const FetchOptions& options)
        : m_options(options)
    {
    }
    /// `flush` brings what came to where `received` says it is.
    template <class Flush>
    void tell(const Received& received, Flush flush)
    {
        const auto now = std::chrono::steady_clock::now();
        constexpr std::chrono::milliseconds kBetween{100};
        if (m_options.progress && now - m_told >= kBetween) {
            m_told = now;
            flush();
            m_options.progress(received);
        }
    }

private:
    const FetchOptions& m_options;
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
    return {ErrorCode::cannotWrite,
            say("Cannot write the copy ({}); check free disk space.", error.message),
            {}};
}

/// The first bytes of a file into another; whether all of them were there.
bool copyStart(const std::filesystem::path& from, std::uint64_t count, std::ostream& to)
{
    std::ifstream in(from, std::ios::binary);
    std::vector<char> bytes(std::size_t{1} << 20);
    while (count > 0) {
        const auto next =
            static_cast<std::streamsize>(std::min<std::uint64_t>(count, bytes.size()));
        if (!in.read(bytes.data(), next)) {
            return false;
        }
        to.write(bytes.data(), next);
        count -= static_cast<std::uint64_t>(next);
    }
    return true;
}

/// What was asked for: a key for the marks, and the rest of what is here already.
struct Request {
    std::string key;
    std::optional<KeptCopies::Begun> begun;

    [[nodiscard]] FarPart part() const
    {
        return begun ? FarPart{begun->part.packer, begun->stamp.size, begun->stamp.modified,
                               begun->part.whole.holds}
                     : FarPart{};
    }
};

/// A copy that is being written: the rest of an earlier one, or anew.
class UnfinishedCopy {
public:
    UnfinishedCopy(const Address& address, const FarAnswer& answer, const Request& request,
                   const FetchOptions& options)
        : m_copies(options.folder)
        , m_address(address)
        , m_answer(answer)
        , m_before(answer.from > 0 ? request.begun->part.whole : Whole{})
        , m_marks(answer.packer, request.key, m_before)
        , m_teller(options)
    {
        m_received = {0, answer.size, answer.packer != Packer::none, m_before.holds};
    }

    Result<Done> open(const Request& request)
    {
        Result<std::filesystem::path> place = m_copies.place(m_address);
        if (!place.has_value()) {
            return place.error();
        }
        m_place = std::move(place).value();
        Result<NewFile> file = NewFile::create(m_place);
        if (!file.has_value()) {
            return cannotKeep(file.error());
        }
        m_file.emplace(std::move(file).value());
        m_received.so_far = m_file->unfinished();
        m_received.copy = m_place;
        if (m_before.kept > 0 && !copyStart(request.begun->file, m_before.kept, m_file->stream())) {
            m_copies.forget(m_address);
            return cannotOpen(say("The partial copy is no longer readable; try again."));
        }
        return Done{};
    }

    void add(std::string_view bytes)
    {
        if (bytes.empty()) {
            return; // The answer came alone.
        }
        m_file->stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        m_received.bytes += bytes.size();
        if (m_received.is_packed) {
            m_marks.take(bytes);
            m_received.holds = m_marks.whole().holds;
        } else {
            m_received.holds = m_before.holds + m_received.bytes;
        }
        m_teller.tell(m_received, [this] { m_file->stream().flush(); });
    }

    [[nodiscard]] const Received& received() const
    {
        return m_received;
    }
    [[nodiscard]] bool isEmpty() const
    {
        return m_received.bytes + m_before.kept == 0;
    }
    /// As far as can be told.
    [[nodiscard]] bool isWhole() const
    {
        return m_received.size == 0 || m_received.holds >= m_received.size;
    }

    /// Gives the copy its name, and says whether all of the file is in it.
    Result<Done> commit(bool is_whole)
    {
        m_copies.forget(m_address);
        const Result<Done> done = m_file->commit();
        if (!done.has_value()) {
            return cannotKeep(done.error());
        }
        const FarStamp stamp{m_answer.size, m_answer.modified};
        m_copies.keep(m_address, stamp, is_whole ? std::nullopt : std::optional(part()));
        return Done{};
    }
    [[nodiscard]] const std::filesystem::path& place() const
    {
        return m_place;
    }

private:
    [[nodiscard]] KeptPart part() const
    {
        if (m_received.is_packed) {
            return {m_answer.packer, m_marks.whole()};
        }
        const std::uint64_t blocks = m_received.holds / kBlockBytes * kBlockBytes;
        return {Packer::none, {blocks, blocks}};
    }

    KeptCopies m_copies;
    const Address& m_address;
    const FarAnswer& m_answer;
    Whole m_before;
    MarkFinder m_marks;
    Teller m_teller;
    Received m_received;
    std::filesystem::path m_place;
    std::optional<NewFile> m_file;
};

/// The connection was lost, with what came of the file.
std::string brokenWords(const UnfinishedCopy& copy, const std::string& said)
{
    const std::string came = receivedWords(copy.received());
    return said.empty()
        ? say(
            "The connection was lost ({}); this is what arrived. Open it again to fetch the rest.",
            came)
        : say("The connection was lost ({}; {}); this is what arrived. Open it again to fetch the "
              "rest.",
              came, said);
}

Result<Fetched> receiveFile(const Address& address, const FarAnswer& answer, const Request& request,
                            Arriving& arriving, const FetchOptions& options,
                            const std::stop_token& stop)
{
    Fetched fetched;
    fetched.size = answer.size;
    const KeptCopies copies(options.folder);
    if (const auto known = copies.find(address, {answer.size, answer.modified})) {
        fetched.file = *known;
        fetched.is_known = true;
        return fetched;
    }
    UnfinishedCopy copy(address, answer, request, options);
    const Result<Done> opened = copy.open(request);
    if (!opened.has_value()) {
        return opened.error();
    }
    for (;;) {
        copy.add(arriving.text());
        arriving.text().clear();
        const Result<std::size_t> count = arriving.readMore(stop);
        if (!count.has_value() && count.error().code == ErrorCode::cancelled) {
            if (copy.received().holds >= kBlockBytes) {
                // Kept for the next time; where it cannot be, that begins anew.
                (void)copy.commit(false).has_value();
            }
            return count.error();
        }
        if (!count.has_value() || count.value() == 0) {
            break;
        }
    }
    const int code = arriving.process().wait(stop);
    const bool is_whole = code == 0 && copy.isWhole();
    if (!is_whole) {
        const std::string said = lastLine(arriving.process().complaints());
        if (copy.isEmpty()) {
            return cannotOpen(say("{} sent nothing of the file ({}); try again.", address.host,
                                  said.empty() ? say("exit code {}", code) : said));
        }
        fetched.broken = brokenWords(copy, said);
    }
    const Result<Done> done = copy.commit(is_whole);
    if (!done.has_value()) {
        return done.error();
    }
    fetched.file = copy.place();
    return fetched;
}

} // namespace

Result<Fetched> fetch(const Address& address, const FetchOptions& options,
                      const std::stop_token& stop)
{
    if (options.folder.empty()) {
        return Error{
            ErrorCode::cannotWrite, say("No folder for the copy; set HOME or XDG_CACHE_HOME."), {}};
    }
    std::random_device random;
    const Request request{fmt::format("{:08x}{:08x}", random(), random()),
                          KeptCopies(options.folder).begun(address)};
    Result<std::unique_ptr<SshProcess>> process = SshProcess::start(
        sshArguments(address), farScript(address.path, request.key, request.part()),
        options.has_terminal);
    if (!process.has_value()) {
        return process.error();
    }
    Arriving arriving(std::move(process).value());
    const Result<std::optional<FarAnswer>> answer = arriving.answer(stop);
    if (!answer.has_value()) {
        return answer.error();
    }
    if (!answer.value()) {
        return arriving.isFlood()
            ? notPosix(address, say("over {} of other text", formatBytes(Bytes{kMostGreeting})))
            : noAnswer(address, arriving.process(), stop);
    }
    if (answer.value()->from > 0 && answer.value()->from != request.part().holds) {
        return cannotOpen(
            say("{} sent the wrong part of the file; copy it by hand.", address.host));
    }
    switch (answer.value()->kind) {
    case FarKind::file:
        return receiveFile(address, *answer.value(), request, arriving, options, stop);
    case FarKind::folder:
        return receiveListing(arriving, stop);
    case FarKind::missing:
        return cannotOpen(say("No such file on {}; check the path.", address.host));
    case FarKind::unreadable:
        break;
    }
    return cannotOpen(
        say("Not a readable file on {}; check its type and permissions.", address.host));
}

} // namespace tidemark::remote
