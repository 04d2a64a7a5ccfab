// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/causes/causes.h"
#include "core/diagnose/facts/growth.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// What else is to be seen at the moment, beside the causes: where and when it ran out, what pins
/// free memory, what is held twice, what would tempt and does not help. In the order of a story:
/// course of the run, memory, models, myths. Ids are stable. O(allocations + live · log live).
std::vector<Finding> gatherFindings(const CauseInput& in, const std::vector<CauseFinding>& causes);

/// What every step or evaluation batch keeps, where it is much, by itself or in all: it fills any
/// card, whether it did so this time or not.
std::optional<Kept> keptToTell(const CauseInput& in);

/// How sure the labels of some allocations are: their confidence, weighted with their bytes.
class LabelTrust {
public:
    explicit LabelTrust(const Facts& facts)
        : m_facts(facts)
    {
    }
    void add(AllocationId a);
    [[nodiscard]] double score() const; ///< 0 to 1; 0 of none.

private:
    const Facts& m_facts;
    double m_sure = 0;
    double m_all = 0;
};
/// Of what lives at the moment and is meant. O(allocations).
template <class IsMeant>
double trustInLive(const Facts& facts, const IsMeant& is_meant)
{
    LabelTrust trust(facts);
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.allocations().isLive(a, facts.moment.state) && is_meant(a)) {
            trust.add(a);
        }
    }
    return trust.score();
}

/// Ids of findings that the verdict says, too.
inline constexpr std::string_view kKeptGraphs = "kept-graphs";
inline constexpr std::string_view kEachStep = "each-step";

/// Free memory that the failed request could not use, and why: blocks that pin it, other streams,
/// private pools. Nothing without an OOM event.
void addMemoryFindings(const CauseInput& in, std::vector<Finding>& out);
/// Weights and gradients that are there more than once.
void addModelFindings(const CauseInput& in, std::vector<Finding>& out);
/// Known traps that the stacks of what lives show, each with its bytes and lines: where they are a
/// good part of what lives. The most bytes first. O(frames + allocations).
inline constexpr std::string_view kTrap = "trap";
void addTraps(const CauseInput& in, std::vector<Finding>& out);
/// What people try first, where the run shows it or the first cause tempts to it, and why it does
/// not help. Requires a cause.
inline constexpr std::string_view kMyth = "does-not-help";
void addMyths(const CauseInput& in, const CauseFinding& first, std::vector<Finding>& out);

} // namespace tidemark::diagnose
