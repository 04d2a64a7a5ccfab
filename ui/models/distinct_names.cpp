// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/distinct_names.h"

#include <algorithm>

namespace tidemark::ui {
namespace {

bool endsWord(QChar c)
{
    return c == u'-' || c == u'_' || c == u'.' || c == u' ';
}

} // namespace

QStringList distinctNames(const QStringList& names)
{
    const auto is_first = [&](const QString& name) { return name == names.front(); };
    if (std::ranges::all_of(names, is_first)) {
        return names;
    }
    const auto least = std::ranges::min(names, {}, &QString::size).size();
    // Whole words that all begin with.
    qsizetype begin = 0;
    for (qsizetype i = 0; i < least; ++i) {
        const QChar c = names.front()[i];
        if (!std::ranges::all_of(names, [&](const QString& name) { return name[i] == c; })) {
            break;
        }
        begin = endsWord(c) ? i + 1 : begin;
    }
    // And that all end with.
    qsizetype end = 0;
    for (qsizetype i = 1; i <= least - begin; ++i) {
        const QChar c = names.front()[names.front().size() - i];
        if (!std::ranges::all_of(names,
                                 [&](const QString& name) { return name[name.size() - i] == c; })) {
            break;
        }
        end = endsWord(c) ? i : end;
    }
    QStringList distinct;
    for (const QString& name : names) {
        const QString middle = name.mid(begin, name.size() - begin - end);
        distinct << (middle.isEmpty() ? name : middle);
    }
    return distinct;
}

} // namespace tidemark::ui
