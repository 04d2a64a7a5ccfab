// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/far_watch.h"

#include "core/base/language.h"

#include <algorithm>
#include <utility>

namespace tidemark::remote {

FarWatch::FarWatch(Address folder, FetchOptions options, Fetch fetch, bool takes_existing)
    : m_folder(std::move(folder))
    , m_options(std::move(options))
    , m_fetch(std::move(fetch))
    , m_arrivals(!takes_existing)
{
}

std::string FarWatch::interrupted(const Error& error)
{
    return std::exchange(m_has_told, true) ? std::string() : error.message + ' ' + say("Retrying.");
}

Result<FarLook> FarWatch::look(const std::stop_token& stop)
{
    const Result<Fetched> seen = m_fetch(m_folder, m_options, stop);
    if (!seen.has_value()) {
        const bool is_final = !m_has_looked || seen.error().code == ErrorCode::cancelled;
        return is_final ? Result<FarLook>(seen.error())
                        : Result<FarLook>(FarLook{{}, interrupted(seen.error())});
    }
    if (!seen.value().file.empty()) {
        return Error{
            ErrorCode::cannotOpen, say("That is a file; give its folder to watch it."), {}};
    }
    m_has_looked = true;
    std::vector<ListedFile> files;
    for (const FarFile& file : seen.value().listing) {
        if (file.size > 0) {
            files.push_back({file.name, file.size, file.modified});
        }
    }
    for (std::string& name : m_arrivals.take(files)) {
        if (std::ranges::find(m_owed, name) == m_owed.end()) {
            m_owed.push_back(std::move(name));
        }
    }
    // What was removed there is owed no longer.
    std::erase_if(m_owed, [&](const std::string& name) {
        return std::ranges::find(files, name, &ListedFile::name) == files.end();
    });
    FarLook look;
    while (!m_owed.empty()) {
        Address address = m_folder.in(m_owed.front());
        const Result<Fetched> fetched = m_fetch(address, m_options, stop);
        if (!fetched.has_value() && fetched.error().code == ErrorCode::cancelled) {
            return fetched.error();
        }
        if (!fetched.has_value() || !fetched.value().broken.empty()) {
            // What came wholly is shown first; the rest comes with the next look.
            look.interruption = interrupted(
                fetched.has_value()
                    ? Error{ErrorCode::cannotOpen,
                            say("The connection was lost while fetching {}.", address.fileName()),
                            {}}
                    : fetched.error());
            return look;
        }
        m_owed.erase(m_owed.begin());
        if (!fetched.value().file.empty()) {
            look.arrived.push_back({std::move(address), fetched.value().file});
        }
    }
    m_has_told = false;
    return look;
}

} // namespace tidemark::remote
