// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/job_logs.h"
#include "core/report/document.h"
#include "core/report/json.h"

#include <string_view>

namespace tidemark::report {

/// What `explain` prints as JSON: the fields of `diagnose`, and every message, event and figure of
/// the log. `source` is the log as it was named.
Json explanationJson(const diagnose::Explanation& explanation, std::string_view source);

/// Of several logs of one job which failed, when, and which was the first.
Document jobLogsDocument(std::span<const diagnose::JobLog> logs, std::optional<std::size_t> first);

/// As `explanationJson`, for people.
Document explanationDocument(const diagnose::Explanation& explanation, std::string_view source);

} // namespace tidemark::report
