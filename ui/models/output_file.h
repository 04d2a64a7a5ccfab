// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/output_check.h"
#include "core/base/result.h"

#include <QtCore/QByteArray>
#include <QtCore/QString>

#include <filesystem>
#include <span>

namespace tidemark::ui {

/// Writes a whole file, which takes the place of an old one only when it is complete, and never
/// that of a file of another kind or of one of the `inputs` (see `checkOutput`). Errors:
/// badArgument, cannotWrite, both with a sentence that names the file.
Result<Done> writeOutput(const QString& path, const QByteArray& bytes, OutputKind kind,
                         std::span<const std::filesystem::path> inputs = {});

} // namespace tidemark::ui
