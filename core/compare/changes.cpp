// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/changes.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/compare/shape_change.h"
#include "core/diagnose/predict/change_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace tidemark::compare {
namespace {

using program::DimensionName;

/// Elements of weights that two runs of one model may not have in common.
constexpr double kSameModel = 0.1;
/// State per element differs by more than this share, and more than this many bytes.
constexpr double kOtherStates = 0.15;
constexpr double kFewestStateBytes = 0.3;
/// A leak is another one if it is so many times as fast.
constexpr double kOtherLeak = 1.5;
/// Bytes of state per element, up to which an optimizer keeps nothing or one number.
constexpr double kNoState = 0.5;
constexpr double kOneNumber = 4;

/// Of the weights of `one`, sizes counted once (how many copies are told as weights may differ):
/// the share that `other` has not, in bytes or, where `by_elements`, in elements.
double missingIn(const RunTraits& one, const RunTraits& other, bool by_elements)
{
    const auto keyOf = [by_elements](std::int64_t bytes, std::int32_t width) {
        return by_elements && width > 0 ? bytes / width : bytes;
    };
    std::set<std::int64_t> there;
    for (const auto& [bytes, width] : other.weights) {
        there.insert(keyOf(bytes, width));
    }
    double all = 0;
    double missing = 0;
    for (const auto& [bytes, width] : one.weights) {
        all += static_cast<double>(bytes);
        missing += there.contains(keyOf(bytes, width)) ? 0 : static_cast<double>(bytes);
    }
    return all <= 0 ? 0 : missing / all;
}

/// Whether all but a few of the weights of one run are the other's, to the byte.
bool haveSameBytes(const RunTraits& a, const RunTraits& b)
{
    return !a.weights.empty() && !b.weights.empty()
        && std::min(missingIn(a, b, false), missingIn(b, a, false)) <= kSameModel;
}

bool areNarrow(Precision a, Precision b)
{
    return a == Precision::narrow || b == Precision::narrow;
}

/// Nothing without a word.
std::optional<diagnose::Change> changeTo(diagnose::ChangeKind kind, std::string_view word)
{
    return word.empty() ? std::nullopt
                        : std::optional(diagnose::Change{kind, 0, std::string(word)});
}

/// Its first value: all blocks, flash attention.
std::optional<diagnose::Change> usual(diagnose::ChangeKind kind)
{
    return changeTo(kind, diagnose::changeWord(kind).values.front().word);
}

void addPrecision(const Side& side_a, const RunTraits& a, const Side& side_b, const RunTraits& b,
                  FoundChanges& found)
{
    if (a.precision == b.precision || a.precision == Precision::unknown
        || b.precision == Precision::unknown) {
        return;
    }
    if (areNarrow(a.precision, b.precision) && haveSameBytes(a, b)) {
        return; // One of the widths was misread: the weights are equal.
    }
    const std::string_view apply = b.precision == Precision::narrow ? diagnose::values::kPureBf16
        : a.precision == Precision::full                            ? diagnose::values::kBf16
                                                                    : std::string_view();
    const auto words = [](Precision precision) {
        return precision == Precision::autocast ? say("casts its weights to 16 bits")
            : precision == Precision::narrow    ? say("has 16-bit weights")
                                                : say("keeps its weights in 32 bits");
    };
    found.changes.push_back({ChangeOf::precision,
                             std::nullopt,
                             nameOf(a.precision),
                             nameOf(b.precision),
                             fmt::format("{} {}, {} {}.", side_a.letter, words(a.precision),
                                         side_b.letter, words(b.precision)),
                             changeTo(diagnose::ChangeKind::precision, apply),
                             {}});
}

/// Adapters of one run alone, or other ones; whether they and nothing else make it another model.
bool addAdapters(const RunTraits& traits_a, const RunTraits& traits_b, FoundChanges& found)
{
    const Adapters& a = traits_a.adapters;
    const Adapters& b = traits_b.adapters;
    const bool have_both = a.rank != 0 && b.rank != 0;
    // Adapters change what is trained; frozen weights beside the same trained ones are a copy.
    const auto [less, more] = std::minmax(traits_a.trained, traits_b.trained);
    const bool trains_alike =
        !have_both && static_cast<double>(more - less) <= kSameModel * static_cast<double>(more);
    if (a == b || trains_alike) {
        return false;
    }
    const bool is_rank = a.rank > 0 && b.rank > 0;
    const bool is_rank_alone = !have_both || (a.matrices == b.matrices && is_rank);
    const auto ratio = static_cast<double>(b.rank) / static_cast<double>(a.rank);
    found.changes.push_back(
        {ChangeOf::lora,
         is_rank && ratio != 1 ? std::optional(ratio) : std::nullopt,
         nameOf(a),
         nameOf(b),
         have_both ? say("The adapters train {} parameters in one run and {} in the other.",
                         formatCount(a.parameters), formatCount(b.parameters))
                   : say("Low-rank pairs of matrices beside the model's weights."),
         b.rank > 0 && is_rank_alone ? std::optional(
             diagnose::Change{diagnose::ChangeKind::lora, static_cast<double>(b.rank), {}})
                                     : std::nullopt,
         {}});
    const RunTraits& plain = a.rank == 0 ? traits_a : traits_b;
    const RunTraits& adapted = a.rank == 0 ? traits_b : traits_a;
    return have_both || missingIn(plain, adapted, true) <= kSameModel;
}

void addModel(const Side& a, const RunTraits& traits_a, const Side& b, const RunTraits& traits_b,
              FoundChanges& found)
{
    if (addAdapters(traits_a, traits_b, found)) {
        return; // The base is the same.
    }
    const auto [parameters_a, parameters_b] = parameterTexts(traits_a, traits_b);
    const bool is_known = !traits_a.weights.empty() && !traits_b.weights.empty();
    // Where the bytes are the same, widths that differ were misread.
    const bool are_same = haveSameBytes(traits_a, traits_b);
    const double only_a = missingIn(traits_a, traits_b, !are_same);
    const double only_b = missingIn(traits_b, traits_a, !are_same);
    if (!is_known || are_same || std::min(only_a, only_b) <= kSameModel) {
        // Weights of one run beside those of both: a second model, a copy that was gathered.
        if (is_known && std::max(only_a, only_b) > kSameModel) {
            found.changes.push_back(
                {ChangeOf::model,
                 std::nullopt,
                 say("{} parameters", parameters_a),
                 say("{} parameters", parameters_b),
                 say("{} has additional weights.", only_a > only_b ? a.letter : b.letter),
                 std::nullopt,
                 {},
                 true});
        }
        return;
    }
    std::vector<std::string> from;
    std::vector<std::string> to;
    for (const DimensionName name : {DimensionName::layers, DimensionName::hidden,
                                     DimensionName::feed_forward, DimensionName::vocabulary}) {
        const program::Dimension* const in_a = a.program.find(name);
        const program::Dimension* const in_b = b.program.find(name);
        if (in_a != nullptr && in_b != nullptr && in_a->value != in_b->value) {
            from.push_back(fmt::format("{} {}", program::nameOf(name), in_a->value));
            to.push_back(fmt::format("{} {}", program::nameOf(name), in_b->value));
        }
    }
    const auto words = [](const std::string& parameters, const std::vector<std::string>& parts) {
        return parts.empty() ? say("{} parameters", parameters)
                             : fmt::format("{}", fmt::join(parts, ", "));
    };
    found.is_other_model = true;
    found.changes.push_back({ChangeOf::model,
                             std::nullopt,
                             words(parameters_a, from),
                             words(parameters_b, to),
                             say("The weights differ in size."),
                             std::nullopt,
                             {}});
}

/// A size of weights that layers repeat, and how often in either run.
struct Repeated {
    std::int64_t bytes = 0;
    std::int64_t a = 0;
    std::int64_t b = 0;
};

/// Where no structure is known: the same sizes, nearly all of them either as often in both, as what
/// stands outside of layers is, or more often in one ratio, as layers are. The largest of these.
std::optional<Repeated> repeatedOtherwise(const RunTraits& a, const RunTraits& b)
{
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> bytes_of_ratio;
    std::optional<Repeated> largest;
    std::int64_t all = 0;
    for (const auto& [bytes, in_a] : a.weight_counts) {
        const auto found = b.weight_counts.find(bytes);
        if (found == b.weight_counts.end()) {
            return std::nullopt;
        }
        const std::int64_t in_b = found->second;
        const std::int64_t common = std::gcd(in_a, in_b);
        bytes_of_ratio[{in_a / common, in_b / common}] += bytes;
        all += bytes;
        if (in_a != in_b && (!largest || bytes > largest->bytes)) {
            largest = {bytes, in_a, in_b};
        }
    }
    if (!largest || a.weight_counts.size() != b.weight_counts.size()) {
        return std::nullopt;
    }
    const std::int64_t common = std::gcd(largest->a, largest->b);
    const std::int64_t outside = bytes_of_ratio[{1, 1}];
    const std::int64_t inside = bytes_of_ratio[{largest->a / common, largest->b / common}];
    const double rest = static_cast<double>(all - outside - inside);
    return outside > 0 && rest <= kSameModel * static_cast<double>(all) ? largest : std::nullopt;
}

/// Layers more or fewer of one kind: the same sizes of weights, another number of them.
void addLayers(const Side& a, const RunTraits& traits_a, const Side& b, const RunTraits& traits_b,
               FoundChanges& found)
{
    const program::Dimension* const in_a = a.program.find(DimensionName::layers);
    const program::Dimension* const in_b = b.program.find(DimensionName::layers);
    if (hasChange(found.changes, ChangeOf::model)) {
        return;
    }
    const auto add = [&found](std::string from, std::string to) {
        found.is_other_model = true;
        found.changes.push_back({ChangeOf::model,
                                 std::nullopt,
                                 std::move(from),
                                 std::move(to),
                                 say("The number of repeated layers differs."),
                                 std::nullopt,
                                 {}});
    };
    if (in_a != nullptr && in_b != nullptr) {
        if (in_a->value != in_b->value) {
            add(say("{} layers", in_a->value), say("{} layers", in_b->value));
        }
    } else if (const auto repeated = repeatedOtherwise(traits_a, traits_b)) {
        const auto words = [&](std::int64_t count) {
            return say("{} weights of {}", count, Bytes{repeated->bytes});
        };
        add(words(repeated->a), words(repeated->b));
    }
}

void addOptimizer(const RunTraits& a, const RunTraits& b, FoundChanges& found)
{
    // Per parameter of 32 bits, as people count.
    const double x = 4 * a.states_per_byte;
    const double y = 4 * b.states_per_byte;
    // Of equal states, what they are of was counted in another way.
    if (x < 0 || y < 0 || a.states == b.states || std::abs(x - y) < kFewestStateBytes
        || std::abs(x - y) <= kOtherStates * std::max(x, y)) {
        return;
    }
    const auto words = [](double bytes) { return say("{:.1f} B of state per parameter", bytes); };
    const std::string_view apply = y < kNoState        ? diagnose::values::kSgd
        : std::abs(y - kOneNumber) < kFewestStateBytes ? diagnose::values::kSgdMomentum
                                                       : std::string_view();
    found.changes.push_back({ChangeOf::optimizer,
                             std::nullopt,
                             words(x),
                             words(y),
                             say("Optimizer state per trained parameter differs."),
                             changeTo(diagnose::ChangeKind::optimizer, apply),
                             {}});
}

std::string phasesText(const RunTraits& traits)
{
    std::vector<std::string> parts;
    if (traits.has_forward) {
        parts.push_back(traits.has_graph ? say("forward") : say("inference"));
    }
    if (traits.has_backward) {
        parts.push_back(say("backward"));
    }
    if (traits.has_optimizer) {
        parts.push_back(say("optimizer"));
    }
    return parts.empty() ? say("none") : fmt::format("{}", fmt::join(parts, ", "));
}

void addHabits(const Both& both, const RunTraits& a, const RunTraits& b, FoundChanges& found)
{
    const Side& side_a = both.a;
    const Side& side_b = both.b;
    const auto add = [&](ChangeOf of, std::string from, std::string to, std::string evidence,
                         std::optional<diagnose::Change> apply = {}) {
        found.changes.push_back({of,
                                 std::nullopt,
                                 std::move(from),
                                 std::move(to),
                                 std::move(evidence),
                                 std::move(apply),
                                 {}});
    };
    if (a.has_graph != b.has_graph && a.has_forward && b.has_forward) {
        const auto words = [](bool has_graph) {
            return has_graph ? say("autograd graph") : say("no graph");
        };
        add(ChangeOf::graph, words(a.has_graph), words(b.has_graph),
            say("{} has no backward pass: after last use it frees what {} keeps for backward.",
                a.has_graph ? side_b.letter : side_a.letter,
                a.has_graph ? side_a.letter : side_b.letter));
    }
    if (a.has_backward != b.has_backward || a.has_optimizer != b.has_optimizer) {
        add(ChangeOf::phases, phasesText(a), phasesText(b),
            say("One run has phases that the other lacks."));
    }
    if (a.makes_again != b.makes_again && a.has_backward && b.has_backward) {
        add(ChangeOf::checkpointing, a.makes_again ? say("on") : say("off"),
            b.makes_again ? say("on") : say("off"),
            say("Only one run recomputes activations in backward."),
            b.makes_again ? usual(diagnose::ChangeKind::checkpointing) : std::nullopt);
    } else if (a.keeps_matrices != b.keeps_matrices && a.has_backward && b.has_backward) {
        add(ChangeOf::attention, a.keeps_matrices ? say("matrices kept") : say("fused"),
            b.keeps_matrices ? say("matrices kept") : say("fused"),
            say("Only one run keeps attention matrices for backward."),
            b.keeps_matrices ? std::nullopt : usual(diagnose::ChangeKind::attention));
    } else if (a.keeps_matrices && b.keeps_matrices && a.has_backward && b.has_backward) {
        if (auto [from, to] = otherAttention(both, a, b); from != to) {
            add(ChangeOf::attention, std::move(from), std::move(to),
                say("Other functions make the attention matrices."));
        }
    }
    if (hasChange(found.changes, ChangeOf::attention)) {
        found.attention = attentionCalls(both, a, b);
    }
    if (a.passes_per_step > 0 && b.passes_per_step > 0 && a.passes_per_step != b.passes_per_step) {
        add(ChangeOf::accumulation, fmt::format("{}", a.passes_per_step),
            fmt::format("{}", b.passes_per_step), say("The number of passes per step differs."));
    }
    const std::int64_t less = std::min(a.leak_per_step, b.leak_per_step);
    const std::int64_t more = std::max(a.leak_per_step, b.leak_per_step);
    if (static_cast<double>(more) > kOtherLeak * static_cast<double>(less)) {
        const auto words = [](std::int64_t bytes) {
            return bytes == 0 ? say("no growth") : say("{} per step", Bytes{bytes});
        };
        add(ChangeOf::leak, words(a.leak_per_step), words(b.leak_per_step),
            say("One line's live bytes grow from step to step."));
    }
    if (a.is_compiled != b.is_compiled) {
        add(ChangeOf::compile, a.is_compiled ? say("compiled") : say("eager"),
            b.is_compiled ? say("compiled") : say("eager"),
            say("Only one run has frames of generated code."));
    }
}

/// Whether B's trace begins with all of A's: the same allocations at the same addresses and times.
/// O(1): a thousand events are looked at.
bool isLaterDump(const trace::Events& a, const trace::Events& b)
{
    constexpr std::size_t kLooked = 1000;
    const std::size_t count = a.count();
    if (count == 0 || count >= b.count() || a.hasTimes() != b.hasTimes()) {
        return false;
    }
    const std::size_t stride = std::max<std::size_t>(1, count / kLooked);
    for (std::size_t i = 0; i < count; i += stride) {
        if (a.action[i] != b.action[i] || a.address[i] != b.address[i] || a.size[i] != b.size[i]
            || (a.hasTimes() && a.time[i] != b.time[i])) {
            return false;
        }
    }
    return a.hasTimes();
}

void addLaterDump(const Side& a, const Side& b, FoundChanges& found)
{
    const bool is_b = isLaterDump(a.device().events, b.device().events);
    if (!is_b && !isLaterDump(b.device().events, a.device().events)) {
        return;
    }
    found.later_dump = is_b ? Later::b : Later::a;
    if (!hasChange(found.changes, ChangeOf::leak)) {
        const Side& earlier = is_b ? a : b;
        const Side& later = is_b ? b : a;
        RunChange kept;
        kept.of = ChangeOf::leak;
        kept.evidence =
            say("{} is an earlier dump of the same run: what {} has allocated since and keeps.",
                earlier.letter, later.letter);
        kept.later = found.later_dump;
        found.changes.push_back(std::move(kept));
    }
}

} // namespace

std::string_view idOf(ChangeOf of)
{
    static constexpr std::array<std::string_view, 16> kIds{
        "sequence",      "micro-batch", "rows",         "precision", "lora",  "optimizer",
        "checkpointing", "attention",   "accumulation", "in-flight", "graph", "phases",
        "first-step",    "model",       "leak",         "compile"};
    return kIds[static_cast<std::size_t>(of)];
}

std::string_view wordsOf(ChangeOf of)
{
    static constexpr std::array<std::string_view, 16> kWords{
        toSay("sequence"),         toSay("micro-batch"),    toSay("batch or sequence"),
        toSay("precision"),        toSay("lora"),           toSay("optimizer"),
        toSay("checkpointing"),    toSay("attention"),      toSay("accumulation"),
        toSay("passes in flight"), toSay("autograd graph"), toSay("phases"),
        toSay("first step"),       toSay("model"),          toSay("leak"),
        toSay("compile")};
    return translated(kWords[static_cast<std::size_t>(of)]);
}

bool hasChange(const std::vector<RunChange>& changes, ChangeOf of)
{
    return std::ranges::find(changes, of, &RunChange::of) != changes.end();
}

FoundChanges findChanges(const Both& both, const RunTraits& traits_a, const RunTraits& traits_b,
                         SideMoment moment, bool are_ranks)
{
    const Side& a = both.a;
    const Side& b = both.b;
    FoundChanges found;
    addPrecision(a, traits_a, b, traits_b, found);
    // The enumeration goes from wide to narrow.
    const double width = found.changes.empty()    ? 1
        : traits_a.precision < traits_b.precision ? 0.5
                                                  : 2;
    addModel(a, traits_a, b, traits_b, found);
    if (are_ranks && found.is_other_model) {
        found.is_other_model = false;
        std::erase_if(found.changes,
                      [](const RunChange& change) { return change.of == ChangeOf::model; });
    }
    const bool has_other_sizes = found.is_other_model;
    if (!are_ranks) {
        addLayers(a, traits_a, b, traits_b, found);
    }
    LoopCounts loops;
    if (!found.is_other_model && traits_a.makes_again == traits_b.makes_again) {
        loops = findLoopCounts(both);
    }
    const ShapeChange shape = shapeBetween(both, moment, width, has_other_sizes, loops.ratio);
    found.growths = shape.growths;
    addShape(a, b, shape, found);
    if (shape.growths.sequence != 1) {
        found.loops = std::move(loops.places);
    }
    if (shape.model != 1) {
        RunChange& model = *std::ranges::find(found.changes, ChangeOf::model, &RunChange::of);
        model.evidence +=
            ' ' + say("Their outputs changed {}, like their width.", formatRatio(shape.model));
    }
    addOptimizer(traits_a, traits_b, found);
    addHabits(both, traits_a, traits_b, found);
    addLaterDump(a, b, found);
    found.leaking_a = traits_a.leaking;
    found.leaking_b = traits_b.leaking;
    std::ranges::sort(found.changes, {}, &RunChange::of);
    return found;
}

} // namespace tidemark::compare
