// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

namespace tidemark::ui {

/// What a person said of one file, and of all files where they said nothing of this one.
[[nodiscard]] diagnose::UserInput completed(diagnose::UserInput input,
                                            const diagnose::UserInput& given);

} // namespace tidemark::ui
