// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/letters.h"

#include <QtGui/QFont>
#include <QtGui/QFontInfo>

namespace tidemark::ui {

bool hasLetters()
{
    // Families are listed without any font, too: the platform adds "Sans Serif" and others. What Qt
    // then takes for letters says that it has them all, but bears no name.
    return !QFontInfo(QFont()).family().isEmpty();
}

} // namespace tidemark::ui
