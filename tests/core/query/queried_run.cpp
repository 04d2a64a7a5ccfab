// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/query/queried_run.h"

#include "core/base/progress.h"
#include "tests/support/trace_script.h"

#include <map>

namespace tidemark::test {
namespace {

constexpr std::string_view kScript =
    "stack att = scaled_dot_product /x/site-packages/torch/nn/functional.py:5; "
    "forward /me/Model.py:41; _call_impl /x/site-packages/torch/nn/modules/module.py:1; "
    "main /me/train.py:4\n"
    "stack lin = linear /x/site-packages/torch/nn/functional.py:9; forward /me/Model.py:52; "
    "_call_impl /x/site-packages/torch/nn/modules/module.py:1; main /me/train.py:4\n"
    "live w 16M @lin\n"
    "a +4M @att\nb +1M @lin\nc +512K\na -\nd +64 @lin\nc -\ne +2M @att\noom 8M free=1M @att\ne -\n";

label::DeviceLabels labelsOf(std::size_t count, std::size_t events)
{
    using enum label::Bucket;
    label::DeviceLabels labels;
    labels.bucket = {parameter, activation, activation, gradient, unknown, temporary};
    labels.bucket.resize(count, unknown);
    labels.role.assign(count, label::Role::none);
    labels.role[0] = label::Role::trainable;
    labels.role[1] = label::Role::attention_matrix;
    labels.confidence.assign(count, 90);
    labels.confidence[4] = 20;
    labels.reason.assign(count, 0);
    labels.reasons = {{"by-hand", "as the test says"}};
    labels.phases = {{EventId(0U), EventId(2U), label::Phase::forward, 1},
                     {EventId(2U), EventId(5U), label::Phase::backward, 1},
                     {EventId(5U), EventId(8U), label::Phase::optimizer, 1},
                     {EventId(8U), EventId(events), label::Phase::forward, 2}};
    labels.steps = {{EventId(0U), EventId(7U)}};
    return labels;
}

} // namespace

QueriedRun::QueriedRun(std::string_view first)
{
    NoProgress progress;
    snapshot = std::make_shared<const trace::Snapshot>(
        snapshotFromScript(std::string(first) + std::string(kScript)));
    replay = std::make_shared<const replay::Replay>(replay::run(*snapshot, progress, {}).value());
    label::Labels all;
    all.devices.push_back(
        labelsOf(replay->devices[0].allocations.count(), snapshot->devices[0].events.count()));
    labels = std::make_shared<const label::Labels>(std::move(all));
    table = std::make_shared<const query::AllocationTable>(snapshot, replay, labels, nullptr, 0);
}

std::string namesOf(const query::AllocationTable& table, const std::vector<AllocationId>& ids)
{
    static const std::map<std::int64_t, std::string> kNames{{16 << 20, "w"}, {4 << 20, "a"},
                                                            {1 << 20, "b"},  {512 << 10, "c"},
                                                            {64, "d"},       {2 << 20, "e"}};
    std::string names;
    for (const AllocationId a : ids) {
        names.append(names.empty() ? "" : " ").append(kNames.at(table.bytes(a).value));
    }
    return names;
}

} // namespace tidemark::test
