// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/models.h"

#include "core/program/constants.h"
#include "core/program/size_uses.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tidemark::program {
namespace {

using MostAlive = std::map<std::pair<Kind, std::int64_t>, std::int64_t>;

/// How many of each size live at once at most, for gradients and states.
MostAlive mostAlive(const Observed& o)
{
    struct Change {
        std::uint32_t state;
        std::int64_t by;
    };
    std::map<std::pair<Kind, std::int64_t>, std::vector<Change>> changes;
    for (std::size_t a = 0; a < o.count(); ++a) {
        if (o.kind[a] == Kind::gradient || o.kind[a] == Kind::state) {
            auto& of = changes[{o.kind[a], o.size(a)}];
            of.push_back({o.begin[a].value, 1});
            of.push_back({o.end[a].value, -1});
        }
    }
    MostAlive most;
    for (auto& [key, of] : changes) {
        std::ranges::sort(of, [](const Change& a, const Change& b) {
            return a.state != b.state ? a.state < b.state : a.by < b.by;
        });
        std::int64_t alive = 0;
        for (const Change& change : of) {
            alive += change.by;
            most[key] = std::max(most[key], alive);
        }
    }
    return most;
}

std::int64_t copies(const MostAlive& most, Kind kind, std::int64_t bytes, std::int64_t count)
{
    const auto found = most.find({kind, bytes});
    return found == most.end() ? 0 : found->second / count;
}

/// Gradients and states may be wider than half-precision weights; 4-byte ones are looked for then.
void addCompanions(WeightSize& weight, const MostAlive& most)
{
    const std::int64_t wide = weight.element_bytes == 2 ? 2 * weight.bytes : weight.bytes;
    weight.gradients = copies(most, Kind::gradient, weight.bytes, weight.count);
    weight.states = copies(most, Kind::state, weight.bytes, weight.count);
    if (wide != weight.bytes) {
        weight.gradients += copies(most, Kind::gradient, wide, weight.count);
        weight.states += copies(most, Kind::state, wide, weight.count);
    }
}

/// All of a size: each has a gradient, or two states, or one state where gradients of this size
/// were not seen.
bool isTrained(const WeightSize& w, const MostAlive& most)
{
    return w.gradients > 0 || w.states > 1
        || (w.states > 0 && !most.contains({Kind::gradient, w.bytes}));
}

/// Bytes of an element where the weights show no structure: 4 unless all readings say otherwise,
/// since half of hidden · 4 B is hidden · 2 B. 0: there is no reading.
std::int32_t usualWidth(const Solution& s)
{
    const auto is_full = [](const WeightView& view) {
        return view.hidden > 0 && view.element_bytes == kFullPrecisionBytes;
    };
    return is_full(s.view) || std::ranges::any_of(s.other_views, is_full, &OtherView::view)
        ? kFullPrecisionBytes
        : s.view.hidden > 0 ? s.view.element_bytes
                            : 0;
}

std::vector<std::int64_t> shapeOf(std::int64_t bytes, const Solution& s)
{
    const auto e = expressionOfWeight(bytes, s.view.element_bytes, s);
    if (!e) {
        return {};
    }
    std::vector<std::int64_t> shape;
    const Values values = valuesOf(s);
    for (const Factor factor : e->factors) {
        if (factor != Factor::none) {
            shape.push_back(valueOf(factor, values, e->number));
        }
    }
    return shape;
}

} // namespace

std::vector<Model> findModels(const Observed& o, const WeightSet& weights, const Solution& s,
                              bool is_structured)
{
    if (weights.source != Kind::weight) {
        return {};
    }
    const MostAlive most = mostAlive(o);
    const std::int32_t width = !is_structured ? usualWidth(s)
        : s.view.hidden > 0                   ? s.view.element_bytes
                                              : 0;
    Model model;
    bool any_trained = false;
    for (const auto& [bytes, count] : weights.counts) {
        WeightSize w;
        w.bytes = bytes;
        w.count = count;
        w.element_bytes = width;
        w.shape = is_structured ? shapeOf(bytes, s) : std::vector<std::int64_t>();
        addCompanions(w, most);
        any_trained = any_trained || w.gradients > 0 || w.states > 0;
        model.weights.push_back(std::move(w));
    }
    for (WeightSize& w : model.weights) {
        const std::int64_t elements = width > 0 ? w.bytes / w.element_bytes * w.count : 0;
        if (isTrained(w, most)) {
            w.trainable = true;
        } else if (w.gradients > 0 || w.states > 0) {
            w.gradients = 0; // of some of them alone: whose they are does not show
            w.states = 0;
        } else if (any_trained && !most.contains({Kind::gradient, w.bytes})
                   && !most.contains({Kind::state, w.bytes})) {
            w.trainable = false;
        }
        model.parameters += elements;
        model.trainable += w.trainable.value_or(false) ? elements : 0;
    }
    std::ranges::stable_sort(model.weights, std::greater<>(),
                             [](const WeightSize& w) { return w.bytes * w.count; });
    return {std::move(model)};
}

} // namespace tidemark::program
