// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/rising_figure.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kFewestReadings = 5;
constexpr double kRises = 0.8; ///< Of the steps from one figure to the next.
constexpr double kLeastRise = 0.03; ///< Of the last figure; less is noise.
constexpr double kLateShare = 0.3; ///< Of the rise, in the second half.

bool isInUse(const MemoryReading& reading)
{
    static constexpr std::array<std::string_view, 6> kNames{"allocated", "active", "requested",
                                                            "reserved",  "used",   "process"};
    return std::ranges::find(kNames, reading.what) != kNames.end();
}

using ReadingSeries = std::vector<const MemoryReading*>;

bool rises(const ReadingSeries& series)
{
    if (series.size() < kFewestReadings) {
        return false;
    }
    std::size_t higher = 0;
    for (std::size_t i = 1; i < series.size(); ++i) {
        const std::int64_t step = (series[i]->bytes - series[i - 1]->bytes).value;
        if (step < 0 && -step * 50 > series[i]->bytes.value) {
            return false; // it falls by more than a fiftieth
        }
        higher += step > 0 ? 1 : 0;
    }
    const auto rise = [&](std::size_t from) {
        return static_cast<double>((series.back()->bytes - series[from]->bytes).value);
    };
    return static_cast<double>(higher) >= kRises * static_cast<double>(series.size() - 1)
        && rise(0) >= kLeastRise * static_cast<double>(series.back()->bytes.value)
        && rise(series.size() / 2) >= kLateShare * rise(0);
}

} // namespace

std::optional<RisingFigure> risingFigure(std::span<const MemoryReading> readings)
{
    std::map<std::tuple<std::string_view, std::string_view, std::optional<std::int64_t>,
                        std::optional<std::int64_t>>,
             ReadingSeries>
        all;
    for (const MemoryReading& reading : readings) {
        if (isInUse(reading)) {
            all[{reading.source, reading.what, reading.gpu, reading.pid}].push_back(&reading);
        }
    }
    std::optional<RisingFigure> most;
    for (const auto& [name, series] : all) {
        if (!rises(series)) {
            continue;
        }
        const auto riseOf = [](const RisingFigure& figure) {
            return figure.last.bytes - figure.first.bytes;
        };
        RisingFigure figure{*series.front(), *series.back(), series.size(), 0, 0};
        if (!most || riseOf(figure) > riseOf(*most)) {
            most = std::move(figure);
        }
    }
    return most;
}

} // namespace tidemark::diagnose
