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

/// Waits for dumps in a folder of another machine: pipeline::DumpWatch over ssh. Each look is one
/// connection, and one more for each new dump.
class FarWatch {
public:
    FarWatch(Address folder, FetchOptions options, Fetch fetch = remote::fetch);

    /// The dumps that have become complete since the look before, fetched, the oldest first; one
    /// whose line broke off comes with the next look again. Errors: those of fetch; cannotOpen if
    /// it is no folder.
    Result<std::vector<FarArrival>> look(const std::stop_token& stop);

private:
    Address m_folder;
    FetchOptions m_options;
    Fetch m_fetch;
    Arrivals m_arrivals;
    std::vector<std::string> m_owed; ///< Names that are complete there and not here yet.
};

} // namespace tidemark::remote
