// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/sentences.h"

#include "core/base/format.h"
#include "core/label/stacks/code_lines.h"
#include "core/label/stacks/stack_text.h"

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

std::string ratioText(double ratio)
{
    const double inverse = 1 / ratio;
    return ratio < 1 && std::abs(inverse - std::round(inverse)) < 1e-6
        ? fmt::format("1/{:.0f}", inverse)
        : fmt::format("{:.4g}", ratio);
}

std::string fromTo(const Change& change)
{
    return fmt::format("{} → {}", change.from, change.to);
}

std::string shareText(Bytes part, Bytes whole)
{
    const double share =
        whole.value == 0 ? 0 : static_cast<double>(part.value) / static_cast<double>(whole.value);
    // Shares of a difference of opposite parts say nothing.
    return share <= 0 || share > 1.005 ? std::string() : ", " + formatPercent(share) + " of it";
}

std::string signedBytes(Bytes b)
{
    const std::string size = formatBytes({std::abs(b.value)});
    return b.value == 0 ? size : (b.value > 0 ? "+" : "−") + size;
}

std::string headline(const Side& side_a, const Side& side_b, const Difference& d)
{
    const Bytes a = d.headline.peak_a;
    const Bytes b = d.headline.peak_b;
    const Bytes delta = b - a;
    if (delta.value == 0) {
        return fmt::format("{} and {} have the same peak, {}.", side_a.letter, side_b.letter,
                           formatBytes(a));
    }
    return fmt::format("{} needs {} at its peak, {} {}: {} {}.", side_b.letter, formatBytes(b),
                       side_a.letter, formatBytes(a), formatBytes({std::abs(delta.value)}),
                       delta.value > 0 ? "more" : "less");
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
    const auto phase_of = [](const std::string& place) {
        return std::string_view(place).substr(0, place.find(" of step"));
    };
    return fmt::format("The peaks lie in different {}: {}'s in {}, {}'s in {}. At {}'s peak {} "
                       "holds {}, {} less than at its own.",
                       phase_of(d.place_a) == phase_of(d.place_b) ? "steps" : "phases", a.letter,
                       d.place_a, b.letter, d.place_b, higher, lower, formatBytes(there),
                       formatBytes(d.parts.moved));
}

std::string becameWords(Became became, const Side& a, const Side& b)
{
    return became == Became::only_a ? "only in " + a.letter
        : became == Became::only_b  ? "only in " + b.letter
                                    : std::string(nameOf(became));
}

/// The line and the operation of a place: "model.py:41 forward (softmax)".
std::string placeText(const Side& side, StackId stack)
{
    const label::LineFinder finder(side.snapshot());
    return label::frameText(side.snapshot(), finder.of(side.snapshot(), stack).shown);
}

std::string growthReason(const PlaceDifference& place, const Attribution& parts)
{
    if (!place.change || !place.factor) {
        return {};
    }
    for (const Change& change : parts.changes) {
        if (change.of == place.change && change.ratio) {
            if (std::abs(*place.factor / *change.ratio - 1) < 0.01) {
                return fmt::format(", as the {} did", idOf(change.of));
            }
            if (std::abs(*place.factor / (*change.ratio * *change.ratio) - 1) < 0.01) {
                return fmt::format(", as the square of the {}", idOf(change.of));
            }
        }
    }
    return {};
}

std::string placeSentence(const Side& a, const Side& b, const PlaceDifference& place,
                          const Attribution& parts)
{
    const bool in_b = !place.stack_b.isNone();
    if (!in_b && place.stack_a.isNone()) {
        return {};
    }
    const Side& side = in_b ? b : a;
    const StackId stack = in_b ? place.stack_b : place.stack_a;
    const std::string where = placeText(side, stack);
    const std::string operation = label::operationText(side.snapshot(), stack);
    if (where.empty()) {
        return {};
    }
    const std::string name = operation.empty() ? where : fmt::format("{} ({})", operation, where);
    if (place.factor && place.became == Became::size) {
        return fmt::format("{}: {} {} {} × {}{}: {}.", name, formatCount(place.count_b),
                           place.count_b == 1 ? "allocation" : "allocations",
                           *place.factor < 1 ? "shrank" : "grew", ratioText(*place.factor),
                           growthReason(place, parts), signedBytes(place.delta()));
    }
    return fmt::format("{}: {} in {}, {} in {} ({}): {}.", name, formatBytes(place.a), a.letter,
                       formatBytes(place.b), b.letter, becameWords(place.became, a, b),
                       signedBytes(place.delta()));
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
    return names.empty() ? std::string()
                         : fmt::format("Equal to the byte: {}.", fmt::join(names, ", "));
}

void addPlaces(const Side& a, const Side& b, const Difference& d, std::vector<Sentence>& sentences)
{
    const auto whole = static_cast<double>(std::abs((d.headline.peak_b - d.headline.peak_a).value));
    std::size_t named = 0;
    for (std::size_t i = 0; i < d.parts.places.size(); ++i) {
        const PlaceDifference& place = d.parts.places[i];
        if (named == kMostPlaces
            || static_cast<double>(std::abs(place.delta().value)) < kWorthNaming * whole
            || place.delta().value == 0) {
            return;
        }
        std::string sentence = placeSentence(a, b, place, d.parts);
        if (!sentence.empty()) {
            sentences.push_back({Says::place, std::move(sentence), i});
            ++named;
        }
    }
}

std::string deviceKind(const Side& side)
{
    return side.device().kind == trace::DeviceKind::host ? "host memory" : "a GPU";
}

double matchedShare(const Difference& d)
{
    std::int64_t matched = 0;
    std::int64_t all = 0;
    for (const PlaceDifference& place : d.parts.places) {
        const bool is_pair = place.became == Became::equal || place.became == Became::size;
        matched += is_pair ? place.b.value : 0;
        all += place.b.value;
    }
    return all == 0 ? 1 : static_cast<double>(matched) / static_cast<double>(all);
}

} // namespace

std::string phaseWords(const Side& side, StateId state)
{
    const std::int64_t event = state.eventNumber();
    if (event < 0 || side.labels().phases.empty()) {
        return {};
    }
    const label::PhaseSpan* const span =
        side.labels().phaseAt(EventId(static_cast<std::uint32_t>(event)));
    if (span == nullptr) {
        return {};
    }
    std::string phase(label::phaseName(span->phase));
    phase.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(phase.front())));
    return span->step == 0 ? phase : fmt::format("{} of step {}", phase, span->step);
}

void addWarnings(const Side& a, const RunTraits& traits_a, const Side& b, const RunTraits& traits_b,
                 Difference& d)
{
    const auto has = [&](ChangeOf of) {
        return std::ranges::any_of(d.parts.changes,
                                   [of](const Change& change) { return change.of == of; });
    };
    if (a.device().kind != b.device().kind) {
        d.warnings.push_back(fmt::format("{} is {} and {} {}: only what the program asked for can "
                                         "be compared, not reserved memory.",
                                         a.letter, deviceKind(a), b.letter, deviceKind(b)));
    }
    if (d.is_other_model) {
        d.warnings.push_back(fmt::format("{} and {} are not one model: totals, buckets and the "
                                         "allocator's figures can be compared, sizes at one place "
                                         "only where they say so.",
                                         a.letter, b.letter));
    }
    if (has(ChangeOf::phases)) {
        d.warnings.emplace_back("One recording has phases that the other has not: what both have "
                                "can be compared, the peaks only where they lie in one phase.");
    }
    const auto died = [&](const Side& side) {
        const std::string place = phaseWords(side, side.replay().peak);
        d.warnings.push_back(fmt::format(
            "{} ran out of memory{}: its peak is that of a run cut off, so what {} − {} says holds "
            "up to that place only.",
            side.letter, place.empty() ? "" : " (its peak is in " + place + ")", b.letter,
            a.letter));
    };
    if (traits_a.died) {
        died(a);
    }
    if (traits_b.died) {
        died(b);
    }
    const double matched = matchedShare(d);
    if (matched < kFewMatched) {
        d.warnings.push_back(
            fmt::format("Only {} of what lives in {} has a counterpart in {}: places "
                        "tell little, buckets and totals hold.",
                        formatPercent(matched), b.letter, a.letter));
    }
}

std::string changeWords(const Side& a, const Side& b, const Change& change)
{
    switch (change.of) {
    case ChangeOf::sequence:
        return fmt::format("The sequence × {} ({})", ratioText(change.ratio.value_or(1)),
                           fromTo(change));
    case ChangeOf::micro_batch:
        return fmt::format("The micro-batch × {} ({})", ratioText(change.ratio.value_or(1)),
                           fromTo(change));
    case ChangeOf::rows:
        return fmt::format("Rows × {}, micro-batch or sequence ({})",
                           ratioText(change.ratio.value_or(1)), fromTo(change));
    case ChangeOf::precision:
        return fmt::format("Precision ({})", fromTo(change));
    case ChangeOf::lora:
        return fmt::format("Adapters ({})", fromTo(change));
    case ChangeOf::optimizer:
        return fmt::format("Another optimizer ({})", fromTo(change));
    case ChangeOf::checkpointing:
        return fmt::format("Checkpointing ({})", fromTo(change));
    case ChangeOf::attention:
        return fmt::format("Attention ({})", fromTo(change));
    case ChangeOf::accumulation:
        return fmt::format("Passes a step ({})", fromTo(change));
    case ChangeOf::phases:
        return fmt::format("Other phases ({})", fromTo(change));
    case ChangeOf::model:
        return fmt::format("Another model ({})", fromTo(change));
    case ChangeOf::leak:
        if (change.from.empty()) {
            return fmt::format("What {} kept since {}, an earlier dump of the same run,", b.letter,
                               a.letter);
        }
        return fmt::format("A leak ({})", fromTo(change));
    case ChangeOf::compile:
        return fmt::format("Compiling ({})", fromTo(change));
    }
    return {};
}

std::vector<Sentence> sentencesOf(const Side& a, const Side& b, const Difference& d)
{
    const Bytes delta = d.headline.delta();
    std::vector<Sentence> sentences{{Says::headline, headline(a, b, d)}};
    const auto add = [&](Says says, std::string sentence, std::size_t index = 0) {
        if (!sentence.empty()) {
            sentences.push_back({says, std::move(sentence), index});
        }
    };
    add(Says::peaks, placesOfPeaks(a, b, d));
    for (std::size_t i = 0; i < d.parts.changes.size(); ++i) {
        const Change& change = d.parts.changes[i];
        add(Says::change,
            fmt::format("{} explains {}{}.", changeWords(a, b, change),
                        signedBytes(change.explains), shareText(change.explains, delta)),
            i);
    }
    addPlaces(a, b, d, sentences);
    add(Says::allocator, d.allocator.sentence);
    if (d.allocator.is_other_torch) {
        add(Says::torch,
            fmt::format("Torch's own functions lie on other lines: {} and {} ran with different "
                        "releases.",
                        a.letter, b.letter));
    }
    add(Says::equal, equalBuckets(d));
    for (const std::string& open : d.open) {
        add(Says::open, open);
    }
    if (delta.value != 0 || d.parts.unexplained.value != 0) {
        add(Says::unexplained,
            fmt::format("Unexplained: {}{}.", signedBytes(d.parts.unexplained),
                        shareText(d.parts.unexplained, delta)));
    }
    return sentences;
}

} // namespace tidemark::compare
