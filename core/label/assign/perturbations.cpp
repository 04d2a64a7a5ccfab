// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/perturbations.h"

#include "core/base/keyed_hash.h"
#include "core/label/assign/assigner.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace tidemark::label {
namespace {

bool isMadeForAPass(Bucket bucket)
{
    return bucket == Bucket::input || bucket == Bucket::activation || bucket == Bucket::output;
}

/// The weights of each size.
class WeightsOfSizes {
public:
    WeightsOfSizes(const RuleInputs& e, const Assigner& labels)
        : m_all(e.replay.allocations)
    {
        for (std::size_t i = 0; i < m_all.count(); ++i) {
            if (labels.bucketOf(AllocationId(i)) == Bucket::parameter) {
                m_weights[m_all.requested[i].value].push_back(AllocationId(i));
            }
        }
    }
    /// Whether a weight of its size lives as long as `a` does.
    [[nodiscard]] bool outlive(AllocationId a) const
    {
        const auto found = m_weights.find(m_all.requested[a.index()].value);
        return found != m_weights.end()
            && std::ranges::any_of(found->second, [&](AllocationId weight) {
                   return m_all.begin[weight.index()] < m_all.begin[a.index()]
                       && m_all.end[weight.index()] >= m_all.end[a.index()];
               });
    }

private:
    const replay::Allocations& m_all;
    std::unordered_map<std::int64_t, std::vector<AllocationId>, KeyedNumberHash> m_weights;
};

/// What one line outside of the model makes and lets go of.
struct Made {
    std::vector<AllocationId> like_weights;
    SizeCounts sizes; ///< Of those.
    std::int64_t bytes = 0; ///< Of all that it makes.
    std::int64_t bytes_like_weights = 0;
    std::int64_t bytes_let_go = 0; ///< Of those; what the last turn made may be there to the end.
};

} // namespace

void labelPerturbations(const RuleInputs& e, Assigner& labels)
{
    constexpr std::size_t kFewest = 4; // Less may be chance.
    if (e.runs.has_training) {
        return;
    }
    const replay::Allocations& all = e.replay.allocations;
    const WeightsOfSizes weights(e, labels);
    std::map<std::uint32_t, Made> lines;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const AllocationId a(i);
        const FrameId line = e.kinds.ownFrame(all.stack[i]);
        if (all.alloc_event[i].isNone() || line.isNone()
            || e.kinds.kind(all.stack[i]) != StackKind::other) {
            continue;
        }
        Made& made = lines[line.value];
        const std::int64_t size = all.requested[i].value;
        made.bytes += size;
        if (weights.outlive(a)) {
            made.bytes_like_weights += size;
            made.bytes_let_go += e.livesToTheEnd(a) ? 0 : size;
            made.like_weights.push_back(a);
            ++made.sizes[size];
        }
    }
    for (const auto& [line, made] : lines) {
        if (made.like_weights.size() < kFewest || made.sizes.size() < 2
            || made.bytes_like_weights * 20 < made.bytes * 19
            || made.bytes_let_go * 2 < made.bytes_like_weights) {
            continue;
        }
        for (const AllocationId a : made.like_weights) {
            // What is never freed may be the weights of after the last update.
            if (isMadeForAPass(labels.bucketOf(a))
                && !all.free_requested_event[a.index()].isNone()) {
                labels.assign(a, Bucket::temporary, Role::none, Rule::perturbation);
            }
        }
    }
}

} // namespace tidemark::label
