// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/host.h"

#include <algorithm>
#include <cmath>

namespace tidemark::plan {
namespace {

constexpr std::int64_t kSubGroup = 1'000'000'000;
constexpr std::int64_t kStateBuffers = 4;
constexpr std::int64_t kWeightBuffers = 5;
constexpr std::int64_t kWeightBuffer = 100'000'000;
constexpr std::int64_t kWeightsInMemory = 1'000'000'000;
constexpr double kBufferFactor = 1.5;

/// On the host, of one trained parameter in 32 bits: the copy of the weight, the gradient, and what
/// the optimizer keeps.
std::int64_t bytesPerState(walk::Optimizer optimizer)
{
    constexpr std::int64_t kWeightAndGradient = 8;
    switch (optimizer) {
    case walk::Optimizer::adamw:
    case walk::Optimizer::adamw_foreach:
    case walk::Optimizer::adamw_for_loop:
        return kWeightAndGradient + 8;
    case walk::Optimizer::adamw_8bit:
        return kWeightAndGradient + 2;
    case walk::Optimizer::sgd_momentum:
        return kWeightAndGradient + 4;
    case walk::Optimizer::adafactor: // Rows and columns: next to nothing.
    case walk::Optimizer::sgd:
        break;
    }
    return kWeightAndGradient;
}

} // namespace

HostBudget hostBudgetOf(const walk::RunShape& run, std::int64_t parameters,
                        std::int64_t trained_share)
{
    HostBudget host;
    const std::int64_t states = bytesPerState(run.optimizer) * trained_share;
    if (run.states == walk::Offload::cpu) {
        host.memory += {states};
    } else if (run.states == walk::Offload::nvme) {
        host.disk += {states};
        host.memory += {kStateBuffers * 4 * std::min(trained_share, kSubGroup)};
    }
    const std::int64_t width = run.hasNarrowWeights() ? 2 : 4;
    const std::int64_t weights = (parameters + run.replicas() - 1) / run.replicas();
    if (run.weights == walk::Offload::cpu) {
        host.memory += {width * weights};
    } else if (run.weights == walk::Offload::nvme) {
        host.disk += {width * weights};
        host.memory += {width
                        * (std::min(weights, kWeightsInMemory)
                           + kWeightBuffers * std::min(parameters, kWeightBuffer))};
    }
    host.memory_high = {std::llround(kBufferFactor * static_cast<double>(host.memory.value))};
    return host;
}

} // namespace tidemark::plan
