// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/log_findings.h"

#include <optional>
#include <string_view>

namespace tidemark::diagnose {

/// Whether a program went on behind the last message of the rank that `main` is of: a counter that
/// its lines showed before ("step 40", "200 / 5000") rises twice more without falling, or the
/// trainer says what its run took. Nothing that starts again, ends or is loaded may stand between,
/// since a program that is started anew counts on, too. O(1 MiB on either side).
std::optional<WentOn> wentOn(std::string_view log, const LogFindings& findings);

} // namespace tidemark::diagnose
