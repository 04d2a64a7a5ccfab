// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::label {

struct DeviceLabels;

/// "ProfilerStep#210" → {"ProfilerStep#", 210}: a scope that bears the number of a step or an
/// iteration at its end. Nullopt for every other name.
std::optional<std::pair<std::string_view, std::int64_t>> numberedScope(std::string_view name);

/// By which numbers people know the steps of a device: those of their program, where it tells.
/// Found once, with the labels (`DeviceLabels::numbers`).
class StepNumbers {
public:
    StepNumbers() = default; ///< As the trace counts, from 1.

    /// How the program itself numbers the steps that a trace begins (`DeviceLabels::stepsBegun`),
    /// by the scopes of `record_function` in which they lie: torch.profiler opens "ProfilerStep#N"
    /// around each (torch/profiler/profiler.py), and programs of their own do alike. As the trace
    /// counts where no family of such names tells the steps apart: most of a step lies in one
    /// scope, and numbers rise from step to step; and in a file of more devices than a process
    /// drives. Without such names as the capture module counts, which knows the steps outside of
    /// its window. Steps that lie in none count on from their neighbours. O(events + annotations ×
    /// log).
    StepNumbers(const trace::Snapshot& snapshot, const trace::Device& device,
                const DeviceLabels& labels);

    /// Of a step as a trace counts, from 1 (`PhaseSpan::step`); 0 stays 0.
    [[nodiscard]] std::int64_t of(std::uint32_t step) const;
    /// Of the steps begun, in order; empty where the program tells none.
    [[nodiscard]] const std::vector<std::int64_t>& stated() const
    {
        return m_stated;
    }

private:
    std::vector<std::int64_t> m_stated;
};

} // namespace tidemark::label
