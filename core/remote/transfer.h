// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/growing_file.h"
#include "core/remote/fetch.h"

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace tidemark::remote {

/// A file on its way here that can be read from its first bytes on.
struct OnTheWay {
    std::filesystem::path copy; ///< What it will be called.
    std::shared_ptr<const GrowingFile> file;
};

/// `fetch` on a thread of its own.
class Transfer {
public:
    /// Begins. `options.progress` is called on that thread.
    Transfer(const Address& address, FetchOptions options);
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    /// Cancels what is not over.
    ~Transfer();

    /// Waits for the first bytes of the file. None: the fetch is over, and had nothing to send or
    /// nowhere to put it until it was complete.
    [[nodiscard]] std::optional<OnTheWay> onTheWay();
    /// Nobody wants the rest. What came is kept for the next time.
    void cancel();
    /// Waits for the end of the fetch.
    [[nodiscard]] const Result<Fetched>& result();

private:
    void run(const Address& address, FetchOptions options, const std::stop_token& stop);
    void see(const Received& received);

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::shared_ptr<GrowingFile> m_file; ///< Guarded, as all below.
    std::filesystem::path m_copy;
    std::optional<Result<Fetched>> m_result;
    std::jthread m_thread; // Last: ends before the others go.
};

} // namespace tidemark::remote
