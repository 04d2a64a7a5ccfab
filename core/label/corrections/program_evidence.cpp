// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/program_evidence.h"

#include "core/program/find.h"

namespace tidemark::label {
namespace {

/// The confidence of a label that was said and not inferred.
constexpr std::uint8_t kSaid = 100;

program::Kind kindOf(Bucket bucket)
{
    switch (bucket) {
    case Bucket::parameter:
        return program::Kind::weight;
    case Bucket::optimizer_state:
        return program::Kind::state;
    case Bucket::gradient:
        return program::Kind::gradient;
    case Bucket::kv_cache:
    case Bucket::output:
        return program::Kind::result;
    case Bucket::input:
        return program::Kind::input;
    case Bucket::activation:
        return program::Kind::saved;
    case Bucket::temporary:
        return program::Kind::scratch;
    case Bucket::workspace:
        return program::Kind::workspace;
    case Bucket::communication:
        return program::Kind::communication;
    case Bucket::unknown:
        break;
    }
    return program::Kind::unknown;
}

} // namespace

bool isSaid(const DeviceLabels& labels, AllocationId a)
{
    return labels.confidence[a.index()] == kSaid;
}

program::Evidence evidenceOf(const DeviceLabels& labels, const trace::Events& events)
{
    program::Evidence evidence;
    evidence.kind.reserve(labels.bucket.size());
    evidence.is_certain.reserve(labels.bucket.size());
    for (std::size_t a = 0; a < labels.bucket.size(); ++a) {
        evidence.kind.push_back(kindOf(labels.bucket[a]));
        evidence.is_certain.push_back(isSaid(labels, AllocationId(a)) ? 1 : 0);
    }
    for (const FailedRequest& failed : labels.failed) {
        evidence.failed.push_back({events.size[failed.event.index()].value, kindOf(failed.bucket)});
    }
    return evidence;
}

std::vector<program::Program> findPrograms(const trace::Snapshot& snapshot,
                                           const replay::Replay& replay, const Labels& labels,
                                           std::span<const Correction> rules,
                                           const std::stop_token& stop)
{
    std::vector<program::Program> programs(labels.devices.size());
    for (std::size_t d = 0; d < programs.size() && !stop.stop_requested(); ++d) {
        const trace::Device& device = snapshot.devices[d];
        program::Evidence evidence = evidenceOf(labels.devices[d], device.events);
        evidence.dimensions = saidDimensions(rules, device.index);
        programs[d] = program::find(replay.devices[d], evidence, stop);
    }
    return programs;
}

} // namespace tidemark::label
