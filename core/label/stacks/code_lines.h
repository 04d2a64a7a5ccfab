// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/stacks/stack_text.h"
#include "core/trace/snapshot.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tidemark::label {

/// Which lines of a program a stack tells about; none where no frame is of that kind.
struct CodeLines {
    /// Of the model: the innermost line below a call of a module that lies in the user's own code,
    /// or in a library's file in which a module's `forward` lies ("modeling_llama.py:182 forward").
    /// Libraries that models are built of, wrapped in or run by have no lines of a model.
    FrameId model;
    FrameId user; ///< The innermost one outside of installed packages.
    /// What names the place best: the model's line; else the innermost one that is the user's or of
    /// a training loop the user called; else the innermost of any library; else of C++.
    FrameId shown;

    /// The user's line where it is another one than what is shown.
    [[nodiscard]] FrameId caller() const
    {
        return user == shown ? FrameId::none() : user;
    }
};

/// Finds the lines of the stacks of one snapshot, to which it holds no reference. Every consumer
/// asks this class, so that tables, sentences and tooltips name one place.
class LineFinder {
public:
    /// O(frames, not stacks); every filename is judged once.
    explicit LineFinder(const trace::Snapshot& snapshot);

    /// `frames` are those of a stack or its innermost ones. O(frames).
    [[nodiscard]] CodeLines of(std::span<const FrameId> frames) const;
    /// Nothing for none. Requires the snapshot this was made of.
    [[nodiscard]] CodeLines of(const trace::Snapshot& snapshot, StackId stack) const
    {
        return stack.isNone() ? CodeLines() : of(snapshot.stacks.frames(stack));
    }

private:
    /// What a frame alone says.
    struct Facts {
        FrameOrigin origin = FrameOrigin::native;
        bool is_module_call = false; ///< torch's own, between a module and its `forward`.
        bool is_forward = false;
        bool is_apply = false; ///< torch's own, which calls autograd functions.
        bool is_runner = false;
        bool may_be_model = false; ///< A model's where it runs below a call of a module.
    };
    std::vector<Facts> m_frames;
};

/// "modeling_llama.py:182 forward", and behind ", called at " the user's line where it is another
/// one. Empty for nothing.
std::string linesText(const trace::Snapshot& snapshot, const CodeLines& lines);

} // namespace tidemark::label
