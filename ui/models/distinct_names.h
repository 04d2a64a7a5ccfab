// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QStringList>

namespace tidemark::ui {

/// What tells names apart, where all of them begin and end alike: "ctx128" and "ctx1024" of
/// "lm-ctx128-t2.11.pickle" and "lm-ctx1024-t2.11.pickle". Whole words, between any of "-_. ": a
/// name that would be nothing is kept whole, and so are names that are all the same. Same order.
[[nodiscard]] QStringList distinctNames(const QStringList& names);

} // namespace tidemark::ui
