// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/dump_names.h"
#include "core/job/path_fields.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::job {

/// A path on its way to a DumpName.
struct PathReading {
    PathFields fields;
    std::optional<std::size_t> rank; ///< Which slot is its rank.
    std::optional<std::size_t> step; ///< Which slot is its step.
    std::string key; ///< Of its job: what differs between jobs, nothing else.
    std::string shown; ///< The same for people.
    std::string words; ///< Of its moment.
    DumpName name;
};
using PathIndices = std::vector<std::size_t>;

/// Equal for paths that differ in fields and numbers alone: their numbers mean the same.
std::string familyKey(const PathFields& fields);

/// Finds which number of the members, all of one family, is their rank, and which their step.
/// O(members · log members).
void findRanks(std::vector<PathReading>& readings, const PathIndices& members);

} // namespace tidemark::job
