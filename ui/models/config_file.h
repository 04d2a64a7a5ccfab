// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/config/run_config.h"

#include <QtCore/QString>
#include <QtCore/QStringList>

namespace tidemark::ui {

/// Those of the files that hold a run's configuration: YAML, launch scripts and the like by their
/// names, JSON by what is in it, since snapshots may be JSON, too. Reads at most 256 KiB of each.
[[nodiscard]] QStringList configsAmong(const QStringList& paths);

/// Reads such files; of several, in their order, a later one holds. Errors: cannotOpen, tooLarge,
/// badArgument where nothing in them is known.
[[nodiscard]] Result<config::RunConfig> readConfigFiles(const QStringList& paths);

/// What it says of the run in a line: the step's batch, what is on already, and how many settings
/// have no meaning here.
[[nodiscard]] QString configSummary(const config::RunConfig& config);
/// Every setting of it, understood or not, one per line.
[[nodiscard]] QString configDetails(const config::RunConfig& config);

} // namespace tidemark::ui
