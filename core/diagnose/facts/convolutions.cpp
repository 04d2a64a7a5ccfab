// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/convolutions.h"

#include "core/label/stacks/frame_tests.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace tidemark::diagnose {
namespace {

using label::anyFrame;
using label::Bucket;
using label::isFile;

/// A weight, and the vectors that were made after it: a bias, those of a norm.
struct Weight {
    std::int64_t bytes = 0;
    std::int64_t vector = 0; ///< Bytes of one number per output channel.
    int vectors = 0;
    bool is_frozen = false;
};

/// One call of a convolution.
struct Call {
    std::size_t first = 0; ///< Its allocations.
    std::size_t end = 0;
    std::int64_t output = 0;
    std::int64_t passing = 0; ///< Its largest allocation.
    std::int64_t kept = 0; ///< Until the next call began, and live at the moment.
};

/// In the order in which they were made.
std::vector<Weight> weightsInOrder(const Facts& facts)
{
    static constexpr std::int64_t kFewest = 8; // inputs of an output channel, kernel included
    std::vector<Weight> weights;
    for (const AllocationId a : facts.weights) {
        const std::int64_t bytes = facts.bytes(a);
        if (!weights.empty() && weights.back().vector == 0 && bytes > 0
            && bytes * kFewest <= weights.back().bytes && weights.back().bytes % bytes == 0) {
            weights.back().vector = bytes;
        }
        if (!weights.empty() && bytes == weights.back().vector) {
            ++weights.back().vectors;
        } else if (weights.empty() || bytes >= weights.back().vector * kFewest) {
            weights.push_back({.bytes = bytes, .is_frozen = facts.role(a) == label::Role::frozen});
        }
    }
    return weights;
}

/// A last one without a norm is a head: it makes few classes, or works on what was pooled.
bool hasHead(const std::vector<Weight>& weights)
{
    return weights.size() > 1 && weights.back().vectors <= 1
        && weights[weights.size() - 2].vectors > 1;
}

/// Whether the pass also ran layers that multiply: their weights are no convolution's.
bool multiplies(const Facts& facts, const Pass& pass)
{
    const auto [first, end] = facts.madeIn(pass);
    for (std::size_t i = first; i < end; ++i) {
        const StackId stack = facts.allocations().stack[i];
        if (anyFrame(facts.snapshot, stack, [](std::string_view, std::string_view file) {
                return isFile(file, "torch/nn/modules/linear.py");
            })) {
            return true;
        }
    }
    return false;
}

bool isOfConvolution(std::string_view name, std::string_view file)
{
    return isFile(file, "torch/nn/modules/conv.py")
        || name.find("convolution") != std::string_view::npos;
}

bool isConvolution(const DeviceRun& run, StackId stack)
{
    return anyFrame(run.snapshot, stack, isOfConvolution);
}

/// From where on what a convolution that asked for what failed made before that.
std::size_t cutConvolution(const Facts& facts, std::size_t first, std::size_t end)
{
    std::size_t cut = end;
    if (isConvolution(facts, facts.failedStack())) {
        while (cut > first && isConvolution(facts, facts.allocations().stack[cut - 1])) {
            --cut;
        }
    }
    return cut;
}

/// Whether what failed is the first that a convolution asked for: all calls before it are whole.
bool failsAtOnce(const Facts& facts, const Pass& pass)
{
    const auto [first, end] = facts.madeIn(pass);
    return isConvolution(facts, facts.failedStack())
        && (end == first || !isConvolution(facts, facts.allocations().stack[end - 1]));
}

/// What follows a call until the next one belongs to it; one that directly follows another begins
/// once that has made what it keeps. The last is the one that was cut off.
std::vector<Call> callsOf(const Facts& facts, const Pass& pass)
{
    std::vector<Call> calls;
    const auto [first, end] = facts.madeIn(pass);
    const std::size_t cut = cutConvolution(facts, first, end);
    bool begins = true;
    bool follows = false; // the last call directly the one before it
    for (std::size_t i = first; i < end; ++i) {
        const AllocationId a(i);
        const std::int64_t kept =
            facts.allocations().isLive(a, facts.moment.state) ? facts.bytes(a) : 0;
        const bool is_convolution = isConvolution(facts, facts.allocations().stack[i]);
        if (!is_convolution && follows && calls.back().output == 0) {
            calls.pop_back(); // a buffer that the one before made last
            follows = false;
        }
        if (is_convolution && (begins || i == cut)) {
            follows =
                i > first && i != cut && isConvolution(facts, facts.allocations().stack[i - 1]);
            calls.push_back({.first = i});
        }
        begins = !is_convolution || (kept > 0 && i < cut);
        if (calls.empty()) {
            continue;
        }
        Call& call = calls.back();
        call.kept += kept;
        if (is_convolution) {
            call.end = i + 1;
            call.output = std::max(call.output, kept);
            call.passing = std::max(call.passing, facts.bytes(a));
        }
    }
    for (Call& call : calls) { // what only is joined with something else goes at once
        call.output = call.output > 0 ? call.output : call.passing;
    }
    return calls;
}

/// How often the allocations of a call have that size.
std::int64_t countOfSize(const Facts& facts, const Call& call, std::int64_t bytes)
{
    std::int64_t count = 0;
    for (std::size_t i = call.first; i < call.end; ++i) {
        count += facts.bytes(AllocationId(i)) == bytes ? 1 : 0;
    }
    return count;
}

/// Bytes kept per byte of output, by what a layer does to the channels: in a block that narrows and
/// widens them, one that widens is followed by a sum and keeps other things. The first layer stands
/// for none but where it is alone.
class Keeping {
public:
    Keeping(const std::vector<Weight>& weights, const std::vector<Call>& ran)
    {
        for (std::size_t l = 0; l < ran.size(); ++l) {
            m_all.add(ran[l]);
            if (l > 0) {
                m_kinds[kindOf(weights, l)].add(ran[l]);
            }
        }
    }
    /// The least that one of its kind kept, or any: without what is made for other layers after it.
    [[nodiscard]] double leastOf(const std::vector<Weight>& weights, std::size_t layer) const
    {
        const Sum& kind = m_kinds[kindOf(weights, layer)];
        return kind.output > 0 ? kind.least : m_all.least;
    }
    [[nodiscard]] double of(const std::vector<Weight>& weights, std::size_t layer) const
    {
        const Sum& kind = m_kinds[kindOf(weights, layer)];
        return layer > 0 && kind.output > 0 ? kind.kept / kind.output : m_all.kept / m_all.output;
    }

private:
    struct Sum {
        double output = 0;
        double kept = 0;
        double least = 0; ///< Kept per output of one call.

        void add(const Call& call)
        {
            const auto made = static_cast<double>(call.output);
            const double share = static_cast<double>(call.kept) / made;
            least = output > 0 ? std::min(least, share) : share;
            output += made;
            kept += static_cast<double>(call.kept);
        }
    };
    [[nodiscard]] static std::size_t kindOf(const std::vector<Weight>& weights, std::size_t layer)
    {
        const std::int64_t before = weights[layer > 0 ? layer - 1 : 0].vector;
        const std::int64_t now = weights[layer].vector;
        return now < before ? 0U : now == before ? 1U : 2U;
    }

    Sum m_all;
    std::array<Sum, 3> m_kinds; // narrows, keeps, widens
};

/// Area of a layer's kernel, in a unit that all share.
double kernelOf(const std::vector<Weight>& weights, std::size_t layer)
{
    const double inputs = layer > 0 ? static_cast<double>(weights[layer - 1].vector) : 1;
    return static_cast<double>(weights[layer].bytes)
        / (static_cast<double>(weights[layer].vector) * inputs);
}

/// Where the area falls for channels that are more at `layer` than before: there, or, where that
/// only mixes channels, at the kernel with an area just before it.
std::size_t strideFor(const std::vector<Weight>& weights, std::size_t layer)
{
    static constexpr double kFarLarger = 4;
    const bool is_before =
        layer > 1 && kernelOf(weights, layer - 1) >= kFarLarger * kernelOf(weights, layer);
    return is_before ? layer - 1 : layer;
}

/// By which factor the area changes at each layer.
std::vector<double> areaSteps(const std::vector<Weight>& weights, double power)
{
    std::vector<double> steps(weights.size(), 1);
    std::int64_t channels = weights.front().vector; // most so far, in bytes of a vector
    for (std::size_t l = 1; l < weights.size(); ++l) {
        const std::int64_t before = channels;
        channels = std::max(channels, weights[l].vector);
        steps[strideFor(weights, l)] *=
            std::pow(static_cast<double>(before) / static_cast<double>(channels), power);
    }
    return steps;
}

/// As those that make pictures are before their last layer: their area rises again, joined with
/// what was kept before.
bool isNarrowAt(const std::vector<Weight>& weights, std::size_t layer)
{
    const auto widest =
        std::ranges::max_element(weights, {}, [](const Weight& w) { return w.vector; });
    return weights[layer].vector * 2 < widest->vector;
}

/// Outputs of all weights: of those that ran as seen, of the others from the last of these.
/// `power` 2 lets the area fall as the square of the channels, 1 leaves all outputs as large.
std::vector<PlannedLayer> layersOf(const std::vector<Weight>& weights, const std::vector<Call>& ran,
                                   double power)
{
    const Keeping keeping(weights, ran);
    const std::vector<double> steps = areaSteps(weights, power);
    std::vector<PlannedLayer> layers;
    double rows = 0;
    for (std::size_t l = 0; l < weights.size(); ++l) {
        const auto vector = static_cast<double>(weights[l].vector);
        const auto weight = static_cast<double>(weights[l].bytes);
        const bool is_known = l < ran.size();
        rows = is_known ? static_cast<double>(ran[l].output) / vector : rows * steps[l];
        const double output = rows * vector;
        layers.push_back(
            {weight, weights[l].is_frozen ? 0 : weight, output,
             is_known ? static_cast<double>(ran[l].kept) : output * keeping.of(weights, l)});
    }
    return layers;
}

/// Rows by the channels that were seen or told of last, as bytes of a vector.
using RowsByVector = std::map<std::int64_t, double>;

/// The same with those first that ran, as sizes tell: with as many rows as were seen for so many
/// channels, else the next. Networks that make pictures may list what goes up apart from what joins
/// it. Empty where some call has no weight.
std::vector<Weight> inOrderOfCalls(std::vector<Weight> weights, const std::vector<Call>& ran)
{
    RowsByVector seen;
    for (std::size_t l = 0; l < ran.size(); ++l) {
        const auto begin = weights.begin() + static_cast<std::ptrdiff_t>(l);
        const auto fits = [&](const Weight& w) { return ran[l].output % w.vector == 0; };
        auto found = std::find_if(begin, weights.end(), [&](const Weight& w) {
            const auto rows = seen.find(w.vector);
            return fits(w) && rows != seen.end()
                && rows->second * static_cast<double>(w.vector)
                == static_cast<double>(ran[l].output);
        });
        found = found == weights.end() ? std::find_if(begin, weights.end(), fits) : found;
        if (found == weights.end() || ran[l].output <= 0) {
            return {};
        }
        seen[found->vector] =
            static_cast<double>(ran[l].output) / static_cast<double>(found->vector);
        std::rotate(begin, found, found + 1);
    }
    return weights;
}

/// Of a network whose channels grow and fall again: as many rows as the way down had for so many
/// channels, and what reads several times as many channels as it makes keeps those as well: they
/// were joined or stretched for it. `power` as above, for the way down.
std::vector<PlannedLayer> unetLayers(const std::vector<Weight>& weights,
                                     const std::vector<Call>& ran, double power)
{
    static constexpr double kMore = 1.4; // at the upper end: what else may be made on the way up
    const bool is_widest = power < 2;
    static constexpr double kFewestJoined = 2;
    static constexpr double kMostJoined = 4;
    const Keeping keeping(weights, ran);
    const std::vector<double> steps = areaSteps(weights, power);
    const double kernel = kernelOf(weights, 1); // as most have it
    const auto widest = static_cast<std::size_t>(
        std::ranges::max_element(weights, {}, [](const Weight& w) { return w.vector; })
        - weights.begin());
    const auto joined = [&](const Weight& weight) {
        const auto vector = static_cast<double>(weight.vector);
        const double times = static_cast<double>(weight.bytes) / (vector * vector * kernel);
        return times >= kFewestJoined && times <= kMostJoined && times == std::floor(times) ? times
                                                                                            : 0;
    };
    RowsByVector told;
    std::vector<PlannedLayer> layers;
    double rows = 0;
    for (std::size_t l = 0; l < weights.size(); ++l) {
        const auto vector = static_cast<double>(weights[l].vector);
        const auto weight = static_cast<double>(weights[l].bytes);
        const auto known = told.find(weights[l].vector);
        const bool is_up = l > widest && weights[l].vector < weights[widest].vector;
        rows = l < ran.size() ? static_cast<double>(ran[l].output) / vector
            : is_up           ? (known != told.end() ? known->second : rows)
                              : rows * steps[l];
        told[weights[l].vector] = rows;
        const double output = rows * vector;
        double kept =
            l < ran.size() ? static_cast<double>(ran[l].kept) : output * keeping.of(weights, l);
        if (is_up && l >= ran.size()) {
            // What only goes up is joined at once.
            const bool goes_up = joined(weights[l]) == 0 && kernelOf(weights, l) != kernel
                && std::ranges::any_of(weights, [&](const Weight& w) {
                                     return w.vector == weights[l].vector && joined(w) > 0;
                                 });
            kept = goes_up ? 0 : (keeping.leastOf(weights, l) + joined(weights[l])) * output;
            kept *= is_widest ? kMore : 1;
        }
        layers.push_back({weight, weights[l].is_frozen ? 0 : weight, output, kept});
    }
    return layers;
}

} // namespace

bool isConvolution(const DeviceRun& run, AllocationId allocation)
{
    return isConvolution(run, run.allocations().stack[allocation.index()]);
}

bool convolves(const trace::Snapshot& snapshot)
{
    return anyFrame(snapshot, isOfConvolution);
}

PassLayers findConvolutions(const Facts& facts, const Pass& pass)
{
    std::vector<Call> calls = callsOf(facts, pass);
    std::vector<Weight> weights = weightsInOrder(facts);
    if (calls.empty() || weights.size() < calls.size()
        || std::ranges::any_of(weights, [](const Weight& w) { return w.vector == 0; })) {
        return {};
    }
    if (calls.size() > 1) {
        if (!failsAtOnce(facts, pass)) {
            calls.pop_back(); // cut off
        }
    } else {
        // The only layer was cut off after its convolution: then follow a norm and what keeps its
        // result, or that alone.
        const bool has_norm = weights.front().vectors > 1;
        calls.front().kept = calls.front().output * (has_norm ? 2 : 1);
    }
    const bool has_head = hasHead(weights);
    const bool makes_pictures = weights.size() > 2 && isNarrowAt(weights, weights.size() - 2);
    if ((makes_pictures && multiplies(facts, pass))
        || (!makes_pictures && !has_head && isNarrowAt(weights, weights.size() - 1))) {
        return {};
    }
    if (makes_pictures) {
        weights = inOrderOfCalls(std::move(weights), calls);
    } else if (has_head) {
        weights.pop_back();
    }
    if (weights.size() < calls.size()) {
        return {};
    }
    PassLayers found;
    std::size_t copied_weights = 0;
    std::size_t copied_outputs = 0;
    for (std::size_t l = 0; l < calls.size(); ++l) {
        const Call& call = calls[l];
        if (call.output <= 0 || call.output % weights[l].vector != 0) {
            return {};
        }
        copied_weights += countOfSize(facts, call, weights[l].bytes) > 0 ? 1U : 0U;
        copied_outputs += countOfSize(facts, call, call.output) > 1 ? 1U : 0U;
    }
    const auto layers = makes_pictures ? unetLayers : layersOf;
    found.layers = layers(weights, calls, 2);
    found.widest = layers(weights, calls, 1);
    found.copies_weights = copied_weights == calls.size();
    found.copies_outputs = copied_outputs == calls.size();
    // A processor's library was seen to take four times the largest weight for its gradient.
    static constexpr double kScratch = 4;
    for (const PlannedLayer& layer : found.layers) {
        found.scratch = std::max(found.scratch, kScratch * layer.gradient);
    }
    found.made = addedBy(facts, pass);
    return found.made > 0 ? found : PassLayers{};
}

} // namespace tidemark::diagnose
