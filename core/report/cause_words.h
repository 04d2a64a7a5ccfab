// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/cause.h"
#include "core/message/oom_message.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::report {

/// "Cause: Logits; maybe Activations (40 %)": the first of ranked causes and at most two
/// others. "No OOM so far; growing: KV cache": where none ran out, what a longer run may run out
/// of. That it might be something unclear goes without saying. Requires at least one.
std::string causesText(std::span<const diagnose::CauseFinding> causes);

/// The evidence for a cause, without what a text that stands above has said.
std::vector<diagnose::Evidence> unsaidEvidence(const diagnose::CauseFinding& cause,
                                               std::string_view said);

/// What the request of a message is called.
std::string requestName(const diagnose::OomMessage& message);

} // namespace tidemark::report
