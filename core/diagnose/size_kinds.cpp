// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/size_kinds.h"

#include "core/base/column.h"
#include "core/base/keyed_hash.h"
#include "core/diagnose/cast_shares.h"
#include "core/diagnose/kinship.h"

#include <unordered_map>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

struct Kind {
    std::int64_t bytes = 0;
    double attention = 0; ///< Shares.
    double logits = 0;
    double casts = 0;
    Bucket bucket{};
    Role role{};
    Phase phase{};
    friend bool operator==(const Kind&, const Kind&) = default;
};

struct KindHash {
    KeyedHash hash;
    std::size_t operator()(const Kind& k) const
    {
        const auto shares =
            static_cast<std::uint64_t>((k.attention + 2 * k.logits + 4 * k.casts) * 1024);
        const std::uint64_t words = (static_cast<std::uint64_t>(k.bucket) << 16)
            | (static_cast<std::uint64_t>(k.role) << 8) | static_cast<std::uint64_t>(k.phase);
        return hash.pair((shares << 24) | words, static_cast<std::uint64_t>(k.bytes));
    }
};

Kind kindOf(const Facts& facts, AllocationId a)
{
    Kind kind;
    kind.bytes = facts.bytes(a);
    kind.bucket = facts.bucket(a);
    kind.role = facts.role(a);
    kind.phase = facts.phase[a.index()];
    if (kind.bucket == Bucket::temporary && kind.phase == Phase::backward) {
        const StateId begin = facts.allocations().begin[a.index()];
        kind.attention = facts.attention_kin->share(kind.bytes, begin);
        kind.logits = facts.logits_kin->share(kind.bytes, begin);
    } else if (kind.bucket == Bucket::activation && kind.role == Role::none) {
        kind.casts = facts.casts->share(facts, facts.allocations().stack[a.index()], kind.bytes);
    }
    return kind;
}

} // namespace

SizeKinds sizeKinds(const Facts& facts)
{
    SizeKinds kinds;
    std::unordered_map<Kind, std::uint32_t, KindHash> found;
    const std::size_t count = facts.allocations().count();
    assignColumn(kinds.of, count, std::uint32_t{0});
    for (std::size_t i = 0; i < count; ++i) {
        const AllocationId a(i);
        const auto [kind, is_new] =
            found.try_emplace(kindOf(facts, a), static_cast<std::uint32_t>(kinds.examples.size()));
        if (is_new) {
            kinds.examples.push_back(a);
        }
        kinds.of[i] = kind->second;
    }
    return kinds;
}

} // namespace tidemark::diagnose
