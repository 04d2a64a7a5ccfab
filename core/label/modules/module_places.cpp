// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/module_places.h"

#include "core/base/keyed_hash.h"
#include "core/label/captured/captured_tensors.h"
#include "core/label/modules/layers.h"
#include "core/label/runs/passes.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

namespace tidemark::label {
namespace {

constexpr std::uint32_t kMostLayers = std::numeric_limits<std::uint16_t>::max();

bool isModule(const ModulePaths& paths, ModuleId id)
{
    return !id.isNone()
        && (paths.path(id).source == PathSource::name
            || paths.path(id).source == PathSource::forward
            || paths.path(id).source == PathSource::construction
            || paths.path(id).source == PathSource::forward_frames);
}

/// The module that all parameters of one size share; none where they have several, or where one
/// has none.
class ModuleBySize {
public:
    ModuleBySize(const replay::Allocations& allocations, const DeviceLabels& labels,
                 const ModulePaths& paths, const std::vector<ModuleId>& named)
    {
        for (std::size_t i = 0; i < allocations.count(); ++i) {
            if (labels.bucket[i] != Bucket::parameter || labels.role[i] == Role::unsharded) {
                continue;
            }
            const ModuleId own = named[i].isNone() ? paths.of(allocations.stack[i]) : named[i];
            const ModuleId module = isModule(paths, own) ? own : ModuleId::none();
            const auto [it, is_new] = m_modules.try_emplace(allocations.requested[i].value, module);
            if (!is_new && it->second != module) {
                it->second = ModuleId::none();
            }
        }
    }

    [[nodiscard]] ModuleId of(std::int64_t bytes) const
    {
        static constexpr std::int64_t kSmallest = 64; // step counters look like scalar parameters
        const auto it = bytes < kSmallest ? m_modules.end() : m_modules.find(bytes);
        return it == m_modules.end() ? ModuleId::none() : it->second;
    }

private:
    std::unordered_map<std::int64_t, ModuleId, KeyedNumberHash> m_modules;
};

/// Modules that the capture names, and the layers in their names.
void placeNamed(ModulePlaces& places, const trace::Snapshot& snapshot, const ModulePaths& paths,
                std::span<const std::uint32_t> things)
{
    for (std::size_t i = 0; i < things.size(); ++i) {
        if (things[i] == 0) {
            continue;
        }
        const std::size_t thing = things[i] - 1;
        places.module[i] = paths.ofThing(thing);
        if (!places.module[i].isNone()) {
            places.layer[i] = static_cast<std::uint16_t>(
                std::min(moduleOfName(snapshot.capture->things[thing].name).layer, kMostLayers));
        }
    }
}

/// What the final blocks say about the forward pass, for allocations whose events are gone.
std::unordered_map<Address, StringId, KeyedNumberHash> forwardOfBlocks(const trace::Device& device)
{
    std::unordered_map<Address, StringId, KeyedNumberHash> forward;
    for (const trace::Block& block : device.blocks) {
        if (!block.forward_frames.isNone()) {
            forward.emplace(block.address, block.forward_frames);
        }
    }
    return forward;
}

void placeLayers(ModulePlaces& places, const replay::DeviceReplay& replay,
                 const DeviceLabels& labels)
{
    const std::vector<Pass> passes = findPasses(labels, replay.stateCount());
    const Layers layers = findLayers(replay, labels, passes, passesOf(replay.allocations, passes));
    places.layers = layers.count;
    for (std::size_t i = 0; i < places.layer.size(); ++i) {
        const Layer* const layer = layers.layerOf(AllocationId(i));
        if (layer != nullptr && layer->number < kMostLayers) {
            places.layer[i] = static_cast<std::uint16_t>(layer->number + 1);
        }
    }
}

} // namespace

ModulePlaces placeModules(const trace::Snapshot& snapshot, const trace::Device& device,
                          const replay::DeviceReplay& replay, const DeviceLabels& labels,
                          const ModulePaths& paths, std::span<const std::uint32_t> things)
{
    const replay::Allocations& all = replay.allocations;
    ModulePlaces places;
    places.module.assign(all.count(), ModuleId::none());
    places.layer.assign(all.count(), 0);
    places.by_size.assign(all.count(), false);
    placeNamed(places, snapshot, paths, things);
    const ModuleBySize by_size(all, labels, paths, places.module);
    const auto of_blocks = forwardOfBlocks(device);
    const auto& of_events = device.events.forward_frames;
    const StateId never{replay.lastState().value + 1};
    const auto forwardOf = [&](std::size_t i) {
        const EventId event = all.alloc_event[i];
        if (!event.isNone()) {
            return of_events.empty() ? ModuleId::none() : paths.ofForward(of_events[event.index()]);
        }
        const auto block = all.end[i] == never ? of_blocks.find(all.address[i]) : of_blocks.end();
        return block == of_blocks.end() ? ModuleId::none() : paths.ofForward(block->second);
    };
    for (std::size_t i = 0; i < all.count(); ++i) {
        const ModuleId own = paths.of(all.stack[i]);
        ModuleId module = places.module[i].isNone() ? forwardOf(i) : places.module[i];
        if (module.isNone() && isModule(paths, own)) {
            module = own;
        }
        const bool follows_a_parameter =
            labels.bucket[i] == Bucket::gradient || labels.bucket[i] == Bucket::optimizer_state;
        if (module.isNone() && follows_a_parameter) {
            module = by_size.of(all.requested[i].value);
            places.by_size[i] = !module.isNone();
        }
        places.module[i] = module.isNone() ? own : module;
    }
    placeLayers(places, replay, labels);
    return places;
}

} // namespace tidemark::label
