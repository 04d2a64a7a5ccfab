// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/told_apart.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace tidemark::ui {
namespace {

QString betweenParts()
{
    return QStringLiteral(" › ");
}

/// A name's parts from the last to the first, and which of them are shown.
struct PathName {
    QStringList parts;
    std::vector<bool> is_shown;

    [[nodiscard]] QString partAt(qsizetype depth) const
    {
        return depth < parts.size() ? parts[depth] : QString();
    }
    [[nodiscard]] QString text(const QString& gap) const
    {
        QStringList shown;
        for (qsizetype i = parts.size(); i-- > 0;) {
            if (is_shown[static_cast<std::size_t>(i)]) {
                shown << parts[i];
            } else if (!gap.isEmpty() && (shown.isEmpty() || shown.back() != gap)) {
                shown << gap;
            }
        }
        return shown.join(betweenParts());
    }
};

/// Shows one part more of names that read alike. False where no part tells them apart.
bool tellApart(const std::vector<PathName*>& alike)
{
    qsizetype deepest = 0;
    for (const PathName* name : alike) {
        deepest = std::max(deepest, name->parts.size());
    }
    for (qsizetype depth = 1; depth < deepest; ++depth) {
        std::set<QString> different;
        bool is_new = false;
        for (const PathName* name : alike) {
            different.insert(name->partAt(depth));
            is_new = is_new
                || (depth < name->parts.size() && !name->is_shown[static_cast<std::size_t>(depth)]);
        }
        if (different.size() > 1 && is_new) {
            for (PathName* name : alike) {
                if (depth < name->parts.size()) {
                    name->is_shown[static_cast<std::size_t>(depth)] = true;
                }
            }
            return true;
        }
    }
    return false;
}

} // namespace

QStringList toldApart(const QStringList& names)
{
    std::vector<PathName> all;
    for (const QString& name : names) {
        QStringList parts = name.split(betweenParts());
        std::reverse(parts.begin(), parts.end());
        std::vector<bool> is_shown(static_cast<std::size_t>(parts.size()), false);
        is_shown.front() = true;
        all.push_back({std::move(parts), std::move(is_shown)});
    }
    for (bool is_told = true; is_told;) {
        is_told = false;
        std::map<QString, std::vector<PathName*>> by_text;
        for (PathName& name : all) {
            by_text[name.text({})].push_back(&name);
        }
        for (const auto& [text, alike] : by_text) {
            is_told = (alike.size() > 1 && tellApart(alike)) || is_told;
        }
    }
    QStringList told;
    for (const PathName& name : all) {
        told << name.text(QStringLiteral("…"));
    }
    return told;
}

} // namespace tidemark::ui
