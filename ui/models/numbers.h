// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QString>

#include <cstdint>

namespace tidemark::ui {

// Numbers as the language in use writes them; sizes and times come from ui/models/text.h.

/// How many, for the plural of a text: `tr("%Ln file(s)", nullptr, plural(count))`.
[[nodiscard]] int plural(std::int64_t count);
/// With the marks of the language.
[[nodiscard]] QString numberText(double value, int decimals);
[[nodiscard]] QString numberText(double value); ///< As many decimals as it takes: "0.8".
/// What a person typed, with a point as decimal sign and commas between thousands.
[[nodiscard]] QString withDecimalPoint(QString words);

} // namespace tidemark::ui
