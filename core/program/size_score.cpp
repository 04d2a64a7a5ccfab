// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/size_score.h"

#include <algorithm>

namespace tidemark::program {

SizeScore::SizeScore(const SizeTable& table)
    : m_sizes(table.strongest())
{
    for (std::size_t i = 0; i < m_sizes.size(); ++i) {
        m_index.emplace(m_sizes[i].bytes, i);
    }
}

void SizeScore::explain(Explained& explained, std::span<const Reading> readings) const
{
    for (const Reading& reading : readings) {
        if (const auto found = m_index.find(reading.bytes); found != m_index.end()) {
            double& best = explained[found->second];
            best = std::max(best, reading.prior);
        }
    }
}

double SizeScore::total(const Explained& explained) const
{
    double sum = 0;
    for (std::size_t i = 0; i < m_sizes.size(); ++i) {
        sum += m_sizes[i].evidence * std::max(m_sizes[i].explained, explained[i]);
    }
    return sum;
}

} // namespace tidemark::program
