// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/predict/need.h"

namespace tidemark::diagnose {

// What a run that died needs: the recording up to the failed request, and what was to follow it.
// That is as an earlier pass went on where there is one, else as the weights tell, and the
// gradients and states that were never made.

/// Where `fillOomNeed` looks at a run: points and ranges in an order of its own.
ScanRequest requestForOom(const Facts& facts, const NeedBasis& basis);

/// The requested bytes of the need, what of them is to follow, whether more may, and notes.
/// `scanned`: the run's answer to `requestForOom`.
void fillOomNeed(const Facts& facts, const NeedBasis& basis, const ChangedRun& run,
                 const ScanResult& scanned, Need& need);

} // namespace tidemark::diagnose
