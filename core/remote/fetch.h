// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/remote/address.h"
#include "core/remote/far_side.h"
#include "core/remote/kept_copies.h"
#include "core/remote/received.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace tidemark::remote {

struct FetchOptions {
    std::filesystem::path folder = userCopiesFolder(); ///< Of the copies.
    bool has_terminal = false; ///< ssh may ask there.
    /// Called at most about ten times a second, on the thread that fetches. What has come is in a
    /// file then, as far as a folder takes new ones.
    std::function<void(const Received&)> progress{};
};

/// What was there.
struct Fetched {
    std::filesystem::path file{}; ///< The copy; empty: it is a folder.
    std::vector<FarFile> listing{}; ///< The folder's dumps, the newest first.
    std::uint64_t size = 0; ///< Bytes of the file there; 0: not known.
    bool is_known = false; ///< Nothing had to be sent: the copy of an earlier time is the same.
    /// The line broke off, and `file` holds what came: a sentence. Otherwise empty.
    std::string broken{};
};

/// Copies a file of another machine through the system's ssh (its keys, its agent, its
/// configuration, its jump hosts) or lists a folder of it. Waits for the network. Where a line
/// broke off, or it was cancelled, the next fetch of the same file goes on from there, if that has
/// the same size and time still. Errors: cancelled, cannotOpen (no ssh, no connection, no such
/// file; ssh's own words are in the sentence), cannotWrite.
Result<Fetched> fetch(const Address& address, const FetchOptions& options,
                      const std::stop_token& stop);

} // namespace tidemark::remote
