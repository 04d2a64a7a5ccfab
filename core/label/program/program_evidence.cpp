// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/program/program_evidence.h"

#include "core/label/label_rules.h"
#include "core/program/find.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace tidemark::label {
namespace {

/// What a rank of FSDP or ZeRO-3 holds of its weights, and what it gathers for use.
///
///     shard ── all-gather ──▶ buffer of a whole layer ──▶ each weight, whole
///     shard of a gradient ◀── reduce-scatter ── buffer of the same length
class Shards {
public:
    Shards(const DeviceLabels& labels, const replay::Allocations& allocations)
        : m_labels(labels)
        , m_all(allocations)
    {
        for (std::size_t a = 0; a < labels.bucket.size(); ++a) {
            if (labels.role[a] == Role::unsharded) {
                m_gathered.insert(size(a));
            } else if (labels.bucket[a] == Bucket::parameter && size(a) > 0) {
                m_shards[size(a)] += size(a);
            }
        }
        m_ratio = findRatio();
    }

    /// Shards stand for their weights, and what comes and goes beside them for none.
    void addTo(program::ProgramInput& evidence) const
    {
        if (m_ratio == 1) {
            return;
        }
        evidence.gathered_per_shard = m_ratio;
        for (std::size_t a = 0; a < evidence.kind.size(); ++a) {
            const bool is_temporary = m_labels.bucket[a] == Bucket::temporary;
            const bool is_double = is_temporary && size(a) % 2 == 0 && isBuffer(size(a) / 2)
                && !m_gathered.contains(size(a));
            if (is_double || (is_temporary && isBuffer(size(a)))
                || m_labels.role[a] == Role::unsharded) {
                evidence.kind[a] = program::Usage::communication;
            }
            // MixedPrecisionPolicy: gathered in 16 bits, reduced in 32.
            evidence.element_bytes = is_double ? 2 : evidence.element_bytes;
        }
    }

private:
    [[nodiscard]] std::int64_t size(std::size_t a) const
    {
        return m_all.requested[a].value;
    }
    /// Of a whole layer.
    [[nodiscard]] bool isBuffer(std::int64_t bytes) const
    {
        return m_gathered.contains(bytes)
            && (bytes % m_ratio != 0 || !m_shards.contains(bytes / m_ratio));
    }
    /// How many times as large as its shard a gathered weight is, if that is one number for nearly
    /// all of the shards' bytes; else 1.
    [[nodiscard]] std::int64_t findRatio() const
    {
        constexpr double kNearlyAll = 0.9;
        if (m_gathered.empty() || m_shards.empty()) {
            return 1;
        }
        const auto bytesOf = [](const auto& shard) { return shard.second; };
        const std::int64_t most = std::ranges::max_element(m_shards, {}, bytesOf)->first;
        for (const std::int64_t whole : m_gathered) {
            const std::int64_t ratio = whole % most == 0 ? whole / most : 1;
            std::int64_t bytes = 0;
            std::int64_t explained = 0;
            for (const auto& [shard, all] : m_shards) {
                bytes += all;
                explained += ratio > 1 && m_gathered.contains(shard * ratio) ? all : 0;
            }
            if (static_cast<double>(explained) >= kNearlyAll * static_cast<double>(bytes)) {
                return ratio;
            }
        }
        return 1;
    }

    const DeviceLabels& m_labels;
    const replay::Allocations& m_all;
    std::set<std::int64_t> m_gathered; ///< Bytes.
    std::map<std::int64_t, std::int64_t> m_shards; ///< Bytes of one → of all.
    std::int64_t m_ratio = 1;
};

} // namespace

bool isUserSet(const DeviceLabels& labels, AllocationId a)
{
    return labels.confidence[a.index()] == kSaid;
}

program::ProgramInput evidenceOf(const DeviceLabels& labels, const trace::Events& events)
{
    program::ProgramInput evidence;
    evidence.kind.reserve(labels.bucket.size());
    evidence.is_certain.reserve(labels.bucket.size());
    for (std::size_t a = 0; a < labels.bucket.size(); ++a) {
        evidence.kind.push_back(infoOf(labels.bucket[a]).kind);
        evidence.is_certain.push_back(isUserSet(labels, AllocationId(a)) ? 1 : 0);
    }
    for (const FailedRequest& failed : labels.failed) {
        evidence.failed.push_back(
            {events.size[failed.event.index()].value, infoOf(failed.bucket).kind});
    }
    return evidence;
}

std::vector<program::Program> findPrograms(const trace::Snapshot& snapshot,
                                           const replay::Replay& replay, const Labels& labels,
                                           std::span<const Correction> rules,
                                           const std::stop_token& stop)
{
    std::vector<program::Program> programs(labels.devices.size());
    for (std::size_t d = 0; d < programs.size() && !stop.stop_requested(); ++d) {
        const trace::Device& device = snapshot.devices[d];
        program::ProgramInput evidence = evidenceOf(labels.devices[d], device.events);
        evidence.dimensions = saidDimensions(rules, device.index);
        Shards(labels.devices[d], replay.devices[d].allocations).addTo(evidence);
        programs[d] = program::find(replay.devices[d], evidence, stop);
    }
    return programs;
}

} // namespace tidemark::label
