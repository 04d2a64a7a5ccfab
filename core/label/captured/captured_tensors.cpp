// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/captured/captured_tensors.h"

#include "core/base/keyed_hash.h"
#include "core/label/runs/captured_moments.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace tidemark::label {

std::vector<std::uint32_t> capturedThings(const trace::Snapshot& snapshot,
                                          const trace::Device& device,
                                          const replay::DeviceReplay& replay,
                                          const DeviceLabels& labels)
{
    if (!snapshot.capture) {
        return {};
    }
    const trace::Capture& capture = *snapshot.capture;
    const trace::CaptureTensors& rows = capture.tensors;
    const replay::Allocations& all = replay.allocations;
    std::unordered_map<Address, std::vector<AllocationId>, KeyedNumberHash> at;
    for (std::size_t r = 0; r < rows.count(); ++r) {
        if (rows.device[r] == device.index) {
            at.try_emplace(rows.address[r]);
        }
    }
    for (std::size_t i = 0; i < all.count() && !at.empty(); ++i) {
        if (const auto it = at.find(all.address[i]); it != at.end()) {
            it->second.push_back(AllocationId(i)); // by `begin`, as allocations are
        }
    }
    const std::vector<std::optional<CapturedPlace>> places = placeMoments(capture, device);
    std::vector<std::uint32_t> thing_of(all.count(), 0);
    for (std::size_t r = 0; r < rows.count(); ++r) {
        const auto& place = places[rows.moment[r]];
        if (rows.device[r] != device.index || !place) {
            continue;
        }
        const std::vector<AllocationId>& here = at.at(rows.address[r]);
        const auto after = std::ranges::upper_bound(
            here, place->state, {}, [&](AllocationId a) { return all.begin[a.index()]; });
        if (after == here.begin()) {
            continue;
        }
        const std::size_t i = std::prev(after)->index();
        const bool agrees = all.isLive(AllocationId(i), place->state)
            && all.requested[i] == rows.bytes[r]
            && capture.things[rows.thing[r]].bucket == bucketId(labels.bucket[i]);
        if (agrees) {
            thing_of[i] = rows.thing[r] + 1;
        }
    }
    return thing_of;
}

CapturedModule moduleOfName(std::string_view tensor_name)
{
    CapturedModule module;
    const std::size_t last = tensor_name.rfind('.');
    if (last == std::string_view::npos) {
        return module;
    }
    std::size_t numbers = 0;
    for (std::string_view rest = tensor_name.substr(0, last); !rest.empty();) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        const std::string_view part = rest.substr(0, dot);
        rest.remove_prefix(std::min(dot + 1, rest.size()));
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        const bool is_number = error == std::errc() && end == part.data() + part.size();
        module.name += module.name.empty() ? "" : ".";
        module.name += is_number ? std::string_view("*") : part;
        numbers += is_number ? 1U : 0U;
        module.layer = is_number ? number + 1 : module.layer;
    }
    module.layer = numbers == 1 ? module.layer : 0;
    return module;
}

} // namespace tidemark::label
