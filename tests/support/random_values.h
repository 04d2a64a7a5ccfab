// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "tests/support/value_model.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tidemark::test {

/// Distributions of the standard library differ between implementations, so none is used.
class Random {
public:
    explicit Random(std::uint64_t seed)
        : m_engine(seed)
    {
    }
    std::uint64_t bits()
    {
        return m_engine();
    }
    std::size_t below(std::size_t count)
    {
        return static_cast<std::size_t>(m_engine() % count);
    }
    bool chance(double probability)
    {
        return static_cast<double>(m_engine() >> 11U) < probability * 9007199254740992.0;
    }
    template <class T>
    const T& pick(const std::vector<T>& from)
    {
        return from[below(from.size())];
    }

private:
    std::mt19937_64 m_engine;
};

/// Values of every kind, mostly ones that some reader might stumble over.
class OddValues {
public:
    explicit OddValues(Random& random)
        : m_random(random)
    {
    }

    /// Containers to that depth.
    ValueRef anything(int depth);
    ValueRef number();
    ValueRef oddText();
    /// Of no release, or of one but in another place.
    const std::string& key();

private:
    ValueRef container(int depth);

    Random& m_random;
};

} // namespace tidemark::test
