// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/stack_pool.h"

#include <cstring>
#include <type_traits>

namespace tidemark {
namespace {

static_assert(
    std::has_unique_object_representations_v<FrameId> && sizeof(FrameId) == sizeof(std::uint32_t),
    "stacks are compared and hashed as the words they consist of");

bool isEqual(std::span<const FrameId> a, std::span<const FrameId> b)
{
    return a.size() == b.size()
        && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

} // namespace

FrameId StackPool::internFrame(const Frame& frame)
{
    const std::uint64_t texts = (std::uint64_t{frame.name.value} << 32) | frame.filename.value;
    const auto [number, fresh] = m_frame_index.findOrAdd(
        m_hash.pair(texts, static_cast<std::uint32_t>(frame.line)), m_frames.size(),
        [&](std::uint32_t other) { return m_frames[other] == frame; });
    if (fresh) {
        m_frames.push_back(frame);
    }
    return FrameId(number);
}

StackId StackPool::internStack(std::span<const FrameId> frames)
{
    if (m_last < m_stacks.size() && isEqual(m_stacks[m_last], frames)) {
        return StackId(m_last);
    }
    const std::string_view bytes(reinterpret_cast<const char*>(frames.data()), frames.size_bytes());
    const auto [number, fresh] =
        m_stack_index.findOrAdd(m_hash.bytes(bytes), m_stacks.size(), [&](std::uint32_t other) {
            return isEqual(m_stacks[other], frames);
        });
    if (fresh) {
        m_stacks.push_back(m_store.add(frames));
    }
    m_last = number;
    return StackId(number);
}

} // namespace tidemark
