// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/explain.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::diagnose {

/// The log of one process of a job.
struct JobLog {
    std::string name;
    Explanation explanation;
    /// When it failed by the log's own clock, microseconds; none without a time in its lines.
    std::optional<std::int64_t> failed_at;
    std::string failed_at_text; ///< As the log writes it.
    /// Whether that time is of the error itself, on its line or above its traceback; else it is the
    /// last one before, and the error came some time later.
    bool has_own_time = false;
    bool has_fraction = false; ///< Of a second, in `failed_at`.

    /// Whether it shows an error that the program did not catch.
    [[nodiscard]] bool hasFailed() const
    {
        return explanation.causes.front().cause != Cause::none && !explanation.findings.went_on;
    }
};

/// The last time that a log writes at or before a place: "2026-11-25 02:10:11,123", with a "T", a
/// point or no fraction. The zone is not read: logs of one job have the same. Looks back over 64
/// KiB.
struct LogTime {
    std::int64_t microseconds = 0; ///< Since the epoch, as if it were UTC.
    std::string text;
    std::size_t begin = 0; ///< Where in the log it stands.
};
std::optional<LogTime> timeBefore(std::string_view log, std::size_t place);

/// `explain` of a log with when it failed: at its message, else at its first event.
JobLog explainOfJob(std::string name, std::string_view log, const ExplainOptions& options);

/// The log that failed first: the only one that has failed, or the one that surely failed before
/// each other, where the errors of all have times of their own: by whole seconds, or where both
/// have fractions by a tenth, in which the clocks of machines agree.
std::optional<std::size_t> firstToFail(std::span<const JobLog> logs);

} // namespace tidemark::diagnose
