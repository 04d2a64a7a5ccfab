// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/chunk_store.h"
#include "core/base/id.h"
#include "core/base/id_index.h"
#include "core/base/keyed_hash.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark {

/// One frame of a stack, Python or C++. `line` 0 means unknown.
struct Frame {
    StringId name;
    StringId filename;
    std::int32_t line = 0;
    friend constexpr bool operator==(const Frame&, const Frame&) = default;
};

/// Stores each distinct frame and each distinct stack once; ids count up in the order of first
/// appearance. A stack is a list of frames, innermost first. The empty stack has an id like any
/// other; `StackId::none()` means "not recorded". Stacks keep their place, so spans stay valid for
/// the pool's lifetime and when the pool is moved, which is O(1).
class StackPool {
public:
    StackPool() = default;
    StackPool(StackPool&&) = default;
    StackPool& operator=(StackPool&&) = default;
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;
    ~StackPool() = default;

    /// O(1) amortised.
    FrameId internFrame(const Frame& frame);
    /// O(number of frames), amortised, and little more than a comparison for the stack that was
    /// interned last. `frames` innermost first.
    StackId internStack(std::span<const FrameId> frames);

    [[nodiscard]] const Frame& frame(FrameId id) const
    {
        return m_frames[id.index()];
    }
    /// Innermost first; empty for none.
    [[nodiscard]] std::span<const FrameId> frames(StackId id) const
    {
        return id.isNone() ? std::span<const FrameId>() : m_stacks[id.index()];
    }
    [[nodiscard]] std::size_t frameCount() const
    {
        return m_frames.size();
    }
    [[nodiscard]] std::size_t stackCount() const
    {
        return m_stacks.size();
    }

private:
    KeyedHash m_hash;
    std::vector<Frame> m_frames;
    IdIndex m_frame_index;
    ChunkStore<FrameId> m_store;
    std::vector<std::span<const FrameId>> m_stacks;
    IdIndex m_stack_index;
    std::uint32_t m_last = IdIndex::kNone; ///< The stack interned last.
};

} // namespace tidemark
