// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/query/allocation_table.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::test {

/// A run of one step to ask: w lives before the trace; a and b are made in forward, c in backward;
/// a is freed in backward, c in the optimizer, b never. Events and states:
///
///     0 a +4M   1 b +1M   2 c +512K   3,4 a -   5 d +64   6,7 c -   8 e +2M   9 oom 8M   10,11 e -
///
/// The peak is the state after event 2, the out-of-memory event follows event 8. Event k happens at
/// 1 s + 10 k µs.
struct QueriedRun {
    /// `first`: lines of the script before its others.
    explicit QueriedRun(std::string_view first = {});

    std::shared_ptr<const trace::Snapshot> snapshot;
    std::shared_ptr<const replay::Replay> replay;
    std::shared_ptr<const label::Labels> labels;
    std::shared_ptr<const query::AllocationTable> table;
};

/// Names by size: "w a b c d e", in the order of the ids.
std::string namesOf(const query::AllocationTable& table, const std::vector<AllocationId>& ids);

} // namespace tidemark::test
