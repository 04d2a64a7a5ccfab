// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stack_kinds.h"

#include "core/label/stack_text.h"

namespace tidemark::label {
namespace {

/// How many telling frames make a place.
constexpr int kPlaceFrames = 4;
/// FNV-1a.
constexpr std::size_t kHashSeed = 1469598103934665603ULL;
constexpr std::size_t kHashFactor = 1099511628211ULL;

/// The innermost frame that belongs to a part of the program decides, with one exception: forward
/// frames below a backward frame are a recomputation (activation checkpointing), so they belong to
/// backward.
StackKind kindOf(std::span<const FrameId> frames, const std::vector<Traits>& traits)
{
    StackKind innermost = StackKind::other;
    for (const FrameId f : frames) {
        const Traits t = traits[f.index()];
        if (innermost == StackKind::forward
            && (t.has(Trait::backward) || t.has(Trait::recompute))) {
            return StackKind::backward;
        }
        if (innermost == StackKind::load && t.has(Trait::forward)) {
            innermost =
                StackKind::forward; // An object made inside forward is no model being loaded.
        }
        if (innermost != StackKind::other) {
            continue;
        }
        if (t.has(Trait::load_optimizer)) {
            innermost = StackKind::load_optimizer;
        } else if (t.has(Trait::optimizer)) {
            innermost = StackKind::optimizer;
        } else if (t.has(Trait::backward) || t.has(Trait::recompute)) {
            innermost = StackKind::backward;
        } else if (t.has(Trait::load)) {
            innermost = StackKind::load;
        } else if (t.has(Trait::forward)) {
            innermost = StackKind::forward;
        } else if (t.has(Trait::data)) {
            innermost = StackKind::data;
        }
    }
    return innermost;
}

} // namespace

StackKinds::StackKinds(const trace::Snapshot& snapshot)
{
    const StackPool& pool = snapshot.stacks;
    const StackRules& rules = StackRules::builtin();
    std::vector<Traits> frame_traits(pool.frameCount());
    std::vector<bool> noise(pool.frameCount());
    std::vector<bool> python(pool.frameCount());
    for (std::size_t i = 0; i < pool.frameCount(); ++i) {
        const Frame& f = pool.frame(FrameId(i));
        frame_traits[i] = rules.traitsOf(snapshot.text(f.name), snapshot.text(f.filename));
        python[i] = isPythonFile(snapshot.text(f.filename));
        noise[i] = frameOrigin(snapshot, FrameId(i)) == FrameOrigin::noise;
    }
    m_kinds.reserve(pool.stackCount());
    for (std::size_t s = 0; s < pool.stackCount(); ++s) {
        const auto frames = pool.frames(StackId(s));
        Traits all;
        // Python frames make the place where there are any: below them, the kernels of every layer
        // look alike.
        bool any_python = false;
        for (const FrameId f : frames) {
            all.add(frame_traits[f.index()]);
            any_python = any_python || python[f.index()];
        }
        std::size_t place = kHashSeed;
        int taken = 0;
        for (const FrameId f : frames) {
            const bool tells = any_python ? python[f.index()] : !noise[f.index()];
            if (tells && taken < kPlaceFrames) {
                place = (place ^ f.value) * kHashFactor;
                ++taken;
            }
        }
        m_kinds.push_back(frames.empty() ? StackKind::empty : kindOf(frames, frame_traits));
        m_traits.push_back(all);
        m_places.push_back(place);
    }
}

} // namespace tidemark::label
