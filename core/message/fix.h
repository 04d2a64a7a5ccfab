// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::diagnose {

enum class FixStatus : std::uint8_t {
    recommended, ///< The cheapest that fits.
    would_help, ///< Frees memory where it counts; fits, or not known whether.
    already_on,
    not_needed,
    not_enough, ///< Helps, but not enough alone.
    not_applicable,
};
std::string_view fixStatusId(FixStatus status);

/// What must be there before a fix can be used.
struct FixNeeds {
    std::string torch; ///< The first version that has it: "2.1"; empty: any.
    std::string gpu; ///< The GPU generation in a few words; empty: any.
    std::string other; ///< Packages, systems, settings; empty: nothing.
    std::optional<Bytes> host; ///< Host memory that it takes, where it moves something there.
};

/// A member of a set by itself.
struct OwnEffect {
    std::string apply; ///< In `predict --apply` words; empty if it is no change of sizes.
    Bytes saves;
    Bytes new_need;
    Bytes short_by; ///< 0 if it would be enough.
};

/// One fix of the ladder, computed for this file. The members of a recommended set of several
/// bear the change and the figures of the whole set.
struct Fix {
    std::string id; ///< Stable, e.g. "micro-batch", "checkpointing-full", "optimizer-8bit".
    std::string knowledge; ///< Its number in the knowledge base, "M5"; may be empty.
    int cost_rank = 0; ///< Place in the cost order, 1 = cheapest.
    std::string title; ///< With the figures filled in: "Micro-batch 1/2 with accumulation 2".
    FixStatus status = FixStatus::not_applicable;
    std::string
        apply; ///< The change in `predict --apply` words; empty if it is no change of sizes.
    Bytes short_by; ///< How much is missing, when not enough.
    Bytes saves; ///< At the moment that counts (the need of a run that died, else the peak).
    Bytes new_peak; ///< Largest requested total after the change, best estimate.
    Bytes new_peak_low;
    Bytes new_peak_high;
    StateId new_peak_state;
    Bytes new_need; ///< Requested bytes the run needs after the change.
    Bytes new_reserved; ///< The same with what the allocator keeps beside it; best estimate.
    std::optional<bool> fits; ///< As the design defines it; unset with the reason in `why`.
    bool changes_science = false; ///< The experiment itself changes, not only its cost.
    std::string why; ///< One or two sentences: what was seen and what follows.
    std::string cost; ///< What it costs in speed and work, one sentence.
    std::string verify; ///< What to check again because the result may differ; empty if it may not.
    std::vector<std::string> conflicts; ///< With what it does not go together, one sentence each.
    FixNeeds needs;
    OwnEffect alone; ///< Of this fix by itself, where it is part of a set.
    bool is_of_trap = false; ///< Its lines are those of a known trap, and all worth showing.
    std::vector<std::pair<std::string, std::string>> how; ///< Framework → the line to paste.
};

} // namespace tidemark::diagnose
