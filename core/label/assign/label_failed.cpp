// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/keyed_hash.h"
#include "core/label/assign/assigner.h"
#include "core/label/stacks/frame_labels.h"
#include "core/replay/block_sizes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::label {
namespace {

/// Labels failed requests in the order of their events, while allocations before them go by.
class FailedLabeller {
public:
    FailedLabeller(const RuleInputs& evidence, const Assigner& assigner)
        : m_e(evidence)
        , m_a(evidence.replay.allocations)
        , m_assigner(assigner)
    {
        for (const EventId oom : evidence.replay.ooms) {
            if (tells(stackOf(oom))) {
                m_places.insert(evidence.kinds.place(stackOf(oom)));
            }
        }
    }

    FailedRequest label(EventId oom)
    {
        FailedRequest failed{oom};
        const AllocationId earlier = earlierLike(oom);
        if (m_e.kinds.traits(stackOf(oom)).has(Trait::kv_cache)) {
            failed.bucket = Bucket::kv_cache;
            failed.confidence = m_assigner.confidence(Rule::generation_cache);
        } else if (!earlier.isNone()) {
            failed.bucket = m_assigner.bucketOf(earlier);
            failed.role = m_assigner.roleOf(earlier);
            failed.confidence = m_assigner.confidenceOf(earlier);
        } else if (const auto label = labelOfFrames(m_e.kinds, stackOf(oom))) {
            failed.bucket = label->bucket;
            failed.role = label->role;
            failed.confidence = m_assigner.confidence(label->rule);
        } else if (!m_e.runs.runs.empty()) {
            labelByPhase(failed);
        }
        return failed;
    }

private:
    /// Stack and rounded size.
    using Request = std::pair<StackId, Bytes>;
    struct RequestHash {
        KeyedHash hash;
        std::size_t operator()(const Request& r) const
        {
            return hash.pair(r.first.value, static_cast<std::uint64_t>(r.second.value));
        }
    };

    [[nodiscard]] StackId stackOf(EventId oom) const
    {
        return m_e.device.events.stack[oom.index()];
    }
    [[nodiscard]] Bytes wantedAt(EventId oom) const
    {
        return m_e.device.events.size[oom.index()];
    }
    [[nodiscard]] bool tells(StackId stack) const
    {
        const StackKind kind = m_e.kinds.kind(stack);
        return kind != StackKind::none && kind != StackKind::empty;
    }

    void passAllocationsBefore(EventId oom)
    {
        for (; m_next < m_a.count(); ++m_next) {
            const EventId made = m_a.alloc_event[m_next];
            if (!made.isNone() && oom < made) {
                break;
            }
            const AllocationId a(m_next);
            const std::size_t place = m_e.kinds.place(m_a.stack[m_next]);
            if (!made.isNone() && m_places.contains(place)
                && m_assigner.bucketOf(a) != Bucket::unknown) {
                m_last_of_place[place] = a;
                m_last_of_request[{m_a.stack[m_next],
                                   replay::roundToBlock(m_a.requested[m_next])}] = a;
            }
        }
    }

    /// The last allocation of the same stack and size tells what this one would have been; of the
    /// same place, where the size is new.
    AllocationId earlierLike(EventId oom)
    {
        const StackId stack = stackOf(oom);
        if (!tells(stack)) {
            return AllocationId::none();
        }
        passAllocationsBefore(oom);
        const auto same = m_last_of_request.find({stack, wantedAt(oom)});
        if (same != m_last_of_request.end()) {
            return same->second;
        }
        const auto near = m_last_of_place.find(m_e.kinds.place(stack));
        return near == m_last_of_place.end() ? AllocationId::none() : near->second;
    }

    void labelByPhase(FailedRequest& failed)
    {
        failed.confidence = kUnmeasured; // Nothing like it was made before.
        switch (m_e.runs.runs[m_e.runs.indexAt(failed.event)].phase) {
        case Phase::setup:
            failed.bucket = Bucket::parameter;
            break;
        case Phase::input:
            failed.bucket = Bucket::input;
            break;
        case Phase::forward: {
            failed.bucket = Bucket::activation;
            const bool in_loss = m_e.kinds.traits(stackOf(failed.event)).has(Trait::loss);
            failed.role =
                in_loss && isLogitsSize(wantedAt(failed.event)) ? Role::logits : Role::none;
            break;
        }
        case Phase::backward: {
            const bool gradient = isParameterSize(wantedAt(failed.event));
            failed.bucket = gradient ? Bucket::gradient : Bucket::temporary;
            failed.role = gradient ? Role::none : Role::activation_gradient;
            break;
        }
        case Phase::optimizer: {
            const bool transient =
                m_e.kinds.traits(stackOf(failed.event)).has(Trait::optimizer_transient);
            failed.bucket = transient ? Bucket::temporary : Bucket::optimizer_state;
            failed.role = transient ? Role::optimizer_transient : Role::none;
            break;
        }
        case Phase::evaluation:
        case Phase::inference:
        case Phase::other:
            failed.bucket = Bucket::temporary;
            break;
        }
    }

    bool isParameterSize(Bytes rounded)
    {
        if (!m_parameter_sizes) {
            m_parameter_sizes = sizesOf(
                [this](AllocationId a) { return m_assigner.bucketOf(a) == Bucket::parameter; });
        }
        return std::ranges::binary_search(*m_parameter_sizes, rounded);
    }
    /// As large as logits, or in 32 bits beside 16.
    bool isLogitsSize(Bytes rounded)
    {
        if (!m_logits_sizes) {
            m_logits_sizes =
                sizesOf([this](AllocationId a) { return m_assigner.roleOf(a) == Role::logits; });
        }
        return std::ranges::any_of(*m_logits_sizes, [&](Bytes size) {
            return size == rounded || 2 * size.value == rounded.value;
        });
    }
    /// Rounded, in order.
    template <typename Is>
    [[nodiscard]] std::vector<Bytes> sizesOf(const Is& is) const
    {
        std::vector<Bytes> sizes;
        for (std::size_t i = 0; i < m_a.count(); ++i) {
            if (is(AllocationId(i))) {
                sizes.push_back(replay::roundToBlock(m_a.requested[i]));
            }
        }
        std::ranges::sort(sizes);
        return sizes;
    }

    const RuleInputs& m_e;
    const replay::Allocations& m_a;
    const Assigner& m_assigner;
    std::unordered_set<std::uint64_t, KeyedNumberHash> m_places; ///< Those where a request failed.
    std::size_t m_next = 0; ///< The first allocation that has not gone by.
    std::unordered_map<std::uint64_t, AllocationId, KeyedNumberHash> m_last_of_place;
    std::unordered_map<Request, AllocationId, RequestHash> m_last_of_request;
    std::optional<std::vector<Bytes>> m_parameter_sizes; ///< Rounded; found when first needed.
    std::optional<std::vector<Bytes>> m_logits_sizes; ///< The same.
};

} // namespace

std::vector<FailedRequest> labelFailed(const RuleInputs& evidence, const Assigner& assigner)
{
    std::vector<FailedRequest> failed;
    FailedLabeller labeller(evidence, assigner);
    for (const EventId oom : evidence.replay.ooms) {
        failed.push_back(labeller.label(oom));
    }
    return failed;
}

} // namespace tidemark::label
