// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/compare.h"
#include "core/diagnose/analysis.h"
#include "core/diagnose/prediction.h"
#include "core/label/modules/details.h"
#include "core/report/document.h"
#include "core/report/places.h"
#include "core/report/selection.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::report {

// The pieces that documents are put together from. `device` is an index into the snapshot's
// devices. All require a complete analysis.

/// What was opened: size, format, devices, settings.
Section fileSection(const diagnose::Analysis& analysis);
/// The same of two files, side by side.
Section filesSection(const diagnose::Analysis& a, const diagnose::Analysis& b,
                     const std::array<std::string, 2>& letters);
/// Whether the lower peaks and those in other measures are told, too.
enum class Detail : std::uint8_t { brief, all };
/// The figures of one device: events, totals, peak, steps, OOM events.
Section deviceSection(const diagnose::Analysis& analysis, std::size_t device,
                      Detail detail = Detail::all);
/// One line for each device of a file with several, and the verdicts on all but `main`; no blocks
/// for one device.
Section devicesSection(const diagnose::Analysis& analysis, std::size_t main);
/// How the figures are to be read.
Section glossarySection();
/// What was odd in the input; no blocks where nothing was.
Section notesSection(const diagnose::Analysis& analysis);

/// Bytes per bucket at the peak and, where there is one, just before the last OOM event.
Section bucketsSection(const diagnose::Analysis& analysis, std::size_t device);
/// Where in the model the memory at the peak belongs, largest first.
Section modulesSection(const diagnose::Analysis& analysis, const label::Details& details,
                       std::size_t device);
/// The largest total of every phase; no blocks without phases.
Section phasePeaksSection(const diagnose::Analysis& analysis, std::size_t device);
/// Stacks whose memory rises from step to step; no blocks where none does.
Section growthSection(const diagnose::Analysis& analysis, std::size_t device);
/// One line per selected allocation.
Section allocationsSection(const diagnose::Analysis& analysis, Places& places,
                           const AllocationSelection& selection);
/// The largest live allocations of a state; those of one size, stack and label are one line.
Section alikeSection(const diagnose::Analysis& analysis, Places& places, std::size_t device,
                     StateId state);
/// The first `count` different stacks of the selected allocations, the user's frames first.
Section stacksSection(const diagnose::Analysis& analysis, const AllocationSelection& selection,
                      std::size_t count);
/// The totals at the states of `timelineStates`.
Section timelineTableSection(const diagnose::Analysis& analysis, std::size_t device,
                             std::size_t points);
/// The picture of the whole trace of the first or second run; `id` keeps it apart from others on
/// one page.
Section timelineFigureSection(const diagnose::Analysis& analysis, std::size_t device,
                              std::size_t run, std::string_view id);

/// The answer: headline, explanation, evidence, recipe, the sum that has to come out.
Section verdictSection(const diagnose::Analysis& analysis, std::size_t device);
/// Need against capacity at the moment that counts.
Section needSection(const diagnose::Analysis& analysis, std::size_t device);
/// The figures of the error message that came with the file; no blocks without one.
Section messageSection(const diagnose::Analysis& analysis);
/// The cheapest fix in two sentences; no blocks without one.
Section answerSection(const diagnose::Analysis& analysis, std::size_t device);
/// The ladder as a table.
Section fixesSection(const diagnose::Analysis& analysis, std::size_t device);
/// Why and how, of the recommended fix or of the four that help most cheaply; lines to paste are
/// those for the framework in use, else for PyTorch.
enum class FixDetail : std::uint8_t { recommended, all };
Section fixDetailSection(const diagnose::Analysis& analysis, std::size_t device, FixDetail detail);
/// What the answer makes of the run's needs, part by part; no blocks where it changes no sizes.
Section budgetSection(const diagnose::Analysis& analysis, std::size_t device);
Section predictionSection(const diagnose::Analysis& analysis,
                          const diagnose::Prediction& prediction);

} // namespace tidemark::report
