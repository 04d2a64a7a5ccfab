// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/job/rank_summary.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>
#include <vector>

namespace tidemark::job {

/// What `summary --json` adds to the object of a device, as "for_ranks".
nlohmann::ordered_json toJson(const RankSummary& row);

/// Whether a file's beginning looks like the output of `summary --json`.
bool looksLikeSummary(std::string_view beginning);

struct ParseOptions {
    bool keeps_curves = true;
};
/// The rows of one line of `summary --json`, also of releases without "for_ranks": these have no
/// places and no curve. Errors: damaged.
Result<std::vector<RankSummary>> parseSummary(std::string_view line, const DumpName& name,
                                              const ParseOptions& options = {});

} // namespace tidemark::job
