// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/report/document.h"

namespace tidemark::report {

/// The answer for an issue tracker or a chat: what died or what the peak is, the figures, what
/// filled the memory, the line that asked, and the fix. As Markdown at most 25 lines. `device` is
/// an index into the snapshot's devices, which has events. Requires a complete analysis.
Document findingDocument(const diagnose::Analysis& analysis, std::size_t device);

} // namespace tidemark::report
