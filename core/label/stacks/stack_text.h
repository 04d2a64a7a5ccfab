// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <span>
#include <string>
#include <string_view>

namespace tidemark::label {

/// Whose code a frame is.
enum class FrameOrigin : std::uint8_t {
    user, ///< Python outside of installed packages.
    library, ///< Python in site-packages, dist-packages or the standard library.
    native, ///< C++.
    noise, ///< Allocator, unwinder and interpreter frames that every stack has.
};

FrameOrigin frameOrigin(const trace::Snapshot& snapshot, FrameId frame);

/// The innermost frame that is the user's own; else the innermost library frame; else the innermost
/// that is not noise; none for an empty stack. For rules; people are shown `CodeLines`.
template <class OriginOf>
FrameId ownFrame(std::span<const FrameId> frames, const OriginOf& originOf)
{
    FrameId library;
    FrameId native;
    for (const FrameId f : frames) {
        switch (originOf(f)) {
        case FrameOrigin::user:
            return f;
        case FrameOrigin::library:
            library = library.isNone() ? f : library;
            break;
        case FrameOrigin::native:
            native = native.isNone() ? f : native;
            break;
        case FrameOrigin::noise:
            break;
        }
    }
    return library.isNone() ? native : library;
}

/// "model.py:41 Attention.forward" style, one line: base name, line, function. Empty for none.
std::string frameText(const trace::Snapshot& snapshot, FrameId frame);

/// What made the allocation in a word or two: the innermost Python function below the user's frame
/// ("softmax", "linear"), else the user's function.
std::string operationText(const trace::Snapshot& snapshot, StackId stack);

/// Frames of a stack for display: the user's frames first, then the rest, noise left out; each list
/// innermost first.
std::vector<FrameId> framesForPeople(const trace::Snapshot& snapshot, StackId stack);

} // namespace tidemark::label
