// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/words.h"

#include "core/diagnose/diagnosis.h"
#include "ui/models/text.h"
#include "ui/report/text_block.h"

#include <QtCore/QStringList>

namespace tidemark::ui::report {

QString supportWord(double score)
{
    return score >= 0.75 ? ReportWords::tr("strong")
        : score >= 0.45  ? ReportWords::tr("likely")
        : score >= 0.2   ? ReportWords::tr("possible")
                         : ReportWords::tr("weak");
}

QString recommendedTitles(const diagnose::DeviceDiagnosis& diagnosis)
{
    QStringList titles;
    for (const diagnose::Fix& fix : diagnosis.fixes) {
        if (fix.status == diagnose::FixStatus::recommended) {
            titles << shown(fix.title);
        }
    }
    return titles.join(QStringLiteral(" + "));
}

} // namespace tidemark::ui::report
