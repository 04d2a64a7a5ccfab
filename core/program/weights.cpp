// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/weights.h"

#include "core/program/buffers.h"
#include "core/program/constants.h"
#include "core/program/size_uses.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tidemark::program {
namespace {

using MostAlive = std::map<std::pair<Usage, std::int64_t>, std::int64_t>;

/// How many of each size live at once at most, for gradients and states; and whether one of either
/// tells that a pass backward was complete: a state, or a gradient that is made again.
struct Companions {
    MostAlive most;
    bool is_backward_complete = false;
};

Companions companionsOf(const Observed& o)
{
    struct Change {
        std::uint32_t state;
        std::int64_t by;
    };
    std::map<std::pair<Usage, std::int64_t>, std::vector<Change>> changes;
    for (std::size_t a = 0; a < o.count(); ++a) {
        if (o.kind[a] == Usage::gradient || o.kind[a] == Usage::state) {
            auto& of = changes[{o.kind[a], o.size(a)}];
            of.push_back({o.begin[a].value, 1});
            of.push_back({o.end[a].value, -1});
        }
    }
    Companions found;
    for (auto& [key, of] : changes) {
        std::ranges::sort(of, [](const Change& a, const Change& b) {
            return a.state != b.state ? a.state < b.state : a.by < b.by;
        });
        std::int64_t alive = 0;
        std::int64_t& most = found.most[key];
        for (const Change& change : of) {
            alive += change.by;
            most = std::max(most, alive);
        }
        found.is_backward_complete = found.is_backward_complete || key.first == Usage::state
            || 2 * most < static_cast<std::int64_t>(of.size());
    }
    return found;
}

std::int64_t countOf(const MostAlive& most, Usage kind, std::int64_t bytes)
{
    const auto found = most.find({kind, bytes});
    return found == most.end() ? 0 : found->second;
}

/// Gradients and states may be wider than half-precision weights; 4-byte ones are looked for then.
void addCompanions(WeightSize& weight, const MostAlive& most)
{
    const std::int64_t wide = weight.element_bytes == 2 ? 2 * weight.bytes : weight.bytes;
    const auto copies = [&](Usage kind, std::int64_t bytes) {
        return weight.parameters() > 0 ? countOf(most, kind, bytes) / weight.parameters() : 0;
    };
    weight.gradients = copies(Usage::gradient, weight.bytes);
    weight.states = copies(Usage::state, weight.bytes);
    if (wide != weight.bytes) {
        weight.gradients += copies(Usage::gradient, wide);
        weight.states += copies(Usage::state, wide);
    }
}

/// All of a size: each has a gradient, or two states, or one state where gradients of this size
/// were not seen. A scalar that has more is what an optimizer counts the steps of each weight with.
bool isTrained(const WeightSize& w, const MostAlive& most)
{
    return w.gradients > 0
        || (w.states <= kMostStates
            && (w.states > 1 || (w.states > 0 && !most.contains({Usage::gradient, w.bytes}))));
}

/// Rows of hidden by the hundred: a table, which is a parameter even where it is frozen.
bool isTable(const WeightSize& w, const Solution& s)
{
    return w.shape.size() == 2 && s.view.hidden > 0
        && w.bytes / w.element_bytes >= kSmallestTable * s.view.hidden;
}

/// What their sizes tell, and what is left where nearly all is trained: running statistics are as
/// large as the weights beside them, so of some sizes as many as there are gradients are trained.
void findBuffers(Weights& weights, const Companions& companions, const Solution& s,
                 const Structure& structure)
{
    const bool is_structured = doubtOfWeights(structure).empty();
    const bool follows_rows = doubtOfRows(structure).empty();
    std::int64_t all = 0;
    std::int64_t left = 0;
    for (WeightSize& w : weights.sizes) {
        w.buffers = is_structured && isBuffer(w, s, follows_rows) ? w.count : 0;
        all += w.bytes * w.count;
        left += isTrained(w, companions.most) ? 0 : w.bytes * w.parameters();
    }
    const bool is_rest = companions.is_backward_complete
        && static_cast<double>(left) <= kMostBuffers * static_cast<double>(all);
    for (WeightSize& w : weights.sizes) {
        const std::int64_t trained =
            std::min(w.count, countOf(companions.most, Usage::gradient, w.bytes));
        const bool is_open = trained > 0 || w.states == 0 || w.states > kMostStates;
        if (is_rest && is_open && w.buffers == 0 && !isTable(w, s)
            && !isTrained(w, companions.most)) {
            w.buffers = w.count - trained;
        }
        if (w.buffers > 0) {
            addCompanions(w, companions.most);
        }
    }
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

/// Less often than once a layer are tables, in and out; of two layers' they are as many.
std::int64_t perLayer(const WeightSize& w, const Solution& s, std::int64_t layers)
{
    const bool is_once = std::ranges::any_of(s.names.once, [&](std::int64_t rows) {
        return rows * s.view.hidden * s.view.element_bytes == w.bytes;
    });
    return layers == 0 || is_once ? 0 : w.count / (layers * s.names.copies);
}

} // namespace

Weights weightsOf(const Observed& o, const WeightSet& set, const Solution& s,
                  const Structure& structure)
{
    if (set.source != Usage::weight) {
        return {};
    }
    const bool is_structured = doubtOfWeights(structure).empty();
    const Companions companions = companionsOf(o);
    const MostAlive& most = companions.most;
    Weights weights;
    weights.layers = is_structured ? s.names.layers : 0;
    weights.hidden = is_structured ? s.view.hidden : 0;
    weights.element_bytes = is_structured ? s.view.element_bytes : usualWidth(s);
    for (const auto& [bytes, count] : set.counts) {
        WeightSize w;
        w.bytes = bytes;
        w.count = count;
        w.element_bytes = weights.element_bytes;
        w.per_layer = perLayer(w, s, weights.layers);
        w.shape = is_structured ? shapeOf(bytes, s) : std::vector<std::int64_t>();
        addCompanions(w, most);
        weights.sizes.push_back(std::move(w));
    }
    findBuffers(weights, companions, s, structure);
    const bool any_trained = std::ranges::any_of(
        weights.sizes, [](const WeightSize& w) { return w.gradients > 0 || w.states > 0; });
    for (WeightSize& w : weights.sizes) {
        const std::int64_t elements =
            w.element_bytes > 0 ? w.bytes / w.element_bytes * w.parameters() : 0;
        if (w.parameters() == 0) {
            w.trainable = false;
        } else if (isTrained(w, most)) {
            w.trainable = true;
        } else if (w.gradients > 0 || w.states > 0) {
            w.gradients = 0; // of some of them alone: whose they are does not show
            w.states = 0;
        } else if (any_trained && !most.contains({Usage::gradient, w.bytes})
                   && !most.contains({Usage::state, w.bytes})) {
            w.trainable = false;
        }
        weights.parameters += elements;
        weights.trainable += w.trainable.value_or(false) ? elements : 0;
    }
    std::ranges::stable_sort(weights.sizes, std::greater<>(),
                             [](const WeightSize& w) { return w.bytes * w.count; });
    return weights;
}

} // namespace tidemark::program
