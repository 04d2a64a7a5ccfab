// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/report/document.h"
#include "core/report/json.h"

namespace tidemark::report {

// What a person has said about labels, as it was applied.

/// One object per correction, in the order in which they apply: source, id, match, bucket, role,
/// note, and how much it meant.
Json correctionsJson(const diagnose::Analysis& analysis);

/// The object with the corrections as "corrections", if there are any.
Json withCorrections(Json object, const diagnose::Analysis& analysis);

/// The corrections as a table; no blocks without any.
Section correctionsSection(const diagnose::Analysis& analysis);

} // namespace tidemark::report
