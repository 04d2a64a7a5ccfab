// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/reader/byte_source.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

namespace tidemark::reader {

/// The bytes of a source at one place in memory, while they arrive: a second thread reads ahead, so
/// a slow disk or an unpacker works while the first bytes are looked at. Only a window of them is
/// resident: the pages of what the caller has done with are moved before the window and filled
/// again, since fresh ones would have to be cleared first, and the thread waits when it is too far
/// ahead. So a file larger than the memory can be read.
///
/// A file is copied into private pages rather than mapped: a mapped file that is cut off or whose
/// disk fails would end the process with SIGBUS, and what was checked could change afterwards.
class InputStream {
public:
    /// Readable bytes behind the last one, all 0.
    static constexpr std::size_t kPadding = std::size_t{64} << 10;

    /// Begins to read. `largest`: a bound for sources that do not know their size. Errors:
    /// outOfMemory.
    static Result<std::unique_ptr<InputStream>> open(std::unique_ptr<ByteSource> source,
                                                     std::uint64_t largest);
    InputStream(const InputStream&) = delete;
    InputStream& operator=(const InputStream&) = delete;
    ~InputStream();

    /// The first byte. What was released cannot be read any more.
    [[nodiscard]] const std::byte* data() const
    {
        return m_pages.data();
    }
    /// Waits until `count` bytes are there, the end is known, or about 50 ms have passed; how many
    /// are there now.
    std::uint64_t waitFor(std::uint64_t count);
    /// All bytes are there; also after an error.
    [[nodiscard]] bool isComplete();
    /// Why the source ended early, if it did. Throws what ended the thread, such as bad_alloc.
    [[nodiscard]] std::optional<Error> error();
    /// Bytes in all as far as is known; 0 if not.
    [[nodiscard]] std::uint64_t expectedSize() const
    {
        return m_expected;
    }
    /// How far `offset` is, in [0, 1], when so many bytes have arrived. Where the size is not known
    /// this comes near 1 and never reaches it.
    [[nodiscard]] double fraction(std::uint64_t offset, std::uint64_t available) const;
    /// What lies before `offset` is not needed any more.
    void releaseBefore(std::uint64_t offset);

private:
    InputStream(std::unique_ptr<ByteSource> source, std::span<std::byte> pages);
    /// One step of reading; false when there is no more.
    bool readStep();
    void reusePages();
    void end(std::optional<Error> error, std::exception_ptr failure = {});
    void readAhead(const std::stop_token& stop);

    std::unique_ptr<ByteSource> m_source;
    std::span<std::byte> m_mapping;
    std::span<std::byte> m_pages; ///< Of it, from the first whole piece on.
    std::uint64_t m_expected = 0;
    std::uint64_t m_reused = 0; ///< What lies before it has no pages; of the reading thread.
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::uint64_t m_filled = 0; ///< Guarded, as all below.
    std::uint64_t m_released = 0;
    std::uint64_t m_consumed = 0; ///< The window begins here, or m_released.
    bool m_complete = false;
    std::optional<Error> m_error;
    std::exception_ptr m_failure;
    std::jthread m_thread; // Last: ends before the others go.
};

} // namespace tidemark::reader
