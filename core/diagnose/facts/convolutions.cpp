// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/pass_layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace tidemark::diagnose {
namespace {

/// One call of a convolution.
struct Call {
    std::size_t first = 0; ///< Its allocations.
    std::size_t end = 0;
    std::int64_t output = 0;
    std::int64_t passing = 0; ///< Its largest allocation.
    std::int64_t kept = 0; ///< Until the next call began, and live at the moment.
};

/// A last one without a norm is a head: it makes few classes, or works on what was pooled.
bool hasHead(const std::vector<LayerWeight>& weights)
{
    return weights.size() > 1 && weights.back().vectors <= 1
        && weights[weights.size() - 2].vectors > 1;
}

bool isConvolution(const DeviceRun& run, StackId stack)
{
    return run.madeBy(stack) == MadeBy::convolution;
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
        const std::int64_t kept = facts.isLive(a) ? facts.bytes(a) : 0;
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
    Keeping(const std::vector<LayerWeight>& weights, const std::vector<Call>& ran)
    {
        for (std::size_t l = 0; l < ran.size(); ++l) {
            m_all.add(ran[l]);
            if (l > 0) {
                m_kinds[kindOf(weights, l)].add(ran[l]);
            }
        }
    }
    [[nodiscard]] double of(const std::vector<LayerWeight>& weights, std::size_t layer) const
    {
        const Sum& kind = m_kinds[kindOf(weights, layer)];
        return layer > 0 && kind.output > 0 ? kind.kept / kind.output : m_all.kept / m_all.output;
    }

private:
    struct Sum {
        double output = 0;
        double kept = 0;

        void add(const Call& call)
        {
            output += static_cast<double>(call.output);
            kept += static_cast<double>(call.kept);
        }
    };
    [[nodiscard]] static std::size_t kindOf(const std::vector<LayerWeight>& weights,
                                            std::size_t layer)
    {
        const std::int64_t before = weights[layer > 0 ? layer - 1 : 0].vector;
        const std::int64_t now = weights[layer].vector;
        return now < before ? 0U : now == before ? 1U : 2U;
    }

    Sum m_all;
    std::array<Sum, 3> m_kinds; // narrows, keeps, widens
};

/// Area of a layer's kernel, in a unit that all share.
double kernelOf(const std::vector<LayerWeight>& weights, std::size_t layer)
{
    const double inputs = layer > 0 ? static_cast<double>(weights[layer - 1].vector) : 1;
    return static_cast<double>(weights[layer].bytes)
        / (static_cast<double>(weights[layer].vector) * inputs);
}

/// Where the area falls for channels that are more at `layer` than before: there, or, where that
/// only mixes channels, at the kernel with an area just before it.
std::size_t strideFor(const std::vector<LayerWeight>& weights, std::size_t layer)
{
    static constexpr double kFarLarger = 4;
    const bool is_before =
        layer > 1 && kernelOf(weights, layer - 1) >= kFarLarger * kernelOf(weights, layer);
    return is_before ? layer - 1 : layer;
}

/// By which factor the area changes at each layer.
std::vector<double> areaSteps(const std::vector<LayerWeight>& weights, double power)
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
bool isNarrowAt(const std::vector<LayerWeight>& weights, std::size_t layer)
{
    const auto widest =
        std::ranges::max_element(weights, {}, [](const LayerWeight& w) { return w.vector; });
    return weights[layer].vector * 2 < widest->vector;
}

/// Outputs of all weights: of those that ran as seen, of the others from the last of these.
/// `power` 2 lets the area fall as the square of the channels, 1 leaves all outputs as large.
std::vector<PlannedLayer> layersOf(const std::vector<LayerWeight>& weights,
                                   const std::vector<Call>& ran, double power)
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

} // namespace

PassLayers findConvolutions(const Facts& facts, const Pass& pass)
{
    std::vector<Call> calls = callsOf(facts, pass);
    std::vector<LayerWeight> weights = layerWeights(facts, facts.weights, facts.weightWidth());
    if (calls.empty() || weights.size() < calls.size()
        || std::ranges::any_of(weights, [](const LayerWeight& w) { return w.vector == 0; })) {
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
    if (makes_pictures || (!has_head && isNarrowAt(weights, weights.size() - 1))) {
        return {};
    }
    if (has_head) {
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
    found.layers = layersOf(weights, calls, 2);
    found.widest = layersOf(weights, calls, 1);
    found.copies_weights = copied_weights == calls.size();
    found.copies_outputs = copied_outputs == calls.size();
    found.made = static_cast<double>(facts.moment.active.value + facts.moment.requested.value
                                     - facts.replay.activeAt(pass.forward.begin).value);
    return found.made > 0 ? found : PassLayers{};
}

double largestOfPass(const PassLayers& pass_layers, const std::vector<PlannedLayer>& layers,
                     double outputs, double gradients)
{
    double kept = 0;
    for (const PlannedLayer& layer : layers) {
        kept += layer.kept * outputs;
    }
    double largest = kept;
    double made = 0; // gradients of weights
    for (std::size_t l = layers.size(); l-- > 0;) {
        const double output = layers[l].output * outputs;
        const double input = l > 0 ? layers[l - 1].output * outputs : 0;
        largest = std::max(largest, kept + 2 * output + made);
        kept -= layers[l].kept * outputs;
        made += layers[l].gradient * gradients;
        largest = std::max(largest,
                           kept + made + (pass_layers.copies_weights ? layers[l].weight : 0)
                               + (output + input) * (pass_layers.copies_outputs ? 2 : 1));
    }
    return largest;
}

} // namespace tidemark::diagnose
