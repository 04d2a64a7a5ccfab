// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/attribution.h"

#include "core/base/language.h"
#include "core/compare/living_changes.h"
#include "core/compare/size_steps.h"
#include "core/compare/spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

namespace tidemark::compare {
namespace {

using label::Bucket;
using program::What;

struct RowKey {
    PlaceId place;
    Bucket bucket = Bucket::unknown;
    Became became = Became::equal;
    Bucket bucket_a = Bucket::unknown;
    MovedPhase moved;
    friend constexpr bool operator<(const RowKey& x, const RowKey& y)
    {
        const auto key = [](const RowKey& k) {
            return std::tuple(k.place, k.bucket, k.became, k.bucket_a, k.moved.a, k.moved.b);
        };
        return key(x) < key(y);
    }
};

struct Row {
    PlaceDifference difference;
    std::map<ChangeOf, std::int64_t> explained;
    std::set<std::pair<std::int64_t, std::int64_t>> sizes;
};

class Attributor {
public:
    Attributor(const Both& both, FoundChanges found)
        : m_both(both)
        , m_a(both.a)
        , m_b(both.b)
        , m_found(std::move(found))
    {
    }

    Attribution run(StateId at_a, StateId at_b, Bytes moved_a, Bytes moved_b)
    {
        const std::vector<Living> items = pairLiving(m_both, at_a, at_b);
        addLivingChanges(m_both, items, m_found);
        for (const Living& item : items) {
            add(item);
        }
        Attribution result;
        result.at_a = at_a;
        result.at_b = at_b;
        result.moved = moved_a + moved_b;
        spread(moved_b - moved_a, m_found.changes, m_unexplained);
        result.unexplained = m_unexplained;
        // These are told by what they make: where nothing here follows, nothing is said.
        std::erase_if(m_found.changes, [this](const Change& change) {
            const bool is_told_by_sizes = change.of == ChangeOf::attention
                || change.of == ChangeOf::precision || change.of == ChangeOf::rows
                || (change.of == ChangeOf::model && !m_found.is_other_model);
            return is_told_by_sizes && change.explains.value == 0;
        });
        result.changes = std::move(m_found.changes);
        std::ranges::stable_sort(result.changes, [](const Change& x, const Change& y) {
            return std::abs(x.explains.value) > std::abs(y.explains.value);
        });
        result.places = rows();
        return result;
    }

private:
    [[nodiscard]] Change* find(ChangeOf of)
    {
        const auto found = std::ranges::find(m_found.changes, of, &Change::of);
        return found == m_found.changes.end() ? nullptr : &*found;
    }
    [[nodiscard]] const program::SizeUse& useOf(const Living& item) const
    {
        return item.b.isNone() ? m_a.program.sizeOf(item.a) : m_b.program.sizeOf(item.b);
    }
    [[nodiscard]] label::Role roleOf(const Living& item) const
    {
        return item.b.isNone() ? m_a.labels().role[item.a.index()]
                               : m_b.labels().role[item.b.index()];
    }

    void add(const Living& item)
    {
        const PlaceId place = m_both.placeOf(item);
        const Bucket bucket_a = item.a.isNone() ? m_both.bucketOf(item) : m_a.bucket(item.a);
        const MovedPhase moved = movedOf(item);
        Row& row = m_rows[{place, m_both.bucketOf(item), item.became, bucket_a, moved}];
        const std::int64_t a = item.a.isNone() ? 0 : m_a.bytes(item.a);
        const std::int64_t b = item.b.isNone() ? 0 : m_b.bytes(item.b);
        PlaceDifference& difference = row.difference;
        if (!item.a.isNone()) {
            difference.stack_a = m_a.allocations().stack[item.a.index()];
            keepFirst(difference.example_a, item.a);
            ++difference.count_a;
        }
        if (!item.b.isNone()) {
            difference.stack_b = m_b.allocations().stack[item.b.index()];
            keepFirst(difference.example_b, item.b);
            ++difference.count_b;
        }
        difference.bucket = m_both.bucketOf(item);
        difference.bucket_a = bucket_a;
        difference.moved = moved;
        difference.what = useOf(item).what;
        difference.became = item.became;
        difference.a = difference.a + Bytes{a};
        difference.b = difference.b + Bytes{b};
        row.sizes.emplace(a, b);
        explain(item, b - a, row);
    }

    /// What is not alive in one of the runs at this moment may have its partner elsewhere.
    [[nodiscard]] MovedPhase movedOf(const Living& item) const
    {
        const bool is_elsewhere = item.became == Became::lifetime;
        return movedPhase(
            m_a, item.a.isNone() && is_elsewhere ? m_both.alignment.inA(item.b) : item.a, m_b,
            item.b.isNone() && is_elsewhere ? m_both.alignment.inB(item.a) : item.b);
    }

    static void keepFirst(AllocationId& first, AllocationId id)
    {
        first = first.isNone() ? id : std::min(first, id);
    }

    void give(ChangeOf of, std::int64_t bytes, Row& row)
    {
        if (bytes != 0) {
            find(of)->explains = find(of)->explains + Bytes{bytes};
            row.explained[of] += bytes;
        }
    }

    void explain(const Living& item, std::int64_t delta, Row& row)
    {
        if (delta == 0) {
            return;
        }
        if (!item.a.isNone() && !item.b.isNone()) {
            const auto steps = stepsBetween(m_a.program.sizeOf(item.a), m_b.program.sizeOf(item.b),
                                            m_found.growths);
            if (steps) {
                giveSteps(*steps, row);
                return;
            }
        }
        if (const Change* const change = habitOf(item)) {
            if (change->of == ChangeOf::graph) {
                explainByGraph(item, delta, row);
            } else {
                give(change->of, delta, row);
            }
            return;
        }
        if (item.became != Became::only_a && item.became != Became::only_b && mayBeCast(item)) {
            explainByWidth(item, row);
            return;
        }
        m_unexplained = m_unexplained + Bytes{delta};
        row.difference.unexplained = row.difference.unexplained + Bytes{delta};
    }

    /// What is saved for backward in one run alone, while its partner was freed: at its partner's
    /// size it would have been saved, too; the rest follows batch and sequence.
    void explainByGraph(const Living& item, std::int64_t delta, Row& row)
    {
        const AllocationId a = item.a.isNone() ? m_both.alignment.inA(item.b) : item.a;
        const AllocationId b = item.b.isNone() ? m_both.alignment.inB(item.a) : item.b;
        if (!a.isNone() && !b.isNone()) {
            if (const auto steps =
                    stepsBetween(m_a.program.sizeOf(a), m_b.program.sizeOf(b), m_found.growths)) {
                giveSteps(*steps, row);
                delta -= m_b.bytes(b) - m_a.bytes(a);
            }
        }
        give(ChangeOf::graph, delta, row);
    }

    void giveSteps(const SizeSteps& steps, Row& row)
    {
        give(ChangeOf::sequence, steps.sequence, row);
        give(ChangeOf::micro_batch, steps.batch, row);
        give(ChangeOf::rows, steps.rows, row);
        give(ChangeOf::precision, steps.width, row);
    }

    /// Under another precision a place of both runs makes, keeps and drops other copies.
    bool mayBeCast(const Living& item)
    {
        const Bucket bucket = m_both.bucketOf(item);
        return find(ChangeOf::precision) != nullptr && !m_both.placeOf(item).isNone()
            && (bucket == Bucket::activation || bucket == Bucket::temporary
                || bucket == Bucket::unknown);
    }

    /// What A has alone would have followed batch and sequence; then the precision took it away.
    void explainByWidth(const Living& item, Row& row)
    {
        const std::int64_t b = item.b.isNone() ? 0 : m_b.bytes(item.b);
        if (item.a.isNone()) {
            give(ChangeOf::precision, b, row);
            return;
        }
        const SizeSteps steps = stepsFrom(m_a.program.sizeOf(item.a), m_found.growths);
        give(ChangeOf::sequence, steps.sequence, row);
        give(ChangeOf::micro_batch, steps.batch, row);
        give(ChangeOf::rows, steps.rows, row);
        give(ChangeOf::precision, b - m_a.bytes(item.a) - steps.sequence - steps.batch - steps.rows,
             row);
    }

    /// Whether it is what a later dump of the same run keeps beyond the earlier one: one more of
    /// what is no part of a step.
    [[nodiscard]] bool isKeptSince(const Living& item) const
    {
        if (!m_found.is_later_dump || item.b.isNone()) {
            return false;
        }
        const Bucket bucket = m_b.bucket(item.b);
        return bucket == Bucket::output || bucket == Bucket::unknown || bucket == Bucket::kv_cache
            || bucket == Bucket::input;
    }

    /// Whether it was made by a line whose live bytes rise from step to step.
    [[nodiscard]] bool isLeaking(const Living& item) const
    {
        if (isKeptSince(item)) {
            return true;
        }
        const StackId stack = item.b.isNone() ? m_a.allocations().stack[item.a.index()]
                                              : m_b.allocations().stack[item.b.index()];
        const std::vector<StackId>& leaking =
            item.b.isNone() ? m_found.leaking_a : m_found.leaking_b;
        return std::ranges::find(leaking, stack) != leaking.end();
    }

    [[nodiscard]] bool isInFlight(const Living& item) const
    {
        return m_found.in_flight.contains({m_both.placeOf(item), m_both.bytesOf(item)});
    }

    /// The change that adds or takes away whole allocations of this kind; null: none does.
    Change* habitOf(const Living& item)
    {
        const Bucket bucket = m_both.bucketOf(item);
        const label::Role role = roleOf(item);
        const What what = useOf(item).what;
        const bool is_alone = item.isAlone();
        std::vector<ChangeOf> asked;
        if (what == What::weight_copy || role == label::Role::weight_cast) {
            asked.push_back(ChangeOf::precision);
        }
        const bool is_state =
            bucket == Bucket::optimizer_state || role == label::Role::optimizer_transient;
        const bool is_fixed = is_state || bucket == Bucket::parameter || bucket == Bucket::gradient;
        if (is_state) {
            if (is_alone) {
                asked.push_back(ChangeOf::first_step);
            }
            asked.push_back(ChangeOf::optimizer);
        }
        if (is_fixed) {
            asked.push_back(ChangeOf::lora);
            asked.push_back(ChangeOf::precision);
        }
        if (bucket == Bucket::activation && is_alone) {
            asked.push_back(ChangeOf::graph);
        }
        if (is_alone && (what == What::attention_matrix || role == label::Role::attention_matrix)) {
            asked.push_back(ChangeOf::attention);
        }
        if (bucket == Bucket::activation || bucket == Bucket::temporary) {
            if (is_alone) {
                asked.push_back(ChangeOf::checkpointing);
            }
            asked.push_back(ChangeOf::lora); // what only frozen weights read is not saved
        }
        if (is_alone && isInFlight(item)) {
            asked.insert(asked.begin(), ChangeOf::in_flight);
        }
        if (isOfMissingPhase(item)) {
            asked.insert(asked.begin(), ChangeOf::phases);
        }
        if (is_alone && isLeaking(item)) {
            asked.insert(asked.begin(), ChangeOf::leak);
        }
        // Another model makes all else, compiled or not.
        if (m_found.is_other_model) {
            asked.push_back(ChangeOf::model);
        }
        asked.push_back(ChangeOf::compile);
        if (is_alone) {
            asked.push_back(ChangeOf::phases);
        }
        asked.push_back(ChangeOf::model);
        for (const ChangeOf of : asked) {
            Change* const change = find(of);
            if (change != nullptr && mayExplain(of, item)) {
                return change;
            }
        }
        return nullptr;
    }

    /// Whether it is alone because the other run has no phase that makes such a thing.
    [[nodiscard]] bool isOfMissingPhase(const Living& item) const
    {
        return (item.a.isNone() && lacksPhaseOf(m_a, m_b, item.b))
            || (item.b.isNone() && lacksPhaseOf(m_b, m_a, item.a));
    }

    /// Compiling changes what its own code makes; another number of phases what those make.
    [[nodiscard]] bool mayExplain(ChangeOf of, const Living& item) const
    {
        if (of == ChangeOf::model) {
            return m_found.is_other_model || m_both.bucketOf(item) == Bucket::parameter;
        }
        if (of == ChangeOf::phases) {
            return item.became == Became::only_a || item.became == Became::only_b
                || m_both.bucketOf(item) == Bucket::gradient
                || m_both.bucketOf(item) == Bucket::optimizer_state
                || item.became == Became::lifetime || isOfMissingPhase(item);
        }
        return true;
    }

    std::vector<PlaceDifference> rows()
    {
        std::vector<PlaceDifference> all;
        for (auto& [key, row] : m_rows) {
            std::int64_t most = std::abs(row.difference.unexplained.value);
            for (const auto& [of, bytes] : row.explained) {
                if (std::abs(bytes) > most) {
                    most = std::abs(bytes);
                    row.difference.change = of;
                }
            }
            row.difference.factor = factorOf(row);
            row.difference.is_one_size = row.sizes.size() == 1;
            all.push_back(row.difference);
        }
        std::ranges::stable_sort(all, [](const PlaceDifference& x, const PlaceDifference& y) {
            return std::abs(x.delta().value) > std::abs(y.delta().value);
        });
        return all;
    }

    static std::optional<double> factorOf(const Row& row)
    {
        std::optional<double> factor;
        for (const auto& [a, b] : row.sizes) {
            if (a == 0 || b == 0) {
                return std::nullopt;
            }
            const double ratio = static_cast<double>(b) / static_cast<double>(a);
            if (factor && std::abs(*factor / ratio - 1) > 1e-6) {
                return std::nullopt;
            }
            factor = ratio;
        }
        return factor;
    }

    const Both& m_both;
    const Side& m_a;
    const Side& m_b;
    FoundChanges m_found;
    Bytes m_unexplained;
    std::map<RowKey, Row> m_rows;
};

} // namespace

Attribution attribute(const Both& both, StateId at_a, Bytes moved_a, StateId at_b, Bytes moved_b,
                      FoundChanges found)
{
    return Attributor(both, std::move(found)).run(at_a, at_b, moved_a, moved_b);
}

} // namespace tidemark::compare
