// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/model_shape.h"
#include "core/walk/run_shape.h"

#include <string>

namespace tidemark::shapes {

/// Why a run cannot be walked through as it is; empty if it can.
std::string objectionTo(const walk::ModelShape& model, const walk::RunShape& run);

} // namespace tidemark::shapes
