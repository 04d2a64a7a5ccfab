// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/tidemark/example.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QDir>
#include <QtCore/QFileInfo>

namespace tidemark::app {

QString examplePath()
{
    const QDir program(QCoreApplication::applicationDirPath());
    const QString installed = QDir::cleanPath(
        program.filePath(QStringLiteral("../share/tidemark/example/gpt_oom.pickle")));
    if (QFileInfo::exists(installed)) {
        return installed;
    }
    const QString source = QStringLiteral(TIDEMARK_SOURCE_EXAMPLE);
    return QFileInfo::exists(source) ? source : QString();
}

} // namespace tidemark::app
