// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/timeline.h"

#include <algorithm>

namespace tidemark::walk {

using label::Bucket;
using label::Phase;
using label::Role;

Storage::~Storage()
{
    m_recorder.giveBack(m_index);
}

Phase Timeline::phaseAt(CallCount moment) const
{
    const auto after = std::ranges::upper_bound(phases, moment, {}, &PhaseStart::moment);
    return after == phases.begin() ? Phase::setup : std::prev(after)->phase;
}

namespace {

/// By moment, what it adds or takes.
std::vector<std::int64_t> changesOf(const Timeline& timeline)
{
    std::vector<std::int64_t> changes(timeline.moments + 1, 0);
    for (const PlannedAllocation& a : timeline.allocations) {
        changes[a.begin] += a.bytes.value;
        if (a.end != kNever) {
            changes[a.end] -= a.bytes.value;
        }
    }
    return changes;
}

void add(std::vector<RoleBytes>& roles, const PlannedAllocation& a)
{
    const auto found = std::ranges::find_if(
        roles, [&](const RoleBytes& r) { return r.bucket == a.bucket && r.role == a.role; });
    if (found == roles.end()) {
        roles.push_back({a.bucket, a.role, a.bytes});
    } else {
        found->bytes += a.bytes;
    }
}

} // namespace

std::vector<std::uint32_t> callsOf(const Timeline& timeline)
{
    std::vector<std::uint32_t> calls(timeline.moments + 1, kNoAllocation);
    for (std::uint32_t i = 0; i < timeline.allocations.size(); ++i) {
        const PlannedAllocation& a = timeline.allocations[i];
        calls[a.begin] = i;
        if (a.end != kNever) {
            calls[a.end] = i;
        }
    }
    return calls;
}

PlannedPeak peakOf(const Timeline& timeline)
{
    const std::vector<std::int64_t> changes = changesOf(timeline);
    PlannedPeak peak;
    std::int64_t total = 0;
    for (CallCount m = 0; m <= timeline.moments; ++m) {
        total += changes[m];
        if (total > peak.bytes.value) {
            peak.bytes = {total};
            peak.moment = m;
        }
    }
    peak.phase = timeline.phaseAt(peak.moment);
    for (const PlannedAllocation& a : timeline.allocations) {
        if (a.begin <= peak.moment && peak.moment < a.end) {
            peak.buckets[label::indexOf(a.bucket)] += a.bytes.value;
            if (a.role != Role::none) {
                add(peak.roles, a);
            }
        }
    }
    std::ranges::stable_sort(peak.roles, std::ranges::greater{}, &RoleBytes::bytes);
    return peak;
}

std::array<Bytes, label::kPhaseCount> phasePeaksOf(const Timeline& timeline)
{
    const std::vector<std::int64_t> changes = changesOf(timeline);
    std::array<Bytes, label::kPhaseCount> peaks{};
    std::int64_t total = changes[0];
    std::size_t phase = 0;
    for (CallCount m = 1; m <= timeline.moments; ++m) {
        while (phase + 1 < timeline.phases.size() && timeline.phases[phase + 1].moment <= m) {
            ++phase;
        }
        total += changes[m];
        const bool is_begun = !timeline.phases.empty() && timeline.phases[phase].moment <= m;
        const Phase now = is_begun ? timeline.phases[phase].phase : Phase::setup;
        Bytes& largest = peaks[static_cast<std::size_t>(now)];
        largest = std::max(largest, Bytes{total});
    }
    return peaks;
}

std::vector<PlannedPoint> curveOf(const Timeline& timeline, std::size_t points)
{
    const std::vector<std::int64_t> changes = changesOf(timeline);
    const std::size_t stride = std::max<std::size_t>(1, (changes.size() + points - 1) / points);
    std::vector<PlannedPoint> curve;
    std::int64_t total = 0;
    for (std::size_t m = 0; m < changes.size(); ++m) {
        total += changes[m];
        if (m % stride == 0 || total > curve.back().bytes.value) {
            const PlannedPoint point{static_cast<CallCount>(m), {}, {total}};
            m % stride == 0 ? curve.push_back(point) : void(curve.back() = point);
        }
    }
    for (PlannedPoint& point : curve) {
        point.phase = timeline.phaseAt(point.moment);
    }
    return curve;
}

Memory Recorder::request(Bytes bytes)
{
    const auto index = static_cast<std::uint32_t>(m_timeline.allocations.size());
    PlannedAllocation made{bytes, ++m_timeline.moments, kNever, Bucket::temporary, Role::none};
    if (m_phase == Phase::forward) {
        m_made_in_forward.push_back(index);
    } else if (m_recomputes) {
        made.bucket = Bucket::activation;
        made.role = Role::recomputed;
    } else if (m_phase == Phase::backward) {
        made.role = Role::activation_gradient;
    } else if (m_phase == Phase::optimizer) {
        made.role = Role::optimizer_transient;
    }
    made.place = m_place;
    made.turn = m_turn++;
    m_timeline.allocations.push_back(made);
    m_live += bytes;
    return std::make_shared<Storage>(*this, index, bytes);
}

void Recorder::noteProduct()
{
    CallCount& first = m_timeline.products[m_phase == Phase::backward ? 1 : 0];
    if (first == 0) {
        first = m_timeline.moments;
    }
}

void Recorder::beginPhase(Phase phase)
{
    if (phase == Phase::backward) {
        for (const std::uint32_t index : m_made_in_forward) {
            PlannedAllocation& made = m_timeline.allocations[index];
            if (made.end == kNever && made.bucket == Bucket::temporary) {
                made.bucket = Bucket::activation;
            }
        }
        m_made_in_forward.clear();
    }
    m_phase = phase;
    m_timeline.phases.push_back({m_timeline.moments + 1, phase});
}

std::uint32_t Recorder::placeWithin(std::uint32_t outer, std::string_view module,
                                    std::string_view function)
{
    const auto known = m_places.find(std::tuple(outer, module, function));
    if (known != m_places.end()) {
        return known->second;
    }
    const auto next = static_cast<std::uint32_t>(m_timeline.places.size());
    m_timeline.places.push_back({outer, std::string(module), std::string(function)});
    m_places.emplace(std::tuple(outer, std::string(module), std::string(function)), next);
    return next;
}

void Recorder::label(const Memory& memory, Bucket bucket, Role role)
{
    PlannedAllocation& made = m_timeline.allocations[memory->index()];
    made.bucket = bucket;
    made.role = role;
}

void Recorder::giveBack(std::uint32_t index)
{
    PlannedAllocation& made = m_timeline.allocations[index];
    made.end = ++m_timeline.moments;
    m_live -= made.bytes;
}

} // namespace tidemark::walk
