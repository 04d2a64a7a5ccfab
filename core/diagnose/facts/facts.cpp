// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/facts.h"

#include "core/diagnose/facts/activation_gradients.h"
#include "core/diagnose/facts/cast_shares.h"
#include "core/diagnose/facts/convolutions.h"
#include "core/diagnose/facts/fp32_sites.h"
#include "core/diagnose/facts/moment_of.h"
#include "core/diagnose/facts/run_case.h"
#include "core/diagnose/facts/sample_pairs.h"
#include "core/diagnose/facts/size_counts.h"
#include "core/diagnose/facts/unseen_states.h"
#include "core/label/assign/assigner.h"
#include "core/label/stacks/frame_tests.h"
#include "core/replay/memory_state.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

void gatherPlaces(Facts& facts)
{
    const replay::Allocations& a = facts.allocations();
    facts.passes = label::findPasses(facts.labels, facts.replay.stateCount());
    facts.phase = label::phasesOf(a, facts.labels);
    facts.pass_of = label::passesOf(a, facts.passes);
    facts.layers = label::findLayers(facts.replay, facts.labels, facts.passes, facts.pass_of);
}

void gatherFp32Sites(Facts& facts)
{
    facts.fp32_sites = fp32Sites(facts);
}

void gatherBoundaries(Facts& facts)
{
    const auto states = static_cast<std::uint32_t>(facts.replay.stateCount());
    for (const label::Step& step : facts.labels.steps) {
        const StateId begin = StateId::before(step.first_event);
        if (facts.boundaries.empty() || facts.boundaries.back() < begin) {
            facts.boundaries.push_back(begin);
        }
    }
    if (!facts.labels.steps.empty()) {
        const StateId end = StateId::after(facts.labels.steps.back().last_event);
        if (end.value < states && facts.boundaries.back() < end) {
            facts.boundaries.push_back(end);
        }
    }
}

void gatherKin(Facts& facts)
{
    facts.attention_kin =
        std::make_shared<const ActivationGradients>(facts, Role::attention_matrix);
    facts.logits_kin = std::make_shared<const ActivationGradients>(facts, Role::logits);
}

void gatherMoment(Facts& facts)
{
    Moment& moment = facts.moment;
    moment.state = facts.replay.peak;
    if (!facts.replay.ooms.empty()) {
        moment.is_oom = true;
        moment.oom = facts.replay.ooms.back();
        moment.state = StateId::before(moment.oom);
        const trace::Events& events = facts.device.events;
        moment.requested = events.size[moment.oom.index()];
        moment.tried = replay::segmentSizeFor(replay::roundToBlock(moment.requested));
        moment.device_free = events.deviceFree(moment.oom);
        const auto memory = replay::memoryStateAt(facts.replay, facts.sizes, moment.state);
        moment.largest_hole = replay::largestUsableHole(
            memory, replay::roundToBlock(moment.requested), events.stream[moment.oom.index()]);
        const auto failed =
            std::ranges::find(facts.labels.failed, moment.oom, &label::FailedRequest::event);
        if (failed != facts.labels.failed.end()) {
            facts.failed_request = &*failed;
        }
    }
    moment.active = facts.replay.activeAt(moment.state);
    moment.reserved = facts.replay.reservedAt(moment.state);
    moment.buckets = facts.curves.at(moment.state);
}

/// Copies of the parameters that the optimizer state is made of, from a first optimizer step that
/// was cut off: state is made parameter by parameter, so its sizes repeat those of the parameters c
/// times each.
double copiesSoFar(const Facts& facts)
{
    static constexpr std::int64_t kSmallest = 1024; // step counters and norms tell nothing
    static constexpr std::size_t kMostCopies = 4;
    std::vector<std::int64_t> parameters;
    std::vector<std::int64_t> states;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.bytes(a) <= kSmallest) {
            continue;
        }
        if (facts.bucket(a) == Bucket::parameter && facts.role(a) != Role::frozen) {
            parameters.push_back(facts.bytes(a));
        } else if (facts.bucket(a) == Bucket::optimizer_state) {
            states.push_back(facts.bytes(a));
        }
    }
    double best_copies = 2;
    std::size_t best_match = 0;
    for (const std::size_t copies : {std::size_t{2}, std::size_t{1}, std::size_t{3}, kMostCopies}) {
        std::size_t match = 0;
        while (match < states.size() && match / copies < parameters.size()
               && states[match] == parameters[match / copies]) {
            ++match;
        }
        if (match > best_match) {
            best_match = match;
            best_copies = static_cast<double>(copies);
        }
    }
    return best_copies;
}

void gatherInUse(Facts& facts)
{
    facts.in_use = fixesInUse(facts.snapshot);
}

std::int64_t castBytes(const Facts& facts)
{
    std::int64_t casts = 0;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        casts +=
            facts.labels.role[i] == Role::weight_cast ? facts.allocations().requested[i].value : 0;
    }
    return casts;
}

/// How wide an element of the weights is where their sizes force it.
std::int64_t provenWidth(const Facts& facts)
{
    const auto* const width = facts.program.find(program::DimensionName::element_bytes);
    return width == nullptr ? 0 : width->value;
}

/// 16-bit arithmetic shows in the copies that autocast makes of the weights, in the names of the
/// frames, and in a loss that widens logits. Weights themselves are so where nothing copies them,
/// or where their sizes prove it.
void gatherPrecision(Facts& facts)
{
    facts.casts = std::make_shared<const CastShares>(facts);
    const std::int64_t casts = castBytes(facts);
    facts.sixteen_bit = (casts * 20 > facts.bucketAtMoment(Bucket::parameter) && casts > 0)
        || !facts.casts->empty();
    for (std::size_t f = 0; f < facts.snapshot.stacks.frameCount() && !facts.sixteen_bit; ++f) {
        const Frame& frame = facts.snapshot.stacks.frame(FrameId(f));
        const std::string_view name = facts.snapshot.text(frame.name);
        facts.sixteen_bit = name.find("BFloat16") != std::string_view::npos
            || name.find("c10::Half") != std::string_view::npos;
    }
    facts.proven_width = provenWidth(facts);
    facts.sixteen_bit = facts.sixteen_bit || facts.proven_width == 2 || castsNarrowLogits(facts);
    facts.sixteen_bit_states = facts.proven_width != 0
        ? facts.proven_width == 2
        : facts.sixteen_bit && casts == 0 && facts.casts->empty();
}

void gatherHeadGradients(Facts& facts)
{
    auto casts = std::make_shared<CastShares>(*facts.casts);
    casts->findGradients(facts);
    facts.casts = std::move(casts);
}

/// It shows in states twice as wide as the weights as well.
void addWideStates(Facts& facts)
{
    static constexpr double kWidestSameWidthStates =
        3.4; // Adam: 2, AMSGrad: 3; fp32 Adam of bf16: 4
    if (facts.states.copies > kWidestSameWidthStates && facts.proven_width != 4) {
        facts.sixteen_bit = true;
        facts.sixteen_bit_states = castBytes(facts) == 0 && facts.casts->empty();
    }
}

/// Optimizer state as it is between steps. A step that makes new state in place of the old holds
/// both of a parameter for a moment, perhaps that of the peak.
std::int64_t settledState(const Facts& facts)
{
    static constexpr std::int64_t kLittle = 5; // one part in so many
    const std::int64_t now = facts.states.optimizer;
    const std::uint32_t step = facts.stepAtMoment();
    if (facts.phaseAtMoment() != Phase::optimizer || step == 0
        || step > facts.labels.steps.size()) {
        return now;
    }
    const StateId begin = StateId::before(facts.labels.steps[step - 1].first_event);
    const std::int64_t before = facts.curves.at(begin)[label::indexOf(Bucket::optimizer_state)];
    return before < now && (now - before) * kLittle < now ? before : now;
}

/// When the weights of one size live.
struct Lives {
    std::vector<StateId> begins;
    std::vector<StateId> ends; ///< In order, like the beginnings.

    [[nodiscard]] std::ptrdiff_t aliveAt(StateId state) const
    {
        const auto until = [state](const std::vector<StateId>& states) {
            return std::ranges::upper_bound(states, state) - states.begin();
        };
        return until(begins) - until(ends);
    }
};

/// Bytes of weights that an update makes anew while those that they replace still live: the same
/// weights once more. O(weights log weights).
std::int64_t beingReplaced(const Facts& facts)
{
    const replay::Allocations& all = facts.allocations();
    const StateId moment = facts.moment.state;
    std::unordered_map<std::int64_t, Lives, KeyedNumberHash> of_size;
    std::vector<AllocationId> updated;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) == Bucket::parameter) {
            Lives& lives = of_size[facts.bytes(a)];
            lives.begins.push_back(all.begin[i]);
            lives.ends.push_back(all.end[i]);
            if (all.isLive(a, moment) && facts.labels.reasonOf(a).rule == label::kUpdatedWeights) {
                updated.push_back(a);
            }
        }
    }
    if (updated.empty()) {
        return 0;
    }
    for (auto& [size, lives] : of_size) {
        std::ranges::sort(lives.begins);
        std::ranges::sort(lives.ends);
    }
    std::int64_t bytes = 0;
    for (const AllocationId a : updated) {
        const Lives& lives = of_size.at(facts.bytes(a));
        const bool has_old = lives.aliveAt(moment) >= lives.aliveAt(all.begin[a.index()]);
        bytes += has_old ? facts.bytes(a) : 0;
    }
    return bytes;
}

void gatherStates(Facts& facts)
{
    static constexpr std::int64_t kLeftAtOnce = 20; // of gradients at least one part in so many
    StateBytes& states = facts.states;
    bool any_role = false;
    std::int64_t by_role = 0;
    std::int64_t gathered = 0; // the same weights once more
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) != Bucket::parameter) {
            continue;
        }
        states.largest_parameter = std::max(states.largest_parameter, facts.bytes(a));
        if (!facts.allocations().isLive(a, facts.moment.state)) {
            continue;
        }
        gathered += facts.role(a) == Role::unsharded ? facts.bytes(a) : 0;
        any_role = any_role || facts.role(a) == Role::trainable;
        by_role += facts.role(a) == Role::trainable ? facts.bytes(a) : 0;
        states.averages += facts.role(a) == Role::ema ? facts.bytes(a) : 0;
        states.masters += facts.role(a) == Role::master ? facts.bytes(a) : 0;
    }
    states.parameters = facts.bucketAtMoment(Bucket::parameter) - gathered - beingReplaced(facts);
    states.gradients = facts.bucketAtMoment(Bucket::gradient);
    states.optimizer = facts.bucketAtMoment(Bucket::optimizer_state);
    states.gradients_full = facts.curves.largestOf(Bucket::gradient);
    states.trainable = any_role     ? by_role
        : states.gradients_full > 0 ? std::min(states.gradients_full, states.model())
                                    : states.model();
    // Frozen weights may be as large as trained ones. Before the first backward is through, the
    // gradients seen so far say nothing about the others.
    bool any_complete = false;
    std::int64_t left = 0; // gradients at the end of a backward
    for (const Pass& pass : facts.passes) {
        if (pass.isWholeTraining()) {
            any_complete = true;
            left = std::max(left, facts.curves.at(pass.end())[label::indexOf(Bucket::gradient)]);
        }
    }
    if (any_role && left * kLeftAtOnce > by_role) { // else the optimizer steps in backward
        states.trainable = std::min(by_role, left);
    }
    if (!any_complete && states.optimizer == 0 && facts.phaseAtMoment() != Phase::optimizer) {
        const TrainedWeights trained =
            any_role ? TrainedWeights{by_role, 1, 0} : trainedWeights(facts, states.model());
        states.trainable = trained.bytes;
        states.trainable_at_most = trained.at_most;
        states.frozen_ahead = trained.frozen;
    }
    if (states.trainable <= 0) {
        return;
    }
    const auto trainable = static_cast<double>(states.trainable);
    states.copies = static_cast<double>(settledState(facts)) / trainable;
    const bool in_optimizer = facts.isOom() && facts.phaseAtMoment() == Phase::optimizer;
    const std::uint32_t step = facts.stepAtMoment();
    if (!in_optimizer || step == 0 || step > facts.labels.steps.size()) {
        return;
    }
    const StateId step_begin = StateId::before(facts.labels.steps[step - 1].first_event);
    const bool is_first =
        facts.curves.at(step_begin)[label::indexOf(Bucket::optimizer_state)] * 20 < states.optimizer
        || (states.optimizer == 0 && facts.failed() != nullptr
            && facts.failed()->bucket == Bucket::optimizer_state);
    if (is_first) {
        states.copies = copiesSoFar(facts);
        const bool failed_is_state =
            facts.failed() != nullptr && facts.failed()->bucket == Bucket::optimizer_state;
        const auto all = static_cast<std::int64_t>(states.copies * trainable);
        states.optimizer_missing = std::max<std::int64_t>(
            0, all - states.optimizer - (failed_is_state ? facts.moment.requested.value : 0));
    }
}

} // namespace

Phase Facts::phaseAtMoment() const
{
    const std::size_t events = device.events.count();
    if (events == 0) {
        return Phase::other;
    }
    const EventId event = moment.is_oom ? moment.oom
        : moment.state.value == 0       ? EventId(0U)
                                        : EventId(moment.state.value - 1);
    const label::PhaseSpan* span = labels.phaseAt(event);
    return span == nullptr ? Phase::other : span->phase;
}

std::uint32_t Facts::stepAtMoment() const
{
    if (device.events.count() == 0) {
        return 0;
    }
    const EventId event = moment.is_oom ? moment.oom
        : moment.state.value == 0       ? EventId(0U)
                                        : EventId(moment.state.value - 1);
    const label::PhaseSpan* span = labels.phaseAt(event);
    return span == nullptr ? 0 : span->step;
}

std::pair<std::size_t, std::size_t> Facts::madeIn(const Pass& pass) const
{
    // They are ordered by their event, and begin in the state after it.
    const std::vector<StateId>& begin = allocations().begin;
    const auto first = std::upper_bound(begin.begin(), begin.end(), pass.forward.begin);
    const auto end = std::upper_bound(first, begin.end(), pass.end());
    return {static_cast<std::size_t>(first - begin.begin()),
            static_cast<std::size_t>(end - begin.begin())};
}

std::int64_t Facts::persistentAtMoment() const
{
    return states.parameters + states.optimizer + states.gradients;
}

namespace {

/// Before anything is gathered.
Facts emptyFacts(const Analysis& analysis, std::size_t device, const label::StackKinds& stacks,
                 const std::optional<OomMessage>& message)
{
    return {analysis,
            device,
            *analysis.snapshot,
            analysis.snapshot->devices[device],
            analysis.replay->devices[device],
            analysis.labels->devices[device],
            analysis.curves->devices[device],
            (*analysis.block_sizes)[device],
            analysis.program(device),
            stacks,
            message};
}

} // namespace

Moment momentOf(const Analysis& analysis, std::size_t device, const label::StackKinds& stacks)
{
    static const std::optional<OomMessage> kNoMessage;
    Facts facts = emptyFacts(analysis, device, stacks, kNoMessage);
    gatherMoment(facts);
    return facts.moment;
}

Facts gatherFacts(const Analysis& analysis, std::size_t device, const label::StackKinds& stacks,
                  const std::optional<OomMessage>& message, const std::stop_token& stop)
{
    Facts facts = emptyFacts(analysis, device, stacks, message);
    for (const auto gather : {&gatherPlaces, &gatherBoundaries, &gatherMoment, &gatherFp32Sites,
                              &gatherPrecision, &gatherSizeCounts, &gatherHeadGradients, &gatherKin,
                              &gatherInUse, &gatherStates, &addWideStates, &findSamplePairs}) {
        if (stop.stop_requested()) {
            break;
        }
        gather(facts);
    }
    return facts;
}

} // namespace tidemark::diagnose
