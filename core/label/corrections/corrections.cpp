// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/corrections.h"

#include "core/base/format.h"
#include "core/label/corrections/allocation_index.h"
#include "core/label/corrections/correction_match.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::label {
namespace {

constexpr std::size_t kStopStride = 4096;
constexpr std::uint8_t kSure = 100;

Error cancelled()
{
    return {ErrorCode::cancelled, "Relabelling was cancelled.", {}};
}

/// One device of a file, as its labels stand before a rule.
struct DeviceView {
    const trace::Device& device;
    const replay::DeviceReplay& replay;
    const DeviceLabels& labels;
};

/// Whether a rule means an allocation, or a request that failed.
class Matcher {
public:
    Matcher(const trace::Snapshot& snapshot, const CorrectionMatch& match)
        : m_match(match)
        , m_stacks(snapshot, match)
    {
    }

    [[nodiscard]] bool isDevice(const trace::Device& device) const
    {
        return !m_match.device || *m_match.device == device.index;
    }
    [[nodiscard]] bool isAllocation(const DeviceView& view, AllocationId id)
    {
        const std::size_t i = id.index();
        const replay::Allocations& all = view.replay.allocations;
        const EventId made = all.alloc_event[i];
        const std::int64_t number = made.isNone() ? -1 : std::int64_t{made.value};
        return (!m_match.alloc_event || *m_match.alloc_event == number)
            && (!m_match.address || *m_match.address == all.address[i])
            && (m_match.rule.empty() || m_match.rule == view.labels.reasonOf(id).rule)
            && isSize(all.requested[i]) && isBucket(view.labels.bucket[i])
            && isPhase(view.labels, made) && m_stacks.matches(all.stack[i]);
    }
    [[nodiscard]] bool isRequest(const DeviceView& view, const FailedRequest& request)
    {
        const std::size_t e = request.event.index();
        return !m_match.alloc_event && !m_match.address && m_match.rule.empty()
            && isSize(view.device.events.size[e]) && isBucket(request.bucket)
            && isPhase(view.labels, request.event) && m_stacks.matches(view.device.events.stack[e]);
    }

    [[nodiscard]] StackMatcher& stacks()
    {
        return m_stacks;
    }

private:
    [[nodiscard]] bool isSize(Bytes bytes) const
    {
        return (!m_match.bytes || bytes == *m_match.bytes)
            && (!m_match.min_bytes || bytes >= *m_match.min_bytes)
            && (!m_match.max_bytes || bytes <= *m_match.max_bytes);
    }
    [[nodiscard]] bool isBucket(Bucket bucket) const
    {
        return !m_match.bucket || bucket == *m_match.bucket;
    }
    [[nodiscard]] bool isPhase(const DeviceLabels& labels, EventId made) const
    {
        if (!m_match.phase) {
            return true;
        }
        const PhaseSpan* const span = made.isNone() ? nullptr : labels.phaseAt(made);
        return span != nullptr && span->phase == *m_match.phase;
    }

    const CorrectionMatch& m_match;
    StackMatcher m_stacks;
};

/// The allocation that a rule names by its event; none: there is none such.
AllocationId named(std::int64_t alloc_event, const replay::DeviceReplay& replay)
{
    const auto event = static_cast<std::uint64_t>(alloc_event);
    return event < replay.event_allocation.size() ? replay.event_allocation[event]
                                                  : AllocationId::none();
}

/// What many rules look things up in; made when it pays.
struct Indexes {
    StacksByName names;
    std::vector<AllocationIndex> devices;

    Indexes(const trace::Snapshot& snapshot, const replay::Replay& replay)
        : names(snapshot)
    {
        for (const replay::DeviceReplay& device : replay.devices) {
            devices.emplace_back(device.allocations);
        }
    }
};

/// Calls `visit(id)` for every allocation of a device that a rule means. `indexes`: null for a few
/// rules. False: asked to stop.
template <class Visit>
bool forEachMeant(const DeviceView& view, std::size_t device, const CorrectionMatch& match,
                  Matcher& matcher, const Indexes* indexes, const std::stop_token& stop,
                  Visit visit)
{
    if (!matcher.isDevice(view.device)) {
        return true;
    }
    const auto visitMeant = [&](AllocationId id) {
        if (matcher.isAllocation(view, id)) {
            visit(id);
        }
    };
    if (match.alloc_event && *match.alloc_event >= 0) {
        const AllocationId only = named(*match.alloc_event, view.replay);
        if (!only.isNone()) {
            visitMeant(only);
        }
        return !stop.stop_requested();
    }
    if (indexes != nullptr) {
        std::ranges::for_each(
            indexes->devices[device].candidates(match, indexes->names, matcher.stacks()),
            visitMeant);
        return !stop.stop_requested();
    }
    for (std::size_t i = 0; i < view.replay.allocations.count(); ++i) {
        if (i % kStopStride == 0 && stop.stop_requested()) {
            return false;
        }
        visitMeant(AllocationId(i));
    }
    return true;
}

void count(CorrectionEffect& effect, const replay::DeviceReplay& replay, AllocationId id)
{
    const Bytes bytes = replay.allocations.requested[id.index()];
    ++effect.allocations;
    effect.bytes += bytes;
    if (replay.allocations.isLive(id, replay.peak)) {
        effect.peak_bytes += bytes;
    }
}

Reason reasonOf(const Correction& rule)
{
    return {rule.id.empty() ? std::string(kCorrectedRule) : rule.id,
            fmt::format("Corrected by a person ({}){}{}", describe(rule.match),
                        rule.note.empty() ? "." : ": ", rule.note)};
}

Role roleAfter(const Correction& rule, Bucket bucket, Role role)
{
    return rule.role.value_or(bucket == rule.bucket ? role : Role::none);
}

/// Whether a rule about a dimension speaks of a device.
bool speaksOf(const Correction& rule, std::int32_t device)
{
    return rule.dimension && (!rule.match.device || *rule.match.device == device);
}

CorrectionEffect effectOnDimensions(const trace::Snapshot& snapshot, const Correction& rule)
{
    CorrectionEffect effect;
    effect.devices = std::ranges::count_if(snapshot.devices, [&rule](const trace::Device& device) {
        return speaksOf(rule, device.index);
    });
    return effect;
}

/// Applies one rule to one device; what it is compared with stays as it was until it is changed.
bool applyTo(DeviceLabels& labels, const trace::Device& device, const replay::DeviceReplay& replay,
             std::size_t number, const Correction& rule, Matcher& matcher, const Indexes* indexes,
             const std::stop_token& stop, CorrectionEffect& effect)
{
    const DeviceView view{device, replay, labels};
    const auto reason = static_cast<std::uint32_t>(labels.reasons.size());
    bool is_used = false;
    const auto relabel = [&](AllocationId id) {
        const std::size_t i = id.index();
        if (!is_used) {
            labels.reasons.push_back(reasonOf(rule));
            is_used = true;
        }
        labels.role[i] = roleAfter(rule, labels.bucket[i], labels.role[i]);
        labels.bucket[i] = rule.bucket;
        labels.confidence[i] = kSure;
        labels.reason[i] = reason;
        count(effect, replay, id);
    };
    if (!forEachMeant(view, number, rule.match, matcher, indexes, stop, relabel)) {
        return false;
    }
    for (FailedRequest& request : labels.failed) {
        if (matcher.isDevice(device) && matcher.isRequest(view, request)) {
            request.role = roleAfter(rule, request.bucket, request.role);
            request.bucket = rule.bucket;
            request.confidence = kSure;
        }
    }
    return true;
}

} // namespace

Result<Corrected> correct(const trace::Snapshot& snapshot, const replay::Replay& replay,
                          const Labels& labels, std::span<const Correction> rules,
                          const std::stop_token& stop)
{
    static constexpr std::size_t kFew = 16; // Rules that go through everything sooner.
    Corrected corrected{labels, {}};
    std::optional<Indexes> indexes;
    if (rules.size() > kFew) {
        indexes.emplace(snapshot, replay);
    }
    for (const Correction& rule : rules) {
        if (rule.dimension) {
            corrected.effects.push_back(effectOnDimensions(snapshot, rule));
            continue;
        }
        CorrectionEffect effect;
        Matcher matcher(snapshot, rule.match);
        for (std::size_t d = 0; d < corrected.labels.devices.size(); ++d) {
            if (!applyTo(corrected.labels.devices[d], snapshot.devices[d], replay.devices[d], d,
                         rule, matcher, indexes ? &*indexes : nullptr, stop, effect)) {
                return cancelled();
            }
        }
        if (stop.stop_requested()) {
            return cancelled();
        }
        corrected.effects.push_back(effect);
    }
    return corrected;
}

Result<CorrectionEffect> effectOf(const trace::Snapshot& snapshot, const replay::Replay& replay,
                                  const Labels& labels, const Correction& rule,
                                  const std::stop_token& stop)
{
    if (rule.dimension) {
        return effectOnDimensions(snapshot, rule);
    }
    CorrectionEffect effect;
    Matcher matcher(snapshot, rule.match);
    for (std::size_t d = 0; d < labels.devices.size(); ++d) {
        const DeviceView view{snapshot.devices[d], replay.devices[d], labels.devices[d]};
        const bool is_done = forEachMeant(view, d, rule.match, matcher, nullptr, stop,
                                          [&](AllocationId id) { count(effect, view.replay, id); });
        if (!is_done) {
            return cancelled();
        }
    }
    return effect;
}

trace::InputNotes notesOn(std::span<const Correction> rules,
                          std::span<const CorrectionEffect> effects)
{
    std::vector<std::string> idle;
    std::vector<std::string> of_no_device;
    for (std::size_t i = 0; i < effects.size(); ++i) {
        if (effects[i].allocations == 0 && effects[i].devices == 0) {
            (rules[i].dimension ? of_no_device : idle)
                .push_back(fmt::format("{} ({})", i + 1, describeSubject(rules[i])));
        }
    }
    trace::InputNotes notes;
    const auto add = [&notes](const char* code, std::string_view what,
                              const std::vector<std::string>& of) {
        if (!of.empty()) {
            notes.add(code,
                      of.size() == 1 ? fmt::format("Correction {} matches no {} of this file.",
                                                   of.front(), what)
                                     : fmt::format("Corrections {} match no {} of this file.",
                                                   fmt::join(of, "; "), what),
                      static_cast<std::int64_t>(of.size()));
        }
    };
    add("rule-matches-nothing", "allocation", idle);
    add("rule-matches-no-device", "device", of_no_device);
    return notes;
}

std::vector<program::SaidDimension> saidDimensions(std::span<const Correction> rules,
                                                   std::int32_t device)
{
    std::vector<program::SaidDimension> said;
    for (const Correction& rule : rules) {
        if (speaksOf(rule, device)) {
            said.push_back(*rule.dimension);
        }
    }
    return said;
}

} // namespace tidemark::label
