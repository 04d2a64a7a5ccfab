// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/attribution.h"
#include "core/label/stacks/code_lines.h"
#include "core/trace/snapshot.h"

#include <string>

namespace tidemark::compare {

/// Names the places of two runs for people: as in B where it has them, else as in A. Holds
/// references; outlives nothing.
class PlaceTexts {
public:
    /// O(frames).
    PlaceTexts(const trace::Snapshot& a, const trace::Snapshot& b);

    /// "model.py:41 forward", the line with the most bytes first: "model.py:41 forward and 2 more
    /// lines". Empty: no stack. O(stacks of the place).
    [[nodiscard]] std::string where(const PlaceDifference& place) const;
    /// "softmax"; empty: not known.
    [[nodiscard]] std::string operation(const PlaceDifference& place) const;

private:
    const trace::Snapshot& m_a;
    const trace::Snapshot& m_b;
    label::LineFinder m_finder_a;
    label::LineFinder m_finder_b;
};

} // namespace tidemark::compare
