// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/keyed_hash.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::label {

struct RuleInputs;

/// What a set of allocations is that the program's own code makes before the first pass and keeps:
/// recognised by being as many and as large as the model's weights, or all alike.
enum class SetupSet : std::uint8_t {
    weights_copy, ///< As large as the weights; the optimizer makes its own state: an average, say.
    master_copy, ///< Twice as large: full-precision weights beside half-precision ones.
    optimizer_state, ///< As large as the weights, and the optimizer makes no state of its own.
    cache, ///< Equal tensors that live through all passes of a program that does not train.
};

/// The sets of one device. O(allocations).
class SetupSets {
public:
    explicit SetupSets(const RuleInputs& evidence);

    /// Nullopt for what belongs to none.
    [[nodiscard]] std::optional<SetupSet> of(AllocationId a) const;
    /// Whether full-precision weights of this size were set aside.
    [[nodiscard]] bool isMasterSize(std::int64_t bytes) const
    {
        return m_master_sizes.contains(bytes);
    }

private:
    std::unordered_map<std::uint32_t, SetupSet> m_sets; ///< By allocation.
    std::unordered_set<std::int64_t, KeyedNumberHash> m_master_sizes;
};

} // namespace tidemark::label
