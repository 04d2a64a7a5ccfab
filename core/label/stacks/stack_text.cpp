// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/stack_text.h"

#include "core/base/format.h"
#include "core/base/short_text.h"
#include "core/label/stacks/frame_tests.h"
#include "core/label/stacks/stack_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tidemark::label {
namespace {

/// Functions that only pass a call on: they name no operation.
bool passesOn(std::string_view name)
{
    static constexpr std::array<std::string_view, 12> kNames{
        "_call_impl", "_wrapped_call_impl", "__call__", "inner",   "forward",  "new_forward",
        "apply",      "decorate_context",   "_fn",      "wrapper", "<module>", "<lambda>"};
    return std::ranges::find(kNames, name) != kNames.end();
}

/// Whether a `forward` is that of an autograd function, whose name its caller's tells.
bool isApplied(const trace::Snapshot& snapshot, std::span<const FrameId> frames, std::size_t at)
{
    return at + 1 < frames.size()
        && isFile(snapshot.text(snapshot.stacks.frame(frames[at + 1]).filename),
                  "torch/autograd/function.py");
}

/// "at::native::gelu_cuda(at::Tensor const&)" → "at::native::gelu_cuda".
std::string withoutArguments(std::string_view name)
{
    const std::size_t paren = name.find('(', name.find("(anonymous namespace)") == 0 ? 21 : 0);
    return shownName(name.substr(0, paren));
}

} // namespace

FrameOrigin frameOrigin(const trace::Snapshot& snapshot, FrameId frame)
{
    const Frame& f = snapshot.stacks.frame(frame);
    const std::string_view name = snapshot.text(f.name);
    const std::string_view file = snapshot.text(f.filename);
    const StackRules& rules = StackRules::builtin();
    if (!isPythonFile(file)) {
        return rules.isNoise(name, file) ? FrameOrigin::noise : FrameOrigin::native;
    }
    return rules.isLibrary(file) ? FrameOrigin::library : FrameOrigin::user;
}

std::string frameText(const trace::Snapshot& snapshot, FrameId frame)
{
    if (frame.isNone()) {
        return {};
    }
    const Frame& f = snapshot.stacks.frame(frame);
    const std::string_view file = snapshot.text(f.filename);
    const std::string_view name = snapshot.text(f.name);
    if (!isPythonFile(file)) {
        return withoutArguments(name);
    }
    return fmt::format("{}:{} {}", shownName(baseName(file)), f.line, shownName(name));
}

std::string operationText(const trace::Snapshot& snapshot, StackId stack)
{
    std::string native;
    const std::span<const FrameId> frames = snapshot.stacks.frames(stack);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const Frame& f = snapshot.stacks.frame(frames[i]);
        const std::string_view name = snapshot.text(f.name);
        const std::string_view file = snapshot.text(f.filename);
        const FrameOrigin origin = frameOrigin(snapshot, frames[i]);
        if (origin == FrameOrigin::user) {
            return shownName(name);
        }
        if (origin == FrameOrigin::library && !passesOn(name)) {
            return shownName(name);
        }
        if (origin == FrameOrigin::library && name == "forward"
            && !isApplied(snapshot, frames, i)) {
            // torch/nn/modules/linear.py: the file says what the module is.
            const std::string_view base = baseName(file);
            return isFileIn(file, "torch/nn/modules/") ? shownName(base.substr(0, base.rfind('.')))
                                                       : shownName(name);
        }
        if (origin == FrameOrigin::native && native.empty() && name.starts_with("at::native::")) {
            native = withoutArguments(name.substr(12));
        }
    }
    return native;
}

std::vector<FrameId> framesForPeople(const trace::Snapshot& snapshot, StackId stack)
{
    std::vector<FrameId> user;
    std::vector<FrameId> rest;
    for (const FrameId f : snapshot.stacks.frames(stack)) {
        const FrameOrigin origin = frameOrigin(snapshot, f);
        if (origin == FrameOrigin::user) {
            user.push_back(f);
        } else if (origin != FrameOrigin::noise) {
            rest.push_back(f);
        }
    }
    user.insert(user.end(), rest.begin(), rest.end());
    return user;
}

} // namespace tidemark::label
