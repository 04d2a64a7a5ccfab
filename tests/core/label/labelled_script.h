// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtCore/QtGlobal>

#include <string>
#include <string_view>

namespace tidemark::test {

using namespace label;

/// Stacks as PyTorch records them, for all scripts below.
inline constexpr std::string_view kStacks = R"(
stack load = convert /x/site-packages/torch/nn/modules/module.py:1; _apply /x/site-packages/torch/nn/modules/module.py:2; main /me/train.py:9
stack data = get_batch /me/train.py:20; main /me/train.py:30
stack embed = embedding /x/site-packages/torch/nn/functional.py:5; forward /me/model.py:3; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack linear = linear /x/site-packages/torch/nn/functional.py:7; forward /me/model.py:4; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack scores = forward /me/model.py:6; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack softmax = softmax /x/site-packages/torch/nn/functional.py:8; forward /me/model.py:7; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack loss = cross_entropy /x/site-packages/torch/nn/functional.py:9; main /me/train.py:32
stack adam = _single_tensor_adamw /x/site-packages/torch/optim/adamw.py:5; step /x/site-packages/torch/optim/adamw.py:2; main /me/train.py:34
stack adaminit = _init_group /x/site-packages/torch/optim/adamw.py:3; step /x/site-packages/torch/optim/adamw.py:2; main /me/train.py:34
stack nccl = c10d::ProcessGroupNCCL::allreduce ??:0
stack cublas = at::cuda::getNewWorkspace() ??:0
stack keep = main /me/train.py:50
stack recompute = linear /x/site-packages/torch/nn/functional.py:7; forward /me/model.py:4; _call_impl /x/site-packages/torch/nn/modules/module.py:9; unpack_hook /x/site-packages/torch/utils/checkpoint.py:3
)";

/// One training step of a model with one parameter of 10 000 bytes; names carry the step's number.
inline std::string step(int n, bool first)
{
    return fmt::format(R"(
x{0} +2000 @data
e{0} +30000 @embed
t{0} +500 @linear
t{0} -
h{0} +40000 @linear
l{0} +70000 @loss
gt{0} +40000 @-
l{0} -
g{0} +10000 @-
h{0} -
e{0} -
gt{0} -
{1}
u{0} +10000 @adam
u{0} -
g{0} -
x{0} -
)",
                       n, first ? "m +10000 @adaminit\n v +10000 @adaminit" : "");
}

struct Labelled {
    trace::Snapshot snapshot;
    replay::Replay replay;
    Labels labels;

    explicit Labelled(const std::string& script)
        : snapshot(test::snapshotFromScript(std::string(kStacks) + script))
    {
        NoProgress progress;
        replay = replay::run(snapshot, progress, {}).value();
        labels = apply(snapshot, replay, progress, {}).value();
    }
    /// Index of the n-th allocation of a size.
    AllocationId sized(std::int64_t size, int n = 0) const
    {
        const replay::Allocations& a = replay.devices[0].allocations;
        for (std::size_t i = 0; i < a.count(); ++i) {
            if (a.requested[i].value == size && n-- == 0) {
                return AllocationId(i);
            }
        }
        qFatal("no allocation of %lld bytes", static_cast<long long>(size));
    }
    std::string bucket(std::int64_t size, int n = 0) const
    {
        return std::string(bucketId(labels.devices[0].bucket[sized(size, n).index()]));
    }
    std::string role(std::int64_t size, int n = 0) const
    {
        return std::string(roleId(labels.devices[0].role[sized(size, n).index()]));
    }
    std::string phases() const
    {
        std::string text;
        for (const PhaseSpan& p : labels.devices[0].phases) {
            text += fmt::format("{}{}/{}", text.empty() ? "" : " ", phaseId(p.phase), p.step);
        }
        return text;
    }
};

} // namespace tidemark::test
