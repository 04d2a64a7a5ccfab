// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/corrections.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/base/short_text.h"
#include "core/label/corrections/allocation_index.h"
#include "core/label/corrections/stack_search.h"
#include "core/label/label_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace tidemark::label {
namespace {

constexpr std::size_t kStopStride = 4096;

Error cancelled()
{
    return {ErrorCode::cancelled, say("Relabelling was cancelled."), {}};
}

/// What the rules of a list mean, each as labels stand when it is asked.
class Meaning {
public:
    /// Serves the first rules of the list, see `StackSearch`. All must outlive it.
    Meaning(const trace::Snapshot& snapshot, const Labels& labels, const AllocationIndex& index,
            const FrameUses* uses, std::span<const Correction> rules)
        : m_snapshot(snapshot)
        , m_labels(labels)
        , m_index(index)
        , m_rules(rules)
        , m_stacks(snapshot, uses, rules)
    {
    }

    [[nodiscard]] std::size_t count() const
    {
        return m_stacks.count();
    }
    /// Calls `visit(candidate)` for everything that a rule means. False: asked to stop.
    template <class Visit>
    bool forEach(std::size_t rule, const std::stop_token& stop, const Visit& visit);

private:
    /// Whether all but the stack is as a rule asks.
    [[nodiscard]] bool holds(const CorrectionMatch& match, Candidate c) const;
    [[nodiscard]] bool holdsOf(const CorrectionMatch& match, const DeviceLabels& labels,
                               Bucket bucket, EventId made) const;
    /// Whether candidates have more frames than there are to look at for all stacks of a rule.
    [[nodiscard]] bool haveMoreFrames(std::span<const Candidate> candidates,
                                      std::size_t frames) const;
    /// The number of candidates that stacks have, not more than `most`.
    [[nodiscard]] std::size_t countOf(std::span<const StackId> stacks, const CorrectionMatch& match,
                                      std::size_t most) const;

    const trace::Snapshot& m_snapshot;
    const Labels& m_labels;
    const AllocationIndex& m_index;
    std::span<const Correction> m_rules;
    StackSearch m_stacks;
};

/// Goes through what is least: some candidates with a look at the stack of each, or the stacks.
template <class Visit>
bool Meaning::forEach(std::size_t rule, const std::stop_token& stop, const Visit& visit)
{
    const CorrectionMatch& match = m_rules[rule].match;
    std::size_t seen = 0;
    const auto visitThose = [&](std::span<const Candidate> candidates, const auto& isStack) {
        for (const Candidate c : candidates) {
            if (++seen % kStopStride == 0 && stop.stop_requested()) {
                return;
            }
            if (holds(match, c) && isStack(m_index.stackOf(c))) {
                visit(c);
            }
        }
    };
    const auto anyStack = [](StackId) { return true; };
    const std::span<const Candidate> candidates = m_index.candidates(match);
    if (!m_stacks.asks(rule)) {
        visitThose(candidates, anyStack);
    } else if (!haveMoreFrames(candidates, m_stacks.cost(rule))) {
        visitThose(candidates, [&](StackId stack) { return m_stacks.isMeant(rule, stack); });
    } else {
        const std::span<const StackId> stacks = m_stacks.stacks(rule);
        if (countOf(stacks, match, candidates.size()) >= candidates.size()) {
            visitThose(candidates,
                       [&](StackId stack) { return std::ranges::binary_search(stacks, stack); });
        } else {
            for (const StackId stack : stacks) {
                visitThose(m_index.ofStack(stack, match), anyStack);
            }
        }
    }
    return !stop.stop_requested();
}

bool Meaning::haveMoreFrames(std::span<const Candidate> candidates, std::size_t frames) const
{
    std::size_t count = 0;
    for (const Candidate c : candidates) {
        count += 1 + m_snapshot.stacks.frames(m_index.stackOf(c)).size();
        if (count > frames) {
            return true;
        }
    }
    return false;
}

std::size_t Meaning::countOf(std::span<const StackId> stacks, const CorrectionMatch& match,
                             std::size_t most) const
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < stacks.size() && count < most; ++i) {
        count += m_index.ofStack(stacks[i], match).size();
    }
    return count;
}

bool Meaning::holds(const CorrectionMatch& match, Candidate c) const
{
    const Bytes bytes = m_index.bytesOf(c);
    const bool is_place = (!match.device || *match.device == m_snapshot.devices[c.device].index)
        && (!match.bytes || bytes == *match.bytes)
        && (!match.min_bytes || bytes >= *match.min_bytes)
        && (!match.max_bytes || bytes <= *match.max_bytes);
    if (!is_place) {
        return false;
    }
    const DeviceLabels& labels = m_labels.devices[c.device];
    if (m_index.isRequest(c)) {
        const FailedRequest& request = labels.failed[m_index.requestOf(c)];
        return !match.alloc_event && !match.address && match.rule.empty()
            && holdsOf(match, labels, request.bucket, request.event);
    }
    const AllocationId id(c.index);
    return (!match.alloc_event || *match.alloc_event == m_index.eventOf(c))
        && (!match.address || *match.address == m_index.addressOf(c))
        && (match.rule.empty() || match.rule == labels.reasonOf(id).rule)
        && holdsOf(match, labels, labels.bucket[id.index()], m_index.madeBy(c));
}

bool Meaning::holdsOf(const CorrectionMatch& match, const DeviceLabels& labels, Bucket bucket,
                      EventId made) const
{
    if (match.bucket && *match.bucket != bucket) {
        return false;
    }
    if (!match.phase) {
        return true;
    }
    const PhaseSpan* const span = made.isNone() ? nullptr : labels.phaseAt(made);
    return span != nullptr && span->phase == *match.phase;
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
    return {rule.id.empty() ? std::string(infoOf(Rule::corrected).id) : rule.id,
            rule.note.empty() ? say("Corrected manually ({}).", shownName(describe(rule.match)))
                              : say("Corrected manually ({}): {}", shownName(describe(rule.match)),
                                    shownName(rule.note))};
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

/// Applies one rule; false: asked to stop. What it is compared with stays as it was until it is
/// changed.
bool applyRule(Labels& labels, const replay::Replay& replay, const AllocationIndex& index,
               const Correction& rule, Meaning& meaning, std::size_t number,
               const std::stop_token& stop, CorrectionEffect& effect)
{
    std::unordered_map<std::uint32_t, std::uint32_t> reasons; // By device.
    return meaning.forEach(number, stop, [&](Candidate c) {
        DeviceLabels& of_device = labels.devices[c.device];
        if (index.isRequest(c)) {
            FailedRequest& request = of_device.failed[index.requestOf(c)];
            request.role = roleAfter(rule, request.bucket, request.role);
            request.bucket = rule.bucket;
            request.confidence = kSaid;
            return;
        }
        const auto next = static_cast<std::uint32_t>(of_device.reasons.size());
        const auto [reason, is_new] = reasons.try_emplace(c.device, next);
        if (is_new) {
            of_device.reasons.push_back(reasonOf(rule));
        }
        of_device.role[c.index] =
            roleAfter(rule, of_device.bucket[c.index], of_device.role[c.index]);
        of_device.bucket[c.index] = rule.bucket;
        of_device.confidence[c.index] = kSaid;
        of_device.reason[c.index] = reason->second;
        count(effect, replay.devices[c.device], AllocationId(c.index));
    });
}

/// The frames of a snapshot as rules look for texts in them; none for rules without texts.
std::optional<FrameUses> usesFor(const trace::Snapshot& snapshot, std::span<const Correction> rules)
{
    const bool asks_text = std::ranges::any_of(rules, [](const Correction& rule) {
        return !rule.match.function.empty() || !rule.match.file.empty();
    });
    return asks_text ? std::optional<FrameUses>(std::in_place, snapshot) : std::nullopt;
}

} // namespace

Result<Corrected> correct(const trace::Snapshot& snapshot, const replay::Replay& replay,
                          const Labels& labels, std::span<const Correction> rules,
                          const std::stop_token& stop)
{
    Corrected corrected{labels, {}};
    const std::optional<FrameUses> uses = usesFor(snapshot, rules);
    const AllocationIndex index(snapshot, replay, corrected.labels, rules);
    while (corrected.effects.size() < rules.size()) {
        const std::span<const Correction> left = rules.subspan(corrected.effects.size());
        Meaning meaning(snapshot, corrected.labels, index, uses ? &*uses : nullptr, left);
        for (std::size_t r = 0; r < meaning.count(); ++r) {
            CorrectionEffect effect;
            if (left[r].dimension) {
                effect = effectOnDimensions(snapshot, left[r]);
            } else if (!applyRule(corrected.labels, replay, index, left[r], meaning, r, stop,
                                  effect)) {
                return cancelled();
            }
            corrected.effects.push_back(effect);
        }
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
    const std::span<const Correction> rules(&rule, 1);
    const std::optional<FrameUses> uses = usesFor(snapshot, rules);
    const AllocationIndex index(snapshot, replay, labels, rules);
    Meaning meaning(snapshot, labels, index, uses ? &*uses : nullptr, rules);
    CorrectionEffect effect;
    const bool is_done = meaning.forEach(0, stop, [&](Candidate c) {
        if (!index.isRequest(c)) {
            count(effect, replay.devices[c.device], AllocationId(c.index));
        }
    });
    return is_done ? Result<CorrectionEffect>(effect) : Result<CorrectionEffect>(cancelled());
}

namespace {

/// The first ones; of the others how many there are.
std::string listed(std::span<const std::string> texts)
{
    static constexpr std::size_t kMost = 10;
    const std::string first =
        fmt::format("{}", fmt::join(texts.first(std::min(texts.size(), kMost)), "; "));
    return texts.size() <= kMost ? first : say("{} and {} more", first, texts.size() - kMost);
}

} // namespace

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
    if (!idle.empty()) {
        const auto count = static_cast<std::int64_t>(idle.size());
        notes.add("rule-matches-nothing",
                  sayCounted(count, "Correction {} matches no allocation of this file.",
                             "Corrections {} match no allocation of this file.", listed(idle)),
                  count);
    }
    if (!of_no_device.empty()) {
        const auto count = static_cast<std::int64_t>(of_no_device.size());
        notes.add("rule-matches-no-device",
                  sayCounted(count, "Correction {} matches no device of this file.",
                             "Corrections {} match no device of this file.", listed(of_no_device)),
                  count);
    }
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
