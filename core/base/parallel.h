// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tidemark {

/// Beyond so many threads the memory is what all wait for.
inline constexpr std::size_t kFewThreads = 4;

/// Calls `work(i)` for every i below `count`, each once, in no order, on the calling thread and on
/// more where the machine has them, `most` in all. Results must not depend on who does what: `work`
/// writes to places of its own. What it throws ends the work and is thrown again here.
template <class Work>
void forEachInParallel(std::size_t count, const Work& work, std::size_t most = kFewThreads)
{
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    std::mutex failing;
    const auto takeTurns = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                work(i);
            }
        } catch (...) {
            const std::scoped_lock lock(failing);
            failure = failure ? failure : std::current_exception();
            next = count;
        }
    };
    {
        std::vector<std::jthread> helpers;
        const std::size_t threads =
            std::min({count, most, std::size_t{std::thread::hardware_concurrency()}});
        try {
            for (std::size_t i = 1; i < threads; ++i) {
                helpers.emplace_back(takeTurns);
            }
        } catch (const std::system_error&) {
            // No further thread is to be had: those there do it all.
        }
        takeTurns();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

} // namespace tidemark
