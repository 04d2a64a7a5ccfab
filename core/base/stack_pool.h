// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/string_pool.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// One frame of a stack, Python or C++. `line` 0 means unknown.
struct Frame {
    StringId name;
    StringId filename;
    std::int32_t line = 0;
    friend constexpr bool operator==(const Frame&, const Frame&) = default;
};

/// Stores each distinct frame and each distinct stack once. A stack is a list of frames, innermost
/// first. The empty stack has an id like any other; `StackId::none()` means "not recorded".
class StackPool {
public:
    /// O(1) amortised.
    FrameId internFrame(const Frame& frame);
    /// O(number of frames), amortised. `frames` innermost first.
    StackId internStack(std::span<const FrameId> frames);

    [[nodiscard]] const Frame& frame(FrameId id) const
    {
        return m_frames[id.index()];
    }
    /// Innermost first; empty for none.
    [[nodiscard]] std::span<const FrameId> frames(StackId id) const;
    [[nodiscard]] std::size_t frameCount() const
    {
        return m_frames.size();
    }
    [[nodiscard]] std::size_t stackCount() const
    {
        return m_begins.size() - 1;
    }

private:
    std::vector<Frame> m_frames;
    std::unordered_multimap<std::size_t, FrameId> m_frame_ids;
    std::vector<FrameId> m_stack_frames;
    std::vector<std::size_t> m_begins{0};
    std::unordered_multimap<std::size_t, StackId> m_stack_ids;
};

} // namespace tidemark
