// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/cause.h"

#include <QtCore/QString>

namespace tidemark::ui {

/// A cause as a heading: "Activations fill the card".
[[nodiscard]] QString causeTitle(diagnose::Cause cause);

} // namespace tidemark::ui
