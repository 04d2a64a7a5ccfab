// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/corrections/corrections.h"
#include "core/label/labels.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark::label {

/// What a rule may mean: an allocation, or a request that failed.
struct Candidate {
    std::uint32_t device = 0; ///< Index into the devices.
    /// An AllocationId; from the number of allocations on, behind it an index into
    /// `DeviceLabels::failed`.
    std::uint32_t index = 0;
};

/// All candidates of a file by what rules ask for, so that many rules need not go through all of
/// them each. For use inside core/label.
class AllocationIndex {
public:
    /// By address and by size only if it pays for so many rules. The snapshot, the replay and the
    /// labels must outlive it; of labels only the failed requests are read. O(n log n).
    AllocationIndex(const trace::Snapshot& snapshot, const replay::Replay& replay,
                    const Labels& labels, std::span<const Correction> rules);

    [[nodiscard]] bool isRequest(Candidate c) const
    {
        return c.index >= allocationsOf(c).count();
    }
    /// Index into `DeviceLabels::failed`. Requires a failed request.
    [[nodiscard]] std::size_t requestOf(Candidate c) const
    {
        return c.index - allocationsOf(c).count();
    }
    [[nodiscard]] StackId stackOf(Candidate c) const;
    [[nodiscard]] Bytes bytesOf(Candidate c) const;

    // Of allocations alone.
    [[nodiscard]] EventId madeBy(Candidate c) const
    {
        return allocationsOf(c).alloc_event[c.index];
    }
    [[nodiscard]] std::int64_t eventOf(Candidate c) const ///< As rules write it.
    {
        return madeBy(c).isNone() ? -1 : std::int64_t{madeBy(c).value};
    }
    [[nodiscard]] Address addressOf(Candidate c) const
    {
        return allocationsOf(c).address[c.index];
    }

    /// Some candidates, with all of those that a rule means among them: those of its event, or the
    /// fewest of those of its device, at its address and of its sizes.
    [[nodiscard]] std::span<const Candidate> candidates(const CorrectionMatch& match) const;
    /// Those of a stack, on the device that a rule asks for. Requires a rule that asks for stacks.
    [[nodiscard]] std::span<const Candidate> ofStack(StackId stack,
                                                     const CorrectionMatch& match) const;

private:
    using Span = std::span<const Candidate>;
    [[nodiscard]] const replay::Allocations& allocationsOf(Candidate c) const
    {
        return m_replay.devices[c.device].allocations;
    }
    [[nodiscard]] Span ofDevice(const CorrectionMatch& match) const;
    void indexStacks();

    const trace::Snapshot& m_snapshot;
    const replay::Replay& m_replay;
    const Labels& m_labels;
    std::unordered_map<std::int32_t, std::uint32_t> m_devices; ///< By CUDA index.
    std::vector<Candidate> m_all; ///< Device by device.
    std::vector<std::size_t> m_first_of_device; ///< In `m_all`, and one for the end.
    std::vector<Candidate> m_by_event; ///< Allocations; empty where not indexed, as those below.
    std::vector<Candidate> m_by_address; ///< Allocations.
    std::vector<Candidate> m_by_size;
    std::vector<Candidate> m_by_stack; ///< Then by device.
    std::vector<std::size_t> m_first_of_stack; ///< In `m_by_stack`, and one for the end.
};

} // namespace tidemark::label
