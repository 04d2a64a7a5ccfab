// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/captured/label_captured.h"

#include "core/base/interval.h"
#include "core/base/keyed_hash.h"
#include "core/base/language.h"
#include "core/label/label_rules.h"
#include "core/replay/rounding.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

namespace tidemark::label {
namespace {

/// Moments of which at least so many of the addresses must be alive with the size that the file
/// gives: below that they lie somewhere else than thought.
constexpr std::size_t kAgreeingOf = 10;
constexpr std::size_t kAgreeing = 8;
/// So few addresses prove nothing.
constexpr std::size_t kFewRows = 4;

class CapturedLabeller {
public:
    CapturedLabeller(const trace::Capture& capture, const trace::Device& device,
                     const replay::DeviceReplay& replay, DeviceLabels& labels)
        : m_capture(capture)
        , m_device(device)
        , m_a(replay.allocations)
        , m_labels(labels)
        , m_places(placeMoments(capture, device))
        , m_rank(m_a.count(), 0)
        , m_reason_of_thing(capture.things.size(), 0)
    {
    }

    void label()
    {
        noteUnplaced();
        findAllocations();
        dropDoubtful();
        for (const Row& row : m_rows) {
            if (m_places[row.moment]) {
                assign(row);
            }
        }
        const std::vector<CapturedInterval> intervals =
            capturedIntervals(m_capture, m_device, m_places, m_labels.phases);
        for (const CapturedInterval& interval : intervals) {
            if (interval.phase) {
                settleInterval(interval);
            }
        }
        replacePhases(m_capture, m_device, m_places, intervals, m_labels);
    }

private:
    /// One tensor at one moment, and the allocation found at its address.
    struct Row {
        std::size_t moment;
        std::size_t thing;
        AllocationId allocation; ///< None: nothing lives there.
        bool agrees; ///< The allocation is of the tensor's size.
        bool may_be_of_graph; ///< The address is in a private pool.
    };

    void noteUnplaced()
    {
        std::int64_t unplaced = 0;
        for (std::size_t m = 0; m < m_places.size(); ++m) {
            unplaced += m_places[m] ? 0 : 1;
        }
        const bool is_known = m_capture.device(m_device.index) != nullptr;
        if (unplaced > 0 && is_known && m_device.events.count() > 0) {
            m_labels.notes.add("capture-moments-unplaced",
                               say("Ignored the capture module's moments: the allocator counters "
                                   "were reset or unreadable."),
                               unplaced);
        }
    }

    void findAllocations()
    {
        const trace::CaptureTensors& tensors = m_capture.tensors;
        std::unordered_map<Address, std::vector<AllocationId>, KeyedNumberHash> at;
        for (std::size_t i = 0; i < tensors.count(); ++i) {
            if (tensors.device[i] == m_device.index) {
                at.try_emplace(tensors.address[i]);
            }
        }
        if (at.empty()) {
            return;
        }
        for (const trace::Segment& s : m_device.segments) {
            if (s.pool.isPrivate()) {
                m_private.push_back(
                    {s.address, s.address + static_cast<Address>(s.total_size.value)});
            }
        }
        std::ranges::sort(m_private, {}, &Interval<Address>::begin);
        for (std::size_t i = 0; i < m_a.count(); ++i) {
            if (const auto it = at.find(m_a.address[i]); it != at.end()) {
                it->second.push_back(AllocationId(i));
            }
        }
        for (std::size_t i = 0; i < tensors.count(); ++i) {
            const auto& place = m_places[tensors.moment[i]];
            if (tensors.device[i] == m_device.index && place) {
                const AllocationId found = liveIn(at[tensors.address[i]], place->state);
                const bool agrees = !found.isNone()
                    && replay::roundToBlock(m_a.requested[found.index()])
                        == replay::roundToBlock(tensors.bytes[i]);
                m_rows.push_back({tensors.moment[i], tensors.thing[i], found, agrees,
                                  mayBeOfGraph(tensors.address[i])});
            }
        }
    }

    /// Whether a replayed graph may write there: torch.compile captures into a pool of the user's
    /// kind. Its tensors lie where the capture put them, whether or not the allocator has that
    /// memory as free.
    [[nodiscard]] bool mayBeOfGraph(Address address) const
    {
        const auto next =
            std::ranges::upper_bound(m_private, address, {}, &Interval<Address>::begin);
        return next != m_private.begin() && std::prev(next)->contains(address);
    }

    /// Of one address, in the order of their beginnings.
    [[nodiscard]] AllocationId liveIn(const std::vector<AllocationId>& ids, StateId state) const
    {
        auto it = std::ranges::upper_bound(ids, state, {},
                                           [this](AllocationId a) { return m_a.begin[a.index()]; });
        if (it == ids.begin() || m_a.end[std::prev(it)->index()] <= state) {
            return AllocationId::none();
        }
        return *std::prev(it);
    }

    /// Of what came before the trace, only what is still there as it was can be told; elsewhere
    /// most addresses must agree.
    void dropDoubtful()
    {
        std::vector<std::size_t> rows(m_places.size(), 0);
        std::vector<std::size_t> agreeing(m_places.size(), 0);
        for (const Row& row : m_rows) {
            if (row.may_be_of_graph && !row.agrees) {
                continue; // Says nothing against the moment.
            }
            ++rows[row.moment];
            agreeing[row.moment] += row.agrees ? 1 : 0;
        }
        std::int64_t dropped = 0;
        for (std::size_t m = 0; m < m_places.size(); ++m) {
            if (m_places[m] && !m_places[m]->is_earlier && rows[m] >= kFewRows
                && agreeing[m] * kAgreeingOf < rows[m] * kAgreeing) {
                m_places[m].reset();
                ++dropped;
            }
        }
        if (dropped > 0) {
            m_labels.notes.add("capture-moments-doubtful",
                               say("Ignored the capture module's moments where the trace has other "
                                   "allocations at the noted addresses."),
                               dropped);
        }
    }

    void assign(const Row& row)
    {
        const trace::CaptureThing& thing = m_capture.things[row.thing];
        const std::optional<Bucket> bucket = bucketFromId(thing.bucket);
        if (!bucket || row.allocation.isNone() || !row.agrees) {
            return;
        }
        const std::size_t a = row.allocation.index();
        if (m_places[row.moment]->is_earlier
            && (!infoOf(*bucket).is_lasting || !m_a.alloc_event[a].isNone())) {
            return;
        }
        if (m_rank[a] >= infoOf(*bucket).firmness) {
            return;
        }
        m_rank[a] = infoOf(*bucket).firmness;
        const Role role = roleFromId(thing.role).value_or(Role::none);
        const bool keeps_role = role == Role::none && m_labels.bucket[a] == *bucket;
        set(a, *bucket, keeps_role ? m_labels.role[a] : role, Rule::captured,
            reasonOfThing(row.thing));
    }

    void set(std::size_t a, Bucket bucket, Role role, Rule rule, std::uint32_t reason)
    {
        m_labels.bucket[a] = bucket;
        m_labels.role[a] = role;
        m_labels.confidence[a] = infoOf(rule).confidence;
        m_labels.reason[a] = reason;
    }

    std::uint32_t addReason(Rule rule, std::string evidence)
    {
        m_labels.reasons.push_back({std::string(infoOf(rule).id), std::move(evidence)});
        return static_cast<std::uint32_t>(m_labels.reasons.size() - 1);
    }

    std::uint32_t reasonOfThing(std::size_t index)
    {
        std::uint32_t& reason = m_reason_of_thing[index];
        if (reason == 0) {
            const trace::CaptureThing& thing = m_capture.things[index];
            std::string what = thing.bucket;
            std::ranges::replace(what, '_', ' ');
            if (!thing.name.empty()) {
                what += ' ' + thing.name;
            }
            if (!thing.shape.empty()) {
                what += ", " + say("{} of {}", thing.shape, thing.dtype);
            } else if (!thing.dtype.empty()) {
                what += ", " + thing.dtype;
            }
            reason =
                addReason(Rule::captured, say("Stated by the program for this address: {}.", what));
        }
        return reason;
    }

    /// Allocations made in an interval, with ids in the order of their events.
    void settleInterval(const CapturedInterval& interval)
    {
        const auto begin = std::ranges::upper_bound(m_a.begin, interval.begin);
        const auto end = std::ranges::upper_bound(m_a.begin, interval.end);
        for (auto it = begin; it < end; ++it) {
            const auto a = static_cast<std::size_t>(it - m_a.begin.begin());
            if (m_rank[a] == 0 && !m_a.alloc_event[a].isNone()) {
                settle(a, interval);
            }
        }
    }

    void settle(std::size_t a, const CapturedInterval& interval)
    {
        switch (*interval.phase) {
        case Phase::forward:
            settleForward(a, interval);
            break;
        case Phase::backward:
            settleBackward(a, interval);
            break;
        case Phase::optimizer:
            settleOptimizer(a, interval);
            break;
        case Phase::evaluation:
        case Phase::inference:
            settleWithoutGradient(a, interval);
            break;
        default:
            break;
        }
    }

    [[nodiscard]] bool isKnownOtherwise(std::size_t a) const
    {
        return infoOf(m_labels.bucket[a]).outranks_lifetime;
    }

    void settleForward(std::size_t a, const CapturedInterval& interval)
    {
        if (!interval.saved_until || isKnownOtherwise(a)) {
            return;
        }
        if (m_labels.bucket[a] == Bucket::output && interval.next_pass
            && m_a.end[a] > *interval.next_pass) {
            return; // Kept beyond its own step.
        }
        const bool is_saved = m_a.end[a] > *interval.saved_until;
        const Bucket bucket = is_saved ? Bucket::activation : Bucket::temporary;
        settleAs(
            a, bucket, Role::none,
            is_saved
                ? toSay("Allocated in forward and kept for backward, by the program's own marks.")
                : toSay(
                    "Allocated in forward and freed before backward, by the program's own marks."));
    }

    void settleBackward(std::size_t a, const CapturedInterval& interval)
    {
        const Bucket bucket = m_labels.bucket[a];
        const bool is_gathered =
            m_labels.role[a] == Role::unsharded || m_labels.role[a] == Role::reduction_bucket;
        const bool may_be_recomputed = bucket == Bucket::activation;
        if (isKnownOtherwise(a) || is_gathered || may_be_recomputed || bucket == Bucket::output
            || bucket == Bucket::temporary) {
            return;
        }
        if (m_a.end[a] <= interval.end) {
            settleAs(a, Bucket::temporary, Role::none,
                     toSay("Allocated and freed in one backward, by the program's own marks, and "
                           "not a parameter's gradient at its end."));
        }
    }

    void settleOptimizer(std::size_t a, const CapturedInterval& interval)
    {
        const Bucket bucket = m_labels.bucket[a];
        if (bucket == Bucket::workspace || bucket == Bucket::communication
            || bucket == Bucket::temporary || m_a.end[a] > interval.end) {
            return;
        }
        settleAs(a, Bucket::temporary, Role::optimizer_transient,
                 toSay("Allocated and freed in one optimizer step, by the program's own marks."));
    }

    void settleWithoutGradient(std::size_t a, const CapturedInterval& interval)
    {
        const Bucket bucket = m_labels.bucket[a];
        const bool needs_training = bucket == Bucket::activation || bucket == Bucket::gradient
            || bucket == Bucket::optimizer_state || bucket == Bucket::unknown;
        if (needs_training && m_a.end[a] <= interval.end) {
            settleAs(a, Bucket::temporary, Role::none,
                     toSay("Allocated and freed in one pass without gradients, by the program's "
                           "own marks."));
        }
    }

    /// `why` is a literal: one reason each.
    void settleAs(std::size_t a, Bucket bucket, Role role, std::string_view why)
    {
        const auto [it, is_new] = m_reason_of_rule.try_emplace(why.data(), 0U);
        if (is_new) {
            it->second = addReason(Rule::captured_phase, std::string(translated(why)));
        }
        const bool keeps_role = m_labels.bucket[a] == bucket && role == Role::none;
        set(a, bucket, keeps_role ? m_labels.role[a] : role, Rule::captured_phase, it->second);
    }

    const trace::Capture& m_capture;
    const trace::Device& m_device;
    const replay::Allocations& m_a;
    DeviceLabels& m_labels;
    CapturedPlaces m_places;
    std::vector<Interval<Address>> m_private; ///< Memory of private pools, by address.
    std::vector<Row> m_rows;
    std::vector<int> m_rank; ///< By allocation: of the bucket that the capture gave it; 0 for none.
    std::vector<std::uint32_t> m_reason_of_thing; ///< 0 until there is one.
    std::unordered_map<const char*, std::uint32_t> m_reason_of_rule;
};

} // namespace

void labelCaptured(const trace::Snapshot& snapshot, const trace::Device& device,
                   const replay::DeviceReplay& replay, DeviceLabels& labels)
{
    if (snapshot.capture && device.kind == trace::DeviceKind::gpu) {
        CapturedLabeller(*snapshot.capture, device, replay, labels).label();
    }
}

} // namespace tidemark::label
