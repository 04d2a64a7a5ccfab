// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/program/program.h"

#include <cstddef>
#include <string>

namespace tidemark::compare {

/// One device of one of the two runs: what all of a comparison reads. Holds references; outlives
/// nothing.
struct Side {
    const diagnose::Analysis& analysis;
    std::size_t index; ///< Of the snapshot's devices.
    const program::Program& program;
    std::string letter; ///< What sentences call it: "A".

    [[nodiscard]] const trace::Snapshot& snapshot() const
    {
        return *analysis.snapshot;
    }
    [[nodiscard]] const trace::Device& device() const
    {
        return analysis.snapshot->devices[index];
    }
    [[nodiscard]] const replay::DeviceReplay& replay() const
    {
        return analysis.replay->devices[index];
    }
    [[nodiscard]] const replay::Allocations& allocations() const
    {
        return replay().allocations;
    }
    [[nodiscard]] const label::DeviceLabels& labels() const
    {
        return analysis.labels->devices[index];
    }
    [[nodiscard]] const curves::DeviceCurves& curves() const
    {
        return analysis.curves->devices[index];
    }
    [[nodiscard]] std::int64_t bytes(AllocationId a) const
    {
        return allocations().requested[a.index()].value;
    }
    [[nodiscard]] label::Bucket bucket(AllocationId a) const
    {
        return labels().bucket[a.index()];
    }
};

} // namespace tidemark::compare
