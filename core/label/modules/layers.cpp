// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/layers.h"

#include "core/label/modules/layer_patterns.h"

#include <algorithm>
#include <utility>

namespace tidemark::label {
namespace {

class LayerFinder {
public:
    LayerFinder(const replay::DeviceReplay& replay, const DeviceLabels& labels,
                const std::vector<Pass>& passes)
        : m_allocations(replay.allocations)
        , m_labels(labels)
        , m_passes(passes)
        , m_last_state(replay.lastState())
    {
    }

    Layers find(const std::vector<std::int32_t>& pass_of)
    {
        m_layers.of.assign(m_allocations.count(), -1);
        collectSequences(pass_of, false);
        const std::size_t reference = referencePass();
        if (reference == m_passes.size()) {
            return std::move(m_layers);
        }
        findPatterns(pass_of, reference);
        for (std::size_t p = 0; p < m_passes.size(); ++p) {
            for (const LayerPattern& pattern : m_patterns) {
                place(pattern, p);
            }
            addSmall(p);
        }
        finish();
        return std::move(m_layers);
    }

private:
    /// What one forward pass saves for backward (or makes at all), in order, without what is too
    /// small to tell blocks apart: operations make a varying number of helpers.
    using Sequence = std::vector<AllocationId>;

    [[nodiscard]] static bool isForwardCut(const Pass& pass)
    {
        return !pass.complete && pass.backward.isEmpty();
    }
    [[nodiscard]] StackId stackOf(AllocationId a) const
    {
        return m_allocations.stack[a.index()];
    }
    [[nodiscard]] bool isSaved(AllocationId a) const
    {
        return m_labels.bucket[a.index()] == Bucket::activation
            && m_labels.role[a.index()] != Role::weight_cast;
    }
    [[nodiscard]] std::int64_t bytes(AllocationId a) const
    {
        return m_allocations.requested[a.index()].value;
    }
    /// A frozen block saves nothing, so of two blocks only one would do so and nothing recur but
    /// parts of it: then all that blocks make tells them, if that holds more together. What holds
    /// little together are parts of a single block.
    void findPatterns(const std::vector<std::int32_t>& pass_of, std::size_t reference)
    {
        static constexpr double kHeldByBlocks = 0.75; // of what lies between them
        static constexpr double kHeldAtLeast = 0.5;
        static constexpr int kEmbeddings = 3; // that no block saves
        const bool is_cut = isForwardCut(m_passes[reference]);
        const std::vector<MadeThing> saved = madeBy(m_sequences[reference]);
        m_patterns = findLayerPatterns(saved, {is_cut, 0});
        const double share = shareOfLayers(saved, m_patterns);
        if (share >= kHeldByBlocks) {
            return;
        }
        std::vector<Sequence> of_saved = std::move(m_sequences);
        std::vector<Sequence> beside_saved = std::move(m_small);
        collectSequences(pass_of, true);
        const std::vector<MadeThing> made = madeBy(m_sequences[reference]);
        std::vector<LayerPattern> patterns = findLayerPatterns(made, {is_cut, kEmbeddings});
        if (shareOfLayers(made, patterns) >= std::max(kHeldAtLeast, share)) {
            m_patterns = std::move(patterns);
        } else {
            m_sequences = std::move(of_saved);
            m_small = std::move(beside_saved);
            if (share < kHeldAtLeast) {
                m_patterns.clear();
            }
        }
    }

    [[nodiscard]] std::vector<MadeThing> madeBy(const Sequence& s) const
    {
        std::vector<MadeThing> made;
        made.reserve(s.size());
        for (const AllocationId a : s) {
            made.push_back({stackOf(a), bytes(a)});
        }
        return made;
    }

    /// Of what passes save, or of all that they make.
    void collectSequences(const std::vector<std::int32_t>& pass_of, bool in_all)
    {
        const auto tells = [&](AllocationId a) { return in_all || isSaved(a); };
        static constexpr std::int64_t kSmallestPart = 512; // of the largest that is saved
        m_sequences.assign(m_passes.size(), {});
        m_small.assign(m_passes.size(), {});
        std::vector<std::int64_t> largest(m_passes.size(), 0);
        const auto passOf = [&](std::size_t i) {
            const auto p = static_cast<std::size_t>(pass_of[i]);
            const bool in_forward = m_allocations.begin[i] <= m_passes[p].forward.end;
            const bool counts =
                m_passes[p].isTraining() && in_forward && !m_allocations.stack[i].isNone();
            return counts ? p : m_passes.size();
        };
        for (std::size_t i = 0; i < pass_of.size(); ++i) {
            const std::size_t p = pass_of[i] < 0 ? m_passes.size() : passOf(i);
            if (p < m_passes.size() && tells(AllocationId(i))) {
                largest[p] = std::max(largest[p], bytes(AllocationId(i)));
            }
        }
        for (std::size_t i = 0; i < pass_of.size(); ++i) {
            const std::size_t p = pass_of[i] < 0 ? m_passes.size() : passOf(i);
            if (p < m_passes.size()) {
                const bool is_small =
                    !tells(AllocationId(i)) || bytes(AllocationId(i)) < largest[p] / kSmallestPart;
                (is_small ? m_small : m_sequences)[p].push_back(AllocationId(i));
            }
        }
    }

    [[nodiscard]] std::int64_t savedBytes(std::size_t p) const
    {
        std::int64_t sum = 0;
        for (const AllocationId a : m_sequences[p]) {
            sum += bytes(a);
        }
        return sum;
    }

    /// The complete training pass that saves most; a cut one only where there is no other.
    [[nodiscard]] std::size_t referencePass() const
    {
        std::size_t best = m_passes.size();
        std::int64_t best_saved = 0;
        for (const bool complete : {true, false}) {
            for (std::size_t p = 0; p < m_passes.size(); ++p) {
                if (m_passes[p].complete != complete || !m_passes[p].isTraining()) {
                    continue;
                }
                const std::int64_t saved = savedBytes(p);
                if (saved > best_saved) {
                    best = p;
                    best_saved = saved;
                }
            }
            if (best != m_passes.size()) {
                break;
            }
        }
        return best;
    }

    /// Where blocks of a pattern begin in a sequence, and behind them where the last one ends: with
    /// what belongs to the pattern, and what follows that as in the block before. A last norm of
    /// the blocks' kind stands where the next block's first would.
    [[nodiscard]] std::vector<std::size_t> bordersOf(const LayerPattern& pattern,
                                                     const Sequence& s) const
    {
        std::vector<std::size_t> borders;
        std::size_t end = 0;
        std::uint32_t seen = 0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            if (stackOf(s[i]) == pattern.anchor && seen++ % pattern.per_layer == 0) {
                borders.push_back(i);
            }
            end = pattern.members.contains(stackOf(s[i])) ? i + 1 : end;
        }
        if (borders.size() > 1) {
            const std::size_t last = borders.back();
            std::size_t before = borders[borders.size() - 2] + (end - last);
            for (; end < s.size() && before < last && stackOf(s[end]) == stackOf(s[before]);
                 ++before) {
                ++end;
            }
        }
        borders.push_back(end);
        return borders;
    }

    /// Cuts one pass into the blocks of a pattern.
    void place(const LayerPattern& pattern, std::size_t p)
    {
        const Sequence& s = m_sequences[p];
        const std::vector<std::size_t> borders = bordersOf(pattern, s);
        for (std::size_t b = 0; b + 1 < borders.size(); ++b) {
            openLayer(p, s[borders[b]]);
            for (std::size_t i = borders[b]; i < borders[b + 1]; ++i) {
                if (m_layers.of[s[i].index()] < 0) {
                    addTo(static_cast<std::int32_t>(m_layers.layers.size()) - 1, s[i]);
                }
            }
            const std::size_t end = borders[b + 1];
            const bool is_cut_here = end == s.size() && isForwardCut(m_passes[p]);
            m_layers.layers.back().forward_end = is_cut_here ? StateId{m_last_state.value + 1}
                : end < s.size()                             ? m_allocations.begin[s[end].index()]
                                                             : m_passes[p].forward.end;
        }
    }

    /// Temporaries and small helpers belong to the block in whose interval they were made.
    void addSmall(std::size_t p)
    {
        for (const AllocationId a : m_small[p]) {
            const StateId made = m_allocations.begin[a.index()];
            const auto after = std::ranges::upper_bound(
                m_layers.layers, std::pair(static_cast<std::uint32_t>(p), made), {},
                [](const Layer& l) { return std::pair(l.pass, l.forward_begin); });
            if (after == m_layers.layers.begin()) {
                continue;
            }
            const auto layer = std::prev(after);
            if (layer->pass == p && made <= layer->forward_end) {
                m_layers.of[a.index()] = static_cast<std::int32_t>(layer - m_layers.layers.begin());
                layer->saved_bytes += isSaved(a) ? bytes(a) : 0;
                layer->largest_bytes = std::max(layer->largest_bytes, bytes(a));
            }
        }
    }

    void openLayer(std::size_t p, AllocationId first)
    {
        Layer layer;
        layer.pass = static_cast<std::uint32_t>(p);
        layer.number = m_layers.layers.empty() || m_layers.layers.back().pass != layer.pass
            ? 0
            : m_layers.layers.back().number + 1;
        layer.forward_begin = m_allocations.begin[first.index()];
        layer.backward_begin = {m_last_state.value + 1};
        m_layers.layers.push_back(layer);
        m_layers.count = std::max(m_layers.count, layer.number + 1);
    }

    void addTo(std::int32_t index, AllocationId a)
    {
        m_layers.of[a.index()] = index;
        Layer& layer = m_layers.layers[static_cast<std::size_t>(index)];
        layer.largest_bytes = std::max(layer.largest_bytes, bytes(a));
        if (isSaved(a)) {
            layer.output = a;
            layer.saved_bytes += bytes(a);
        }
    }

    /// When backward reaches each block: the last free of something saved elsewhere before its own
    /// first.
    void finish()
    {
        const StateId never{m_last_state.value + 1};
        std::vector<StateId> first_free(m_layers.layers.size(), never);
        std::vector<bool> is_done(m_layers.layers.size(), true);
        std::vector<std::vector<std::pair<StateId, std::int32_t>>> frees(m_passes.size());
        std::vector<StateId> last_saved(m_passes.size()); // When it was made.
        for (std::size_t p = 0; p < m_passes.size(); ++p) {
            for (const AllocationId a : m_sequences[p]) {
                const StateId end = m_allocations.end[a.index()];
                if (!isSaved(a)) {
                    continue;
                }
                last_saved[p] = std::max(last_saved[p], m_allocations.begin[a.index()]);
                if (end <= m_passes[p].backward.begin) {
                    continue;
                }
                const std::int32_t layer = m_layers.of[a.index()];
                if (end < never) {
                    frees[p].emplace_back(end, layer);
                }
                if (const Layer* const owner = m_layers.layerOf(a);
                    owner != nullptr && owner->output != a) {
                    const auto i = static_cast<std::size_t>(layer);
                    first_free[i] = std::min(first_free[i], end);
                    is_done[i] = is_done[i] && end < never;
                }
            }
            std::ranges::sort(frees[p]);
        }
        for (std::size_t i = 0; i < m_layers.layers.size(); ++i) {
            Layer& layer = m_layers.layers[i];
            if (layer.output != AllocationId::none()) {
                layer.saved_bytes -= bytes(layer.output);
            }
            const Pass& pass = m_passes[layer.pass];
            // What its pass saved after it, as a head and a loss do: backward begins there.
            const bool saves_behind = last_saved[layer.pass] > layer.forward_end;
            const bool is_next = first_free[i] == never && !pass.complete
                && !pass.backward.isEmpty() && isNextInBackward(i, is_done)
                && !(frees[layer.pass].empty() && saves_behind);
            if (first_free[i] == never && !is_next) {
                continue;
            }
            // The last free of another owner before its own first; of its own only the output may
            // come before that.
            const auto& of_pass = frees[layer.pass];
            auto before = std::ranges::lower_bound(of_pass, first_free[i], {},
                                                   &std::pair<StateId, std::int32_t>::first);
            while (before != of_pass.begin()
                   && std::prev(before)->second == static_cast<std::int32_t>(i)) {
                --before;
            }
            layer.backward_begin = before == of_pass.begin()
                ? pass.backward.begin
                : std::max(pass.backward.begin, std::prev(before)->first);
        }
    }

    /// In a backward pass that was cut off: the block whose turn it was, if it had not freed
    /// anything yet.
    [[nodiscard]] bool isNextInBackward(std::size_t i, const std::vector<bool>& is_done) const
    {
        const bool is_last = i + 1 == m_layers.layers.size()
            || m_layers.layers[i + 1].pass != m_layers.layers[i].pass;
        return is_last || is_done[i + 1];
    }

    const replay::Allocations& m_allocations;
    const DeviceLabels& m_labels;
    const std::vector<Pass>& m_passes;
    StateId m_last_state;
    std::vector<Sequence> m_sequences;
    std::vector<Sequence> m_small; ///< What else a pass allocates.
    std::vector<LayerPattern> m_patterns;
    Layers m_layers;
};

} // namespace

Layers findLayers(const replay::DeviceReplay& replay, const DeviceLabels& labels,
                  const std::vector<Pass>& passes, const std::vector<std::int32_t>& pass_of)
{
    return LayerFinder(replay, labels, passes).find(pass_of);
}

} // namespace tidemark::label
