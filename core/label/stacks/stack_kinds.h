// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/label/stacks/code_lines.h"
#include "core/label/stacks/stack_rules.h"
#include "core/label/stacks/stack_text.h"
#include "core/trace/snapshot.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace tidemark::label {

/// In what part of a program an allocating stack lies, judged from its frames alone.
enum class StackKind : std::uint8_t {
    none, ///< No stack was recorded.
    empty, ///< Recorded without a frame: with Python frames only, autograd's own thread.
    load,
    load_optimizer,
    data,
    forward,
    backward,
    optimizer,
    other, ///< Python that is none of these, e.g. the training script itself.
};

/// Kind and traits of every stack of a snapshot; index = StackId. Computed once per distinct stack,
/// in O(names + filenames + frames of all stacks).
class StackKinds {
public:
    /// Asked to stop it stops early, and what it then says means nothing: the caller looks at the
    /// token.
    explicit StackKinds(const trace::Snapshot& snapshot, const std::stop_token& stop = {});

    [[nodiscard]] StackKind kind(StackId stack) const
    {
        return stack.isNone() ? StackKind::none : m_kinds[stack.index()];
    }
    [[nodiscard]] Traits traits(StackId stack) const
    {
        return stack.isNone() ? Traits() : m_traits[stack.index()];
    }
    /// What the line that asked for it says, with the C++ below it, whoever called that line. Of a
    /// stack without Python frames all count.
    [[nodiscard]] Traits lineTraits(StackId stack) const
    {
        return stack.isNone() ? Traits() : m_line_traits[stack.index()];
    }
    /// The innermost frames that are not noise identify "the same place in the program" whoever
    /// called it.
    [[nodiscard]] std::size_t place(StackId stack) const
    {
        return stack.isNone() ? 0 : m_places[stack.index()];
    }
    [[nodiscard]] std::size_t placeAt(const trace::Events& events, std::size_t event) const
    {
        return place(events.stack[event]);
    }
    /// The innermost frame of Python, the line that asked for it whatever C++ lies below; none
    /// without one.
    [[nodiscard]] FrameId pythonFrame(StackId stack) const
    {
        return stack.isNone() ? FrameId::none() : m_python[stack.index()].innermost;
    }
    /// Equal for what one line made for the same callers: the several operations of one call, which
    /// C++ frames tell apart. Of a stack without Python frames all of them count.
    [[nodiscard]] std::size_t path(StackId stack) const
    {
        return stack.isNone() ? 0 : m_python[stack.index()].path;
    }
    /// Equal for all that one function made for the same callers, whichever of its lines: a module
    /// that is written out in several. As `path` without Python frames.
    [[nodiscard]] std::size_t function(StackId stack) const
    {
        return stack.isNone() ? 0 : m_python[stack.index()].function;
    }

    [[nodiscard]] FrameOrigin origin(FrameId frame) const
    {
        return m_origins[frame.index()];
    }
    [[nodiscard]] bool isPython(FrameId frame) const
    {
        return origin(frame) == FrameOrigin::user || origin(frame) == FrameOrigin::library;
    }
    /// As `label::ownFrame`, looked up; of code that an optimizer calls back without its callers.
    [[nodiscard]] FrameId ownFrame(StackId stack) const
    {
        return stack.isNone() ? FrameId::none() : m_own[stack.index()];
    }
    /// The lines that people are shown, looked up.
    [[nodiscard]] CodeLines lines(StackId stack) const
    {
        return stack.isNone() ? CodeLines() : m_lines[stack.index()];
    }

private:
    struct Python {
        FrameId innermost;
        std::size_t path = 0;
        std::size_t function = 0;
    };
    std::vector<StackKind> m_kinds;
    std::vector<Traits> m_traits;
    std::vector<Traits> m_line_traits;
    std::vector<std::size_t> m_places;
    std::vector<FrameId> m_own;
    std::vector<CodeLines> m_lines;
    std::vector<Python> m_python;
    std::vector<FrameOrigin> m_origins; ///< Per frame.
};

} // namespace tidemark::label
