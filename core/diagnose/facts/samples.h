// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>

namespace tidemark::diagnose {

struct Facts;

/// Samples of a pass through a network that sorts each into classes: as many as its logits are
/// times larger than the bias of the last layer, which is the last weight made. What the
/// configuration says comes first. 0 where neither tells. O(allocations).
std::int64_t samplesOfPass(const Facts& facts);

} // namespace tidemark::diagnose
