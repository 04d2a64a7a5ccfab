// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::label {

/// A place in a model that memory belongs to, as an index into `ModulePaths`.
using ModuleId = Id<struct ModuleTag>;

/// What a module path was read from.
enum class PathSource : std::uint8_t {
    forward, ///< The chain of `forward` functions of a stack.
    forward_frames, ///< The same, from what the file says about the forward pass of a backward.
    construction, ///< The chain of `__init__` functions: memory made with the module.
    line, ///< No module was running: the user's own line.
    autograd, ///< Only C++ frames: the node of the backward pass.
    name, ///< The capture module said the tensor's name.
};

/// Where in the model a stack was, outermost first: the user's line that called the model, the
/// `forward` of every module on the way with file and line, a helper function between them, and
/// what kind of library module was innermost: "train.py:84 train_step › model.py:39 › model.py:30 ›
/// Linear". Frames name neither classes nor instances, so blocks of one kind share a path.
struct ModulePath {
    std::vector<std::string> parts; ///< Outermost first, never empty.
    PathSource source = PathSource::line;

    [[nodiscard]] std::string text() const; ///< Parts joined by " › ".
    /// The same without the parts that the first `outer` hold, for lists under a common heading.
    [[nodiscard]] std::string text(std::size_t outer) const;
};

/// The paths of all stacks of a snapshot; equal paths have one id, and the source of the first.
/// Holds no reference to the snapshot. Built in O(frames of all stacks + texts of forward frames).
class ModulePaths {
public:
    explicit ModulePaths(const trace::Snapshot& snapshot);

    /// None for a stack without telling frames, and for no stack.
    [[nodiscard]] ModuleId of(StackId stack) const
    {
        return stack.isNone() ? ModuleId::none() : m_of_stack[stack.index()];
    }
    /// What an event's `forward_frames` say; none where they say nothing.
    [[nodiscard]] ModuleId ofForward(StringId forward_frames) const;
    /// Of a thing of the capture; none where its name holds no module.
    [[nodiscard]] ModuleId ofThing(std::size_t thing) const
    {
        return m_of_thing[thing];
    }
    [[nodiscard]] const ModulePath& path(ModuleId id) const
    {
        return m_paths[id.index()];
    }
    [[nodiscard]] std::size_t count() const
    {
        return m_paths.size();
    }

private:
    void nameThings(const trace::Snapshot& snapshot);
    ModuleId intern(ModulePath path);

    std::vector<ModuleId> m_of_stack;
    std::unordered_map<std::uint32_t, ModuleId> m_of_forward; ///< By the text's id.
    std::vector<ModuleId> m_of_thing; ///< By number of the capture's things.
    std::vector<ModulePath> m_paths;
    std::map<std::vector<std::string>, ModuleId> m_ids; ///< By the parts.
};

} // namespace tidemark::label
