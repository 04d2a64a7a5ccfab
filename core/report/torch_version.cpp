// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/torch_version.h"

#include "core/base/language.h"

#include <algorithm>

namespace tidemark::report {
namespace {

template <class Has>
bool anyDevice(const trace::Snapshot& snapshot, Has&& has)
{
    return std::ranges::any_of(snapshot.devices, has);
}

bool hasInternalTags(const trace::Snapshot& snapshot)
{
    return anyDevice(snapshot,
                     [](const trace::Device& d) { return !d.events.internal_metadata.empty(); });
}

/// Pinned memory and its limits.
bool isOf2_14(const trace::Snapshot& snapshot)
{
    const auto isLimit = [](const auto& setting) { return setting.first == "max_round_threshold"; };
    return std::ranges::any_of(snapshot.settings.others, isLimit)
        || anyDevice(snapshot,
                     [](const trace::Device& d) { return d.kind == trace::DeviceKind::host; });
}

} // namespace

std::string_view oldestTorch(const trace::Snapshot& snapshot)
{
    if (hasInternalTags(snapshot)) {
        return "2.15";
    }
    if (isOf2_14(snapshot)) {
        return "2.14";
    }
    if (anyDevice(snapshot, [](const trace::Device& d) {
            return !d.events.pool.empty() || !d.events.forward_frames.empty();
        })) {
        return "2.12";
    }
    if (anyDevice(snapshot, [](const auto& d) { return !d.events.user_metadata.empty(); })) {
        return "2.10";
    }
    if (anyDevice(snapshot, [](const auto& d) { return !d.events.compile_context.empty(); })) {
        return "2.8";
    }
    if (!snapshot.annotations.empty()) {
        return "2.5";
    }
    if (snapshot.settings.present) {
        return "2.3";
    }
    return anyDevice(snapshot, [](const auto& d) { return d.events.hasTimes(); }) ? "2.2" : "";
}

std::string torchText(const trace::Snapshot& snapshot)
{
    if (snapshot.capture && !snapshot.capture->torch.empty()) {
        return "torch " + snapshot.capture->torch;
    }
    const std::string_view oldest = oldestTorch(snapshot);
    return oldest.empty() ? say("an old torch, or another backend")
                          : say("torch {} or newer, judging by the file's fields", oldest);
}

} // namespace tidemark::report
