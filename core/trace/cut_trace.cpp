// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/trace/cut_trace.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::trace {
namespace {

/// What the events of a trace touch.
class Touched {
public:
    explicit Touched(const Events& events)
    {
        for (std::size_t i = 0; i < events.count(); ++i) {
            add(events.action[i], events.address[i]);
        }
        m_sorted.reserve(m_is_live.size());
        for (const auto& [address, is_live] : m_is_live) {
            m_sorted.push_back(address);
        }
        std::ranges::sort(m_sorted);
    }

    /// What the last event at this address leaves there; nothing where there is none.
    [[nodiscard]] std::optional<bool> isLive(Address address) const
    {
        const auto it = m_is_live.find(address);
        return it == m_is_live.end() ? std::nullopt : std::optional(it->second);
    }
    [[nodiscard]] bool uses(const Segment& segment) const
    {
        const auto first = std::ranges::lower_bound(m_sorted, segment.address);
        return first != m_sorted.end()
            && *first < segment.address + static_cast<Address>(segment.total_size.value);
    }
    /// The segment was obtained while recording, but not by an event that is there.
    [[nodiscard]] bool lacksEventOf(const Segment& segment) const
    {
        return !segment.stack.isNone() && !segment.is_expandable
            && !m_made_segments.contains(segment.address);
    }

private:
    void add(Action action, Address address)
    {
        switch (action) {
        case Action::alloc:
        case Action::free_requested: // It stays active until the free is completed.
            m_is_live[address] = true;
            break;
        case Action::free_completed:
            m_is_live[address] = false;
            break;
        case Action::segment_alloc:
            m_made_segments.insert(address);
            break;
        default:
            break;
        }
    }

    std::unordered_map<Address, bool> m_is_live;
    std::unordered_set<Address> m_made_segments;
    std::vector<Address> m_sorted;
};

/// The trace lacks its beginning, too: a ring buffer overflowed, or its history was cleared. Then
/// what was allocated while recording may well be older than the first event.
bool beginsLate(const Device& device, const Touched& touched)
{
    return std::ranges::any_of(device.segments, [&](const Segment& segment) {
        return touched.lacksEventOf(segment) && touched.uses(segment);
    });
}

bool isFromLostEvent(const Block& block, const Touched& touched, bool begins_late)
{
    if (block.state == BlockState::inactive) {
        return false;
    }
    const std::optional<bool> is_live = touched.isLive(block.address);
    return is_live ? !*is_live : !begins_late && !block.stack.isNone();
}

} // namespace

bool endsEarly(const InputNotes& notes)
{
    return notes.find(kCutOff) != nullptr || notes.find(kArriving) != nullptr;
}

std::string brokenCopyWords(const Snapshot& snapshot)
{
    return snapshot.notes.find(kCutOff) == nullptr
        ? std::string()
        : say("The copy is broken: the file is cut off at byte {}. Copy it again.",
              formatCount(static_cast<std::int64_t>(snapshot.file_bytes)));
}

CutTrace endWithTrace(Device& device)
{
    const Touched touched(device.events);
    const bool begins_late = beginsLate(device, touched);
    CutTrace result;
    for (Block& block : device.blocks) {
        if (isFromLostEvent(block, touched, begins_late)) {
            block.state = BlockState::inactive;
            block.requested = {};
            block.stack = StackId::none();
            ++result.blocks;
        }
    }
    const auto isFromLostSegment = [&](const Segment& segment) {
        return !begins_late && touched.lacksEventOf(segment) && !touched.uses(segment)
            && std::ranges::none_of(device.blocksOf(segment), [](const Block& block) {
                   return block.state != BlockState::inactive;
               });
    };
    result.segments = std::erase_if(device.segments, isFromLostSegment);
    std::vector<Block> kept;
    for (Segment& segment : device.segments) {
        const std::span<const Block> blocks = device.blocksOf(segment);
        segment.first_block = static_cast<std::uint32_t>(kept.size());
        kept.insert(kept.end(), blocks.begin(), blocks.end());
    }
    device.blocks = std::move(kept);
    return result;
}

} // namespace tidemark::trace
