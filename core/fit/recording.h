// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/program/program.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::fit {

/// One device of a recording, as the stages before the diagnosis left it.
struct Recording {
    const trace::Snapshot& snapshot;
    const replay::DeviceReplay& replay;
    const label::DeviceLabels& labels;
    const program::Program& program;
};

/// A transformers file of some frame, without looking at allocations: what a fit needs at least.
/// O(frames).
bool namesAFamily(const trace::Snapshot& snapshot);

/// The functions and files of the frames that allocate. O(allocations + frames of their stacks).
class Frames {
public:
    explicit Frames(const Recording& recording);

    /// Whether some function has one of these in its name.
    [[nodiscard]] bool call(std::initializer_list<std::string_view> parts) const;
    [[nodiscard]] bool hasFile(std::string_view part) const;
    /// The stem of the modeling_*.py below which most is allocated: "llama"; empty: none.
    [[nodiscard]] const std::string& family() const
    {
        return m_family;
    }

private:
    std::vector<std::string_view> m_functions;
    std::vector<std::string_view> m_files; ///< Without folders.
    std::string m_family;
};

/// What sizes and labels tell of a run.
struct Sizes {
    explicit Sizes(const Recording& recording);

    [[nodiscard]] bool has(std::int64_t bytes) const
    {
        return counts.contains(bytes);
    }

    std::map<std::int64_t, std::int64_t> counts; ///< Requested bytes → how many, of all time.
    /// The same of inputs, most frequent first.
    std::vector<std::int64_t> inputs;
    std::array<std::int64_t, label::kPhaseCount> peaks{}; ///< Largest total in each phase.
    std::int64_t micro_batches = 1; ///< Of a step behind the first.
    std::int64_t workspace = 0; ///< Of cuBLAS, at the peak.
};

/// What is stated of a dimension, likeliest first; empty: nothing.
std::vector<std::int64_t> valuesOf(const program::Program& program, program::DimensionName name);
/// The likeliest; 0: not stated.
std::int64_t valueOf(const program::Program& program, program::DimensionName name);

} // namespace tidemark::fit
