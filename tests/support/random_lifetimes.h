// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/live_index.h"

#include <cstdint>
#include <random>
#include <vector>

namespace tidemark::test {

/// Lifetimes, and the plain way to ask which of them hold.
struct Lifetimes {
    std::vector<StateId> begin;
    std::vector<StateId> end;

    [[nodiscard]] replay::LiveIndex::Lifetimes lifetimes() const
    {
        return {begin, end};
    }
    [[nodiscard]] std::vector<std::uint32_t> liveAt(StateId state) const
    {
        std::vector<std::uint32_t> live;
        for (std::uint32_t i = 0; i < begin.size(); ++i) {
            if (lifetimes().isLive(i, state)) {
                live.push_back(i);
            }
        }
        return live;
    }
};

/// `long_lived` per thousand live to the end, the others for a while; some begin together.
inline Lifetimes randomLifetimes(unsigned seed, std::size_t count, unsigned long_lived,
                                 unsigned together)
{
    std::mt19937 random(seed);
    Lifetimes items;
    std::uint32_t state = 0;
    for (std::size_t i = 0; i < count; ++i) {
        state += random() % 1000 < together ? 0U : 1U + static_cast<std::uint32_t>(random() % 3);
        items.begin.push_back({state});
        items.end.push_back({state + 1 + static_cast<std::uint32_t>(random() % 200)});
    }
    for (StateId& end : items.end) {
        end = random() % 1000 < long_lived ? StateId{state + 1} : end;
    }
    return items;
}

/// The shapes that whoever walks over lifetimes is tried with.
struct LifetimeShape {
    const char* name;
    std::size_t count;
    unsigned long_lived; ///< Per thousand.
    unsigned together; ///< Per thousand.
};
inline constexpr LifetimeShape kLifetimeShapes[]{{"none", 0, 0, 0},
                                                 {"one", 1, 0, 0},
                                                 {"short lives", 20'000, 0, 300},
                                                 {"some stay", 20'000, 50, 300},
                                                 {"all stay", 9'000, 1000, 300},
                                                 {"all at once", 9'000, 500, 1000}};

inline Lifetimes randomLifetimes(const LifetimeShape& shape)
{
    return randomLifetimes(7, shape.count, shape.long_lived, shape.together);
}

/// A state past the last begin.
inline std::uint32_t lastState(const Lifetimes& items)
{
    return items.begin.empty() ? 5 : items.begin.back().value + 250;
}

} // namespace tidemark::test
