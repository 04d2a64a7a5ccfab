// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/module_bytes.h"

#include <algorithm>
#include <tuple>

namespace tidemark::curves {

std::vector<ModuleBytes> moduleBytes(const replay::DeviceReplay& replay,
                                     const label::DeviceLabels& labels,
                                     const label::ModulePlaces& places, StateId state)
{
    std::vector<AllocationId> live = replay::livingAt(replay, state);
    const auto key = [&](AllocationId a) {
        return std::tuple(labels.bucket[a.index()], places.module[a.index()],
                          places.layer[a.index()]);
    };
    std::ranges::stable_sort(live, {}, key);
    std::vector<ModuleBytes> rows;
    std::uint16_t layer = 0;
    for (const AllocationId a : live) {
        const std::size_t i = a.index();
        const std::int64_t bytes = replay.allocations.requested[i].value;
        if (rows.empty() || rows.back().bucket != labels.bucket[i]
            || rows.back().module != places.module[i]) {
            rows.push_back({labels.bucket[i], places.module[i], 0, 0, 0, a});
            layer = 0;
        }
        ModuleBytes& row = rows.back();
        row.bytes += bytes;
        ++row.count;
        if (places.layer[i] != layer) {
            layer = places.layer[i];
            ++row.layers;
        }
        if (bytes > replay.allocations.requested[row.largest.index()].value) {
            row.largest = a;
        }
    }
    std::ranges::stable_sort(rows, std::ranges::greater{}, &ModuleBytes::bytes);
    return rows;
}

} // namespace tidemark::curves
