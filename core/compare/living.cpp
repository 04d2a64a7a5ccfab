// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/living.h"

#include "core/base/language.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace tidemark::compare {
namespace {

using Items = std::vector<Living>;

Items partnersAt(const Both& both, StateId at_a, StateId at_b)
{
    Items items;
    for (const AllocationId b : replay::livingAt(both.b.replay(), at_b)) {
        const AllocationId a = both.alignment.inA(b);
        const bool is_alive = !a.isNone() && both.a.allocations().isLive(a, at_a);
        const Became became = !is_alive          ? a.isNone() ? Became::only_b : Became::lifetime
            : both.a.bytes(a) == both.b.bytes(b) ? Became::equal
                                                 : Became::size;
        items.push_back({is_alive ? a : AllocationId::none(), b, became});
    }
    for (const AllocationId a : replay::livingAt(both.a.replay(), at_a)) {
        const AllocationId b = both.alignment.inB(a);
        if (b.isNone() || !both.b.allocations().isLive(b, at_b)) {
            items.push_back(
                {a, AllocationId::none(), b.isNone() ? Became::only_a : Became::lifetime});
        }
    }
    return items;
}

/// Pairs what is alone in A with what is alone in B under the same key.
template <class KeyOf>
void pairRest(const Both& both, Items& items, const KeyOf& keyOf)
{
    std::map<decltype(keyOf(items.front())), std::vector<std::size_t>> of_a;
    for (std::size_t i = items.size(); i > 0; --i) {
        if (items[i - 1].b.isNone()) {
            of_a[keyOf(items[i - 1])].push_back(i - 1);
        }
    }
    for (Living& item : items) {
        if (!item.a.isNone() || item.b.isNone()) {
            continue;
        }
        const auto found = of_a.find(keyOf(item));
        if (found == of_a.end() || found->second.empty()) {
            continue;
        }
        Living& partner = items[found->second.back()];
        found->second.pop_back();
        item.a = partner.a;
        item.became = both.a.bytes(item.a) == both.b.bytes(item.b) ? Became::equal : Became::size;
        partner.a = AllocationId::none();
    }
    std::erase_if(items, [](const Living& item) { return item.a.isNone() && item.b.isNone(); });
}

/// At a place that both runs have, what one has alone is one more of the same.
void countShared(const Both& both, Items& items)
{
    std::vector<bool> in_a(both.places.count(), false);
    std::vector<bool> in_b(both.places.count(), false);
    for (const StackId s : both.a.allocations().stack) {
        if (const PlaceId place = both.places.inA(s); !place.isNone()) {
            in_a[place.index()] = true;
        }
    }
    for (const StackId s : both.b.allocations().stack) {
        if (const PlaceId place = both.places.inB(s); !place.isNone()) {
            in_b[place.index()] = true;
        }
    }
    for (Living& item : items) {
        const PlaceId place = both.placeOf(item);
        const bool is_only = item.became == Became::only_a || item.became == Became::only_b;
        if (is_only && !place.isNone() && in_a[place.index()] && in_b[place.index()]) {
            item.became = Became::count;
        }
    }
}

} // namespace

std::string_view nameOf(Became became)
{
    static constexpr std::array<std::string_view, 6> kNames{
        "equal", "size", "lifetime", "count", toSay("only in A"), toSay("only in B")};
    return kNames[static_cast<std::size_t>(became)];
}

std::vector<Living> pairLiving(const Both& both, StateId at_a, StateId at_b)
{
    Items items = partnersAt(both, at_a, at_b);
    pairRest(both, items, [&](const Living& item) {
        return std::tuple(PlaceId::none(), both.bucketOf(item), both.bytesOf(item));
    });
    std::int64_t next = 0; // Tells apart what has no place.
    pairRest(both, items, [&](const Living& item) {
        const PlaceId place = both.placeOf(item);
        return std::tuple(place, label::Bucket::unknown,
                          place.isNone() ? -1 - next++ : both.bytesOf(item));
    });
    pairRest(both, items, [&](const Living& item) {
        return std::tuple(both.placeOf(item), both.bucketOf(item),
                          both.alignment.nature(item.a, item.b));
    });
    pairRest(both, items, [&](const Living& item) {
        return std::tuple(both.placeOf(item), both.bucketOf(item), std::int64_t{0});
    });
    countShared(both, items);
    return items;
}

} // namespace tidemark::compare
