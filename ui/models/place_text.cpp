// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/place_text.h"

#include "core/projection/timeline.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QRegularExpression>

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::ui {
namespace {

struct PlaceTextWords {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::PlaceText)
};

std::optional<double> microsecondsPer(const QString& unit)
{
    const std::array<std::pair<const char*, double>, 8> units{{{"us", 1},
                                                               {"µs", 1},
                                                               {"ms", 1e3},
                                                               {"s", 1e6},
                                                               {"sec", 1e6},
                                                               {"min", 60e6},
                                                               {"m", 60e6},
                                                               {"h", 3600e6}}};
    const auto* const found = std::ranges::find_if(
        units, [&](const auto& known) { return unit == QString::fromUtf8(known.first); });
    return found == units.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

std::optional<StateId> stateFromText(const QString& words, const trace::Device& device)
{
    const auto last = static_cast<double>(device.events.count());
    QString text = withDecimalPoint(words.trimmed().toLower());
    if (text == QStringLiteral("start") || text == QStringLiteral("end")) {
        const double state = text == QStringLiteral("start") ? 0 : last;
        return StateId{static_cast<std::uint32_t>(state)};
    }
    // As events are called in the language that is spoken.
    const QString name = PlaceTextWords::tr("event").toLower();
    text = text.startsWith(name) ? text.mid(name.size()).trimmed() : text;
    // Thousands may be grouped by commas, blanks or underscores.
    static const QRegularExpression form(
        QStringLiteral("^(?:event|#)?\\s*(-?[0-9][0-9,_ ]*(?:\\.[0-9]+)?)\\s*([a-zµ]*)$"));
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch()) {
        return {};
    }
    QString digits = match.captured(1);
    digits.remove(QRegularExpression(QStringLiteral("[,_ ]")));
    const double number = digits.toDouble();
    const QString unit = match.captured(2);
    if (unit.isEmpty()) {
        if (digits.contains(u'.')) {
            return {};
        }
        return StateId{static_cast<std::uint32_t>(std::clamp(number + 1, 0.0, last))};
    }
    const std::optional<double> factor = microsecondsPer(unit);
    if (!factor || !projection::AxisMap::hasTimes(device)) {
        return {};
    }
    return projection::AxisMap(device, projection::Axis::time).toState(number * *factor);
}

} // namespace tidemark::ui
