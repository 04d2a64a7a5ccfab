// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

namespace tidemark::diagnose {

/// An amount that is not known exactly: bytes, low ≤ mid ≤ high.
struct Amount {
    double low = 0;
    double mid = 0;
    double high = 0;

    static constexpr Amount exactly(double bytes)
    {
        return {bytes, bytes, bytes};
    }
    constexpr Amount& operator+=(const Amount& other)
    {
        low += other.low;
        mid += other.mid;
        high += other.high;
        return *this;
    }
    [[nodiscard]] constexpr Amount plus(double bytes) const
    {
        return {low + bytes, mid + bytes, high + bytes};
    }
    /// Times a factor that is itself not exact.
    [[nodiscard]] constexpr Amount times(const Amount& f) const
    {
        return {low * f.low, mid * f.mid, high * f.high};
    }
    friend constexpr bool operator==(const Amount&, const Amount&) = default;
};

} // namespace tidemark::diagnose
