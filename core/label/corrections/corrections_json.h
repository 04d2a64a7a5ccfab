// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/label/corrections/corrections.h"

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::label {

// Rules files, written by the window or by hand:
//
//   {"tidemark_rules": 1,
//    "rules": [{"id": "my-cache",                    optional; the rule id of the labels it gives
//               "match": {"function": "update_cache", "file": "model.py", "min_bytes": 1048576},
//               "bucket": "kv_cache",
//               "role": "none",                      optional
//               "note": "kept between requests"},    optional
//              {"dimension": "heads", "value": 16}]}
//
// A rule with a "dimension" (see program::idOf) says its value and has no bucket; its "match" is
// optional and holds "device" alone.
//
// Keys of "match", of which all that are given must hold: device (CUDA index or "host"),
// alloc_event (-1: made before the trace), address (a number or "0x7f…"), stack (a list of {"name",
// "filename", "line"}, innermost first; no line: any), function, file, bytes, min_bytes, max_bytes,
// bucket, phase, rule. See CorrectionMatch. A key that is not known is an error, since a mistyped
// condition would change too much.

inline constexpr int kRulesVersion = 1;
/// Longest text that is parsed, bytes; most rules of a file.
inline constexpr std::size_t kMostRulesText = std::size_t{16} << 20;
inline constexpr std::size_t kMostRules = 10000;

/// Errors: badArgument, one sentence with the line and column or the place such as
/// "rules[2].match.phase".
Result<std::vector<Correction>> parseCorrections(std::string_view text);

/// The text of a rules file; `parseCorrections` gives the same rules back.
std::string correctionsText(std::span<const Correction> rules);

/// The "match" of a rule as an object.
nlohmann::ordered_json matchJson(const CorrectionMatch& match);

} // namespace tidemark::label
