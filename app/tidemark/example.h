// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QString>

namespace tidemark::app {

/// The bundled example: beside the installed program (../share/tidemark/example), else in the
/// source tree this program was built from. Empty where there is none. Requires a QCoreApplication.
[[nodiscard]] QString examplePath();

} // namespace tidemark::app
