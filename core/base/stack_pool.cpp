// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/stack_pool.h"

#include <algorithm>

namespace tidemark {
namespace {

std::size_t mix(std::size_t seed, std::size_t value)
{
    // The 64-bit golden-ratio step of boost::hash_combine, widened.
    return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 12) + (seed >> 4));
}

} // namespace

FrameId StackPool::internFrame(const Frame& frame)
{
    const std::size_t hash = mix(mix(frame.name.value, frame.filename.value),
                                 static_cast<std::size_t>(static_cast<std::uint32_t>(frame.line)));
    const auto [begin, end] = m_frame_ids.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
        if (m_frames[it->second.index()] == frame) {
            return it->second;
        }
    }
    const FrameId id(m_frames.size());
    m_frames.push_back(frame);
    m_frame_ids.emplace(hash, id);
    return id;
}

StackId StackPool::internStack(std::span<const FrameId> frames)
{
    std::size_t hash = frames.size();
    for (const FrameId f : frames) {
        hash = mix(hash, f.value);
    }
    const auto [begin, end] = m_stack_ids.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
        if (std::ranges::equal(this->frames(it->second), frames)) {
            return it->second;
        }
    }
    const StackId id(stackCount());
    m_stack_frames.insert(m_stack_frames.end(), frames.begin(), frames.end());
    m_begins.push_back(m_stack_frames.size());
    m_stack_ids.emplace(hash, id);
    return id;
}

std::span<const FrameId> StackPool::frames(StackId id) const
{
    if (id.isNone()) {
        return {};
    }
    const std::size_t begin = m_begins[id.index()];
    return std::span(m_stack_frames).subspan(begin, m_begins[id.index() + 1] - begin);
}

} // namespace tidemark
