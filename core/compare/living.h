// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/alignment.h"
#include "core/compare/places.h"
#include "core/compare/side.h"
#include "core/label/bucket.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tidemark::compare {

/// How what is at a place in one run became what is there in the other.
enum class Became : std::uint8_t {
    equal,
    size, ///< The same allocations in another size.
    lifetime, ///< They have partners, which are not alive at this moment.
    count, ///< More or fewer of them at a place that both have.
    only_a, ///< At a place of A alone.
    only_b,
};
/// "equal", "size", "lifetime", "count", "only in A", "only in B".
std::string_view nameOf(Became became);

/// One allocation that lives at a moment of two runs: with its partner, or alone in one of them.
struct Living {
    AllocationId a; ///< None: not alive in A.
    AllocationId b;
    Became became = Became::equal;

    [[nodiscard]] bool isAlone() const
    {
        return a.isNone() || b.isNone();
    }
};

/// Two runs and what they have in common. Holds references; outlives nothing.
struct Both {
    const Side& a;
    const Side& b;
    const Places& places;
    const Alignment& alignment;

    /// Of what lives in B, or where that is none in A.
    [[nodiscard]] PlaceId placeOf(const Living& item) const
    {
        return item.b.isNone() ? places.inA(a.allocations().stack[item.a.index()])
                               : places.inB(b.allocations().stack[item.b.index()]);
    }
    [[nodiscard]] label::Bucket bucketOf(const Living& item) const
    {
        return item.b.isNone() ? a.bucket(item.a) : b.bucket(item.b);
    }
    [[nodiscard]] std::int64_t bytesOf(const Living& item) const
    {
        return item.b.isNone() ? a.bytes(item.a) : b.bytes(item.b);
    }
};

/// What lives in A at `at_a` and in B at `at_b`, partners of the alignment together. What is left
/// alone in both under one key is the same thing, whatever moment it was made at: a recording
/// begins later, a step is cut elsewhere. First what has one bucket and size, then one place and
/// size (it is called something else), then one place and the same product of dimensions, then one
/// place. O(live log live + allocations).
std::vector<Living> pairLiving(const Both& both, StateId at_a, StateId at_b);

} // namespace tidemark::compare
