// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/size_table.h"

#include "core/program/constants.h"

#include <algorithm>
#include <cmath>

namespace tidemark::program {

namespace {

/// One of each weight in each pass, or in what each pass saves where other things are as large. A
/// table or a mask may be as large as the weights, and is not copied.
bool areCopies(const SizeGroup& group, std::int64_t weights)
{
    for (std::int64_t n = weights; n >= weights - weights / kWeightsPerTable; --n) {
        if (group.count % n == 0 || (group.saved > 0 && group.saved % n == 0)) {
            return true;
        }
    }
    return false;
}

/// A table beside the model tells nothing of the model.
bool isWeighty(std::int64_t bytes, std::int64_t of)
{
    return static_cast<double>(bytes) >= kWeightyShare * static_cast<double>(of);
}

} // namespace

SizeTable::SizeTable(const Observed& observed, const WeightSet& weights, std::int32_t weight_bytes)
{
    for (const auto& [bytes, count] : weights.counts) {
        for (const std::int32_t width : {4, 2}) {
            m_weight_sizes.insert(bytes / weight_bytes * width);
        }
    }
    group(observed);
    weigh();
    explainByWeights(observed, weights, weight_bytes);
    std::vector<SizeGroup> ranked;
    for (const SizeGroup& g : m_groups) {
        if (g.bytes >= kSmallestSize) {
            ranked.push_back(g);
        }
    }
    std::ranges::stable_sort(ranked, std::greater<>(), &SizeGroup::evidence);
    if (ranked.size() > kMostSizes) {
        ranked.resize(kMostSizes);
    }
    m_strongest = std::move(ranked);
}

void SizeTable::group(const Observed& o)
{
    for (std::size_t a = 0; a < o.count(); ++a) {
        const std::int64_t bytes = o.size(a);
        if (isFixed(o.kind[a]) || bytes <= 0) {
            continue;
        }
        if (o.kind[a] == Usage::input && bytes >= kSmallestInput) {
            m_inputs.insert(bytes);
        }
        if (o.kind[a] != Usage::saved && isWeightSized(bytes) && o.isMadeBetweenPasses(a)) {
            continue;
        }
        const auto [at, is_new] = m_index.emplace(bytes, m_groups.size());
        if (is_new) {
            m_groups.emplace_back();
            m_groups.back().bytes = bytes;
        }
        SizeGroup& g = m_groups[at->second];
        ++g.count;
        g.byte_states += static_cast<double>(bytes) * static_cast<double>(o.life(a));
        g.saved += o.kind[a] == Usage::saved ? 1 : 0;
    }
    std::ranges::sort(m_groups, {}, &SizeGroup::bytes);
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        m_index[m_groups[i].bytes] = i;
    }
}

void SizeTable::weigh()
{
    double bytes = 0;
    double byte_states = 0;
    double distinct = 0;
    const auto all = [](const SizeGroup& g) {
        return static_cast<double>(g.bytes) * static_cast<double>(g.count);
    };
    const auto logarithmic = [](const SizeGroup& g) {
        return g.bytes < kSmallestDistinct ? 0
                                           : std::log2(1.0 + static_cast<double>(g.count))
                * std::log2(static_cast<double>(g.bytes));
    };
    for (const SizeGroup& g : m_groups) {
        bytes += all(g);
        byte_states += g.byte_states;
        distinct += logarithmic(g);
    }
    const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
    for (SizeGroup& g : m_groups) {
        g.distinct_evidence = share(logarithmic(g), distinct);
        g.evidence = kEvidenceOfBytes * share(all(g), bytes)
            + kEvidenceOfByteStates * share(g.byte_states, byte_states)
            + kEvidenceOfDistinct * g.distinct_evidence;
    }
}

void SizeTable::explainByWeights(const Observed& o, const WeightSet& weights,
                                 std::int32_t weight_bytes)
{
    for (SizeGroup& g : m_groups) {
        if (isWeightSized(g.bytes)) {
            g.is_weight_sized = true;
            const bool is_rarely_saved = o.most_held > 0
                && static_cast<double>(g.saved) < kRarelySaved * static_cast<double>(g.count);
            g.explained = is_rarely_saved ? kUnsavedWeightSize : kSavedWeightSize;
        }
    }
    if (weight_bytes != kFullPrecisionBytes) {
        return;
    }
    for (const auto& [bytes, count] : weights.counts) {
        if (!isWeighty(bytes * count, weights.total_bytes)) {
            continue;
        }
        const auto found = m_index.find(bytes / 2);
        if (weights.counts.contains(bytes / 2)) {
            // Only what is saved is told from that weight's gradients and updates.
            if (found != m_index.end() && m_groups[found->second].saved > 0
                && areCopies(m_groups[found->second], count)) {
                m_groups[found->second].explained = kNarrowCopy;
            }
            continue;
        }
        NarrowCopies copies{bytes / 2,
                            static_cast<double>(bytes) * static_cast<double>(count)
                                / static_cast<double>(weights.total_bytes)};
        copies.is_unseen = found == m_index.end();
        copies.are_there = found != m_index.end() && areCopies(m_groups[found->second], count);
        if (copies.are_there) {
            m_groups[found->second].explained = kNarrowCopy;
        }
        m_narrow_copies.push_back(copies);
    }
}

} // namespace tidemark::program
