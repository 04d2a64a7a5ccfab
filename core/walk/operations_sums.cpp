// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/operations.h"

#include <algorithm>
#include <bit>

namespace tidemark::walk {
namespace {

constexpr std::int64_t kBlockThreads = 512;
constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kLeastValues = 16; ///< That a thread shall sum up,
constexpr std::int64_t kMostValues = 256; ///< and from which on several blocks share them.
// Of an H100; an A100 has 108 processors.
constexpr std::int64_t kProcessors = 132;
constexpr std::int64_t kThreadsOfProcessor = 2048;

std::int64_t dividedUp(std::int64_t value, std::int64_t by)
{
    return (value + by - 1) / by;
}

std::int64_t powerOfTwo(std::int64_t size, std::int64_t most)
{
    return size < most ? static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(size)))
                       : most;
}

} // namespace

Tensor partialSums(Tape& tape, std::int64_t rows, std::int64_t width)
{
    if (tape.target() == Target::cpu || rows < 1 || width < 1) {
        return {};
    }
    const std::int64_t outputs = width % 4 == 0 ? 4 : width % 2 == 0 ? 2 : 1; // Of a thread.
    const std::int64_t most = kBlockThreads / outputs;
    const std::int64_t lanes = width / outputs;
    std::int64_t across = std::min(powerOfTwo(lanes, most), kWarp);
    const std::int64_t down = std::min(powerOfTwo(rows, most), most / across);
    across = std::min(powerOfTwo(lanes, most), most / down);
    if (rows < std::min(down * kLeastValues, kMostValues)) {
        return {};
    }
    const std::int64_t values = dividedUp(rows, down);
    const std::int64_t blocks = dividedUp(lanes, across);
    const std::int64_t room = kProcessors * (kThreadsOfProcessor / (across * down));
    if (values < kMostValues || blocks > room) {
        return {};
    }
    const std::int64_t shares =
        std::max(std::min(dividedUp(room, blocks), dividedUp(values, kLeastValues)),
                 dividedUp(values, kMostValues));
    return shares > 1 ? tape.empty(width * shares * across * outputs, Dtype::fp32) : Tensor();
}

} // namespace tidemark::walk
