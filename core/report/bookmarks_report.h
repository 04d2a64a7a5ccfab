// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/pipeline/bookmarks.h"
#include "core/report/document.h"
#include "core/report/json.h"

#include <span>
#include <vector>

namespace tidemark::report {

/// The moments that a person marked in the run of a report, and in the one beside it.
struct ReportBookmarks {
    std::vector<pipeline::Bookmark> own;
    std::vector<pipeline::Bookmark> other;
};

// Marks that lie behind the end of their device's trace are left out. Notes are escaped by what
// prints them, as all texts are.

/// One object per mark: device, event, time_us, active_bytes, note.
Json bookmarksJson(const diagnose::Analysis& analysis, std::span<const pipeline::Bookmark> marks);

/// The marks as a table; no blocks without any.
Section bookmarksSection(const diagnose::Analysis& analysis,
                         std::span<const pipeline::Bookmark> marks);

} // namespace tidemark::report
