// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>

namespace tidemark::diagnose {

struct DeviceRun;
struct Precision;

/// Bytes of the weights that the first training pass used before it saved anything: a layer that
/// is trained saves its input, and so does one behind it, so neither these layers nor what was made
/// before them, such as embeddings, get a gradient. Weights are taken to be made in the order of
/// their use. 0 where the linear layers are not sure, where blocks are made again, and where one
/// layer only ran, which may have read the batch itself. As `findLinearCalls`.
std::int64_t frozenAhead(const DeviceRun& run, const Precision& precision);

} // namespace tidemark::diagnose
