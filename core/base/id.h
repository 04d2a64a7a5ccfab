// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace tidemark {

/// Index into a column, typed by what the column holds. `kNone` says "there is none".
template <class Tag>
struct Id {
    static constexpr std::uint32_t kNoneValue = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t value = kNoneValue;

    constexpr Id() = default;
    constexpr explicit Id(std::uint32_t v)
        : value(v)
    {
    }
    constexpr explicit Id(std::size_t v)
        : value(static_cast<std::uint32_t>(v))
    {
    }
    static constexpr Id none()
    {
        return Id();
    }
    [[nodiscard]] constexpr bool isNone() const
    {
        return value == kNoneValue;
    }
    [[nodiscard]] constexpr std::size_t index() const
    {
        return value;
    }
    explicit operator bool() const = delete;
    friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using StringId = Id<struct StringTag>;
using FrameId = Id<struct FrameTag>;
using StackId = Id<struct StackTag>;
/// Index of an event in its device's trace.
using EventId = Id<struct EventTag>;
/// Index of an allocation in its device's replay, ordered by the event that made it.
using AllocationId = Id<struct AllocationTag>;

/// A moment between events: state k is what holds after k events. State 0 is the start of the
/// trace, so the start has a name and needs no −1. A trace of n events has n + 1 states.
struct StateId {
    std::uint32_t value = 0;

    static constexpr StateId start()
    {
        return {};
    }
    static constexpr StateId after(EventId e)
    {
        return {e.value + 1};
    }
    static constexpr StateId before(EventId e)
    {
        return {e.value};
    }
    [[nodiscard]] constexpr std::size_t index() const
    {
        return value;
    }
    /// The event number people see: the index of the last event applied, −1 for the start.
    [[nodiscard]] constexpr std::int64_t eventNumber() const
    {
        return static_cast<std::int64_t>(value) - 1;
    }
    friend constexpr auto operator<=>(const StateId&, const StateId&) = default;
};

} // namespace tidemark

template <class Tag>
struct std::hash<tidemark::Id<Tag>> {
    std::size_t operator()(tidemark::Id<Tag> id) const noexcept
    {
        return id.value;
    }
};
