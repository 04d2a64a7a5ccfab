// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/report/document.h"
#include "core/report/json.h"

#include <string_view>

namespace tidemark::report {

// What this build knows: the words of its vocabularies with their titles, in the language in use.
// Scripts ask for it instead of keeping lists of their own, and so do the tests of the documents.

/// {"version", "buckets": [{"id", "title", "what", …}], "roles", "phases", "causes", …}
Json capabilitiesJson(std::string_view version);
Document capabilitiesDocument();

} // namespace tidemark::report
