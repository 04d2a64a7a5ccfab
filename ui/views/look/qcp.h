// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

// QCustomPlot's header needs Qt's keywords, which our code is compiled without: they are defined
// around it and taken away again. Every use of QCustomPlot includes this file and never the
// library's own.
#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit Q_EMIT
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef emit
#undef foreach
