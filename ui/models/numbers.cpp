// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/numbers.h"

#include "core/base/format.h"
#include "ui/models/text.h"

#include <QtCore/QLocale>

#include <algorithm>
#include <limits>

namespace tidemark::ui {
namespace {

QLocale plainLocale()
{
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    return locale;
}

} // namespace

int plural(std::int64_t count)
{
    return static_cast<int>(std::clamp<std::int64_t>(count, 0, std::numeric_limits<int>::max()));
}

QString numberText(double value, int decimals)
{
    return text(formatNumber(value, decimals));
}

QString numberText(double value)
{
    return plainLocale().toString(value, 'g', QLocale::FloatingPointShortest);
}

QString withDecimalPoint(QString words)
{
    if (QLocale().decimalPoint() == QStringLiteral(",")) {
        for (QChar& c : words) {
            c = c == u',' ? QChar(u'.') : c == u'.' ? QChar(u',') : c;
        }
    }
    return words;
}

} // namespace tidemark::ui
