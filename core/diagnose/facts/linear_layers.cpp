// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/adapter_pairs.h"
#include "core/diagnose/facts/linear_calls.h"
#include "core/diagnose/facts/pass_layers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tidemark::diagnose {
namespace {

/// Bytes of a weight and of its vector.
using HabitKey = std::pair<std::int64_t, std::int64_t>;

/// What a layer of some weight makes and keeps.
struct Habit {
    double output = 0;
    double kept = 0;
    double widest = 0; ///< Kept at the upper end.
    double matrices = 0; ///< Of attention, among what is kept.
    double matrix = 0; ///< The largest of them.
    double kept_after_matrix = 0; ///< What of that is made later.
};

/// What those that ran tell of the others.
class Habits {
public:
    explicit Habits(const LinearCalls& found)
        : m_found(found)
    {
        for (std::size_t c = 0; c < closedCalls(); ++c) {
            const LayerCall& call = found.calls[c];
            m_all.add(call);
            const LayerWeight& weight = found.weights[call.weight];
            m_by_kind[{weight.bytes, weight.vector}].add(call);
            m_by_kind[{weight.bytes, kAnyVector}].add(call);
        }
    }
    /// The last ones still hold what operations after them free.
    [[nodiscard]] std::size_t closedCalls() const
    {
        static constexpr std::size_t kOpen = 3; // queries, keys, values
        const std::size_t count = m_found.calls.size();
        return count > 2 * kOpen ? count - kOpen : count - 1;
    }
    /// Of one whose kind ran, or half of whose sides did; nothing for others.
    [[nodiscard]] std::optional<Habit> ofLike(const LayerWeight& weight) const
    {
        static constexpr std::int64_t kMost = 16; // from the finest rows to the coarsest
        const auto found = [&](HabitKey kind, std::int64_t shrunk) -> std::optional<Habit> {
            const auto sum = m_by_kind.find(kind);
            return sum == m_by_kind.end()
                ? std::nullopt
                : std::optional(sum->second.mean(static_cast<double>(shrunk)));
        };
        const auto [bytes, vector] = HabitKey{weight.bytes, weight.vector};
        for (std::int64_t shrunk = 1; shrunk <= kMost && vector > 0; shrunk *= 2) {
            const auto both = found({bytes / shrunk / shrunk, vector / shrunk}, shrunk);
            // Convolutions within each channel have one side only.
            const auto one = both ? both : found({bytes / shrunk, vector / shrunk}, shrunk);
            if (one) {
                return one;
            }
        }
        for (std::int64_t shrunk = 1; shrunk <= kMost; shrunk *= 2) {
            if (const auto any = found({bytes / shrunk / shrunk, kAnyVector}, shrunk)) {
                return any;
            }
        }
        return std::nullopt;
    }
    /// Of one that is like none, for that many rows; nothing without a vector.
    [[nodiscard]] std::optional<Habit> ofOther(const LayerWeight& weight, double rows) const
    {
        if (weight.vector == 0 || m_all.output <= 0) {
            return std::nullopt;
        }
        const double output = rows * static_cast<double>(weight.vector) * m_found.narrowing();
        const double kept = output * m_all.kept / m_all.output;
        return Habit{output, kept, kept};
    }

private:
    struct Sum {
        double output = 0;
        double kept = 0;
        double matrices = 0;
        double matrix = 0;
        double kept_after_matrix = 0;
        double count = 0;

        void add(const LayerCall& call)
        {
            output += call.output;
            kept += call.kept;
            matrices += call.matrices;
            matrix += call.matrix;
            kept_after_matrix += call.kept_after_matrix;
            ++count;
        }
        [[nodiscard]] Habit mean(double shrunk) const
        {
            return {output / count / shrunk,
                    kept / count / shrunk,
                    kept / count,
                    matrices / count / shrunk,
                    matrix / count / shrunk,
                    kept_after_matrix / count / shrunk};
        }
    };
    static constexpr std::int64_t kAnyVector = -1;

    const LinearCalls& m_found;
    Sum m_all;
    std::map<HabitKey, Sum> m_by_kind;
};

/// How many numbers a row has that most layers read.
std::int64_t hiddenOf(const LinearCalls& found)
{
    std::map<std::int64_t, int> counts;
    for (const LayerCall& call : found.calls) {
        const double outputs = call.output / static_cast<double>(call.rows * found.width);
        const auto elements = static_cast<double>(found.weights[call.weight].bytes)
            / static_cast<double>(found.weight_width);
        ++counts[std::llround(elements / outputs)];
    }
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    return most == counts.end() ? 0 : most->first;
}

/// The largest weight that no call has used and that is like none of them; may be null.
const LayerWeight* tableOf(const LinearCalls& found, const Habits& habits)
{
    const LayerWeight* largest = nullptr;
    for (const LayerWeight& weight : found.weights) {
        const bool is_larger = largest == nullptr || weight.bytes > largest->bytes;
        if (!weight.is_used && is_larger && !habits.ofLike(weight)) {
            largest = &weight;
        }
    }
    return largest;
}

/// Writes the plan: the calls, then what is left.
class Planner {
public:
    Planner(const Facts& facts, const LinearCalls& found)
        : m_found(found)
        , m_habits(found)
        , m_is_trained(adapterMatrices(facts).empty())
        , m_table(tableOf(found, m_habits))
    {
        const std::int64_t column = hiddenOf(found) * found.weight_width;
        if (m_table != nullptr && column > 0 && m_table->bytes % column == 0) {
            m_pass_layers.table.columns = static_cast<double>(m_table->bytes / column);
        }
        m_pass_layers.table.rows = found.rows();
        m_pass_layers.table.width = static_cast<double>(found.width);
        m_pass_layers.table.token =
            8.0 / facts.weightWidth() * static_cast<double>(found.weight_width);
    }

    void addCalls()
    {
        const std::size_t closed = m_habits.closedCalls();
        Habit open; // all of them together
        for (std::size_t c = 0; c < m_found.calls.size(); ++c) {
            const LayerCall& call = m_found.calls[c];
            const LayerWeight& weight = m_found.weights[call.weight];
            m_pass_layers.begins.push_back(call.begin);
            if (c < closed) {
                add(weight,
                    {call.output, call.kept, call.kept, call.matrices, call.matrix,
                     call.kept_after_matrix});
                continue;
            }
            const Habit habit = habitOf(weight, m_found.rows()).value_or(Habit{});
            open.kept += habit.kept;
            open.matrices += habit.matrices;
            if (habit.matrix > open.matrix) {
                open.matrix = habit.matrix;
                open.kept_after_matrix = habit.kept_after_matrix;
            }
            open.widest += habit.widest;
            m_pass_layers.kept_of_open += call.kept;
            add(weight, {call.output, 0, 0});
        }
        m_pass_layers.layers.back().kept = std::max(m_pass_layers.kept_of_open, open.kept);
        m_pass_layers.layers.back().matrices = open.matrices;
        m_pass_layers.layers.back().matrix = open.matrix;
        m_pass_layers.layers.back().kept_after_matrix = open.kept_after_matrix;
        m_pass_layers.widest.back().kept =
            std::max(m_pass_layers.kept_of_open, kMore * open.widest);
        m_pass_layers.widest.back().matrices = open.matrices;
        m_pass_layers.widest.back().matrix = open.matrix;
    }

    /// False where too much is not known.
    bool addRest()
    {
        static constexpr double kUnknown = 0.3; // of the weights' bytes
        const auto first = std::ranges::min_element(m_found.calls, {}, &LayerCall::weight);
        const std::int64_t table = m_pass_layers.table.columns > 0 ? m_table->bytes : 0;
        double known = 0;
        double unknown = 0;
        for (std::size_t w = first->weight; w < m_found.weights.size(); ++w) {
            const LayerWeight& weight = m_found.weights[w];
            const bool is_done = weight.is_used || weight.is_passed || weight.bytes == table;
            const std::optional<Habit> habit =
                is_done ? std::nullopt : habitOf(weight, rowsNear(w));
            (is_done || habit ? known : unknown) += static_cast<double>(weight.bytes);
            if (habit) {
                add(weight,
                    {habit->output, habit->kept, kMore * habit->widest, habit->matrices,
                     habit->matrix, habit->kept_after_matrix});
            }
        }
        return unknown <= kUnknown * (known + unknown);
    }

    [[nodiscard]] PassLayers pass_layers() &&
    {
        return std::move(m_pass_layers);
    }

private:
    void add(const LayerWeight& weight, const Habit& habit)
    {
        const auto bytes = static_cast<double>(weight.bytes);
        const double gradient = m_is_trained ? bytes : 0;
        m_pass_layers.layers.push_back({bytes, gradient, habit.output, habit.kept, habit.matrices,
                                        habit.matrix, habit.kept_after_matrix});
        m_pass_layers.widest.push_back(
            {bytes, gradient, habit.output, habit.widest, habit.matrices, habit.matrix});
    }
    [[nodiscard]] std::optional<Habit> habitOf(const LayerWeight& weight, double rows) const
    {
        const std::optional<Habit> like = m_habits.ofLike(weight);
        return like ? like : m_habits.ofOther(weight, rows);
    }
    /// Rows of what comes next, as one between two stages makes them for the later; at the end
    /// those of what came before.
    [[nodiscard]] double rowsNear(std::size_t at) const
    {
        const std::vector<LayerWeight>& weights = m_found.weights;
        const auto rowsOf = [&](const LayerWeight& weight) -> std::optional<double> {
            const auto like =
                weight.vector > 0 && !weight.is_used ? m_habits.ofLike(weight) : std::nullopt;
            return like ? std::optional(
                       like->output / (static_cast<double>(weight.vector) * m_found.narrowing()))
                        : std::nullopt;
        };
        for (std::size_t w = at + 1; w < weights.size(); ++w) {
            if (const auto rows = rowsOf(weights[w])) {
                return *rows;
            }
        }
        for (std::size_t w = at; w-- > 0;) {
            if (const auto rows = rowsOf(weights[w])) {
                return *rows;
            }
        }
        return m_found.rows();
    }

    static constexpr double kMore = 1.5; // at the upper end

    const LinearCalls& m_found;
    Habits m_habits;
    bool m_is_trained; ///< What layers multiply with; not beside adapters.
    const LayerWeight* m_table; ///< Null: none.
    PassLayers m_pass_layers;
};

/// Bytes of attention matrices that the pass had made and that live, the failed request included.
double matricesOf(const Facts& facts, const Pass& pass)
{
    double bytes = 0;
    for (const AllocationId a : facts.madeIn(pass)) {
        if (facts.role(a) == label::Role::attention_matrix && facts.isLive(a)) {
            bytes += static_cast<double>(facts.bytes(a));
        }
    }
    const label::FailedRequest* const failed = facts.failed;
    const bool failed_too = failed != nullptr && failed->role == label::Role::attention_matrix;
    return bytes + (failed_too ? static_cast<double>(facts.moment.requested.value) : 0);
}

} // namespace

PassLayers findLinearLayers(const Facts& facts, const Pass& pass)
{
    const LinearCalls found = findLinearCalls(facts, pass);
    if (!found.is_sure) {
        return {};
    }
    Planner planner(facts, found);
    planner.addCalls();
    const bool is_known = planner.addRest();
    PassLayers pass_layers = std::move(planner).pass_layers();
    pass_layers.made = addedBy(facts, pass);
    pass_layers.made_matrices = matricesOf(facts, pass);
    return pass_layers.made > 0 && is_known ? pass_layers : PassLayers{};
}

} // namespace tidemark::diagnose