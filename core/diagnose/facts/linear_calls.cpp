// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/linear_calls.h"

#include "core/diagnose/facts/adapter_pairs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

/// Bytes of a weight and of its vector.
using WeightBytes = std::pair<std::int64_t, std::int64_t>;

/// Bytes of an element of a weight. Where the weights do not show it both usual ones are tried;
/// ties are for the narrower.
std::vector<std::int64_t> widthsOf(const DeviceRun& run)
{
    const program::Weights& weights = run.program.weights;
    return weights.layers > 0 ? std::vector<std::int64_t>{weights.element_bytes}
                              : std::vector<std::int64_t>{2, 4};
}

/// These lie beside layers and are made last.
std::span<const AllocationId> withoutAdapters(const DeviceRun& run)
{
    std::span<const AllocationId> weights(run.weights);
    for (const auto& [bytes, count] : adapterMatrices(run)) {
        weights = weights.first(weights.size() - static_cast<std::size_t>(count));
    }
    return weights;
}

/// Finds the calls and their weights.
class CallFinder {
public:
    /// `width`: bytes of an element of a weight.
    CallFinder(const DeviceRun& run, const Precision& precision, std::int64_t width)
        : m_run(run)
        , m_sixteen_bit(precision.sixteen_bit)
        , m_weights(layerWeights(run, withoutAdapters(run), width))
        , m_weight_width(width)
        , m_width(precision.autocasts() ? width / 2 : width)
    {
        for (std::size_t w = 0; w < m_weights.size(); ++w) {
            m_kinds[{m_weights[w].bytes, m_weights[w].vector}].insert(w);
            m_copied.insert({m_weights[w].bytes, m_weights[w].vector});
            m_sides.insert(m_weights[w].vector / m_weight_width);
        }
        for (std::size_t i = 0; i < run.allocations().count(); ++i) {
            if (run.bucket(AllocationId(i)) == Bucket::input) {
                m_inputs.insert(run.bytes(AllocationId(i)));
            }
        }
    }

    void run(const Pass& pass)
    {
        const auto [first, end] = m_run.madeIn(pass);
        // A loop that uses its weights again and again is left as soon as that is plain.
        for (std::size_t i = first; i < end && m_again * kRarely <= m_weights.size() && !gaveUp();
             ++i) {
            const AllocationId a(i);
            const MadeBy leaf = m_run.madeBy(a);
            m_recurrent += leaf == MadeBy::recurrent ? 1 : 0;
            if ((leaf == MadeBy::linear && !isBesideOutput(first, i, end))
                || leaf == MadeBy::attention) {
                match(first, i, leaf);
            } else if (leaf == MadeBy::convolution && !m_convolves) {
                ++m_convolved;
                const std::size_t kept = largestOfConvolution(i, end);
                if (kept < end) {
                    match(first, kept, leaf);
                }
            }
            m_convolves = leaf == MadeBy::convolution;
        }
    }

    [[nodiscard]] bool isSure() const
    {
        static constexpr std::size_t kFewest = 2;
        return m_linear >= kFewest && m_convolved <= m_linear && m_recurrent == 0
            && m_again * kRarely <= m_linear && !gaveUp();
    }
    /// Calls of linear layers, two points each, less one for each change of the rows.
    [[nodiscard]] std::int64_t explained() const
    {
        auto count = 2 * static_cast<std::int64_t>(m_linear);
        for (std::size_t c = 1; c < m_calls.size(); ++c) {
            count -= m_calls[c].rows == m_calls[c - 1].rows ? 0 : 1;
        }
        return count;
    }
    [[nodiscard]] LinearCalls found() &&
    {
        return {std::move(m_weights), std::move(m_calls), m_weight_width, m_width, isSure()};
    }

private:
    /// No model has so many sizes of weights and calls so many layers in one pass: what looks like
    /// one has its sizes by chance, and to compare each with each would take forever.
    [[nodiscard]] bool gaveUp() const
    {
        static constexpr std::size_t kMostCompared = std::size_t{1} << 18;
        return m_compared > kMostCompared;
    }
    void use(std::size_t weight)
    {
        m_weights[weight].is_used = true;
        m_kinds[{m_weights[weight].bytes, m_weights[weight].vector}].erase(weight);
    }

    /// How a kind departs from what is expected: its inputs, kernel included, are outputs of
    /// others, as those of a convolution are not; its rows are new; without a bias they may be by
    /// chance; its next weight is far.
    using Choice = std::tuple<bool, bool, bool, std::size_t>;

    /// Under autocast a layer copies its bias, its weight and what it reads before it makes its
    /// result, and its kernel may work in something after that: smaller, or gone at once.
    [[nodiscard]] bool isBesideOutput(std::size_t first, std::size_t at, std::size_t end) const
    {
        if (!m_sixteen_bit) {
            return false;
        }
        const auto bytes = [&](std::size_t i) { return m_run.bytes(AllocationId(i)); };
        if (at > first && !m_calls.empty() && m_run.isOfOneCall(at - 1, at)
            && m_calls.back().begin == m_run.allocations().begin[at - 1]
            && (bytes(at) < bytes(at - 1) || m_run.isGoneAtOnce(at))) {
            return true;
        }
        if (at + 1 >= end || !m_run.isOfOneCall(at, at + 1)) {
            return false;
        }
        const bool is_copy = m_copied.contains(2 * bytes(at));
        return is_copy || (bytes(at + 1) >= bytes(at) && !m_run.isGoneAtOnce(at + 1));
    }

    /// Whether something of that size was made shortly before, or is an input.
    [[nodiscard]] bool isNear(std::size_t first, std::size_t at, std::int64_t bytes) const
    {
        const std::size_t from = at - std::min(at - first, kNear);
        for (std::size_t i = from; i < at; ++i) {
            if (m_run.bytes(AllocationId(i)) == bytes) {
                return true;
            }
        }
        return m_calls.empty() && m_inputs.contains(bytes);
    }

    /// How many rows a call of that kind had whose output is `at`; 0: it was none.
    [[nodiscard]] std::int64_t rowsOf(const WeightBytes& kind, std::size_t first, std::size_t at,
                                      bool convolves) const
    {
        const std::int64_t output = m_run.bytes(AllocationId(at));
        const auto [bytes, vector] = kind;
        if (output == bytes) {
            return 0; // a copy of the weight
        }
        if (vector == 0) {
            return convolves ? 0 : rowsByInput(bytes, first, at);
        }
        const std::int64_t row = vector / m_weight_width * m_width;
        if (row == 0 || output % row != 0) {
            return 0;
        }
        const std::int64_t rows = output / row;
        return convolves || isNear(first, at, rows * (bytes / vector) * m_width) ? rows : 0;
    }

    /// Without a bias only inputs and outputs together tell the rows.
    [[nodiscard]] std::int64_t rowsByInput(std::int64_t bytes, std::size_t first,
                                           std::size_t at) const
    {
        const auto width = static_cast<double>(m_width);
        const double output = static_cast<double>(m_run.bytes(AllocationId(at))) / width;
        const double elements = static_cast<double>(bytes) / static_cast<double>(m_weight_width);
        const std::size_t from = at - std::min(at - first, kNear);
        std::int64_t found = 0;
        for (std::size_t i = from; i < at; ++i) {
            const double input = static_cast<double>(m_run.bytes(AllocationId(i))) / width;
            const double rows = std::round(std::sqrt(input * output / elements));
            const double least = rows * static_cast<double>(kFewestInputs);
            if (rows < 2 || input < least || output < least
                || rows * rows * elements != input * output || std::fmod(input, rows) != 0
                || std::fmod(output, rows) != 0) {
                continue;
            }
            const auto whole = static_cast<std::int64_t>(rows);
            if (m_seen_rows.contains(whole)) {
                return whole;
            }
            const bool is_coarser = whole * 4 == lastRows();
            found = found == 0 && (m_seen_rows.empty() || is_coarser) ? whole : found;
        }
        return found;
    }

    /// Of several kinds that would do the one whose next weight was made soonest after the last.
    void match(std::size_t first, std::size_t at, MadeBy leaf)
    {
        std::optional<std::size_t> best;
        Choice choice_of_best;
        std::int64_t rows_of_best = 0;
        bool is_again = false;
        const std::size_t last = m_calls.empty() ? 0 : m_calls.back().weight;
        const auto distance = [&](std::size_t w) {
            return w >= last ? w - last : w + m_weights.size();
        };
        m_compared += m_kinds.size();
        for (const auto& [kind, unused] : m_kinds) {
            if (leaf == MadeBy::attention && !isPacked(kind)) {
                continue;
            }
            const std::int64_t rows = rowsOf(kind, first, at, leaf == MadeBy::convolution);
            if (rows == 0) {
                continue;
            }
            if (unused.empty()) {
                is_again = true;
                continue;
            }
            const auto behind = unused.lower_bound(last);
            const auto next = behind == unused.end() ? unused.begin() : behind;
            const bool is_unlike =
                leaf == MadeBy::convolution && m_sides.contains(kind.first / kind.second);
            const bool is_new = rows != lastRows();
            const Choice choice{is_unlike, is_new, is_new && kind.second == 0, distance(*next)};
            if (!best || choice < choice_of_best) {
                best = *next;
                choice_of_best = choice;
                rows_of_best = rows;
            }
        }
        if (best) {
            use(*best);
            m_calls.push_back({*best, m_run.allocations().begin[at], rows_of_best,
                               static_cast<double>(m_run.bytes(AllocationId(at)))});
            m_linear += leaf == MadeBy::convolution ? 0 : 1;
            m_seen_rows.insert(rows_of_best);
            if (leaf == MadeBy::attention) {
                useProjection(*best);
            }
        } else if (is_again && leaf == MadeBy::linear) {
            ++m_again;
        }
    }

    /// Whether it makes queries, keys and values in one.
    [[nodiscard]] bool isPacked(const WeightBytes& kind) const
    {
        return kind.second > 0 && kind.first / kind.second * 3 * m_weight_width == kind.second;
    }

    /// It may copy its input and its weight into another layout in passing. The end of the pass:
    /// nothing is kept.
    [[nodiscard]] std::size_t largestOfConvolution(std::size_t from, std::size_t end) const
    {
        std::size_t largest = end;
        for (std::size_t i = from; i < end; ++i) {
            const AllocationId a(i);
            if (m_run.madeBy(a) != MadeBy::convolution) {
                break;
            }
            const bool is_larger =
                largest == end || m_run.bytes(a) >= m_run.bytes(AllocationId(largest));
            if (is_larger && m_run.isLive(a)) {
                largest = i;
            }
        }
        return largest;
    }
    [[nodiscard]] std::int64_t lastRows() const
    {
        return m_calls.empty() ? 0 : m_calls.back().rows;
    }

    /// Attention of the library projects its result by the next weight.
    void useProjection(std::size_t packed)
    {
        if (packed + 1 < m_weights.size()) {
            use(packed + 1);
        }
    }

    static constexpr std::size_t kNear = 24; // allocations
    static constexpr std::size_t kRarely = 4; // one call in so many may use a weight again

    const DeviceRun& m_run;
    bool m_sixteen_bit;
    std::vector<LayerWeight> m_weights;
    std::int64_t m_weight_width;
    std::int64_t m_width;
    std::map<WeightBytes, std::set<std::size_t>>
        m_kinds; ///< With the weights that no call used yet.
    std::set<std::int64_t> m_copied; ///< Bytes of weights and vectors.
    std::set<std::int64_t> m_sides; ///< Numbers of outputs.
    std::set<std::int64_t> m_inputs; ///< Bytes.
    std::set<std::int64_t> m_seen_rows;
    std::vector<LayerCall> m_calls;
    std::size_t m_linear = 0;
    std::size_t m_convolved = 0;
    bool m_convolves = false; ///< The last allocation's layer.
    std::size_t m_recurrent = 0;
    std::size_t m_again = 0;
    std::size_t m_compared = 0; ///< Calls with kinds.
};

} // namespace

LinearCalls findLinearCalls(const DeviceRun& run, const Precision& precision, const Pass& pass)
{
    std::optional<CallFinder> best;
    for (const std::int64_t width : widthsOf(run)) {
        CallFinder found(run, precision, width);
        found.run(pass);
        if (!best || found.explained() > best->explained()) {
            best.emplace(std::move(found));
        }
    }
    return std::move(*best).found();
}

} // namespace tidemark::diagnose
