// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tidemark {

/// Small values by address, in runs of at most `kRun` entries: as quick as a sorted vector for the
/// few thousand blocks of a real run, and no slower per change for a million. Entries move when
/// others come or go. A change costs O(log entries + kRun) and, once in `kRun` / 2 times, a word
/// per run; a lookup O(log entries).
template <class Value>
class AddressMap {
public:
    using Entry = std::pair<Address, Value>;

    [[nodiscard]] bool isEmpty() const
    {
        return m_runs.empty();
    }

    /// Adds an entry, or replaces the one of that address.
    void put(Address address, Value value)
    {
        if (m_runs.empty()) {
            m_runs.push_back({Entry(address, std::move(value))});
            return;
        }
        const std::size_t r = runFor(address);
        std::vector<Entry>& run = m_runs[r];
        const auto at = std::ranges::lower_bound(run, address, {}, &Entry::first);
        if (at != run.end() && at->first == address) {
            at->second = std::move(value);
            return;
        }
        run.insert(at, Entry(address, std::move(value)));
        if (run.size() > kRun) {
            split(r);
        }
    }

    /// Does nothing where there is none.
    void erase(Address address)
    {
        if (m_runs.empty()) {
            return;
        }
        const std::size_t r = runFor(address);
        std::vector<Entry>& run = m_runs[r];
        const auto at = std::ranges::lower_bound(run, address, {}, &Entry::first);
        if (at == run.end() || at->first != address) {
            return;
        }
        run.erase(at);
        if (run.empty()) {
            m_runs.erase(m_runs.begin() + static_cast<std::ptrdiff_t>(r));
        }
    }

    /// The entry at the highest address below one. Valid until the next change, as is `atOrAbove`.
    [[nodiscard]] Entry* below(Address address)
    {
        if (m_runs.empty()) {
            return nullptr;
        }
        const std::size_t r = runFor(address);
        const auto at = std::ranges::lower_bound(m_runs[r], address, {}, &Entry::first);
        if (at != m_runs[r].begin()) {
            return &*std::prev(at);
        }
        return r == 0 ? nullptr : &m_runs[r - 1].back();
    }

    /// The entry at the lowest address that is not below one.
    [[nodiscard]] Entry* atOrAbove(Address address)
    {
        if (m_runs.empty()) {
            return nullptr;
        }
        const std::size_t r = runFor(address);
        const auto at = std::ranges::lower_bound(m_runs[r], address, {}, &Entry::first);
        if (at != m_runs[r].end()) {
            return &*at;
        }
        return r + 1 == m_runs.size() ? nullptr : &m_runs[r + 1].front();
    }

private:
    static constexpr std::size_t kRun = 128;

    /// The last run that begins at or below an address, else the first.
    [[nodiscard]] std::size_t runFor(Address address) const
    {
        const auto after =
            std::ranges::upper_bound(m_runs, address, {}, [](const auto& r) { return r[0].first; });
        return after == m_runs.begin() ? 0 : static_cast<std::size_t>(after - m_runs.begin()) - 1;
    }

    void split(std::size_t r)
    {
        std::vector<Entry>& run = m_runs[r];
        const auto middle = run.begin() + static_cast<std::ptrdiff_t>(run.size() / 2);
        std::vector<Entry> upper(middle, run.end());
        run.erase(middle, run.end());
        m_runs.insert(m_runs.begin() + static_cast<std::ptrdiff_t>(r) + 1, std::move(upper));
    }

    std::vector<std::vector<Entry>> m_runs; ///< By address; none is empty.
};

} // namespace tidemark
