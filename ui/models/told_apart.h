// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QStringList>

namespace tidemark::ui {

/// Of names that are paths ("train.py:84 step › model.py:39 › Linear") what tells each apart from
/// the others: its last part, and of those with the same last parts the next in which they differ;
/// "…" stands for the rest: "… › model.py:39 › Linear". In the order of `names`; equal ones stay
/// equal. O(letters of all × parts).
[[nodiscard]] QStringList toldApart(const QStringList& names);

} // namespace tidemark::ui
