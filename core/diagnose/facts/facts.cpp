// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/facts.h"

#include "core/diagnose/facts/activation_gradients.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/cast_shares.h"
#include "core/diagnose/facts/fp32_sites.h"
#include "core/diagnose/facts/optimizer_kinds.h"
#include "core/diagnose/facts/size_counts.h"
#include "core/diagnose/facts/unseen_states.h"
#include "core/label/label_rules.h"
#include "core/label/stacks/torch_release.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

/// Copies of the parameters that the optimizer state is made of, from a first optimizer step that
/// was cut off: state is made parameter by parameter, so its sizes repeat those of the parameters c
/// times each.
double copiesSoFar(const DeviceRun& run)
{
    static constexpr std::int64_t kSmallest = 1024; // step counters and norms tell nothing
    std::vector<std::int64_t> parameters;
    std::vector<std::int64_t> states;
    for (const AllocationId a : run.ids()) {
        if (run.bytes(a) <= kSmallest) {
            continue;
        }
        if (run.bucket(a) == Bucket::parameter && run.role(a) != Role::frozen) {
            parameters.push_back(run.bytes(a));
        } else if (run.bucket(a) == Bucket::optimizer_state) {
            states.push_back(run.bytes(a));
        }
    }
    double best_copies = 2;
    std::size_t best_match = 0;
    for (const std::size_t copies : {std::size_t{2}, std::size_t{1}, std::size_t{3}}) {
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

/// 16-bit arithmetic shows in the copies that autocast makes of the weights, in the names of the
/// frames, and in states twice as wide as the weights. Weights themselves are so where nothing
/// copies them, or where their sizes prove it.
Precision precisionOf(const DeviceRun& run, const CastShares& casts, double state_copies)
{
    std::int64_t copied = 0;
    for (const AllocationId a : run.ids()) {
        copied += run.role(a) == Role::weight_cast ? run.bytes(a) : 0;
    }
    const auto* const width = run.program.find(program::DimensionName::element_bytes);
    Precision shown;
    shown.proven_width = width == nullptr ? 0 : width->value;
    shown.sixteen_bit = (copied > 0 && copied * 20 > run.bucketAtMoment(Bucket::parameter))
        || !casts.empty() || shown.proven_width == 2
        || (state_copies > kMostOwnWidthCopies && shown.proven_width != 4);
    for (std::size_t f = 0; f < run.snapshot.stacks.frameCount() && !shown.sixteen_bit; ++f) {
        const Frame& frame = run.snapshot.stacks.frame(FrameId(f));
        const std::string_view name = run.snapshot.text(frame.name);
        shown.sixteen_bit = name.find("BFloat16") != std::string_view::npos
            || name.find("c10::Half") != std::string_view::npos;
    }
    shown.sixteen_bit_states = shown.proven_width != 0
        ? shown.proven_width == 2
        : shown.sixteen_bit && copied == 0 && casts.empty();
    return shown;
}

/// When the step began whose optimizer runs at the moment.
std::optional<StateId> steppingSince(const DeviceRun& run)
{
    const std::uint32_t step = run.stepAtMoment();
    if (run.phaseAtMoment() != Phase::optimizer || step == 0 || step > run.labels.steps.size()) {
        return std::nullopt;
    }
    return StateId::before(run.labels.steps[step - 1].first_event);
}

/// Optimizer state as it is between steps. A step that makes new state in place of the old holds
/// both of a parameter for a moment, perhaps that of the peak.
std::int64_t settledState(const DeviceRun& run, std::int64_t now)
{
    static constexpr std::int64_t kLittle = 5; // one part in so many
    const std::optional<StateId> begin = steppingSince(run);
    const std::int64_t before =
        begin ? run.curves.at(*begin)[label::indexOf(Bucket::optimizer_state)] : now;
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
std::int64_t beingReplaced(const DeviceRun& run)
{
    const replay::Allocations& all = run.allocations();
    const StateId moment = run.moment.state;
    std::unordered_map<std::int64_t, Lives, KeyedNumberHash> of_size;
    std::vector<AllocationId> updated;
    for (const AllocationId a : run.ids()) {
        if (run.bucket(a) == Bucket::parameter) {
            Lives& lives = of_size[run.bytes(a)];
            lives.begins.push_back(run.begin(a));
            lives.ends.push_back(run.end(a));
            if (all.isLive(a, moment) && run.labels.reasonOf(a).rule == label::kUpdatedWeights) {
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
        const Lives& lives = of_size.at(run.bytes(a));
        const bool has_old = lives.aliveAt(moment) >= lives.aliveAt(run.begin(a));
        bytes += has_old ? run.bytes(a) : 0;
    }
    return bytes;
}

StateBytes statesOf(const DeviceRun& run, const Precision& precision,
                    const std::vector<InUse>& in_use)
{
    static constexpr std::int64_t kLeftAtOnce = 20; // of gradients at least one part in so many
    StateBytes states;
    for (std::size_t i = 0; i < run.allocations().count(); ++i) {
        if (run.labels.bucket[i] == Bucket::parameter) {
            states.largest_parameter =
                std::max(states.largest_parameter, run.allocations().requested[i].value);
        }
    }
    const auto bytesOf = [&](Role role) {
        std::int64_t bytes = 0;
        for (const AllocationId a : run.weights) {
            bytes += run.role(a) == role ? run.bytes(a) : 0;
        }
        return bytes;
    };
    const std::int64_t by_role = bytesOf(Role::trainable);
    const bool any_role = by_role > 0;
    const std::int64_t gathered = bytesOf(Role::unsharded); // the same weights once more
    states.averages = bytesOf(Role::ema);
    states.masters = bytesOf(Role::master);
    states.parameters = run.bucketAtMoment(Bucket::parameter) - gathered - beingReplaced(run);
    states.gradients = run.bucketAtMoment(Bucket::gradient);
    states.optimizer = run.bucketAtMoment(Bucket::optimizer_state);
    states.gradients_full = run.curves.largestOf(Bucket::gradient);
    states.trainable = any_role     ? by_role
        : states.gradients_full > 0 ? std::min(states.gradients_full, states.model())
                                    : states.model();
    // Frozen weights may be as large as trained ones. Before the first backward is through, the
    // gradients seen so far say nothing about the others.
    bool any_complete = false;
    std::int64_t left = 0; // gradients at the end of a backward
    for (const Pass& pass : run.passes) {
        if (pass.isWholeTraining()) {
            any_complete = true;
            left = std::max(left, run.curves.at(pass.end())[label::indexOf(Bucket::gradient)]);
        }
    }
    if (any_role && left * kLeftAtOnce > by_role) { // else the optimizer steps in backward
        states.trainable = std::min(by_role, left);
    }
    if (!any_complete && states.optimizer == 0 && run.phaseAtMoment() != Phase::optimizer) {
        const TrainedWeights trained = any_role
            ? TrainedWeights{by_role, 1, 0}
            : trainedWeights(run, precision, in_use, states.model());
        states.trainable = trained.bytes;
        states.trainable_at_most = trained.at_most;
        states.frozen_ahead = trained.frozen;
    }
    if (states.trainable <= 0) {
        return states;
    }
    const auto trainable = static_cast<double>(states.trainable);
    states.copies = static_cast<double>(settledState(run, states.optimizer)) / trainable;
    const std::optional<StateId> step_begin = steppingSince(run);
    if (!run.isOom() || !step_begin) {
        return states;
    }
    const bool failed_is_state =
        run.failed != nullptr && run.failed->bucket == Bucket::optimizer_state;
    const bool is_first =
        run.curves.at(*step_begin)[label::indexOf(Bucket::optimizer_state)] * 20 < states.optimizer
        || (states.optimizer == 0 && failed_is_state);
    if (is_first) {
        states.copies = copiesSoFar(run);
        const auto all = static_cast<std::int64_t>(states.copies * trainable);
        states.optimizer_missing = std::max<std::int64_t>(
            0, all - states.optimizer - (failed_is_state ? run.moment.requested.value : 0));
    }
    return states;
}

} // namespace

bool Facts::haveBucketsAllGradients() const
{
    static constexpr std::int64_t kNextToNone = 8; // one part in so many
    const auto last = std::find_if(passes.rbegin(), passes.rend(),
                                   [](const Pass& pass) { return pass.isWholeTraining(); });
    if (last == passes.rend()) {
        return false; // Those of the first backward are still to come.
    }
    std::int64_t inside = 0;
    std::int64_t beside = 0;
    for (const AllocationId a : ids()) {
        if (bucket(a) == Bucket::gradient && allocations().isLive(a, last->end())) {
            (role(a) == Role::reduction_bucket ? inside : beside) += bytes(a);
        }
    }
    return beside * kNextToNone < inside;
}

Facts gatherFacts(const Analysis& analysis, std::size_t device, const label::StackKinds& stacks,
                  const std::optional<OomMessage>& message, const std::stop_token& stop)
{
    DeviceRun run = deviceRunOf(analysis, device, stacks, message);
    const auto casts = std::make_shared<const CastShares>(run);
    if (stop.stop_requested()) {
        const auto kin =
            std::make_shared<const ActivationGradients>(run, SizeCountsOf{}, Role::none);
        return {std::move(run), {},  {},  {},
                casts,          kin, kin, std::make_shared<const BlockWeights>()};
    }
    const Precision shown = precisionOf(run, *casts, 0);
    SizeUses uses = sizeUsesOf(run);
    const auto kinOf = [&](Role role) {
        return std::make_shared<const ActivationGradients>(run, uses.size_counts, role);
    };
    const auto attention_kin = kinOf(Role::attention_matrix);
    const auto logits_kin = kinOf(Role::logits);
    const auto blocks = std::make_shared<const BlockWeights>(blockWeights(run));
    std::vector<InUse> in_use = fixesInUse(run.snapshot);
    const StateBytes states = statesOf(run, shown, in_use);
    const Precision precision = precisionOf(run, *casts, states.copies);
    uses.size_counts = withSamplePairs(std::move(uses.size_counts), run, precision);
    std::vector<Fp32Site> sites = fp32Sites(run);
    const std::string_view backend = message && !message->backend.empty()
        ? std::string_view(message->backend)
        : label::backendOf(run.snapshot);
    return {std::move(run), precision, std::move(uses),   std::move(sites), casts,  attention_kin,
            logits_kin,     blocks,    std::move(in_use), states,           backend};
}

} // namespace tidemark::diagnose
