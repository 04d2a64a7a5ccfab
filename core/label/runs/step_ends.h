// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/runs/runs.h"

#include <vector>

namespace tidemark::label {

/// Sets `Run::ends_step`. An optimizer that steps in place (SGD, a fused AdamW after its first
/// step) leaves no trace but the gradients, which zero_grad lets go of: what backward passes have
/// made is more than twice as much when one is over as when the next one begins. In an accumulated
/// step it stays:
///
///     held   ╱│╲          ╱│╲            accumulated   ╱│__╱│╲
///          fwd bwd zero fwd bwd zero                  bwd  bwd zero
///
/// O(events · log backward passes).
void markStepEnds(std::vector<Run>& runs, const trace::Events& events,
                  const replay::DeviceReplay& replay);

} // namespace tidemark::label
