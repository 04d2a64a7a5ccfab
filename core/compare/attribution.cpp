// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/attribution.h"

#include "core/compare/living_changes.h"
#include "core/compare/shares.h"
#include "core/compare/size_routes.h"
#include "core/compare/spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace tidemark::compare {
namespace {

using label::Bucket;
using program::TensorKind;

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
    std::map<StackId, std::int64_t> bytes_of_a; ///< Of each stack.
    std::map<StackId, std::int64_t> bytes_of_b;
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
        std::erase_if(m_found.changes, [this](const RunChange& change) {
            const bool is_told_by_sizes = change.of == ChangeOf::attention
                || change.of == ChangeOf::precision || change.of == ChangeOf::rows
                || (change.of == ChangeOf::model && !m_found.is_other_model);
            return is_told_by_sizes && change.explains.value == 0;
        });
        result.changes = std::move(m_found.changes);
        std::ranges::stable_sort(result.changes, [](const RunChange& x, const RunChange& y) {
            return std::abs(x.explains.value) > std::abs(y.explains.value);
        });
        result.places = rows();
        return result;
    }

private:
    [[nodiscard]] RunChange* find(ChangeOf of)
    {
        const auto found = std::ranges::find(m_found.changes, of, &RunChange::of);
        return found == m_found.changes.end() ? nullptr : &*found;
    }
    [[nodiscard]] const program::SizeUse& useOf(const Living& item) const
    {
        return item.b.isNone() ? m_a.program.sizeOf(item.a) : m_b.program.sizeOf(item.b);
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
            row.bytes_of_a[m_a.allocations().stack[item.a.index()]] += a;
            difference.ids_a.push_back(item.a);
            ++difference.count_a;
        }
        if (!item.b.isNone()) {
            row.bytes_of_b[m_b.allocations().stack[item.b.index()]] += b;
            difference.ids_b.push_back(item.b);
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
        explain(item, a, b, row);
    }

    /// What is not alive in one of the runs at this moment may have its partner elsewhere.
    [[nodiscard]] MovedPhase movedOf(const Living& item) const
    {
        const bool is_elsewhere = item.became == Became::lifetime;
        return movedPhase(
            m_a, item.a.isNone() && is_elsewhere ? m_both.alignment.inA(item.b) : item.a, m_b,
            item.b.isNone() && is_elsewhere ? m_both.alignment.inB(item.a) : item.b);
    }

    void give(ChangeOf of, std::int64_t bytes, Row& row)
    {
        if (bytes != 0) {
            find(of)->explains = find(of)->explains + Bytes{bytes};
            row.explained[of] += bytes;
        }
    }

    void explain(const Living& item, std::int64_t a, std::int64_t b, Row& row)
    {
        if (a == b) {
            return;
        }
        const std::optional<SizeRoute> route = routeOfPartners(item);
        std::vector<ChangeFactor> factors = shapeFactors(route ? *route : routeOfEither(item));
        if (item.isAlone() || !route) {
            const std::optional<ChangeOf> rest = restOf(item);
            if (!rest) {
                m_unexplained = m_unexplained + Bytes{b - a};
                row.difference.unexplained = row.difference.unexplained + Bytes{b - a};
                return;
            }
            if (!item.isAlone() && *rest != ChangeOf::precision) {
                factors.clear(); // Of another kind, not of another shape.
            }
            addRest(*rest, a, b, factors);
        }
        for (const ChangeShare& share : sharesOf(a, b, factors)) {
            give(share.of, share.bytes, row);
        }
    }

    /// Of a pair, also where one of them does not live at this moment.
    [[nodiscard]] std::optional<SizeRoute> routeOfPartners(const Living& item) const
    {
        const bool is_elsewhere = item.became == Became::lifetime;
        const AllocationId a =
            item.a.isNone() && is_elsewhere ? m_both.alignment.inA(item.b) : item.a;
        const AllocationId b =
            item.b.isNone() && is_elsewhere ? m_both.alignment.inB(item.a) : item.b;
        return a.isNone() || b.isNone()
            ? std::nullopt
            : routeBetween(m_a.program.sizeOf(a), m_b.program.sizeOf(b), m_found.growths);
    }
    /// As the program says of the one that there is, or of the one that grows more.
    [[nodiscard]] SizeRoute routeOfEither(const Living& item) const
    {
        const auto routeIn = [](const Side& side, AllocationId id) {
            const bool is_read = !id.isNone() && !side.program.dimensions.empty();
            return is_read ? routeOf(side.program.sizeOf(id)) : SizeRoute{};
        };
        const SizeRoute a = routeIn(m_a, item.a);
        const SizeRoute b = routeIn(m_b, item.b);
        return std::tie(a.sequence, a.batch) < std::tie(b.sequence, b.batch) ? b : a;
    }

    [[nodiscard]] std::vector<ChangeFactor> shapeFactors(const SizeRoute& route) const
    {
        const Growths& g = m_found.growths;
        std::vector<ChangeFactor> factors;
        for (const auto& [of, ratio] :
             {ChangeFactor{ChangeOf::sequence, std::pow(g.sequence, route.sequence)},
              ChangeFactor{ChangeOf::micro_batch, std::pow(g.batch, route.batch)},
              ChangeFactor{ChangeOf::rows, std::pow(g.rows, route.rows)},
              ChangeFactor{ChangeOf::precision, route.width}}) {
            if (ratio != 1) {
                factors.push_back({of, ratio});
            }
        }
        return factors;
    }

    /// What batch and sequence leave to another change.
    static void addRest(ChangeOf of, std::int64_t a, std::int64_t b,
                        std::vector<ChangeFactor>& factors)
    {
        double reached = static_cast<double>(a);
        for (const ChangeFactor& factor : factors) {
            reached *= factor.of == of ? 1 : factor.ratio;
        }
        std::erase_if(factors, [of](const ChangeFactor& factor) { return factor.of == of; });
        factors.push_back({of,
                           b == 0       ? kGoes
                               : a == 0 ? kComes
                                        : static_cast<double>(b) / reached});
    }

    /// What makes an allocation come or go, or gives it a size that batch and sequence do not;
    /// nullopt: nothing is known that does.
    std::optional<ChangeOf> restOf(const Living& item)
    {
        if (const RunChange* const change = habitOf(item)) {
            return change->of;
        }
        const bool is_of_one = item.became == Became::only_a || item.became == Became::only_b;
        const bool is_cast = isUnplacedGradient(item) || (!is_of_one && mayBeCast(item));
        return is_cast ? std::optional(ChangeOf::precision) : std::nullopt;
    }

    /// A gradient of an activation is as wide as that; where autograd's thread has no frames, no
    /// place tells its partner.
    bool isUnplacedGradient(const Living& item)
    {
        return find(ChangeOf::precision) != nullptr && m_both.placeOf(item).isNone()
            && isEither(item, label::Role::activation_gradient);
    }

    /// Under another precision a place of both runs makes other copies; what has no place halves.
    bool mayBeCast(const Living& item)
    {
        const auto halves = [&] {
            return !item.isAlone() && m_found.growths.width != 1
                && std::llround(static_cast<double>(m_a.bytes(item.a)) * m_found.growths.width)
                == m_b.bytes(item.b);
        };
        return find(ChangeOf::precision) != nullptr && (!m_both.placeOf(item).isNone() || halves())
            && isEither(item, [](const Side& side, AllocationId id) {
                   const Bucket bucket = side.bucket(id);
                   return bucket == Bucket::activation || bucket == Bucket::temporary
                       || bucket == Bucket::unknown;
               });
    }

    /// Whether a property holds in one of the runs.
    template <class Has>
    [[nodiscard]] bool isEither(const Living& item, const Has& has) const
    {
        return (!item.a.isNone() && has(m_a, item.a)) || (!item.b.isNone() && has(m_b, item.b));
    }
    [[nodiscard]] bool isEither(const Living& item, label::Role role) const
    {
        return isEither(item, [role](const Side& side, AllocationId id) {
            return side.labels().role[id.index()] == role;
        });
    }
    [[nodiscard]] bool isEither(const Living& item, TensorKind what) const
    {
        return isEither(item, [what](const Side& side, AllocationId id) {
            return side.program.sizeOf(id).what == what;
        });
    }
    [[nodiscard]] bool isEither(const Living& item, Bucket bucket) const
    {
        return isEither(item, [bucket](const Side& side, AllocationId id) {
            return side.bucket(id) == bucket;
        });
    }

    /// Whether it is what a later dump of the same run keeps beyond the earlier one: one more of
    /// what is no part of a step.
    [[nodiscard]] bool isKeptSince(const Living& item) const
    {
        const AllocationId later = m_found.later_dump == Later::a ? item.a
            : m_found.later_dump == Later::b                      ? item.b
                                                                  : AllocationId::none();
        if (later.isNone()) {
            return false;
        }
        const Bucket bucket = m_both.bucketOf(item);
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
    RunChange* habitOf(const Living& item)
    {
        const bool is_alone = item.isAlone();
        std::vector<ChangeOf> asked;
        if (isEither(item, TensorKind::weight_copy) || isEither(item, label::Role::weight_cast)) {
            asked.push_back(ChangeOf::precision);
        }
        const bool is_state = isEither(item, Bucket::optimizer_state)
            || isEither(item, label::Role::optimizer_transient);
        const bool is_fixed =
            is_state || isEither(item, Bucket::parameter) || isEither(item, Bucket::gradient);
        if (is_state) {
            if (is_alone) {
                asked.push_back(ChangeOf::first_step);
            }
            asked.push_back(ChangeOf::optimizer);
        }
        if (is_alone && isEither(item, Bucket::gradient)) {
            asked.push_back(ChangeOf::accumulation); // live from one pass of a step to the next
        }
        if (is_fixed) {
            asked.push_back(ChangeOf::lora);
            if (is_alone) { // A cast halves or doubles: such a pair has a route.
                asked.push_back(ChangeOf::precision);
            }
        }
        if (is_alone && isEither(item, Bucket::activation)) {
            asked.push_back(ChangeOf::graph);
        }
        if (isOfAttention(item)) {
            asked.push_back(ChangeOf::attention);
        }
        if (isEither(item, Bucket::activation) || isEither(item, Bucket::temporary)) {
            if (is_alone) {
                asked.push_back(ChangeOf::checkpointing);
            }
            asked.push_back(ChangeOf::lora); // what only frozen weights read is not saved
        }
        if (is_alone && isInFlight(item)) {
            asked.insert(asked.begin(), ChangeOf::in_flight);
        }
        if (isOfLoop(item)) {
            asked.insert(asked.begin(), ChangeOf::sequence);
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
            RunChange* const change = find(of);
            if (change != nullptr && mayExplain(of, item)) {
                return change;
            }
        }
        return nullptr;
    }

    /// Whether kinds of attention differ in it: matrices, what else they make, and which of the
    /// projections that they read they keep; what both make is of the precision where that changed.
    [[nodiscard]] bool isOfAttention(const Living& item)
    {
        const bool is_only = item.became == Became::only_a || item.became == Became::only_b;
        const auto isIn = [](const std::vector<bool>& calls, const Side& side, AllocationId id) {
            const StackId stack = side.allocations().stack[id.index()];
            return !calls.empty() && !stack.isNone() && calls[stack.index()];
        };
        return (item.isAlone()
                && (isEither(item, TensorKind::attention_matrix)
                    || isEither(item, label::Role::attention_matrix)))
            || ((is_only || find(ChangeOf::precision) == nullptr)
                && (isEither(item, Bucket::activation) || isEither(item, Bucket::temporary))
                && ((!item.a.isNone() && isIn(m_found.attention.in_a, m_a, item.a))
                    || (!item.b.isNone() && isIn(m_found.attention.in_b, m_b, item.b))
                    || (item.isAlone() && isEither(item, TensorKind::projection))));
    }

    [[nodiscard]] bool isOfLoop(const Living& item) const
    {
        return m_found.loops.contains(m_both.placeOf(item));
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
            return m_found.is_other_model || isEither(item, Bucket::parameter);
        }
        if (of == ChangeOf::phases) {
            return item.became == Became::only_a || item.became == Became::only_b
                || isEither(item, Bucket::gradient) || isEither(item, Bucket::optimizer_state)
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
            nameStacks(row.bytes_of_a, row.difference.stack_a, row.difference.stacks_a);
            nameStacks(row.bytes_of_b, row.difference.stack_b, row.difference.stacks_b);
            row.difference.factor = factorOf(row);
            row.difference.is_one_size = row.sizes.size() == 1;
            std::ranges::sort(row.difference.ids_a);
            std::ranges::sort(row.difference.ids_b);
            all.push_back(std::move(row.difference));
        }
        std::ranges::stable_sort(all, [](const PlaceDifference& x, const PlaceDifference& y) {
            return std::abs(x.delta().value) > std::abs(y.delta().value);
        });
        return all;
    }

    static void nameStacks(const std::map<StackId, std::int64_t>& bytes, StackId& largest,
                           std::vector<StackId>& all)
    {
        std::int64_t most = -1;
        for (const auto& [stack, held] : bytes) {
            if (!stack.isNone()) {
                all.push_back(stack);
                largest = held > most ? stack : largest;
                most = std::max(most, held);
            }
        }
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
