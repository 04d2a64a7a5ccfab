// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <algorithm>
#include <string_view>

namespace tidemark::label {

/// Whether two characters of paths are the same, the first of them perhaps of Windows.
inline bool isSameInPath(char a, char b)
{
    return a == b || (a == '\\' && b == '/');
}
/// Whether a file is `ending` in some folder; the separators of Windows are those of `ending`.
inline bool isFile(std::string_view file, std::string_view ending)
{
    return file.size() >= ending.size()
        && std::ranges::equal(file.substr(file.size() - ending.size()), ending, isSameInPath);
}
/// Whether it lies in `folder`, which ends with a separator.
inline bool isFileIn(std::string_view file, std::string_view folder)
{
    return std::search(file.begin(), file.end(), folder.begin(), folder.end(), isSameInPath)
        != file.end();
}

/// Whether it is one of torch's activation functions: nothing with a weight, which it could copy.
inline bool isActivationFunction(std::string_view name, std::string_view file)
{
    return isFile(file, "torch/nn/modules/activation.py") || name == "relu" || name == "gelu"
        || name == "silu";
}

/// Whether `is(name, file)` holds of some frame of a stack; of none without frames.
template <class Is>
bool anyFrame(const trace::Snapshot& snapshot, StackId stack, const Is& is)
{
    return !stack.isNone() && std::ranges::any_of(snapshot.stacks.frames(stack), [&](FrameId id) {
        const Frame& frame = snapshot.stacks.frame(id);
        return is(snapshot.text(frame.name), snapshot.text(frame.filename));
    });
}

/// Whether it holds of some frame of some stack. O(frames, each counted once).
template <class Is>
bool anyFrame(const trace::Snapshot& snapshot, const Is& is)
{
    for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        const Frame& frame = snapshot.stacks.frame(FrameId(f));
        if (is(snapshot.text(frame.name), snapshot.text(frame.filename))) {
            return true;
        }
    }
    return false;
}

} // namespace tidemark::label
