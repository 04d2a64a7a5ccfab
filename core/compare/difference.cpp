// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/difference.h"

#include "core/compare/made_phases.h"
#include "core/compare/sentences.h"
#include "core/compare/shape_change.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace tidemark::compare {
namespace {

using diagnose::Analysis;

/// A change that explains less than this share of the difference needs no prediction.
constexpr double kNegligible = 0.01;

/// What is compared, and how much higher the peaks are.
struct Moments {
    StateId a;
    StateId b;
    Bytes moved_a;
    Bytes moved_b;
};

/// The moment whose place decides.
SideMoment anchorOf(const Side& a, const Side& b, const DifferenceOptions& options)
{
    const StateId peak_a = a.replay().peak;
    const StateId peak_b = b.replay().peak;
    switch (options.at) {
    case At::peak_a:
        return {false, peak_a};
    case At::peak_b:
        return {true, peak_b};
    case At::start:
    case At::end:
        break;
    case At::event:
    case At::events:
        return {false, options.state_a};
    case At::peaks: {
        const bool is_b = std::pair(b.replay().activeAt(peak_b), peak_b)
            > std::pair(a.replay().activeAt(peak_a), peak_a);
        return {is_b, is_b ? peak_b : peak_a};
    }
    }
    return {false, StateId::start()};
}

Moments momentsOf(const Side& a, const Side& b, const DifferenceOptions& options, SideMoment anchor,
                  const Alignment& alignment)
{
    Moments moments;
    switch (options.at) {
    case At::start:
        return moments;
    case At::end:
        moments.a = a.replay().lastState();
        moments.b = b.replay().lastState();
        return moments;
    case At::events:
        moments.a = options.state_a;
        moments.b = options.state_b;
        return moments;
    case At::peaks:
    case At::peak_a:
    case At::peak_b:
    case At::event:
        break;
    }
    const StateId other = alignment.other(anchor);
    moments.a = anchor.is_of_b ? other : anchor.state;
    moments.b = anchor.is_of_b ? anchor.state : other;
    if (options.at == At::peaks) {
        moments.moved_a = a.replay().activeAt(a.replay().peak) - a.replay().activeAt(moments.a);
        moments.moved_b = b.replay().activeAt(b.replay().peak) - b.replay().activeAt(moments.b);
    }
    return moments;
}

/// Peaks that lie in one kind of phase may be the same moment of other steps, although no place
/// says so, or one place passed at other moments: the reading that explains more holds.
Attribution attributePeaks(const Both& both, const Moments& moments, FoundChanges found)
{
    Attribution parts =
        attribute(both, moments.a, moments.moved_a, moments.b, moments.moved_b, found);
    const StateId peak_a = both.a.replay().peak;
    const StateId peak_b = both.b.replay().peak;
    if (parts.moved.value == 0 || phaseAt(both.a, peak_a) != phaseAt(both.b, peak_b)) {
        return parts;
    }
    Attribution straight = attribute(both, peak_a, {}, peak_b, {}, std::move(found));
    const auto open = [](const Attribution& a) { return std::abs(a.unexplained.value); };
    return open(straight) < open(parts) ? straight : parts;
}

/// Nothing where one that explains something is unknown to `predict`.
std::vector<diagnose::Change> changesToApply(const std::vector<RunChange>& changes, Bytes delta)
{
    std::vector<diagnose::Change> known;
    for (const RunChange& change : changes) {
        const double share = static_cast<double>(std::abs(change.explains.value));
        if (change.apply) {
            known.push_back(*change.apply);
        } else if (share > kNegligible * static_cast<double>(std::abs(delta.value))) {
            return {};
        }
    }
    return known;
}

} // namespace

std::optional<PredictedBeside> predictBeside(const Analysis& a, std::size_t device,
                                             const std::vector<RunChange>& changes, Bytes delta,
                                             const std::stop_token& stop)
{
    const std::vector<diagnose::Change> known = changesToApply(changes, delta);
    if (known.empty() || a.block_sizes == nullptr) {
        return std::nullopt;
    }
    const diagnose::WhatIf what_if(a, device, stop);
    if (stop.stop_requested()) {
        return std::nullopt;
    }
    PredictedBeside beside{diagnose::changesText(known), what_if.predict(known), {}};
    if (beside.prediction.after_budget) {
        beside.buckets = beside.prediction.after_budget->buckets;
    }
    return beside;
}

DifferenceOptions mainDevices(const Analysis& a, const Analysis& b)
{
    DifferenceOptions options;
    options.device_a = a.mainDevice();
    options.device_b = b.mainDevice();
    return options;
}

Difference findDifference(const Analysis& a, const Analysis& b, const DifferenceOptions& options)
{
    const program::Program& program_a = a.program(options.device_a);
    const program::Program& program_b = b.program(options.device_b);
    const Side side_a{a, options.device_a, program_a, options.letter_a};
    const Side side_b{b, options.device_b, program_b, options.letter_b};
    Difference difference;
    RunTraits traits_a = traitsOf(side_a);
    if (options.stop.stop_requested()) {
        return difference;
    }
    RunTraits traits_b = traitsOf(side_b);
    tellPrecisions(traits_a, traits_b);
    if (options.stop.stop_requested()) {
        return difference;
    }
    const Places places(*a.snapshot, *b.snapshot);
    const SideMoment anchor = anchorOf(side_a, side_b, options);
    const Alignment alignment(side_a, side_b, places, options.align, anchor);
    if (options.stop.stop_requested()) {
        return difference;
    }
    const Both both{side_a, side_b, places, alignment};
    tellPrecisionsBySizes(both, traits_a, traits_b);
    FoundChanges found = findChanges(both, traits_a, traits_b, anchor, options.are_ranks);
    difference.headline = comparePeaks(side_a, side_b);
    difference.at = options.at;
    difference.allocations_a = side_a.allocations().count();
    difference.allocations_b = side_b.allocations().count();
    difference.matched = alignment.matched();
    difference.open = found.open;
    difference.is_other_model = found.is_other_model;
    const Moments moments = momentsOf(side_a, side_b, options, anchor, alignment);
    difference.parts = attributePeaks(both, moments, std::move(found));
    if (options.stop.stop_requested()) {
        return difference;
    }
    difference.allocator = compareAllocators(side_a, side_b);
    difference.settings = settingsOf(side_a, traits_a, side_b, traits_b);
    if (options.lists_moments) {
        difference.moments = matchedMoments(side_a, side_b, alignment);
        difference.boundaries = alignment.boundaries();
        std::erase_if(difference.boundaries, [&](const MatchedMoment& bound) {
            const auto place =
                std::ranges::lower_bound(difference.moments, bound.a, {}, &MatchedMoment::a);
            return place == difference.moments.end() || *place != bound; // They do not rise.
        });
    }
    if (options.predicts && !options.stop.stop_requested()) {
        difference.predicted = predictBeside(a, options.device_a, difference.parts.changes,
                                             difference.headline.delta(), options.stop);
    }
    difference.place_a = phaseWords(side_a, side_a.replay().peak);
    difference.place_b = phaseWords(side_b, side_b.replay().peak);
    difference.warnings = difference.headline.warnings;
    addWarnings(side_a, traits_a, side_b, traits_b, difference);
    difference.sentences = sentencesOf(side_a, side_b, difference);
    return difference;
}

} // namespace tidemark::compare
