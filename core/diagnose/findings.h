// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/causes.h"

#include <vector>

namespace tidemark::diagnose {

/// What else is to be seen at the moment, beside the causes: where and when it ran out, what pins
/// free memory, what is held twice, what would tempt and does not help. In the order of a story:
/// course of the run, memory, models, myths. Ids are stable. O(allocations + live · log live).
std::vector<Finding> gatherFindings(const CauseInput& in, const std::vector<CauseFinding>& causes);

/// Free memory that the failed request could not use, and why: blocks that pin it, other streams,
/// private pools. Nothing without an OOM event.
void addMemoryFindings(const CauseInput& in, std::vector<Finding>& out);
/// Weights and gradients that are there more than once.
void addModelFindings(const CauseInput& in, std::vector<Finding>& out);

} // namespace tidemark::diagnose
