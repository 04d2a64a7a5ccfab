// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"

#include "core/base/beside.h"
#include "core/base/language.h"
#include "core/diagnose/causes/causes.h"
#include "core/diagnose/causes/findings.h"
#include "core/diagnose/causes/message_match.h"
#include "core/diagnose/causes/recipe.h"
#include "core/diagnose/causes/sentences.h"
#include "core/diagnose/detailed_devices.h"
#include "core/diagnose/facts/device_run.h"
#include "core/diagnose/fixes/fixes.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

/// Ends early, with a diagnosis that is not all there, when asked to stop.
DeviceDiagnosis diagnoseDevice(const Facts& facts, const UserInput& user, const StagePart& progress,
                               std::string* sum_check)
{
    DeviceDiagnosis d;
    if (progress.stop.stop_requested()) {
        return d;
    }
    const NeedBasis basis = needBasis(facts);
    if (progress.stop.stop_requested()) {
        return d;
    }
    const Measures measures = measure(facts);
    const CauseInput in{facts, basis, measures, compareBatch(facts),
                        runCaseOf(facts, basis.growth)};
    d.moment = facts.moment;
    d.need = in.need();
    d.need_low = roundedBytes(basis.before.requested.low);
    d.need_high = roundedBytes(basis.before.requested.high);
    d.known_to_follow = {std::max<std::int64_t>(0, basis.before.known_to_follow)};
    d.overhead = {overheadBefore(facts)};
    d.capacity = basis.capacity.bytes;
    d.capacity_unsure = basis.capacity.unsure;
    d.capacity_source = basis.capacity.source;
    d.recipe = readRecipe(facts);
    // What stands on one page has one unit.
    sayBeside(in.need(), [&] {
        d.causes = rankCauses(in);
        d.findings = gatherFindings(in, d.causes);
    });
    if (facts.analysis.planned) {
        d.fixes = (*facts.analysis.planned)(d.capacity);
    } else if (!facts.device.isEmpty()) {
        const SettingsTrial trial = trySettings(facts, basis, progress);
        d.settings_verdict = settingsVerdict(facts, trial);
        const config::RunConfig* config = user.config ? &*user.config : nullptr;
        Ladder ladder = sayBeside(in.need(), [&] {
            return judgeFixes({in, d.causes, trial, user.gpusThere(), config}, progress);
        });
        d.fixes = std::move(ladder.fixes);
        d.answer = std::move(ladder.answer);
        d.limits = std::move(ladder.limits);
    }
    sayBeside(in.need(), [&] { writeSentences(in, d); });
    if (sum_check != nullptr) {
        *sum_check = sumCheck(in);
    }
    return d;
}

/// Of a device beyond those that are looked at: its figures, and why there is no more.
DeviceDiagnosis figuresOf(const Moment& moment, std::size_t devices)
{
    DeviceDiagnosis d;
    d.moment = moment;
    d.need = d.need_low = d.need_high = moment.active + moment.requested;
    d.overhead = {std::max<std::int64_t>(0, moment.reserved.value - moment.active.value)};
    d.headline = say("Not diagnosed: of {} devices, only the {} with the highest peaks are",
                     devices, kMostDetailedDevices);
    d.causes = {{Cause::unclear, 0, {{d.headline + ".", moment.state, StackId::none()}}, {}}};
    return d;
}

} // namespace

Result<Diagnosis> run(const Analysis& analysis, ProgressSink& progress, std::stop_token stop)
{
    Diagnosis diagnosis;
    const std::size_t count = analysis.deviceCount();
    if (count == 0) {
        diagnosis.message = parseOomMessage(analysis.message());
        return diagnosis;
    }
    const label::StackKinds stacks(*analysis.snapshot, stop);
    const std::size_t main_device = analysis.mainDevice();
    const DetailedDevices detailed = detailedDevices(analysis);
    // The message speaks of one device, the one that ran out, and of no other card.
    const MessageKeys keys = messageKeysOf(analysis, main_device);
    diagnosis.message = messageFor(analysis, keys);
    const std::string other_card =
        diagnosis.message ? whyOfAnotherCard(*diagnosis.message, keys) : std::string();
    static const std::optional<OomMessage> kNoMessage;
    for (std::size_t d = 0; d < count; ++d) {
        const StagePart part{progress, stop, "diagnosing", d, count};
        const bool is_main = d == main_device;
        if (count > kMostDetailedDevices && !detailed.has(d)) {
            diagnosis.devices.push_back(figuresOf(momentOf(analysis, d), count));
        } else if (part.goesOn(0, 1)) {
            const Facts facts =
                gatherFacts(analysis, d, stacks,
                            is_main && other_card.empty() ? diagnosis.message : kNoMessage, stop);
            diagnosis.devices.push_back(diagnoseDevice(facts, analysis.input, part,
                                                       is_main ? &diagnosis.sum_check : nullptr));
        }
        if (!part.goesOn(1, 1)) {
            return Error{ErrorCode::cancelled, say("The diagnosis was cancelled."), {}};
        }
    }
    if (!other_card.empty()) {
        diagnosis.sum_check = say("{}; ignored the message, it is from another GPU: {}",
                                  diagnosis.sum_check, other_card);
    }
    return diagnosis;
}

} // namespace tidemark::diagnose
