// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/report/hand_made_analysis.h"

#include "core/diagnose/diagnosis.h"
#include "tests/support/labelled.h"
#include "tests/support/trace_script.h"

namespace tidemark::test {
namespace {

using diagnose::Analysis;

label::DeviceLabels labelsOf(const trace::Device& device, const replay::DeviceReplay& replay,
                             const std::vector<label::Bucket>& buckets)
{
    const std::size_t count = replay.allocations.count();
    label::DeviceLabels labels;
    labels.bucket = buckets;
    labels.bucket.resize(count, label::Bucket::unknown);
    labels.role.assign(count, label::Role::none);
    labels.confidence.assign(count, 75);
    labels.reason.assign(count, 0);
    labels.reasons = {{"by-hand", "as the test says"}};
    const std::size_t events = device.events.count();
    if (events > 0) {
        const EventId first(0U);
        const EventId last(events - 1);
        labels.phases = {{first, EventId(events), label::Phase::forward, 1}};
        labels.steps = {{first, last}};
    }
    return labels;
}

diagnose::DeviceDiagnosis diagnosisOf(const trace::Device& device,
                                      const replay::DeviceReplay& replay)
{
    diagnose::DeviceDiagnosis diagnosis;
    diagnosis.headline = "The card is full.";
    diagnosis.explanation = "It holds <everything> & more.";
    diagnosis.causes = {{diagnose::Cause::activations,
                         0.75,
                         {{"They hold most of it.", replay.peak, StackId::none()}},
                         {}},
                        {diagnose::Cause::unclear, 0.25, {}, {}}};
    diagnosis.moment.state = replay.peak;
    diagnosis.moment.active = replay.activeAt(replay.peak);
    if (!replay.ooms.empty()) {
        const EventId oom = replay.ooms.back();
        diagnosis.moment.is_oom = true;
        diagnosis.moment.oom = oom;
        diagnosis.moment.state = StateId::before(oom);
        diagnosis.moment.requested = device.events.size[oom.index()];
    }
    diagnosis.need = diagnosis.moment.active + diagnosis.moment.requested;
    diagnosis.overhead = {1000};
    diagnosis.capacity = Bytes{5 << 20};
    diagnosis.capacity_source = "Reserved and free at the OOM.";
    diagnose::Fix fix;
    fix.id = "micro-batch";
    fix.cost_rank = 1;
    fix.title = "Micro-batch 1/2, accumulation 2";
    fix.status = diagnose::FixStatus::recommended;
    fix.apply = "micro-batch=0.5,accumulation=2";
    fix.saves = {1 << 20};
    fix.new_peak = {3 << 20};
    fix.new_peak_low = {2 << 20};
    fix.new_peak_high = {4 << 20};
    fix.new_peak_state = StateId::start();
    fix.fits = true;
    fix.why = "Half as many samples.";
    fix.how = {{"PyTorch", "first line\nsecond line"}};
    diagnose::Fix other;
    other.id = "lora";
    other.cost_rank = 9;
    other.title = "LoRA";
    diagnosis.fixes = {fix, other};
    return diagnosis;
}

} // namespace

Analysis handMadeAnalysis(std::string_view script, std::vector<label::Bucket> buckets)
{
    Analysis analysis = replayedAnalysis(snapshotFromScript(script));
    analysis.file = "runs/hand_made.pickle";
    label::Labels labels;
    diagnose::Diagnosis diagnosis;
    for (std::size_t d = 0; d < analysis.deviceCount(); ++d) {
        const trace::Device& device = analysis.snapshot->devices[d];
        const replay::DeviceReplay& replay = analysis.replay->devices[d];
        labels.devices.push_back(labelsOf(device, replay, buckets));
        diagnosis.devices.push_back(diagnosisOf(device, replay));
    }
    analysis = withLabels(std::move(analysis), std::move(labels));
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
    return analysis;
}

Analysis handMadeDeath()
{
    using enum label::Bucket;
    return handMadeAnalysis(R"(
        stack forward = forward /home/me/model.py:41; call /usr/lib/python3/dist-packages/torch/nn/modules/module.py:1501
        stack load = load /home/me/train.py:7
        live w 4096 @load
        a +1M @forward
        b +512K @forward
        a -
        c +2M @forward
        oom 8M free=3M
        b -
    )",
                            {parameter, activation, activation, temporary});
}

} // namespace tidemark::test
