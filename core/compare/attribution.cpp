// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/attribution.h"

#include "core/base/language.h"
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

/// One allocation that lives at the moment: with its partner, or alone in one of the runs.
struct Item {
    AllocationId a; ///< None: not alive in A.
    AllocationId b;
    Became became = Became::equal;
};

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
    Attributor(const Side& a, const Side& b, const Places& places, const Alignment& alignment,
               FoundChanges found)
        : m_a(a)
        , m_b(b)
        , m_places(places)
        , m_alignment(alignment)
        , m_found(std::move(found))
    {
    }

    Attribution run(StateId at_a, StateId at_b, Bytes moved_a, Bytes moved_b)
    {
        const std::vector<Item> items = itemsAt(at_a, at_b);
        countPlaces();
        for (const Item& item : items) {
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
                || change.of == ChangeOf::precision
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
    [[nodiscard]] PlaceId placeOf(const Item& item) const
    {
        return item.b.isNone() ? m_places.inA(m_a.allocations().stack[item.a.index()])
                               : m_places.inB(m_b.allocations().stack[item.b.index()]);
    }
    [[nodiscard]] Bucket bucketOf(const Item& item) const
    {
        return item.b.isNone() ? m_a.bucket(item.a) : m_b.bucket(item.b);
    }
    [[nodiscard]] const program::SizeUse& useOf(const Item& item) const
    {
        return item.b.isNone() ? m_a.program.sizeOf(item.a) : m_b.program.sizeOf(item.b);
    }
    [[nodiscard]] label::Role roleOf(const Item& item) const
    {
        return item.b.isNone() ? m_a.labels().role[item.a.index()]
                               : m_b.labels().role[item.b.index()];
    }

    std::vector<Item> itemsAt(StateId at_a, StateId at_b)
    {
        std::vector<Item> items;
        for (const AllocationId b : replay::livingAt(m_b.replay(), at_b)) {
            const AllocationId a = m_alignment.inA(b);
            const bool is_alive = !a.isNone() && m_a.allocations().isLive(a, at_a);
            const Became became = !is_alive    ? a.isNone() ? Became::only_b : Became::lifetime
                : m_a.bytes(a) == m_b.bytes(b) ? Became::equal
                                               : Became::size;
            items.push_back({is_alive ? a : AllocationId::none(), b, became});
        }
        for (const AllocationId a : replay::livingAt(m_a.replay(), at_a)) {
            const AllocationId b = m_alignment.inB(a);
            if (b.isNone() || !m_b.allocations().isLive(b, at_b)) {
                items.push_back(
                    {a, AllocationId::none(), b.isNone() ? Became::only_a : Became::lifetime});
            }
        }
        pairRest(items, [this](const Item& item) {
            return std::tuple(PlaceId::none(), bucketOf(item),
                              item.b.isNone() ? m_a.bytes(item.a) : m_b.bytes(item.b));
        });
        pairRest(items, [this](const Item& item) {
            const std::int64_t bytes = item.b.isNone() ? m_a.bytes(item.a) : m_b.bytes(item.b);
            return std::tuple(placeOf(item), Bucket::unknown,
                              placeOf(item).isNone() ? -1 - m_next++ : bytes);
        });
        pairRest(items, [this](const Item& item) {
            return std::tuple(placeOf(item), bucketOf(item), m_alignment.nature(item.a, item.b));
        });
        pairRest(items, [this](const Item& item) {
            return std::tuple(placeOf(item), bucketOf(item), std::int64_t{0});
        });
        return items;
    }

    /// What is left alone in both runs under one key is the same thing, whatever moment it was made
    /// at: a recording begins later, a step is cut elsewhere. First what has one bucket and size,
    /// then one place and size (it is called something else), then one place and the same product
    /// of dimensions, then one place.
    template <class KeyOf>
    void pairRest(std::vector<Item>& items, const KeyOf& keyOf)
    {
        std::map<decltype(keyOf(items.front())), std::vector<std::size_t>> of_a;
        for (std::size_t i = items.size(); i > 0; --i) {
            if (items[i - 1].b.isNone()) {
                of_a[keyOf(items[i - 1])].push_back(i - 1);
            }
        }
        for (Item& item : items) {
            if (!item.a.isNone() || item.b.isNone()) {
                continue;
            }
            const auto found = of_a.find(keyOf(item));
            if (found == of_a.end() || found->second.empty()) {
                continue;
            }
            Item& partner = items[found->second.back()];
            found->second.pop_back();
            item.a = partner.a;
            item.became = m_a.bytes(item.a) == m_b.bytes(item.b) ? Became::equal : Became::size;
            partner.a = AllocationId::none();
        }
        std::erase_if(items, [](const Item& item) { return item.a.isNone() && item.b.isNone(); });
    }

    void countPlaces()
    {
        m_in_a.assign(m_places.count(), false);
        m_in_b.assign(m_places.count(), false);
        const auto mark = [](const auto& stacks, std::vector<bool>& seen, const auto& placeOf) {
            for (const StackId s : stacks) {
                const PlaceId place = placeOf(s);
                if (!place.isNone()) {
                    seen[place.index()] = true;
                }
            }
        };
        mark(m_a.allocations().stack, m_in_a, [&](StackId s) { return m_places.inA(s); });
        mark(m_b.allocations().stack, m_in_b, [&](StackId s) { return m_places.inB(s); });
    }

    void add(Item item)
    {
        const PlaceId place = placeOf(item);
        const bool is_shared = !place.isNone() && m_in_a[place.index()] && m_in_b[place.index()];
        if (is_shared && (item.became == Became::only_a || item.became == Became::only_b)) {
            item.became = Became::count;
        }
        const Bucket bucket_a = item.a.isNone() ? bucketOf(item) : m_a.bucket(item.a);
        const MovedPhase moved = movedOf(item);
        Row& row = m_rows[{place, bucketOf(item), item.became, bucket_a, moved}];
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
        difference.bucket = bucketOf(item);
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
    [[nodiscard]] MovedPhase movedOf(const Item& item) const
    {
        const bool is_elsewhere = item.became == Became::lifetime;
        return movedPhase(m_a, item.a.isNone() && is_elsewhere ? m_alignment.inA(item.b) : item.a,
                          m_b, item.b.isNone() && is_elsewhere ? m_alignment.inB(item.a) : item.b);
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

    void explain(const Item& item, std::int64_t delta, Row& row)
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
    void explainByGraph(const Item& item, std::int64_t delta, Row& row)
    {
        const AllocationId a = item.a.isNone() ? m_alignment.inA(item.b) : item.a;
        const AllocationId b = item.b.isNone() ? m_alignment.inB(item.a) : item.b;
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
    bool mayBeCast(const Item& item)
    {
        const Bucket bucket = bucketOf(item);
        return find(ChangeOf::precision) != nullptr && !placeOf(item).isNone()
            && (bucket == Bucket::activation || bucket == Bucket::temporary
                || bucket == Bucket::unknown);
    }

    /// What A has alone would have followed batch and sequence; then the precision took it away.
    void explainByWidth(const Item& item, Row& row)
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
    [[nodiscard]] bool isKeptSince(const Item& item) const
    {
        if (!m_found.is_later_dump || item.b.isNone()) {
            return false;
        }
        const Bucket bucket = m_b.bucket(item.b);
        return bucket == Bucket::output || bucket == Bucket::unknown || bucket == Bucket::kv_cache
            || bucket == Bucket::input;
    }

    /// Whether it was made by a line whose live bytes rise from step to step.
    [[nodiscard]] bool isLeaking(const Item& item) const
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

    /// The change that adds or takes away whole allocations of this kind; null: none does.
    Change* habitOf(const Item& item)
    {
        const Bucket bucket = bucketOf(item);
        const label::Role role = roleOf(item);
        const What what = useOf(item).what;
        const bool is_alone = item.a.isNone() || item.b.isNone();
        std::vector<ChangeOf> asked;
        if (what == What::weight_copy || role == label::Role::weight_cast) {
            asked.push_back(ChangeOf::precision);
        }
        const bool is_state =
            bucket == Bucket::optimizer_state || role == label::Role::optimizer_transient;
        const bool is_fixed = is_state || bucket == Bucket::parameter || bucket == Bucket::gradient;
        if (is_state) {
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
    [[nodiscard]] bool isOfMissingPhase(const Item& item) const
    {
        return (item.a.isNone() && lacksPhaseOf(m_a, m_b, item.b))
            || (item.b.isNone() && lacksPhaseOf(m_b, m_a, item.a));
    }

    /// Compiling changes what its own code makes; another number of phases what those make.
    [[nodiscard]] bool mayExplain(ChangeOf of, const Item& item) const
    {
        if (of == ChangeOf::model) {
            return m_found.is_other_model || bucketOf(item) == Bucket::parameter;
        }
        if (of == ChangeOf::phases) {
            return item.became == Became::only_a || item.became == Became::only_b
                || bucketOf(item) == Bucket::gradient || bucketOf(item) == Bucket::optimizer_state
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

    const Side& m_a;
    const Side& m_b;
    const Places& m_places;
    const Alignment& m_alignment;
    FoundChanges m_found;
    Bytes m_unexplained;
    std::int64_t m_next = 0; ///< Tells apart what has no place.
    std::vector<bool> m_in_a;
    std::vector<bool> m_in_b;
    std::map<RowKey, Row> m_rows;
};

} // namespace

std::string_view nameOf(Became became)
{
    static constexpr std::array<std::string_view, 6> kNames{
        "equal", "size", "lifetime", "count", toSay("only in A"), toSay("only in B")};
    return kNames[static_cast<std::size_t>(became)];
}

Attribution attribute(const Side& a, StateId at_a, Bytes moved_a, const Side& b, StateId at_b,
                      Bytes moved_b, const Places& places, const Alignment& alignment,
                      FoundChanges found)
{
    Attributor attributor(a, b, places, alignment, std::move(found));
    return attributor.run(at_a, at_b, moved_a, moved_b);
}

} // namespace tidemark::compare
