// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/palette.h"

#include "core/query/bands.h"
#include "resources/colours.json.h"
#include "ui/models/text.h"

#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace tidemark::ui {
namespace {

struct Palette {
    std::array<QColor, label::kBucketCount> buckets;
    std::array<QColor, label::kPhaseCount> phases;
    std::vector<QColor> runs;
    std::vector<QColor> groups;
    ThemeColours light;
    ThemeColours dark;
};

QColor colourIn(const QJsonObject& object, const QString& key)
{
    const QColor colour(object.value(key).toString());
    // The file is part of the program: a missing colour is a bug, found by the palette's test.
    Q_ASSERT_X(colour.isValid(), "palette", qPrintable(key));
    return colour;
}

ThemeColours readTheme(const QJsonObject& object, bool is_dark)
{
    ThemeColours theme;
    const std::array<std::pair<QString, QColor*>, 21> fields{{
        {QStringLiteral("window"), &theme.window},
        {QStringLiteral("card"), &theme.card},
        {QStringLiteral("border"), &theme.border},
        {QStringLiteral("hover"), &theme.hover},
        {QStringLiteral("selection"), &theme.selection},
        {QStringLiteral("text"), &theme.text},
        {QStringLiteral("secondary"), &theme.secondary},
        {QStringLiteral("faint"), &theme.faint},
        {QStringLiteral("grid"), &theme.grid},
        {QStringLiteral("accent"), &theme.accent},
        {QStringLiteral("accent_text"), &theme.accent_text},
        {QStringLiteral("link"), &theme.link},
        {QStringLiteral("danger"), &theme.danger},
        {QStringLiteral("danger_text"), &theme.danger_text},
        {QStringLiteral("good"), &theme.good},
        {QStringLiteral("help"), &theme.help},
        {QStringLiteral("cached"), &theme.cached},
        {QStringLiteral("reserved"), &theme.reserved},
        {QStringLiteral("cursor"), &theme.cursor},
        {QStringLiteral("more"), &theme.more},
        {QStringLiteral("less"), &theme.less},
    }};
    for (const auto& [key, colour] : fields) {
        *colour = colourIn(object, key);
    }
    theme.is_dark = is_dark;
    return theme;
}

Palette readPalette()
{
    const std::string_view bytes = resources::colours();
    const QJsonObject root =
        QJsonDocument::fromJson(
            QByteArray::fromRawData(bytes.data(), static_cast<qsizetype>(bytes.size())))
            .object();
    Palette palette;
    const auto colourOf = [](const auto& info) { return QColor(text(info.colour)); };
    std::ranges::transform(label::kBuckets, palette.buckets.begin(), colourOf);
    std::ranges::transform(label::kPhases, palette.phases.begin(), colourOf);
    const QJsonArray runs = root.value(QStringLiteral("runs")).toArray();
    for (const QJsonValue& run : runs) {
        palette.runs.emplace_back(run.toString());
    }
    Q_ASSERT(!palette.runs.empty());
    const QJsonArray groups = root.value(QStringLiteral("groups")).toArray();
    for (const QJsonValue& group : groups) {
        palette.groups.emplace_back(group.toString());
    }
    Q_ASSERT(palette.groups.size() == query::kMostBands);
    const QJsonObject themes = root.value(QStringLiteral("themes")).toObject();
    palette.light = readTheme(themes.value(QStringLiteral("light")).toObject(), false);
    palette.dark = readTheme(themes.value(QStringLiteral("dark")).toObject(), true);
    return palette;
}

/// WCAG 2.1, relative luminance.
double luminance(const QColor& colour)
{
    const auto part = [](double value) {
        return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * part(double(colour.redF())) + 0.7152 * part(double(colour.greenF()))
        + 0.0722 * part(double(colour.blueF()));
}

const Palette& palette()
{
    static const Palette colours = readPalette();
    return colours;
}

} // namespace

const ThemeColours& themeColours(Theme theme)
{
    return theme == Theme::dark ? palette().dark : palette().light;
}

QColor bucketColour(label::Bucket bucket)
{
    return palette().buckets[label::indexOf(bucket)];
}

std::array<QColor, label::kBucketCount> bucketColours()
{
    return palette().buckets;
}

std::array<QColor, label::kBucketCount> groupColours(std::optional<std::size_t> other)
{
    std::array<QColor, label::kBucketCount> colours;
    std::ranges::copy(palette().groups, colours.begin());
    if (other) {
        colours[*other] = bucketColour(label::Bucket::unknown);
    }
    return colours;
}

QColor groupColour(int number)
{
    return number < 0 ? bucketColour(label::Bucket::unknown)
                      : palette().groups[static_cast<std::size_t>(number)];
}

QColor phaseColour(label::Phase phase)
{
    return palette().phases[static_cast<std::size_t>(phase)];
}

QColor runColour(const QString& letter)
{
    const std::vector<QColor>& runs = palette().runs;
    const int number = letter.isEmpty() ? 0 : std::max(0, letter.back().unicode() - u'A');
    return runs[static_cast<std::size_t>(number) % runs.size()];
}

QColor textOn(const QColor& background)
{
    constexpr double kReadable = 4.5; // WCAG 2.1, of small text
    const double to_white = 1.05 / (luminance(background) + 0.05);
    return to_white >= kReadable ? QColor(Qt::white) : QColor(0x10, 0x11, 0x14);
}

QColor statusColour(diagnose::FixStatus status, const ThemeColours& colours)
{
    switch (status) {
    case diagnose::FixStatus::recommended:
        return colours.good;
    case diagnose::FixStatus::would_help:
        return colours.help;
    case diagnose::FixStatus::already_on:
    case diagnose::FixStatus::not_needed:
    case diagnose::FixStatus::not_enough:
    case diagnose::FixStatus::not_applicable:
        return colours.secondary;
    }
    return colours.secondary;
}

} // namespace tidemark::ui
