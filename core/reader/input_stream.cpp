// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/input_stream.h"

#include "core/base/language.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stop_token>
#include <system_error>
#include <utility>

namespace tidemark::reader {
namespace {

constexpr std::size_t kStreamStep = std::size_t{256} << 10;
/// Pages are used again in such pieces: large pages and whole page tables move at once.
constexpr std::uint64_t kPiece = std::uint64_t{2} << 20;
/// The thread waits when it is so far ahead of what was released.
constexpr std::uint64_t kWindow = std::uint64_t{8} << 20;
/// A file can have grown by this much since its size was asked for.
constexpr std::uint64_t kGrowth = std::uint64_t{64} << 20;
/// So much is read before anything else, on the caller's thread: most files need no other.
constexpr std::uint64_t kFirstStep = std::uint64_t{1} << 20;
constexpr std::uint64_t kSmallestReserve = std::uint64_t{1} << 30;
constexpr std::chrono::milliseconds kPatience{50};

constexpr int kAddressesOnly = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#ifdef MREMAP_DONTUNMAP
constexpr int kKeepAddresses = MREMAP_DONTUNMAP;
#else
constexpr int kKeepAddresses = 4; // Linux 5.7; older C libraries do not name it.
#endif

/// Address space only; memory is taken where something is written. Large pages save most of the
/// page faults of a long file.
std::span<std::byte> reserve(std::uint64_t size)
{
    void* pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, kAddressesOnly, -1, 0);
    if (pages == MAP_FAILED) {
        return {};
    }
    ::madvise(pages, size, MADV_HUGEPAGE);
    return {static_cast<std::byte*>(pages), size};
}

/// The part of them that begins with a piece.
std::span<std::byte> wholePieces(std::span<std::byte> pages)
{
    const auto beyond = reinterpret_cast<std::uintptr_t>(pages.data()) % kPiece;
    return pages.subspan(beyond == 0 ? 0 : kPiece - beyond);
}

/// Moves the pages of one piece to another. No other mapping can come to lie where they were: that
/// range stays taken, and as one with those before it, since the system allows a process only so
/// many. Where the system cannot (Linux before 5.7), the pages go back to it.
void movePages(std::byte* from, std::byte* to)
{
    constexpr int kHow = MREMAP_MAYMOVE | MREMAP_FIXED | kKeepAddresses;
    if (::mremap(from, kPiece, kPiece, kHow, to) == MAP_FAILED) {
        ::madvise(from, kPiece, MADV_DONTNEED);
        return;
    }
    ::mmap(from, kPiece, PROT_NONE, kAddressesOnly | MAP_FIXED, -1, 0);
}

} // namespace

InputStream::InputStream(std::unique_ptr<ByteSource> source, std::span<std::byte> pages)
    : m_source(std::move(source))
    , m_mapping(pages)
    , m_pages(wholePieces(pages))
    , m_expected(m_source->size().value_or(0))
{
}

InputStream::~InputStream()
{
    m_thread.request_stop();
    if (m_thread.joinable()) {
        m_thread.join();
    }
    ::munmap(m_mapping.data(), m_mapping.size());
}

Result<std::unique_ptr<InputStream>> InputStream::open(std::unique_ptr<ByteSource> source,
                                                       std::uint64_t largest)
{
    const std::optional<std::uint64_t> size = source->size();
    std::uint64_t wanted = (size ? *size + kGrowth : largest) + kPadding + kPiece;
    std::span<std::byte> pages = reserve(wanted);
    while (pages.empty() && !size && wanted > kSmallestReserve) {
        wanted /= 2;
        pages = reserve(wanted);
    }
    if (pages.empty()) {
        return Error{ErrorCode::outOfMemory,
                     say("Not enough memory to open this file; close other programs or use a "
                         "larger machine.")};
    }
    std::unique_ptr<InputStream> stream(
        new InputStream(std::move(source), pages)); // The constructor is private.
    bool goes_on = true;
    while (goes_on && stream->m_filled < kFirstStep) {
        goes_on = stream->readStep();
    }
    if (goes_on) {
        try {
            stream->m_thread = std::jthread(
                [s = stream.get()](const std::stop_token& stop) { s->readAhead(stop); });
        } catch (const std::system_error&) {
            return Error{ErrorCode::outOfMemory,
                         say("No more threads available; close other programs.")};
        }
    }
    return stream;
}

bool InputStream::readStep()
{
    const std::uint64_t room = m_pages.size() - kPadding - m_filled;
    if (room == 0) {
        end(Error{ErrorCode::tooLarge,
                  say("The file grew while reading, or unpacks to more than memory; wait until it "
                      "is complete and open it again.")});
        return false;
    }
    if (m_filled % kPiece == 0) {
        reusePages();
    }
    const std::uint64_t step = std::min<std::uint64_t>(kStreamStep, kPiece - m_filled % kPiece);
    const Result<std::size_t> got = m_source->read(m_pages.subspan(m_filled, std::min(room, step)));
    if (!got.has_value() || got.value() == 0) {
        end(got.has_value() ? std::nullopt : std::optional(got.error()));
        return false;
    }
    const std::scoped_lock lock(m_mutex);
    m_filled += got.value();
    m_changed.notify_all();
    return true;
}

/// The piece that begins at m_filled gets the pages of the first that nobody needs any more.
void InputStream::reusePages()
{
    {
        const std::scoped_lock lock(m_mutex);
        if (m_reused + kPiece > m_released) {
            return;
        }
    }
    movePages(m_pages.data() + m_reused, m_pages.data() + m_filled);
    m_reused += kPiece;
}

void InputStream::end(std::optional<Error> error, std::exception_ptr failure)
{
    if (m_reused > 0) {
        std::memset(m_pages.data() + m_filled, 0, kPadding); // Pages used again hold old bytes.
    }
    const std::scoped_lock lock(m_mutex);
    m_error = std::move(error);
    m_failure = std::move(failure);
    m_complete = true;
    m_changed.notify_all();
}

void InputStream::readAhead(const std::stop_token& stop)
{
    try {
        do {
            std::unique_lock lock(m_mutex);
            if (!m_changed.wait(lock, stop, [&] { return m_filled < m_consumed + kWindow; })) {
                return;
            }
        } while (readStep());
    } catch (...) {
        end({}, std::current_exception());
    }
}

std::uint64_t InputStream::waitFor(std::uint64_t count)
{
    std::unique_lock lock(m_mutex);
    // A caller that needs more than the window at once gets it.
    if (count > m_consumed + kWindow) {
        m_consumed = count - kWindow;
        m_changed.notify_all();
    }
    m_changed.wait_for(lock, kPatience, [&] { return m_complete || m_filled >= count; });
    return m_filled;
}

double InputStream::fraction(std::uint64_t offset, std::uint64_t available) const
{
    constexpr std::uint64_t kGuess = std::uint64_t{256} << 20;
    const std::uint64_t size =
        m_expected == 0 ? available + kGuess : std::max(m_expected, available);
    return static_cast<double>(offset) / static_cast<double>(std::max<std::uint64_t>(size, 1));
}

bool InputStream::isComplete()
{
    const std::scoped_lock lock(m_mutex);
    return m_complete;
}

std::optional<Error> InputStream::error()
{
    const std::scoped_lock lock(m_mutex);
    if (m_failure) {
        std::rethrow_exception(m_failure);
    }
    return m_error;
}

void InputStream::releaseBefore(std::uint64_t offset)
{
    const std::uint64_t end = offset / kPiece * kPiece;
    if (end <= m_released) {
        return;
    }
    const std::scoped_lock lock(m_mutex);
    m_released = end;
    m_consumed = std::max(m_consumed, end);
    m_changed.notify_all();
}

} // namespace tidemark::reader
