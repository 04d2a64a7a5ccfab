// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/layers.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::label {
namespace {

/// Recurring stacks of one part of a model: an anchor that opens every block, and all that belongs
/// to it.
struct Pattern {
    StackId anchor;
    std::uint32_t per_layer = 1; ///< How often the anchor occurs in one block.
    std::size_t at = 0; ///< Where the anchor first occurs in the reference pass.
    std::size_t things = 0; ///< That the first block saves.
    std::unordered_set<StackId> members;
};

struct StackCount {
    std::uint32_t count = 0;
    std::int64_t saved_bytes = 0;
    std::size_t first = 0; ///< Position in the sequence.
};

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
        collectSequences(pass_of);
        const std::size_t reference = referencePass();
        if (reference == m_passes.size()) {
            return std::move(m_layers);
        }
        const Sequence& whole = m_sequences[reference];
        searchPatterns(whole, 0, whole.size(), savedBytes(whole, 0, whole.size()),
                       !m_passes[reference].complete);
        dropOperations();
        std::ranges::sort(m_patterns, {}, &Pattern::at);
        for (std::size_t p = 0; p < m_passes.size(); ++p) {
            for (const Pattern& pattern : m_patterns) {
                place(pattern, p);
            }
            addSmall(p);
        }
        finish();
        return std::move(m_layers);
    }

private:
    /// What one forward pass saves for backward, in order, without what is too small to tell blocks
    /// apart: operations make a varying number of helpers.
    using Sequence = std::vector<AllocationId>;

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

    void collectSequences(const std::vector<std::int32_t>& pass_of)
    {
        static constexpr std::int64_t kSmallestPart = 512; // of the largest that is saved
        m_sequences.resize(m_passes.size());
        m_small.resize(m_passes.size());
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
            if (p < m_passes.size() && isSaved(AllocationId(i))) {
                largest[p] = std::max(largest[p], bytes(AllocationId(i)));
            }
        }
        for (std::size_t i = 0; i < pass_of.size(); ++i) {
            const std::size_t p = pass_of[i] < 0 ? m_passes.size() : passOf(i);
            if (p < m_passes.size()) {
                const bool is_small = !isSaved(AllocationId(i))
                    || bytes(AllocationId(i)) < largest[p] / kSmallestPart;
                (is_small ? m_small : m_sequences)[p].push_back(AllocationId(i));
            }
        }
    }

    [[nodiscard]] std::int64_t savedBytes(const Sequence& s, std::size_t from, std::size_t to) const
    {
        std::int64_t sum = 0;
        for (std::size_t i = from; i < to; ++i) {
            sum += isSaved(s[i]) ? bytes(s[i]) : 0;
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
                const std::int64_t saved = savedBytes(m_sequences[p], 0, m_sequences[p].size());
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

    /// How often a stack recurs per block if there are n blocks; 0 if it does not fit. A pass that
    /// was cut off may lack its last occurrences.
    static std::uint32_t perLayer(std::uint32_t count, std::uint32_t n, bool cut)
    {
        static constexpr std::uint32_t kMostWhenCut = 8;
        if (count % n == 0) {
            return count / n;
        }
        const std::uint32_t m = count / n + 1;
        const std::uint32_t without_last = n * m - m; // the last block lacks all of its own
        const bool fits = n > 2 ? count >= without_last : count > without_last;
        return cut && m <= kMostWhenCut && fits ? m : 0;
    }

    void searchPatterns(const Sequence& s, std::size_t from, std::size_t to, std::int64_t all_saved,
                        bool cut)
    {
        static constexpr std::size_t kMostPatterns = 12;
        static constexpr double kSmallestShare =
            0.04; // of all saved bytes; less is not worth a block
        if (to - from < 4 || m_patterns.size() >= kMostPatterns) {
            return;
        }
        std::unordered_map<StackId, StackCount> stacks;
        for (std::size_t i = from; i < to; ++i) {
            StackCount& c = stacks.try_emplace(stackOf(s[i]), StackCount{0, 0, i}).first->second;
            ++c.count;
            c.saved_bytes += isSaved(s[i]) ? bytes(s[i]) : 0;
        }
        std::map<std::uint32_t, double> score; // by candidate number of blocks
        for (const auto& [stack, c] : stacks) {
            if (c.count >= 2 && c.saved_bytes > 0) {
                score[c.count] = 0;
            }
        }
        for (auto& [n, value] : score) {
            for (const auto& [stack, c] : stacks) {
                value += perLayer(c.count, n, cut) > 0 ? static_cast<double>(c.saved_bytes) : 0;
            }
            value *= 1 - 1.0 / n;
        }
        const auto best =
            std::ranges::max_element(score, {}, [](const auto& s2) { return s2.second; });
        if (best == score.end() || best->second < kSmallestShare * static_cast<double>(all_saved)) {
            return;
        }
        const std::uint32_t blocks =
            cut ? best->first : outerBlocks(s, from, to, stacks, best->first);
        Pattern pattern = patternOf(s, from, to, stacks, blocks, cut);
        const std::size_t region_from = pattern.at;
        const std::size_t region_to = regionEnd(s, pattern, from, to);
        if (!isSpread(s, pattern, region_from, region_to)) {
            return;
        }
        m_patterns.push_back(std::move(pattern));
        searchPatterns(s, from, region_from, all_saved, false);
        searchPatterns(s, region_to, to, all_saved, cut);
    }

    /// Where each block holds several equal parts (experts, sublayers) beside other things, the
    /// parts recur more often than the blocks. The number of what holds most; n where nothing does.
    [[nodiscard]] std::uint32_t outerBlocks(const Sequence& s, std::size_t from, std::size_t to,
                                            const std::unordered_map<StackId, StackCount>& stacks,
                                            std::uint32_t n) const
    {
        static constexpr double kWorthMore = 0.05; // of what all that recurs saves
        std::map<std::uint32_t, std::int64_t> beside; // by number of blocks
        std::int64_t all = 0;
        for (const auto& [stack, c] : stacks) {
            all += c.count > 1 ? c.saved_bytes : 0;
            if (c.count > 1 && c.count < n && n % c.count == 0
                && liesBetween(s, from, to, stack, c.count, n, stacks)) {
                beside[c.count] += c.saved_bytes;
            }
        }
        const auto most =
            std::ranges::max_element(beside, {}, [](const auto& b) { return b.second; });
        return most != beside.end()
                && static_cast<double>(most->second) > kWorthMore * static_cast<double>(all)
            ? most->first
            : n;
    }

    /// Whether a stack that occurs once per block does so with as many parts between as a block
    /// has.
    [[nodiscard]] bool liesBetween(const Sequence& s, std::size_t from, std::size_t to,
                                   StackId stack, std::uint32_t blocks, std::uint32_t n,
                                   const std::unordered_map<StackId, StackCount>& stacks) const
    {
        std::uint32_t parts = 0; // of a stack that each part has once
        std::uint32_t at_last = 0;
        std::uint32_t seen = 0;
        StackId part;
        for (std::size_t i = from; i < to; ++i) {
            if (part.isNone() && stacks.at(stackOf(s[i])).count == n) {
                part = stackOf(s[i]);
            }
            parts += stackOf(s[i]) == part ? 1U : 0U;
            if (stackOf(s[i]) == stack) {
                if (seen++ > 0 && parts - at_last != n / blocks) {
                    return false;
                }
                at_last = parts;
            }
        }
        return !part.isNone();
    }

    [[nodiscard]] Pattern patternOf(const Sequence& s, std::size_t from, std::size_t to,
                                    const std::unordered_map<StackId, StackCount>& stacks,
                                    std::uint32_t n, bool cut) const
    {
        Pattern pattern;
        pattern.at = to;
        for (const auto& [stack, c] : stacks) {
            const std::uint32_t m = perLayer(c.count, n, cut);
            if (m > 0 && c.first < pattern.at) {
                pattern.at = c.first;
                pattern.anchor = stack;
                pattern.per_layer = m;
            }
        }
        // What the first block makes belongs to every block.
        std::uint32_t seen = 0;
        for (std::size_t i = std::max(from, pattern.at); i < to; ++i) {
            seen += stackOf(s[i]) == pattern.anchor ? 1U : 0U;
            if (seen > pattern.per_layer) {
                break;
            }
            if (perLayer(stacks.at(stackOf(s[i])).count, n, cut) > 0) {
                pattern.members.insert(stackOf(s[i]));
                ++pattern.things;
            }
        }
        return pattern;
    }

    /// The last block ends where something of a block last occurs.
    [[nodiscard]] std::size_t regionEnd(const Sequence& s, const Pattern& pattern, std::size_t from,
                                        std::size_t to) const
    {
        std::size_t end = from;
        for (std::size_t i = from; i < to; ++i) {
            end = pattern.members.contains(stackOf(s[i])) ? i + 1 : end;
        }
        return end;
    }

    /// One operation that makes a large result and some small ones is no repeated block.
    [[nodiscard]] bool isSpread(const Sequence& s, const Pattern& pattern, std::size_t from,
                                std::size_t to) const
    {
        static constexpr double kLargestShare = 0.75;
        std::int64_t all = 0;
        std::int64_t largest = 0;
        std::int64_t block = 0;
        std::uint32_t seen = 0;
        for (std::size_t i = from; i < to; ++i) {
            if (stackOf(s[i]) == pattern.anchor && seen++ % pattern.per_layer == 0) {
                block = 0;
            }
            const std::int64_t saved = isSaved(s[i]) ? bytes(s[i]) : 0;
            all += saved;
            block += saved;
            largest = std::max(largest, block);
        }
        return static_cast<double>(largest) <= kLargestShare * static_cast<double>(all);
    }

    /// An operation that saves two things, as dropout does, is not two blocks beside those of more.
    void dropOperations()
    {
        const auto saves_more = [](const Pattern& pattern) { return pattern.things > 1; };
        if (std::ranges::any_of(m_patterns, saves_more)) {
            std::erase_if(m_patterns, [&](const Pattern& p) { return !saves_more(p); });
        }
    }

    /// Cuts one pass into the blocks of a pattern.
    void place(const Pattern& pattern, std::size_t p)
    {
        const Sequence& s = m_sequences[p];
        const std::size_t end = regionEnd(s, pattern, 0, s.size());
        std::uint32_t seen = 0;
        bool inside = false;
        for (std::size_t i = 0; i < end; ++i) {
            if (stackOf(s[i]) == pattern.anchor && seen++ % pattern.per_layer == 0) {
                if (inside) {
                    m_layers.layers.back().forward_end = m_allocations.begin[s[i].index()];
                }
                openLayer(p, s[i]);
                inside = true;
            }
            if (inside && m_layers.of[s[i].index()] < 0) {
                addTo(static_cast<std::int32_t>(m_layers.layers.size()) - 1, s[i]);
            }
        }
        if (inside) {
            const bool is_cut_here =
                end == s.size() && !m_passes[p].complete && m_passes[p].backward.isEmpty();
            m_layers.layers.back().forward_end = is_cut_here ? StateId{m_last_state.value + 1}
                : end < s.size()                             ? m_allocations.begin[s[end].index()]
                                                             : m_passes[p].forward.end;
        }
    }

    /// Temporaries and small helpers belong to the block in whose stretch they were made.
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
        std::vector<std::vector<std::pair<StateId, std::int32_t>>> frees(m_passes.size());
        for (std::size_t p = 0; p < m_passes.size(); ++p) {
            for (const AllocationId a : m_sequences[p]) {
                const StateId end = m_allocations.end[a.index()];
                if (!isSaved(a) || end <= m_passes[p].backward.begin || end >= never) {
                    continue;
                }
                const std::int32_t layer = m_layers.of[a.index()];
                frees[p].emplace_back(end, layer);
                if (layer >= 0 && m_layers.layers[static_cast<std::size_t>(layer)].output != a) {
                    StateId& first = first_free[static_cast<std::size_t>(layer)];
                    first = std::min(first, end);
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
            const bool is_next = first_free[i] == never && !pass.complete
                && !pass.backward.isEmpty() && isNextInBackward(i, first_free);
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
    [[nodiscard]] bool isNextInBackward(std::size_t i, const std::vector<StateId>& first_free) const
    {
        const StateId never{m_last_state.value + 1};
        const bool is_last = i + 1 == m_layers.layers.size()
            || m_layers.layers[i + 1].pass != m_layers.layers[i].pass;
        return is_last || first_free[i + 1] != never;
    }

    const replay::Allocations& m_allocations;
    const DeviceLabels& m_labels;
    const std::vector<Pass>& m_passes;
    StateId m_last_state;
    std::vector<Sequence> m_sequences;
    std::vector<Sequence> m_small; ///< What else a pass allocates.
    std::vector<Pattern> m_patterns;
    Layers m_layers;
};

} // namespace

Layers findLayers(const replay::DeviceReplay& replay, const DeviceLabels& labels,
                  const std::vector<Pass>& passes, const std::vector<std::int32_t>& pass_of)
{
    return LayerFinder(replay, labels, passes).find(pass_of);
}

} // namespace tidemark::label
