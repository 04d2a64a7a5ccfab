// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/check/verdict.h"
#include "core/report/json.h"

#include <span>
#include <string>

namespace tidemark::check {

/// The object that `check --json` prints.
report::Json checkJson(std::span<const Verdict> verdicts, std::span<const std::string> notes);
/// A line per broken budget, and one that counts.
std::string checkText(std::span<const Verdict> verdicts, std::span<const std::string> notes);
/// JUnit's XML: a test case per budget, device and file.
std::string checkJunit(std::span<const Verdict> verdicts);
/// Bencher's JSON (Bencher Metric Format): per file and device the measures with their limits.
/// Files of one name go by their paths.
report::Json checkBencher(std::span<const Verdict> verdicts);

} // namespace tidemark::check
