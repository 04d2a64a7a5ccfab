// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <QtCore/QString>

#include <filesystem>
#include <span>

class QWidget;

namespace tidemark::ui {

/// Writes a widget as it is shown: PNG with twice the pixels, PDF or SVG by the ending. `inputs`
/// are left alone. Errors: those of `writeOutput`.
[[nodiscard]] Result<Done> exportWidget(QWidget& widget, const QString& path,
                                        std::span<const std::filesystem::path> inputs);

} // namespace tidemark::ui
