// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/stack_kinds.h"

#include "core/base/progress.h"
#include "core/label/stacks/frame_tests.h"
#include "core/label/stacks/stack_text.h"

#include <algorithm>

namespace tidemark::label {
namespace {

/// How many telling frames make a place.
constexpr std::size_t kPlaceFrames = 4;
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

/// What the frames of a snapshot say, each alone. Texts are judged once each.
class FrameFacts {
public:
    FrameFacts(const trace::Snapshot& snapshot, const std::stop_token& stop)
        : m_snapshot(snapshot)
        , m_name_index(snapshot.strings.size() + 1, kUnknown)
        , m_file_index(snapshot.strings.size() + 1, kUnknown)
    {
        const std::size_t count = snapshot.stacks.frameCount();
        traits.resize(count);
        origins.resize(count, FrameOrigin::native);
        for (std::size_t i = 0; i < count; ++i) {
            if (i % kStopCheckStride == 0 && stop.stop_requested()) {
                return;
            }
            const Frame& f = snapshot.stacks.frame(FrameId(i));
            const NameFacts& name = nameFacts(f.name);
            const StackRules::FileFacts& file = fileFacts(f.filename);
            traits[i] = m_rules.traitsOf(name.rules & file.rules);
            origins[i] = file.is_library         ? FrameOrigin::library
                : file.is_python                 ? FrameOrigin::user
                : name.is_noise || file.is_noise ? FrameOrigin::noise
                                                 : FrameOrigin::native;
        }
    }

    [[nodiscard]] bool isPython(FrameId f) const
    {
        return origins[f.index()] == FrameOrigin::user
            || origins[f.index()] == FrameOrigin::library;
    }
    [[nodiscard]] bool isNoise(FrameId f) const
    {
        return origins[f.index()] == FrameOrigin::noise;
    }

    /// Whether it is torch's own Python.
    [[nodiscard]] bool isTorch(FrameId f) const
    {
        return origins[f.index()] == FrameOrigin::library
            && isFileIn(m_snapshot.text(m_snapshot.stacks.frame(f).filename), "/torch/");
    }

    std::vector<Traits> traits;
    std::vector<FrameOrigin> origins;

private:
    struct NameFacts {
        StackRules::RuleSet rules;
        bool is_noise = false;
    };
    static constexpr std::uint32_t kUnknown = StringId::kNoneValue;

    const NameFacts& nameFacts(StringId id)
    {
        std::uint32_t& index = m_name_index[id.isNone() ? m_name_index.size() - 1 : id.index()];
        if (index == kUnknown) {
            index = static_cast<std::uint32_t>(m_names.size());
            const std::string_view name = m_snapshot.text(id);
            m_names.push_back({m_rules.rulesOf(name), m_rules.isNoiseName(name)});
        }
        return m_names[index];
    }
    const StackRules::FileFacts& fileFacts(StringId id)
    {
        std::uint32_t& index = m_file_index[id.isNone() ? m_file_index.size() - 1 : id.index()];
        if (index == kUnknown) {
            index = static_cast<std::uint32_t>(m_files.size());
            m_files.push_back(m_rules.factsOf(m_snapshot.text(id)));
        }
        return m_files[index];
    }

    const trace::Snapshot& m_snapshot;
    const StackRules& m_rules = StackRules::builtin();
    std::vector<std::uint32_t> m_name_index; ///< Per text: into `m_names`; the last one for none.
    std::vector<std::uint32_t> m_file_index;
    std::vector<NameFacts> m_names;
    std::vector<StackRules::FileFacts> m_files;
};

/// `optimizer.step(closure)` runs code that is not torch's: what that makes is no work of the
/// optimizer, and the optimizer's frames say nothing about it. The frames up to the closure, all
/// without one.
std::span<const FrameId> withoutCallers(std::span<const FrameId> frames, const FrameFacts& facts)
{
    std::size_t caller = frames.size(); // the Python frame just inside the one at hand
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const Traits t = facts.traits[frames[i].index()];
        if (t.has(Trait::calls_back) && caller < frames.size() && !facts.isTorch(frames[caller])) {
            return frames.first(caller + 1);
        }
        // A wrapper that turns gradients on may lie between.
        if (facts.isPython(frames[i]) && !t.has(Trait::no_grad)) {
            caller = i;
        }
    }
    return frames;
}

/// Of the innermost `most` frames. Python frames make the place where there are any: below them,
/// the kernels of every layer look alike.
std::size_t placeOf(std::span<const FrameId> frames, bool any_python, std::size_t most,
                    const FrameFacts& facts)
{
    std::size_t place = kHashSeed;
    std::size_t taken = 0;
    for (const FrameId f : frames) {
        if (any_python ? facts.isPython(f) : !facts.isNoise(f)) {
            place = (place ^ f.value) * kHashFactor;
            if (++taken == most) {
                break;
            }
        }
    }
    return place;
}

/// Of the function at `innermost` and all Python frames that called it.
std::size_t functionOf(const StackPool& pool, std::span<const FrameId> frames,
                       std::ptrdiff_t innermost, const FrameFacts& facts)
{
    const auto inner = static_cast<std::size_t>(innermost);
    const Frame& frame = pool.frame(frames[inner]);
    const std::size_t callers =
        placeOf(frames.subspan(inner + 1), true, frames.size(), facts) * kHashFactor;
    return ((callers ^ frame.name.value) * kHashFactor ^ frame.filename.value) * kHashFactor;
}

} // namespace

StackKinds::StackKinds(const trace::Snapshot& snapshot, const std::stop_token& stop)
{
    const StackPool& pool = snapshot.stacks;
    FrameFacts facts(snapshot, stop);
    const LineFinder lines(snapshot);
    m_kinds.resize(pool.stackCount(), StackKind::none);
    m_traits.resize(pool.stackCount());
    m_line_traits.resize(pool.stackCount());
    m_places.resize(pool.stackCount());
    m_own.resize(pool.stackCount());
    m_lines.resize(pool.stackCount());
    m_python.resize(pool.stackCount());
    for (std::size_t s = 0; s < pool.stackCount(); ++s) {
        if (s % kStopCheckStride == 0 && stop.stop_requested()) {
            break;
        }
        const auto frames = withoutCallers(pool.frames(StackId(s)), facts);
        for (const FrameId f : frames) {
            m_traits[s].add(facts.traits[f.index()]);
        }
        const auto python =
            std::ranges::find_if(frames, [&](FrameId f) { return facts.isPython(f); });
        const bool any_python = python != frames.end();
        for (auto f = frames.begin(); f != (any_python ? std::next(python) : python); ++f) {
            m_line_traits[s].add(facts.traits[f->index()]);
        }
        m_places[s] = placeOf(frames, any_python, kPlaceFrames, facts);
        const std::size_t path = placeOf(frames, any_python, frames.size(), facts);
        m_python[s] = {any_python ? *python : FrameId::none(), path,
                       any_python ? functionOf(pool, frames, python - frames.begin(), facts)
                                  : path};
        m_kinds[s] = frames.empty() ? StackKind::empty : kindOf(frames, facts.traits);
        m_own[s] = label::ownFrame(frames, [&](FrameId f) { return facts.origins[f.index()]; });
        m_lines[s] = lines.of(frames);
    }
    m_origins = std::move(facts.origins);
}

} // namespace tidemark::label
