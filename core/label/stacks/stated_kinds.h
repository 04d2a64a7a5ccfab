// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/bucket.h"
#include "core/label/stacks/stack_kinds.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::label {

// What the file states besides stacks; the names are those of resources/rules/stated_names.json.

/// The part of the program that a `record_function` scope stands for; nullopt for any other name.
std::optional<StackKind> kindOfAnnotation(std::string_view name);
/// The bucket that a text attached to memory names; nullopt where it names none.
std::optional<Bucket> bucketOfMetadata(std::string_view text);

/// Calls `visit` for every text attached to memory, in the order of the trace: `user_metadata` of
/// the event that made an allocation, or of an annotation while it lived. O(events log
/// allocations); nothing to do without such texts.
void forEachAttachedText(const trace::Device& device, const replay::DeviceReplay& replay,
                         const std::function<void(AllocationId, StringId)>& visit);

/// For all devices: what the scopes of a snapshot say of each time.
class StatedTimes {
public:
    /// O(annotations log annotations).
    explicit StatedTimes(const trace::Snapshot& snapshot);

    /// `none` where nothing is stated. O(log annotations).
    [[nodiscard]] StackKind at(TimePoint time) const;

private:
    std::vector<std::pair<TimePoint, StackKind>> m_changes; ///< From each time on.
};

/// For one device: in which part of the program an event lies by what the file states: the
/// innermost scope with a telling name, or backward where torch says which forward made what it is
/// for. Scopes bear times only, so events of equal time are not told apart.
class StatedKinds {
public:
    /// O(events). `times` of the snapshot; must outlive this.
    StatedKinds(const trace::Snapshot& snapshot, const trace::Device& device,
                const StatedTimes& times);

    /// `none` where nothing is stated. O(log annotations).
    [[nodiscard]] StackKind at(EventId event) const;

private:
    const trace::Events& m_events;
    const StatedTimes& m_times;
    std::vector<std::pair<EventId, StackKind>> m_by_event; ///< From each event on.
};

} // namespace tidemark::label
