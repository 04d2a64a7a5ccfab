// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/comparer.h"
#include "ui/models/module_differences.h"
#include "ui/models/rows_model.h"
#include "ui/models/session.h"

#include <stop_token>
#include <vector>

namespace tidemark::ui {

// What else there is to say of two compared runs, as tables in diff form. They take longer than the
// comparison itself, so they are made when somebody looks.

/// What the changes that were found would have made of the base, beside what the other run
/// measured; empty where no change is one that can be predicted.
struct PredictionBeside {
    QString words; ///< From which run, and by which changes.
    TextTable table;
};

struct ComparisonDetails {
    ModuleDifferences modules; ///< Live bytes of each module at the compared moments.
    TextTable steps; ///< Largest totals of each phase in each step.
    TextTable fixes; ///< What would help either run.
    PredictionBeside prediction;
};

/// May take seconds. Once a stop is requested it returns within a stage, incomplete.
[[nodiscard]] ComparisonDetails detailsOf(const ComparedRuns& runs, const std::stop_token& stop);

/// The n-th step of one run beside the n-th of the other, by the numbers that people know.
[[nodiscard]] TextTable stepsTable(const ComparedRuns& runs);
/// First what tells the runs apart, tried in the base: what it then needs; then each run's fixes.
[[nodiscard]] TextTable fixesTable(const ComparedRuns& runs, const std::stop_token& stop);
[[nodiscard]] PredictionBeside predictionOf(const ComparedRuns& runs,
                                            const std::stop_token& stop = {});

/// A run among several, and what it is called.
struct NamedRun {
    FileId id = 0;
    QString name;
    ComparedRun run;
    friend bool operator==(const NamedRun&, const NamedRun&) = default;
};
/// Peaks of several runs against that of the first. `source` is the index of the run.
[[nodiscard]] TextTable runsTable(const std::vector<NamedRun>& runs);

} // namespace tidemark::ui
