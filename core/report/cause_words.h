// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/cause.h"

#include <span>
#include <string>

namespace tidemark::report {

/// "Cause: Logits; maybe Activations (40 %)": the first of ranked causes and at most two
/// others. "No OOM so far; growing: KV cache": where none ran out, what a longer run may run out
/// of. That it might be something unclear goes without saying. Requires at least one.
std::string causesText(std::span<const diagnose::CauseFinding> causes);

} // namespace tidemark::report
