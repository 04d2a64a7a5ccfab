// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/replay/memory_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::test {

using replay::BlockInState;
using replay::DeviceReplay;
using replay::Hole;
using replay::MemoryState;
using replay::SegmentState;

std::string faultIn(const MemoryState& memory, const DeviceReplay& device)
{
    Address before = 0;
    for (const SegmentState& s : memory.segments) {
        if (s.address < before || s.size.value <= 0) {
            return fmt::format("segment {:x} overlaps", s.address);
        }
        before = s.address + static_cast<Address>(s.size.value);
        std::vector<std::pair<Address, std::int64_t>> parts;
        for (const BlockInState& b : memory.blocksOf(s)) {
            parts.emplace_back(b.address, b.size.value);
        }
        for (const Hole& h : memory.holesOf(s)) {
            parts.emplace_back(h.address, h.size.value);
        }
        std::ranges::sort(parts);
        Address at = s.address;
        for (const auto& [address, size] : parts) {
            if (address != at || size <= 0) {
                return fmt::format("{:x} does not follow", address);
            }
            at += static_cast<Address>(size);
        }
        if (at != before) {
            return fmt::format("segment {:x} is not filled", s.address);
        }
    }
    std::vector<AllocationId> all = memory.outside;
    for (const BlockInState& b : memory.blocks) {
        all.push_back(b.allocation);
    }
    std::ranges::sort(all);
    return all == livingAt(device, memory.state) ? "" : "allocations are missing or doubled";
}

} // namespace tidemark::test
