// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace tidemark {

/// An amount of memory in bytes. Signed, so that a negative total is visible instead of huge.
struct Bytes {
    std::int64_t value = 0;

    friend constexpr auto operator<=>(const Bytes&, const Bytes&) = default;
    constexpr Bytes& operator+=(Bytes other)
    {
        value += other.value;
        return *this;
    }
    constexpr Bytes& operator-=(Bytes other)
    {
        value -= other.value;
        return *this;
    }
    friend constexpr Bytes operator+(Bytes a, Bytes b)
    {
        return {a.value + b.value};
    }
    friend constexpr Bytes operator-(Bytes a, Bytes b)
    {
        return {a.value - b.value};
    }
    friend constexpr Bytes operator-(Bytes a)
    {
        return {-a.value};
    }
};
static_assert(sizeof(Bytes) == 8);

inline constexpr Bytes kKiB{1LL << 10};
inline constexpr Bytes kMiB{1LL << 20};
inline constexpr Bytes kGiB{1LL << 30};

/// A device address. XPU addresses use the top bit, so it is unsigned.
using Address = std::uint64_t;

/// Host time of an allocator call: microseconds since the Unix epoch (`time_us` of the snapshot).
/// Order inside a device is the event index, never the time: times tie and may run backwards.
struct TraceClock {
    using duration = std::chrono::duration<std::int64_t, std::micro>;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<TraceClock>;
    static constexpr bool is_steady = false;
};
using TimePoint = TraceClock::time_point;
using Duration = TraceClock::duration;

constexpr std::int64_t microseconds(TimePoint t)
{
    return t.time_since_epoch().count();
}

} // namespace tidemark
