// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"
#include "core/diagnose/facts/pass_layers.h"

namespace tidemark::diagnose {

/// The plan of a first pass through linear layers that was cut off in forward. Weights that no call
/// has used are still to come: one of a size that ran keeps as much as that did; one with both
/// sides doubled half as much, as the rows fall to a quarter where pictures get coarser; any other
/// one keeps per byte of output what the rest did. At the upper end one and a half times as much,
/// and rows do not fall. Not known where the calls are not sure. As `findLinearCalls`.
PassLayers findLinearLayers(const Facts& facts, const Pass& pass);

} // namespace tidemark::diagnose
