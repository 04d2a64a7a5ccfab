// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/letters.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QFont>
#include <QtGui/QFontInfo>

namespace tidemark::ui {
namespace {

class LetterWords {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::Letters)
};

} // namespace

bool hasLetters()
{
    // Families are listed without any font, too: the platform adds "Sans Serif" and others. What Qt
    // then takes for letters says that it has them all, but bears no name.
    return !QFontInfo(QFont()).family().isEmpty();
}

QString noLetters()
{
    return LetterWords::tr("No font installed: all letters would be empty boxes. Install one, such "
                           "as fonts-dejavu-core, or use tidemark-cli.");
}

} // namespace tidemark::ui
