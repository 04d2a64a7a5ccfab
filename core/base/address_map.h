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

    /// The entries at the highest address below one, and at the lowest that is not below it.
    struct Neighbours {
        std::optional<Entry> below;
        std::optional<Entry> at_or_above;
    };

    /// Adds an entry, or replaces the one of that address. Returns what was around it.
    Neighbours put(Address address, Value value)
    {
        if (m_runs.empty()) {
            m_runs.push_back({Entry(address, std::move(value))});
            return {};
        }
        const std::size_t r = runFor(address);
        std::vector<Entry>& run = m_runs[r];
        const auto at = std::ranges::lower_bound(run, address, {}, &Entry::first);
        const Neighbours found = around(r, static_cast<std::size_t>(at - run.begin()));
        if (at != run.end() && at->first == address) {
            at->second = std::move(value);
            return found;
        }
        run.insert(at, Entry(address, std::move(value)));
        if (run.size() > kRun) {
            split(r);
        }
        return found;
    }

    /// Does nothing where there is none.
    void erase(Address address)
    {
        eraseIf(address, [](const Value&) { return true; });
    }
    /// The same where `isMeant(value)` holds.
    template <class IsMeant>
    void eraseIf(Address address, const IsMeant& isMeant)
    {
        if (m_runs.empty()) {
            return;
        }
        const std::size_t r = runFor(address);
        std::vector<Entry>& run = m_runs[r];
        const auto at = std::ranges::lower_bound(run, address, {}, &Entry::first);
        if (at == run.end() || at->first != address || !isMeant(at->second)) {
            return;
        }
        run.erase(at);
        if (run.empty()) {
            m_runs.erase(m_runs.begin() + static_cast<std::ptrdiff_t>(r));
        }
    }

    [[nodiscard]] Neighbours around(Address address) const
    {
        if (m_runs.empty()) {
            return {};
        }
        const std::size_t r = runFor(address);
        const auto at = std::ranges::lower_bound(m_runs[r], address, {}, &Entry::first);
        return around(r, static_cast<std::size_t>(at - m_runs[r].begin()));
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

    /// Of the place before entry `at` of run `r`.
    [[nodiscard]] Neighbours around(std::size_t r, std::size_t at) const
    {
        const std::vector<Entry>& run = m_runs[r];
        Neighbours found;
        if (at > 0) {
            found.below = run[at - 1];
        } else if (r > 0) {
            found.below = m_runs[r - 1].back();
        }
        if (at < run.size()) {
            found.at_or_above = run[at];
        } else if (r + 1 < m_runs.size()) {
            found.at_or_above = m_runs[r + 1].front();
        }
        return found;
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
