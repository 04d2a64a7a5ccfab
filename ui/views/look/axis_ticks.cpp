// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/axis_ticks.h"

#include "core/base/format.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::ui {
namespace {

constexpr std::array<double, 12> kMinuteSteps{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600};

/// The smallest 1, 2 or 5 times a power of ten with which `extent` has at most `max_count` steps.
double niceStep(double extent, int max_count)
{
    const double least = extent / std::max(1, max_count);
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least * (1 - 1e-9)) {
            return factor * power;
        }
    }
    return 10 * power;
}

int decimalsOf(double step)
{
    return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
}

std::vector<AxisTick> stepsInside(Interval<double> range, double step, auto&& label)
{
    std::vector<AxisTick> ticks;
    const auto first = static_cast<std::int64_t>(std::ceil(range.begin / step - 1e-9));
    const auto last = static_cast<std::int64_t>(std::floor(range.end / step + 1e-9));
    for (std::int64_t i = first; i <= last; ++i) {
        const double at = static_cast<double>(i) * step;
        ticks.push_back({at, label(at)});
    }
    return ticks;
}

std::vector<AxisTick> minuteTicks(Interval<double> range, int max_count)
{
    const double least = (range.end - range.begin) / 1e6 / std::max(1, max_count);
    double step = std::ceil(least / 3600) * 3600;
    const auto* found = std::ranges::find_if(kMinuteSteps, [&](double s) { return s >= least; });
    if (found != kMinuteSteps.end()) {
        step = *found;
    }
    return stepsInside(range, step * 1e6, [](double at) {
        const auto seconds = std::llround(at / 1e6);
        return QStringLiteral("%1:%2 min")
            .arg(seconds / 60)
            .arg(seconds % 60, 2, 10, QLatin1Char('0'));
    });
}

std::vector<AxisTick> timeTicks(Interval<double> range, int max_count)
{
    const double farthest = std::max(std::abs(range.begin), std::abs(range.end));
    const double step = niceStep(range.end - range.begin, max_count);
    if (farthest >= 120e6 && step >= 0.9e6) {
        return minuteTicks(range, max_count);
    }
    struct Unit {
        double size;
        const char* name;
    };
    static constexpr std::array<Unit, 3> kUnits{{{1e6, "s"}, {1e3, "ms"}, {1, "µs"}}};
    // The largest unit in which the farthest tick is at least 1.
    const auto* unit =
        std::ranges::find_if(kUnits, [&](const Unit& u) { return farthest >= u.size; });
    if (unit == kUnits.end()) {
        unit = &kUnits.back();
    }
    const int decimals = decimalsOf(step / unit->size);
    return stepsInside(range, step, [&](double at) {
        return QString(numberText(at / unit->size, decimals) % u' '
                       % QString::fromUtf8(unit->name));
    });
}

} // namespace

std::vector<AxisTick> byteTicks(double top_bytes, int max_count)
{
    return byteTicks(Interval<double>{0, std::max(top_bytes, 1.0)}, max_count);
}

std::vector<AxisTick> byteTicks(Interval<double> bytes, int max_count)
{
    const tidemark::OneUnit unit(Bytes{std::llround(bytes.end)});
    const double size = static_cast<double>(unit.size().value);
    std::vector<AxisTick> ticks;
    // One alone says nothing of how far a byte is: then there are more of them than asked for.
    for (int count = max_count; ticks.size() < 2 && count <= 8 * max_count; count *= 2) {
        double step = niceStep((bytes.end - bytes.begin) / size, count);
        if (size <= 1.0) {
            step = std::max(1.0, step);
        }
        const int decimals = decimalsOf(step);
        ticks = stepsInside(bytes, step * size, [&](double at) {
            return QString(numberText(at / size, decimals) % u' ' % text(unit.name()));
        });
    }
    return ticks;
}

int axisTickCount(double width_px)
{
    return std::max(2, static_cast<int>(width_px / 110));
}

int byteTickCount(double height_px)
{
    return std::max(2, static_cast<int>(height_px / 34));
}

std::vector<AxisTick> axisTicks(projection::Axis axis, Interval<double> range, int max_count)
{
    if (range.isEmpty()) {
        return {};
    }
    if (axis == projection::Axis::time) {
        return timeTicks(range, max_count);
    }
    // Event k leads to state k + 1.
    const double step = std::max(1.0, niceStep(range.end - range.begin, max_count));
    std::vector<AxisTick> ticks =
        stepsInside({std::max(0.0, range.begin - 1), range.end - 1}, step,
                    [](double at) { return countText(std::llround(at)); });
    for (AxisTick& tick : ticks) {
        tick.at += 1;
    }
    return ticks;
}

std::vector<AxisTick> axisTicks(const projection::AxisMap& axis, Interval<double> range,
                                int max_count)
{
    if (axis.axis() != projection::Axis::shared || range.isEmpty()) {
        return axisTicks(axis.axis(), range, max_count);
    }
    const auto first = static_cast<double>(axis.toState(range.begin).value);
    const auto last = static_cast<double>(axis.toState(range.end).value);
    if (first >= last) {
        return {};
    }
    // Events lie closer where the other run has fewer of them: those that would touch are left out.
    const double least = (range.end - range.begin) / max_count * 0.75;
    std::vector<AxisTick> ticks;
    for (const AxisTick& tick : axisTicks(projection::Axis::event, {first, last}, max_count)) {
        const double x = axis.toX({static_cast<std::uint32_t>(std::llround(tick.at))});
        if (range.begin <= x && x <= range.end && (ticks.empty() || x - ticks.back().at >= least)) {
            ticks.push_back({x, tick.label});
        }
    }
    return ticks;
}

} // namespace tidemark::ui
