// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"
#include "core/diagnose/facts/pass_layers.h"

namespace tidemark::diagnose {

/// `pass` is a first one, cut off in forward. The layers that ran show how much one keeps per byte
/// of output; weights and the vectors made after each tell the channels of the others.
/// Assumed: layers run in the order in which their weights were made, and where the channels double
/// the area falls to a quarter, as in ResNet, VGG and their like; at the upper end it only halves,
/// so that all outputs stay as large. Nothing is said of networks whose end is narrow again, as
/// those that make pictures. O(allocations).
PassLayers findConvolutions(const Facts& facts, const Pass& pass);

} // namespace tidemark::diagnose
