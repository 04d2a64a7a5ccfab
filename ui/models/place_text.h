// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/trace/snapshot.h"

#include <QtCore/QString>

#include <optional>

namespace tidemark::ui {

/// The state after an event that a person names: "5000", "#5,000", "event 5 000", "-1" or "start",
/// "end"; or by a time since the first event, where the file has times: "1.25 s", "350 ms", "12
/// us", "2 min". Numbers beyond the trace mean its ends. Nothing for other texts.
[[nodiscard]] std::optional<StateId> stateFromText(const QString& words,
                                                   const trace::Device& device);

} // namespace tidemark::ui
