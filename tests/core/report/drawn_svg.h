// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QRegularExpression>
#include <QtCore/QString>
#include <QtCore/QXmlStreamReader>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::test {

struct Drawn {
    /// Of the areas, in the order in which they are painted, with their fill; in square pixels.
    std::vector<std::pair<QString, double>> areas;
    QString words;
    QString error;
};

/// Of a path of the commands M, L and H, by the shoelace formula.
inline double areaOf(const QString& path)
{
    static const QRegularExpression kCommand(
        QStringLiteral("(?<c>[MLH])(?<x>[\\d.]+)(?: (?<y>[\\d.]+))?"));
    std::vector<QPointF> corners;
    auto found = kCommand.globalMatch(path);
    while (found.hasNext()) {
        const auto match = found.next();
        const double y = match.captured(QStringLiteral("c")) == QStringLiteral("H")
            ? corners.back().y()
            : match.captured(QStringLiteral("y")).toDouble();
        corners.emplace_back(match.captured(QStringLiteral("x")).toDouble(), y);
    }
    double twice = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const QPointF& next = corners[(i + 1) % corners.size()];
        twice += corners[i].x() * next.y() - next.x() * corners[i].y();
    }
    return std::abs(twice) / 2;
}

inline Drawn read(const std::string& svg)
{
    Drawn drawn;
    QXmlStreamReader reader(QString::fromStdString(svg));
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement() && reader.name() == QStringLiteral("path")) {
            const auto attributes = reader.attributes();
            drawn.areas.emplace_back(attributes.value(QStringLiteral("fill")).toString(),
                                     areaOf(attributes.value(QStringLiteral("d")).toString()));
        } else if (reader.isCharacters()) {
            drawn.words += reader.text();
        }
    }
    drawn.error = reader.errorString();
    return drawn;
}

} // namespace tidemark::test
