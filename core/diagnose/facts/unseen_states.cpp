// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/unseen_states.h"

#include "core/base/language.h"
#include "core/diagnose/facts/adapter_pairs.h"
#include "core/diagnose/facts/linear_calls.h"
#include "core/label/stacks/frame_tests.h"

#include <algorithm>
#include <unordered_map>

namespace tidemark::diagnose {
namespace {

using label::anyFrame;
using label::Bucket;
using label::isFileIn;
using label::Phase;

/// Whether the frames or the configuration show a fix on.
bool isOn(const DeviceRun& run, const std::vector<InUse>& in_use, std::string_view fix)
{
    const auto& config = run.analysis.input.config;
    return useOf(in_use, fix) != nullptr || (config && !config->whatHasOn(fix).empty());
}

/// Where the forward of a pass saves something for the first time; nothing if it makes blocks
/// again, which save what they read only.
std::optional<StateId> firstSaved(const DeviceRun& run, const Pass& pass)
{
    std::optional<StateId> saved;
    for (const AllocationId a : run.madeIn(pass)) {
        if (run.stacks.traits(run.stack(a)).has(label::Trait::checkpoint)) {
            return std::nullopt;
        }
        const bool is_saved =
            run.phaseOf(a) == Phase::forward && run.bucket(a) == Bucket::activation;
        if (is_saved && !saved) {
            saved = run.begin(a);
        }
    }
    return saved;
}

bool isMadeByPeft(const trace::Snapshot& snapshot, StackId stack)
{
    return anyFrame(snapshot, stack, [](std::string_view, std::string_view file) {
        return isFileIn(file, "/peft/tuners/");
    });
}

/// GPUs among which the optimizer's state is divided while each has all weights.
int sharersOfState(const Facts& facts)
{
    const auto& config = facts.analysis.input.config;
    const int stage = config ? config->zero_stage.value_or(0) : 0;
    return stage == 1 || stage == 2 ? facts.analysis.input.gpusThere() : 1;
}

} // namespace

std::int64_t frozenAhead(const DeviceRun& run, const Precision& precision)
{
    static constexpr std::ptrdiff_t kFewest = 2; // layers
    const auto pass = std::ranges::find_if(run.passes, &Pass::isTraining);
    const auto saved = pass == run.passes.end() ? std::nullopt : firstSaved(run, *pass);
    if (!saved) {
        return 0;
    }
    const LinearCalls found = findLinearCalls(run, precision, *pass);
    const auto trained = std::ranges::find_if(
        found.calls, [&](const LayerCall& call) { return call.begin >= *saved; });
    if (!found.is_sure || trained == found.calls.end() || trained - found.calls.begin() < kFewest) {
        return 0;
    }
    const auto byWeight = [](const LayerCall& one, const LayerCall& other) {
        return one.weight < other.weight;
    };
    const auto first_trained = std::min_element(trained, found.calls.end(), byWeight)->weight;
    if (std::max_element(found.calls.begin(), trained, byWeight)->weight > first_trained) {
        return 0;
    }
    std::int64_t frozen = 0;
    for (std::size_t w = 0; w < first_trained; ++w) {
        frozen += found.weights[w].bytes + found.weights[w].vector;
    }
    return frozen;
}

TrainedWeights trainedWeights(const DeviceRun& run, const Precision& precision,
                              const std::vector<InUse>& in_use, std::int64_t weights)
{
    if (const std::int64_t pairs = adapterPairs(run); pairs > 0) {
        return {pairs, 1, 0};
    }
    if (!isOn(run, in_use, "lora")) {
        const std::int64_t frozen = std::min(weights, frozenAhead(run, precision));
        return {weights - frozen, 1, frozen};
    }
    static constexpr std::int64_t kShareOfAdapters = 50;
    static constexpr double kMost = 5;
    std::unordered_map<StackId, bool> made_by_peft;
    std::int64_t adapters = 0;
    for (const AllocationId a : run.weights) {
        const StackId stack = run.stack(a);
        const auto [known, is_new] = made_by_peft.try_emplace(stack, false);
        known->second = is_new ? isMadeByPeft(run.snapshot, stack) : known->second;
        adapters += known->second ? run.bytes(a) : 0;
    }
    return adapters > 0 ? TrainedWeights{adapters, 1, 0}
                        : TrainedWeights{weights / kShareOfAdapters, kMost, 0};
}

bool hasAdapters(const Facts& facts)
{
    return isOn(facts, facts.in_use, "lora") || adapterPairs(facts) > 0;
}

const OptimizerKind* configuredOptimizer(const Facts& facts)
{
    const auto& config = facts.analysis.input.config;
    return config
        ? optimizerOfSetting(config->optimizer, {config->momentum.value_or(0), config->amsgrad})
        : nullptr;
}

UnseenOptimizer unseenOptimizer(const Facts& facts)
{
    UnseenOptimizer unseen;
    const OptimizerKind* const kind = configuredOptimizer(facts);
    if (kind == nullptr) {
        unseen.note = say("No optimizer step recorded: the lower bound counts Adam's state. Give "
                          "the run's configuration to be sure.");
    } else {
        const double copies = stateCopies(
            *kind, static_cast<double>(std::max<std::int64_t>(facts.states.largest_parameter, 1)),
            facts.weightWidth());
        const bool may_have_momentum =
            kind->name == "sgd" && !facts.analysis.input.config->momentum.has_value();
        unseen.copies = {copies, copies, may_have_momentum ? 1 : copies};
        unseen.transients = kind->transients;
        unseen.note = say("No optimizer step recorded; the configuration has {}. {}",
                          facts.analysis.input.config->optimizer, translated(kind->says));
    }
    if (isOn(facts, facts.in_use, "fused-optimizer")) {
        unseen.transients = {0, 0, 0.25};
    }
    if (isOn(facts, facts.in_use, "offload-optimizer")) {
        unseen.copies = unseen.transients = {};
        unseen.note = say(
            "No optimizer step recorded; its state is in host memory, so it counts nothing here.");
    } else if (const int sharers = sharersOfState(facts); sharers > 1) {
        const double part = 1.0 / sharers;
        unseen.copies = unseen.copies.times(Amount::exactly(part));
        unseen.note += ' ' + say("{} GPUs shard it.", sharers);
    }
    return unseen;
}

} // namespace tidemark::diagnose
