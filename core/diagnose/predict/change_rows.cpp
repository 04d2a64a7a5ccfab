// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/change_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace tidemark::diagnose {

ChangeRows::ChangeRows(const SizeKinds& kinds, std::span<const ChangedRun> runs,
                       std::uint32_t states)
    : m_kinds(kinds)
    , m_runs(runs)
    , m_lanes(3 * runs.size())
    , m_end{states}
    , m_of_kind(kinds.count(), kNone)
{
    addKinds();
    addLifetimes();
    addAdditions();
    std::ranges::sort(m_turns, {}, &Turn::at);
}

void ChangeRows::addKinds()
{
    for (std::size_t k = 0; k < m_of_kind.size(); ++k) {
        const Subject& example = m_kinds.examples[k];
        const Amount recorded = exactly(example.bytes);
        const bool any = std::ranges::any_of(
            m_runs, [&](const ChangedRun& run) { return run.sizeOf(m_kinds, k) != recorded; });
        if (!any) {
            continue;
        }
        m_of_kind[k] = newRow(example.bucket);
        for (std::size_t r = 0; r < m_runs.size(); ++r) {
            set(m_of_kind[k], r, m_runs[r].sizeOf(m_kinds, k).plus(-recorded.mid), 1);
        }
        close(m_of_kind[k]);
    }
}

void ChangeRows::addLifetimes()
{
    std::set<const Lifetimes*> done;
    for (const ChangedRun& run : m_runs) {
        if (run.lifetimes != nullptr && done.insert(run.lifetimes.get()).second) {
            addLifetimes(*run.lifetimes);
        }
    }
}

/// Of all runs with these lifetimes.
void ChangeRows::addLifetimes(const Lifetimes& lifetimes)
{
    std::array<std::vector<std::uint32_t>, 2> row_of; // per kind; those that may be there
    row_of.fill(std::vector<std::uint32_t>(m_kinds.count(), kNone));
    m_turns.reserve(m_turns.size() + lifetimes.size());
    for (const LifetimeTurn& turn : lifetimes) {
        std::uint32_t& row = row_of[turn.perhaps ? 1 : 0][turn.kind];
        if (row == kNone) {
            row = newRow(m_kinds.examples[turn.kind].bucket);
            for (std::size_t r = 0; r < m_runs.size(); ++r) {
                if (m_runs[r].lifetimes.get() == &lifetimes) {
                    Amount bytes = m_runs[r].sizeOf(m_kinds, turn.kind);
                    bytes.low = turn.perhaps ? 0 : bytes.low;
                    set(row, r, bytes, 1);
                }
            }
            close(row);
        }
        m_turns.push_back({turn.at, turn.until, row, turn.count, turn.goes_on});
    }
}

void ChangeRows::addAdditions()
{
    std::set<const Additions*> done;
    for (const ChangedRun& run : m_runs) {
        for (const auto& additions : run.additions) {
            if (done.insert(additions.get()).second) {
                addAdditions(*additions);
            }
        }
    }
}

void ChangeRows::addAdditions(const Additions& additions)
{
    std::map<std::tuple<double, double, double>, std::uint32_t> row_of;
    for (const Span& addition : additions) {
        const StateId end = std::min(addition.end, m_end);
        if (addition.begin >= end) {
            continue;
        }
        const Amount& bytes = addition.bytes;
        const auto [row, is_new] = row_of.try_emplace({bytes.low, bytes.mid, bytes.high}, kNone);
        if (is_new) {
            row->second = newRow(label::Bucket::unknown);
            for (std::size_t r = 0; r < m_runs.size(); ++r) {
                const auto times = std::ranges::count_if(
                    m_runs[r].additions, [&](const auto& a) { return a.get() == &additions; });
                set(row->second, r, bytes, static_cast<int>(times));
            }
            close(row->second);
        }
        m_turns.push_back({addition.begin, end, row->second, 1});
        m_turns.push_back({end, {}, row->second, -1});
    }
}

std::uint32_t ChangeRows::newRow(label::Bucket bucket)
{
    m_rows.resize(m_rows.size() + m_lanes, 0);
    m_bucket.push_back(bucket);
    m_ends.emplace_back();
    return static_cast<std::uint32_t>(m_ends.size() - 1);
}

void ChangeRows::set(std::uint32_t row, std::size_t run, const Amount& bytes, int times)
{
    std::int64_t* const lanes = m_rows.data() + std::size_t{row} * m_lanes;
    lanes[run] = times * std::llround(bytes.low);
    lanes[m_runs.size() + run] = times * std::llround(bytes.mid);
    lanes[2 * m_runs.size() + run] = times * std::llround(bytes.high);
}

void ChangeRows::close(std::uint32_t row)
{
    const std::int64_t* const lanes = this->row(row);
    const auto [least, most] = std::minmax_element(lanes, lanes + m_lanes);
    m_ends[row] = {*least, *most};
}

} // namespace tidemark::diagnose
