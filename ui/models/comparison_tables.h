// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/comparer.h"
#include "ui/models/one_unit.h"
#include "ui/models/rows_model.h"

#include <QtCore/QStringList>

#include <array>
#include <cstdint>

namespace tidemark::ui {

// What a comparison says, as tables, for the window and the report alike. Runs are called by their
// letters; bytes of one run's totals and of differences have one unit.

/// Of the larger of both totals.
[[nodiscard]] OneUnit unitOf(const ComparedRuns& runs);

/// Which places are listed.
enum class PlaceFilter : std::uint8_t {
    differing,
    only_base,
    only_against,
    grew,
    shrank,
    moved_phase, ///< Made in another phase.
    relabelled, ///< Called something else.
    equal
};

/// Bucket, place, operation, both runs (count × size), difference, factor, explanation; the largest
/// difference first. `source` is the index of the place. Unless something is filtered, what the
/// peaks moved and the places that are equal follow in one row each, and the total is the
/// difference of what is compared, to the byte. Places that are pinned come first, whatever is
/// filtered; a pin is `pinOf` a place.
[[nodiscard]] TextTable placesTable(const ComparedRuns& runs, PlaceFilter filter,
                                    const QStringList& pins = {});
/// How many places a filter lists.
[[nodiscard]] std::int64_t countPlaces(const ComparedRuns& runs, PlaceFilter filter);
/// What a place is known by at every moment that is compared.
[[nodiscard]] QString pinOf(const ComparedRuns& runs, std::size_t place);
/// What each change explains; then what is unexplained, and the total. `source` is the index of the
/// change; `kUnexplainedSource` of the row of what is unexplained.
inline constexpr std::size_t kUnexplainedSource = 1U << 30U;
[[nodiscard]] TextTable changesTable(const ComparedRuns& runs);
/// What differs; the rest in one row.
[[nodiscard]] TextTable settingsTable(const ComparedRuns& runs);
[[nodiscard]] TextTable allocatorTable(const ComparedRuns& runs);

/// Bytes per bucket at a moment of each run, uppermost band first, the total last. Buckets that
/// never occur in either run are left out, so rows stay while the moments change.
[[nodiscard]] TextTable bucketsTable(const ComparedRun& base, StateId base_state,
                                     const ComparedRun& against, StateId against_state,
                                     const OneUnit& unit);

} // namespace tidemark::ui
