// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/arrivals.h"
#include "core/remote/fetch.h"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace tidemark::remote {

using Fetch =
    std::function<Result<Fetched>(const Address&, const FetchOptions&, const std::stop_token&)>;

/// A dump that was written on the other machine, and its copy here.
struct FarArrival {
    Address address;
    std::filesystem::path file;
};

/// What one look into the folder shows.
struct FarLook {
    /// The dumps that have become complete since the look before, fetched, the oldest first.
    std::vector<FarArrival> arrived;
    /// The line failed: a sentence, told once until it works again. Otherwise empty.
    std::string interruption{};
};

/// Waits for dumps in a folder of another machine: pipeline::DumpWatch over ssh. Each look is one
/// connection, and one more for each new dump. Networks come back: once a look has worked, a line
/// that fails is tried again with the next one, and a dump that did not come wholly is continued.
class FarWatch {
public:
    FarWatch(Address folder, FetchOptions options, Fetch fetch = remote::fetch,
             bool takes_existing = false);

    /// Errors, until a look has worked: those of fetch; cannotOpen if it is no folder. Afterwards
    /// cancelled alone.
    Result<FarLook> look(const std::stop_token& stop);

private:
    /// The line failed, or works again.
    std::string interrupted(const Error& error);

    Address m_folder;
    FetchOptions m_options;
    Fetch m_fetch;
    Arrivals m_arrivals;
    std::vector<std::string> m_owed; ///< Names that are complete there and not here yet.
    bool m_has_looked = false; ///< With success.
    bool m_has_told = false; ///< That the line failed.
};

} // namespace tidemark::remote
