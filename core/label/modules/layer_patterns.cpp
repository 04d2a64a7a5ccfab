// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/layer_patterns.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace tidemark::label {
namespace {

struct StackCount {
    std::uint32_t count = 0;
    std::int64_t bytes = 0;
    std::size_t first = 0; ///< Position in the sequence.
    std::size_t last = 0;

    [[nodiscard]] bool isSideBySide() const
    {
        return last - first + 1 == count;
    }
};
using StackCounts = std::unordered_map<StackId, StackCount>;

std::int64_t bytesOf(std::span<const MadeThing> made)
{
    std::int64_t sum = 0;
    for (const MadeThing& thing : made) {
        sum += thing.bytes;
    }
    return sum;
}

/// How often a stack recurs per block if there are n blocks; 0 if it does not fit. A pass that
/// was cut off may lack its last occurrences.
std::uint32_t perLayer(std::uint32_t count, std::uint32_t n, bool cut)
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

class PatternFinder {
public:
    explicit PatternFinder(std::span<const MadeThing> made)
        : m_made(made)
        , m_all_bytes(bytesOf(made))
    {
    }

    std::vector<LayerPattern> find(PatternSearch search)
    {
        searchBetween(0, m_made.size(), search);
        dropOperations();
        std::ranges::sort(m_patterns, {}, &LayerPattern::at);
        return std::move(m_patterns);
    }

private:
    void searchBetween(std::size_t from, std::size_t to, PatternSearch search)
    {
        static constexpr std::size_t kMostPatterns = 12;
        if (to - from < 4 || m_patterns.size() >= kMostPatterns) {
            return;
        }
        const StackCounts stacks = countStacks(from, to);
        const std::uint32_t recurring = numberOfBlocks(stacks, search.is_cut);
        if (recurring == 0) {
            return;
        }
        const std::uint32_t blocks =
            search.is_cut ? recurring : outerBlocks(from, to, stacks, recurring);
        LayerPattern pattern = patternOf(from, to, stacks, blocks, search.is_cut);
        const std::size_t begin = pattern.at;
        const std::size_t end = pattern.end;
        if (!isSpread(pattern)) {
            if (search.tries > 0) {
                searchBetween(begin + 1, to, {search.is_cut, search.tries - 1});
            }
            return;
        }
        m_patterns.push_back(std::move(pattern));
        searchBetween(from, begin, {false, search.tries});
        searchBetween(end, to, search);
    }

    /// Embeddings or the parts of a norm that are made side by side recur in no block where others
    /// recur with something between: they count once.
    [[nodiscard]] StackCounts countStacks(std::size_t from, std::size_t to) const
    {
        StackCounts stacks;
        for (std::size_t i = from; i < to; ++i) {
            StackCount& c =
                stacks.try_emplace(m_made[i].stack, StackCount{0, 0, i, i}).first->second;
            ++c.count;
            c.bytes += m_made[i].bytes;
            c.last = i;
        }
        if (!std::ranges::all_of(stacks, &StackCount::isSideBySide,
                                 &StackCounts::value_type::second)) {
            for (auto& [stack, c] : stacks) {
                c.count = c.isSideBySide() ? 1 : c.count;
            }
        }
        return stacks;
    }

    /// What recurs most; 0 if nothing that would be worth a block.
    [[nodiscard]] std::uint32_t numberOfBlocks(const StackCounts& stacks, bool cut) const
    {
        static constexpr double kSmallestShare = 0.04; // of all bytes
        std::map<std::uint32_t, double> score; // by candidate number of blocks
        for (const auto& [stack, c] : stacks) {
            if (c.count >= 2 && c.bytes > 0) {
                score[c.count] = 0;
            }
        }
        for (auto& [n, value] : score) {
            for (const auto& [stack, c] : stacks) {
                value += perLayer(c.count, n, cut) > 0 ? static_cast<double>(c.bytes) : 0;
            }
            value *= 1 - 1.0 / n;
        }
        const auto best =
            std::ranges::max_element(score, {}, [](const auto& entry) { return entry.second; });
        const bool is_worth = best != score.end()
            && best->second >= kSmallestShare * static_cast<double>(m_all_bytes);
        return is_worth ? best->first : 0;
    }

    /// Where each block holds several equal parts (experts, sublayers) beside other things, the
    /// parts recur more often than the blocks. The number of what holds most; n where nothing does.
    [[nodiscard]] std::uint32_t outerBlocks(std::size_t from, std::size_t to,
                                            const StackCounts& stacks, std::uint32_t n) const
    {
        static constexpr double kWorthMore = 0.05; // of all that recurs
        std::map<std::uint32_t, std::int64_t> beside; // by number of blocks
        std::int64_t all = 0;
        for (const auto& [stack, c] : stacks) {
            all += c.count > 1 ? c.bytes : 0;
            if (c.count > 1 && c.count < n && n % c.count == 0
                && liesBetween(from, to, stack, c.count, n, stacks)) {
                beside[c.count] += c.bytes;
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
    [[nodiscard]] bool liesBetween(std::size_t from, std::size_t to, StackId stack,
                                   std::uint32_t blocks, std::uint32_t n,
                                   const StackCounts& stacks) const
    {
        std::uint32_t parts = 0; // of a stack that each part has once
        std::uint32_t at_last = 0;
        std::uint32_t seen = 0;
        StackId part;
        for (std::size_t i = from; i < to; ++i) {
            const StackId here = m_made[i].stack;
            if (part.isNone() && stacks.at(here).count == n) {
                part = here;
            }
            parts += here == part ? 1U : 0U;
            if (here == stack) {
                if (seen++ > 0 && parts - at_last != n / blocks) {
                    return false;
                }
                at_last = parts;
            }
        }
        return !part.isNone();
    }

    [[nodiscard]] LayerPattern patternOf(std::size_t from, std::size_t to,
                                         const StackCounts& stacks, std::uint32_t n, bool cut) const
    {
        LayerPattern pattern;
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
            seen += m_made[i].stack == pattern.anchor ? 1U : 0U;
            if (seen > pattern.per_layer) {
                break;
            }
            if (perLayer(stacks.at(m_made[i].stack).count, n, cut) > 0) {
                pattern.members.insert(m_made[i].stack);
                ++pattern.things;
            }
        }
        pattern.end = from;
        for (std::size_t i = from; i < to; ++i) {
            pattern.end = pattern.members.contains(m_made[i].stack) ? i + 1 : pattern.end;
        }
        return pattern;
    }

    /// One operation that makes a large result and some small ones is no repeated block.
    [[nodiscard]] bool isSpread(const LayerPattern& pattern) const
    {
        static constexpr double kLargestShare = 0.75;
        std::int64_t all = 0;
        std::int64_t largest = 0;
        std::int64_t block = 0;
        std::uint32_t seen = 0;
        for (std::size_t i = pattern.at; i < pattern.end; ++i) {
            if (m_made[i].stack == pattern.anchor && seen++ % pattern.per_layer == 0) {
                block = 0;
            }
            all += m_made[i].bytes;
            block += m_made[i].bytes;
            largest = std::max(largest, block);
        }
        return static_cast<double>(largest) <= kLargestShare * static_cast<double>(all);
    }

    /// An operation that makes two things, as dropout does, is not two blocks beside those of more.
    void dropOperations()
    {
        const auto makes_more = [](const LayerPattern& pattern) { return pattern.things > 1; };
        if (std::ranges::any_of(m_patterns, makes_more)) {
            std::erase_if(m_patterns, [&](const LayerPattern& p) { return !makes_more(p); });
        }
    }

    std::span<const MadeThing> m_made;
    std::int64_t m_all_bytes;
    std::vector<LayerPattern> m_patterns;
};

} // namespace

std::vector<LayerPattern> findLayerPatterns(std::span<const MadeThing> made, PatternSearch search)
{
    return PatternFinder(made).find(search);
}

double shareOfLayers(std::span<const MadeThing> made, std::span<const LayerPattern> patterns)
{
    std::int64_t most = 0;
    double share = 0;
    for (const LayerPattern& pattern : patterns) {
        std::int64_t held = 0;
        const std::span<const MadeThing> region =
            made.subspan(pattern.at, pattern.end - pattern.at);
        for (const MadeThing& thing : region) {
            held += pattern.members.contains(thing.stack) ? thing.bytes : 0;
        }
        if (held > most) {
            most = held;
            share = static_cast<double>(held) / static_cast<double>(bytesOf(region));
        }
    }
    return share;
}

} // namespace tidemark::label
