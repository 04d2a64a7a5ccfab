// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/report/json.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark::report {

/// An answer of a command, one JSON object, in at most so many bytes with its line end: of the
/// longest lists only the beginning, as with a smaller --top, one item at least; of points of time
/// some from the first to the last; when that is not enough, the beginning of long texts. Columns
/// of numbers stay. What was cut is said in
/// "cut": {"max_bytes": N, "lists": [{"at": "devices[].allocations", "left_out": 980}], "texts": 0}
/// What fits is returned as it is. O(bytes · log bytes). Errors: badArgument, if even that does not
/// fit or it is no object.
Result<std::string> boundedJson(std::string_view answer, std::size_t most);

} // namespace tidemark::report
