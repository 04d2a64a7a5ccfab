// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/model_shape.h"
#include "core/walk/run_shape.h"
#include "core/walk/timeline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::walk {

/// A line of Python that ran.
struct LibraryFrame {
    std::string function;
    std::string file;
    std::int32_t line = 0;

    friend bool operator==(const LibraryFrame&, const LibraryFrame&) = default;
};

/// The stack, innermost first, that a recording of such a run would have of an allocation: the
/// files of torch and transformers whose functions run, below a Trainer's loop. Layers share their
/// lines, as they do in a loop; what one module makes itself has a line for each place in its
/// order. None for what the engine of autograd makes on a thread of its own. Lines are told apart,
/// not those of any release. O(depth).
class LibraryFrames {
public:
    LibraryFrames(const Timeline& timeline, const ModelShape& model, const RunShape& run);

    [[nodiscard]] std::vector<LibraryFrame> of(const PlannedAllocation& allocation) const;

private:
    [[nodiscard]] std::vector<LibraryFrame> ofSetup(const PlannedAllocation& allocation) const;
    [[nodiscard]] std::vector<LibraryFrame> ofForward(const PlannedAllocation& allocation) const;
    [[nodiscard]] std::vector<LibraryFrame> ofStep(const PlannedAllocation& allocation) const;
    [[nodiscard]] std::string modelFile() const;
    /// Of scaled_dot_product_attention.
    [[nodiscard]] bool isInFusedCall(const PlannedPlace& place) const;

    const Timeline& m_timeline;
    const ModelShape& m_model;
    const RunShape& m_run;
};

} // namespace tidemark::walk
