// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/changes.h"

#include <string>
#include <vector>

namespace tidemark::compare {

/// What became of batch and sequence.
struct ShapeChange {
    Growths growths; ///< 1 where nothing changed or nothing is known.
    std::string evidence; ///< One sentence.
    std::string open; ///< What is not known, one sentence; empty: nothing.
    double model = 1; ///< Ratio of sizes that follow the width of another model, not the rows.
    bool is_of_pass = false; ///< Of the compared pass alone.
    bool is_stated_a = true; ///< The program of A states dimensions that are those of that pass.
    bool is_stated_b = true;
};

/// From what both programs state, where the sizes at matched places bear it out; else from their
/// ratios alone, helped by what one of the programs knows. `width`: as of `Growths`.
/// `is_other_model`: the weights have other sizes; a ratio that they have, too, is that of the
/// model's width and says nothing of the rows. `loops`: 1, or what `LoopCounts` found.
/// O(size pairs²), both bounded by the distinct sizes
/// of a program.
ShapeChange findShapeChange(const Side& a, const Side& b, const std::vector<SizePair>& pairs,
                            double width, bool is_other_model, double loops);

/// ½ or 2, where most sizes of no weights that changed did so by it and some did not change at all,
/// as under another precision: rows of a batch or a sequence change all of them. Else 1.
double widthBetween(const Side& a, const Side& b, const std::vector<SizePair>& pairs);

/// The same of the pairs of one pass: `of_runs`, unless most sizes that changed there have another
/// ratio in common, as in a pass of another length.
ShapeChange findShapeChangeOfPass(const Side& a, const Side& b, const std::vector<SizePair>& pairs,
                                  ShapeChange of_runs);

} // namespace tidemark::compare
