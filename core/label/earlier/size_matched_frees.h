// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/assign/assigner.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tidemark::label {

/// What was there before the trace and is freed in it, told by its twins: those of its size that
/// the trace makes itself and frees at the same place of the program, after they lived as long as
/// it is known to have lived; or by what takes its place. A program does the same in every step, so
/// a recording may begin in the middle of one.
class SizeMatchedFrees {
public:
    /// After `labelTraced`. O(events + allocations log earlier ones).
    SizeMatchedFrees(const RuleInputs& evidence, const Assigner& labels);

    /// The bucket of nearly all twins; none without twins, or where they disagree.
    [[nodiscard]] std::optional<Bucket> bucketOf(AllocationId a) const;
    /// The bucket of what was made just before it was freed, in its size, and outlives its run.
    [[nodiscard]] std::optional<Bucket> successorOf(AllocationId a) const;

    /// Of what is kept: the bucket of nearly all that the trace makes with the same stack and
    /// keeps; without stacks and training, of results in its size.
    [[nodiscard]] std::optional<Bucket> keptLike(AllocationId a) const;

private:
    /// Bytes, phase of the release, and the stack and bytes of the last allocation before it.
    using Place = std::tuple<std::int64_t, Phase, std::uint32_t, std::int64_t>;
    using Maker = std::pair<std::uint32_t, std::int64_t>; ///< Stack, or bytes without one.
    using Counts = std::array<std::size_t, kBucketCount>;
    struct Twin {
        std::uint32_t life = 0; ///< Events.
        Bucket bucket = Bucket::unknown;
    };

    [[nodiscard]] std::optional<Place> placeOf(AllocationId a) const;
    [[nodiscard]] Maker makerOf(AllocationId a) const;
    void countKept();
    [[nodiscard]] bool mayBeTwin(AllocationId a) const;

    const RuleInputs& m_e;
    const Assigner& m_labels;
    std::vector<std::uint32_t> m_last_made; ///< Per event: the last allocating one up to it.
    std::map<Place, std::vector<Twin>> m_twins; ///< Where something earlier is freed.
    std::map<Maker, Counts> m_kept; ///< Where something earlier is kept.
};

} // namespace tidemark::label
