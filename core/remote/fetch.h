// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/remote/address.h"
#include "core/remote/far_side.h"
#include "core/remote/kept_copies.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace tidemark::remote {

/// How far a file has come.
struct Received {
    std::uint64_t bytes = 0; ///< That came over the line.
    std::uint64_t size = 0; ///< Of the file there; 0: not known.
    bool is_packed = false; ///< Fewer bytes than `size` will come.
};

struct FetchOptions {
    std::filesystem::path folder = userCopiesFolder(); ///< Of the copies.
    bool has_terminal = false; ///< ssh may ask there.
    /// Called at most about ten times a second, on the thread that fetches.
    std::function<void(const Received&)> progress{};
};

/// What was there.
struct Fetched {
    std::filesystem::path file{}; ///< The copy; empty: it is a folder.
    std::vector<FarFile> listing{}; ///< The folder's dumps, the newest first.
    bool is_known = false; ///< Nothing had to be sent: the copy of an earlier time is the same.
    /// The line broke off, and `file` holds what came: a sentence. Otherwise empty.
    std::string broken{};
};

/// Copies a file of another machine through the system's ssh (its keys, its agent, its
/// configuration, its jump hosts) or lists a folder of it. Waits for the network. Errors:
/// cancelled, cannotOpen (no ssh, no connection, no such file; ssh's own words are in the
/// sentence), cannotWrite.
Result<Fetched> fetch(const Address& address, const FetchOptions& options,
                      const std::stop_token& stop);

} // namespace tidemark::remote
