// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/sentences.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/compare/made_phases.h"
#include "core/compare/place_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <tuple>

namespace tidemark::compare {
namespace {

/// Causes and places that are named in sentences; all are in the table.
constexpr std::size_t kMostPlaces = 3;
/// A place is worth a sentence from this share of the difference on.
constexpr double kWorthNaming = 0.05;
/// Fewer of B's live bytes with a counterpart are a warning.
constexpr double kFewMatched = 0.5;

std::string fromTo(const RunChange& change)
{
    return fmt::format("{} → {}", change.from, change.to);
}

/// With the values of both runs, where they are known to differ.
std::string withValues(std::string words, const RunChange& change)
{
    return change.from == change.to ? words : fmt::format("{} ({})", words, fromTo(change));
}

/// Empty where it says nothing, as the share of a difference of opposite parts.
std::string shareText(Bytes part, Bytes whole)
{
    const double share =
        whole.value == 0 ? 0 : static_cast<double>(part.value) / static_cast<double>(whole.value);
    return share <= 0 || share > 1.005 ? std::string() : formatPercent(share);
}

std::string headline(const Side& side_a, const Side& side_b, const Difference& d)
{
    const Bytes a = d.headline.peak_a;
    const Bytes b = d.headline.peak_b;
    const Bytes delta = b - a;
    if (delta.value == 0) {
        return say("{} and {} have the same peak, {}.", side_a.letter, side_b.letter, a);
    }
    const Bytes difference{std::abs(delta.value)};
    return delta.value > 0
        ? say("{} peaks at {}, {} at {}: {} more.", side_b.letter, b, side_a.letter, a, difference)
        : say("{} peaks at {}, {} at {}: {} less.", side_b.letter, b, side_a.letter, a, difference);
}

/// Where the peaks lie, if that is not one place.
std::string placesOfPeaks(const Side& a, const Side& b, const Difference& d)
{
    if (d.at != At::peaks || d.parts.moved.value == 0 || d.place_a.empty() || d.place_b.empty()
        || d.place_a == d.place_b) {
        return {};
    }
    const bool is_b = b.replay().peak == d.parts.at_b;
    const Bytes there =
        is_b ? a.replay().activeAt(d.parts.at_a) : b.replay().activeAt(d.parts.at_b);
    const auto& [higher, lower] =
        is_b ? std::tie(b.letter, a.letter) : std::tie(a.letter, b.letter);
    const bool is_one_phase = phaseAt(a, a.replay().peak) == phaseAt(b, b.replay().peak);
    const Bytes at_higher = there;
    const Bytes less = d.parts.moved;
    return is_one_phase
        ? say("The peaks are in different steps: {}'s in {}, {}'s in {}. At {}'s peak, {} uses {}, "
              "{} less than at its own.",
              a.letter, d.place_a, b.letter, d.place_b, higher, lower, at_higher, less)
        : say("The peaks are in different phases: {}'s in {}, {}'s in {}. At {}'s peak, {} uses "
              "{}, {} less than at its own.",
              a.letter, d.place_a, b.letter, d.place_b, higher, lower, at_higher, less);
}

std::string becameWords(Became became, const Side& a, const Side& b)
{
    switch (became) {
    case Became::equal:
        return say("equal");
    case Became::size:
        return say("size");
    case Became::lifetime:
        return say("lifetime");
    case Became::count:
        return say("count");
    case Became::only_a:
        return say("only in {}", a.letter);
    case Became::only_b:
        return say("only in {}", b.letter);
    }
    return {};
}

/// What a size grew as: a change, and to which power.
std::pair<std::string_view, int> reasonOf(const PlaceDifference& place, const Attribution& parts)
{
    for (const RunChange& change : parts.changes) {
        if (place.change && place.factor && change.of == place.change && change.ratio) {
            for (const int power : {1, 2}) {
                if (std::abs(*place.factor / std::pow(*change.ratio, power) - 1) < 0.01) {
                    return {wordsOf(change.of), power};
                }
            }
        }
    }
    return {{}, 0};
}

/// "4 allocations ×2 in size, like the sequence".
std::string growthWords(const PlaceDifference& place, const Attribution& parts)
{
    const std::string growth =
        sayCounted(place.count_b, "{} allocation {} in size", "{} allocations {} in size",
                   formatCount(place.count_b), formatRatio(*place.factor));
    const auto [dimension, power] = reasonOf(place, parts);
    return power == 0 ? growth
        : power == 1  ? say("{}, like the {}", growth, dimension)
                      : say("{}, like the square of the {}", growth, dimension);
}

/// "softmax (model.py:24 forward)"; empty where nothing tells it.
std::string nameOf(const PlaceTexts& texts, const PlaceDifference& place)
{
    if (place.stack_b.isNone() && place.stack_a.isNone()) {
        return {};
    }
    const std::string where = texts.where(place);
    const std::string operation = texts.operation(place);
    return where.empty() || operation.empty() ? where : fmt::format("{} ({})", operation, where);
}

std::string placeSentence(const Side& a, const Side& b, const std::string& name,
                          const PlaceDifference& place, const Attribution& parts)
{
    if (place.factor && place.became == Became::size) {
        return say("{}: {}: {}.", name, growthWords(place, parts), Signed{place.delta()});
    }
    return say("{}: {} in {}, {} in {} ({}): {}.", name, place.a, a.letter, place.b, b.letter,
               becameWords(place.became, a, b), Signed{place.delta()});
}

std::string explainsSentence(const std::string& change, Bytes explains, Bytes delta)
{
    const Signed bytes{explains};
    const std::string share = shareText(explains, delta);
    return explains == delta && delta.value != 0
        ? say("{}: {} (all of the difference).", change, bytes)
        : share.empty() ? say("{}: {}.", change, bytes)
                        : say("{}: {} ({} of the difference).", change, bytes, share);
}

/// Buckets that hold memory and are equal to the byte.
std::string equalBuckets(const Difference& d)
{
    std::vector<std::string_view> names;
    for (const BucketDelta& bucket : d.headline.buckets) {
        if (bucket.delta().value == 0) {
            names.push_back(label::bucketName(bucket.bucket));
        }
    }
    return names.empty() ? std::string() : say("Equal to the byte: {}.", fmt::join(names, ", "));
}

/// Whether most of a place's bytes are in a change that has its own sentence.
bool isOfNamed(const PlaceDifference& place, const Attribution& parts)
{
    return std::ranges::any_of(parts.changes, [&](const RunChange& change) {
        return change.of == place.change && change.explains.value != 0;
    });
}

void addPlaces(const Side& a, const Side& b, const Difference& d, std::vector<Sentence>& sentences)
{
    const auto whole = static_cast<double>(std::abs((d.headline.peak_b - d.headline.peak_a).value));
    const PlaceTexts texts(a.snapshot(), b.snapshot());
    std::size_t named = 0;
    for (std::size_t i = 0; i < d.parts.places.size(); ++i) {
        const PlaceDifference& place = d.parts.places[i];
        if (named == kMostPlaces
            || static_cast<double>(std::abs(place.delta().value)) < kWorthNaming * whole
            || place.delta().value == 0) {
            return;
        }
        if (const std::string name = nameOf(texts, place); !name.empty()) {
            const std::string brief = say("{}: {}", name, Signed{place.delta()});
            const std::string text = placeSentence(a, b, name, place, d.parts);
            const bool is_part = isOfNamed(place, d.parts);
            sentences.push_back({Says::place, is_part ? say("Including {}", text) : text, i,
                                 is_part ? say("Including {}", brief) : brief});
            ++named;
        }
    }
}

std::string deviceKind(const Side& side)
{
    return side.device().kind == trace::DeviceKind::host ? say("host memory") : say("a GPU");
}

double matchedShare(const Difference& d)
{
    std::int64_t matched = 0;
    std::int64_t all = 0;
    for (const PlaceDifference& place : d.parts.places) {
        const bool is_pair = place.became == Became::equal || place.became == Became::size
            || place.became == Became::lifetime;
        matched += is_pair ? place.b.value : 0;
        all += place.b.value;
    }
    return all == 0 ? 1 : static_cast<double>(matched) / static_cast<double>(all);
}

} // namespace

std::string phaseWords(const Side& side, StateId state)
{
    const label::PhaseSpan* const span = spanAt(side, state);
    if (span == nullptr) {
        return {};
    }
    const std::string_view phase = label::phaseNoun(span->phase);
    if (span->step == 0) {
        return std::string(phase);
    }
    return say("{} of step {}", phase, side.labels().numbers.of(span->step));
}

void addWarnings(const Side& a, const RunTraits& traits_a, const Side& b, const RunTraits& traits_b,
                 Difference& d)
{
    if (a.device().kind != b.device().kind) {
        d.warnings.push_back(
            say("{} is {} and {} {}: only requested memory can be compared, not reserved.",
                a.letter, deviceKind(a), b.letter, deviceKind(b)));
    }
    if (d.is_other_model) {
        d.warnings.push_back(say("{} and {} are different models: totals, buckets and allocator "
                                 "figures can be compared, places only where they match.",
                                 a.letter, b.letter));
    }
    if (hasChange(d.parts.changes, ChangeOf::phases)) {
        d.warnings.emplace_back(say("One run has phases that the other lacks: compare shared "
                                    "phases, and peaks only within one phase."));
    }
    const auto died = [&](const Side& side) {
        const std::string place = phaseWords(side, side.replay().peak);
        d.warnings.push_back(place.empty()
                                 ? say("{} ran out of memory: its peak is that of a cut-off run, "
                                       "so {} − {} is valid only up to there.",
                                       side.letter, b.letter, a.letter)
                                 : say("{} ran out of memory (peak in {}): its peak is that of a "
                                       "cut-off run, so {} − {} is valid only up to there.",
                                       side.letter, place, b.letter, a.letter));
    };
    if (traits_a.died && traits_b.died) {
        d.warnings.push_back(say("Both ran out of memory: their peaks are those of cut-off runs, "
                                 "so {} − {} is valid only up to there.",
                                 b.letter, a.letter));
    } else if (traits_a.died || traits_b.died) {
        died(traits_a.died ? a : b);
    }
    const double matched = matchedShare(d);
    if (matched < kFewMatched) {
        d.warnings.push_back(say("Only {} of {}'s live memory has a counterpart in {}: trust "
                                 "buckets and totals, not places.",
                                 formatPercent(matched), b.letter, a.letter));
    }
}

std::string changeWords(const Side& a, const Side& b, const RunChange& change)
{
    switch (change.of) {
    case ChangeOf::sequence:
        return withValues(say("Sequence {}", formatRatio(change.ratio.value_or(1))), change);
    case ChangeOf::micro_batch:
        return withValues(say("Micro-batch {}", formatRatio(change.ratio.value_or(1))), change);
    case ChangeOf::rows:
        return withValues(say("Batch or sequence {}", formatRatio(change.ratio.value_or(1))),
                          change);
    case ChangeOf::precision:
        return say("Precision ({})", fromTo(change));
    case ChangeOf::lora:
        return say("LoRA ({})", fromTo(change));
    case ChangeOf::optimizer:
        return say("Optimizer ({})", fromTo(change));
    case ChangeOf::checkpointing:
        return say("Checkpointing ({})", fromTo(change));
    case ChangeOf::attention:
        return say("Attention ({})", fromTo(change));
    case ChangeOf::accumulation:
        return say("Passes per step ({})", fromTo(change));
    case ChangeOf::in_flight:
        return say("Passes in flight ({})", fromTo(change));
    case ChangeOf::graph:
        return say("Activations saved for backward ({})", fromTo(change));
    case ChangeOf::phases:
        return say("Other phases ({})", fromTo(change));
    case ChangeOf::first_step:
        return say("Optimizer state of the first step ({})", fromTo(change));
    case ChangeOf::model:
        return change.is_beside ? say("Weights that only one run has ({})", fromTo(change))
                                : say("Model ({})", fromTo(change));
    case ChangeOf::leak:
        if (change.later != Later::none) {
            const bool is_b = change.later == Later::b;
            return say("Kept by {} since {}, an earlier dump of the same run",
                       (is_b ? b : a).letter, (is_b ? a : b).letter);
        }
        return say("Leak ({})", fromTo(change));
    case ChangeOf::compile:
        return say("Compilation ({})", fromTo(change));
    }
    return {};
}

namespace {

std::vector<Sentence> composeSentences(const Side& a, const Side& b, const Difference& d)
{
    const Bytes delta = d.headline.delta();
    std::vector<Sentence> sentences{{Says::headline, headline(a, b, d), 0, {}}};
    const auto add = [&](Says says, std::string sentence) {
        if (!sentence.empty()) {
            sentences.push_back({says, std::move(sentence), 0, {}});
        }
    };
    add(Says::peaks, placesOfPeaks(a, b, d));
    for (std::size_t i = 0; i < d.parts.changes.size(); ++i) {
        const RunChange& change = d.parts.changes[i];
        const std::string words = changeWords(a, b, change);
        sentences.push_back({Says::change, explainsSentence(words, change.explains, delta), i,
                             say("{}: {}", words, Signed{change.explains})});
    }
    addPlaces(a, b, d, sentences);
    add(Says::allocator, d.allocator.sentence);
    if (d.allocator.is_other_torch) {
        add(Says::torch,
            say("Torch's functions are on different lines: {} and {} ran different torch releases.",
                a.letter, b.letter));
    }
    add(Says::equal, equalBuckets(d));
    for (const std::string& open : d.open) {
        add(Says::open, open);
    }
    if (delta.value != 0 || d.parts.unexplained.value != 0) {
        const Signed bytes{d.parts.unexplained};
        const std::string share = shareText(d.parts.unexplained, delta);
        add(Says::unexplained,
            share.empty() ? say("Unexplained: {}.", bytes)
                          : say("Unexplained: {} ({} of the difference).", bytes, share));
    }
    return sentences;
}

} // namespace

std::vector<Sentence> sentencesOf(const Side& a, const Side& b, const Difference& d)
{
    return sayTogether([&] { return composeSentences(a, b, d); });
}

} // namespace tidemark::compare
