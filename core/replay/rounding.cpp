// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/rounding.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace tidemark::replay {
namespace {

constexpr std::int64_t kNpuExtra = 32;

constexpr std::int64_t roundUp(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

std::int64_t largestPowerOfTwo(std::int64_t value)
{
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
}

/// Whether a block can be what the rule makes of its request: exactly that where every remainder is
/// split off, up to `most_rest` more elsewhere.
bool explains(const Rounding& rule, const trace::Segment& segment, const trace::Block& block,
              std::int64_t most_rest)
{
    const std::int64_t extra = block.size.value - rule(block.requested).value;
    const bool is_exact = segment.is_small_pool || segment.is_expandable;
    return extra == 0 || (!is_exact && extra > 0 && extra <= most_rest);
}

std::int64_t contradictionsOf(const Rounding& rule, const trace::Device& device,
                              std::int64_t most_rest)
{
    std::int64_t count = 0;
    for (const trace::Segment& segment : device.segments) {
        for (const trace::Block& block : device.blocksOf(segment)) {
            const bool is_active = block.state != trace::BlockState::inactive;
            count += is_active && !explains(rule, segment, block, most_rest) ? 1 : 0;
        }
    }
    return count;
}

} // namespace

Rounding::Rounding(const trace::AllocatorSettings& settings)
{
    for (const auto& [key, divisions] : settings.roundup_power2_divisions) {
        std::uint64_t mebibytes = 0;
        const auto read = std::from_chars(key.data(), key.data() + key.size(), mebibytes);
        if (read.ec == std::errc() && std::has_single_bit(mebibytes)) {
            const auto index = static_cast<std::size_t>(std::countr_zero(mebibytes));
            if (index < m_divisions.size()) {
                m_divisions[index] = divisions;
            }
        }
    }
}

Rounding Rounding::ofNpu()
{
    Rounding rule;
    rule.m_extra = kNpuExtra;
    return rule;
}

Bytes Rounding::operator()(Bytes requested) const
{
    const std::int64_t size = requested.value + m_extra;
    if (size < kMinBlockSize) {
        return {kMinBlockSize};
    }
    const auto magnitude = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size))) - 1;
    const std::int64_t divisions = m_divisions[static_cast<std::size_t>(
        std::clamp(magnitude - 20, 0, static_cast<int>(m_divisions.size()) - 1))];
    if (divisions <= 1 || size <= kMinBlockSize * divisions) {
        return {roundUp(size, kMinBlockSize)};
    }
    const std::int64_t floor = largestPowerOfTwo(size);
    const std::int64_t step = floor / divisions;
    return {floor == size ? size : step == 0 ? 2 * floor : roundUp(size, step)};
}

RoundingFound findRounding(const trace::AllocatorSettings& settings, const trace::Device& device)
{
    // Blocks above max_split_size may keep up to 20 MiB more than they need.
    const bool may_keep_more = settings.max_split_size_bytes.value_or(-1) > 0;
    const std::int64_t most_rest = may_keep_more ? kLargeBuffer : kSmallSize;
    RoundingFound best;
    bool is_first = true;
    for (const Rounding& rule : {Rounding(settings), Rounding(), Rounding::ofNpu()}) {
        const std::int64_t contradictions = contradictionsOf(rule, device, most_rest);
        if (is_first || contradictions < best.contradictions) {
            best = {rule, contradictions};
        }
        is_first = false;
    }
    return best;
}

Bytes roundToBlock(Bytes requested)
{
    return Rounding()(requested);
}

Bytes segmentSizeFor(Bytes rounded_request)
{
    if (rounded_request.value <= kSmallSize) {
        return {kSmallBuffer};
    }
    if (rounded_request.value < kMinLargeAlloc) {
        return {kLargeBuffer};
    }
    return {roundUp(rounded_request.value, kSmallBuffer)};
}

} // namespace tidemark::replay
