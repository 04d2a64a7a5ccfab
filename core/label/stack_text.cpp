// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stack_text.h"

#include "core/base/format.h"
#include "core/base/short_text.h"
#include "core/label/stack_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::label {
namespace {

/// Functions that only pass a call on: they name no operation.
bool passesOn(std::string_view name)
{
    return name == "_call_impl" || name == "_wrapped_call_impl" || name == "forward"
        || name == "decorate_context" || name == "wrapper" || name == "<module>"
        || name == "<lambda>";
}

/// "at::native::gelu_cuda(at::Tensor const&)" → "at::native::gelu_cuda".
std::string withoutArguments(std::string_view name)
{
    const std::size_t paren = name.find('(', name.find("(anonymous namespace)") == 0 ? 21 : 0);
    return shortName(name.substr(0, paren));
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

FrameId tellingFrame(const trace::Snapshot& snapshot, StackId stack)
{
    return tellingFrame(snapshot.stacks.frames(stack),
                        [&](FrameId f) { return frameOrigin(snapshot, f); });
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
    return fmt::format("{}:{} {}", shortName(baseName(file)), f.line, shortName(name));
}

std::string operationText(const trace::Snapshot& snapshot, StackId stack)
{
    std::string user;
    std::string native;
    std::string module;
    for (const FrameId id : snapshot.stacks.frames(stack)) {
        const Frame& f = snapshot.stacks.frame(id);
        const std::string_view name = snapshot.text(f.name);
        const std::string_view file = snapshot.text(f.filename);
        const FrameOrigin origin = frameOrigin(snapshot, id);
        if (origin == FrameOrigin::user) {
            user = shortName(name);
            break;
        }
        if (origin == FrameOrigin::library && !passesOn(name)) {
            return shortName(name);
        }
        if (origin == FrameOrigin::library && name == "forward" && module.empty()) {
            // torch/nn/modules/linear.py: the file says what the module is.
            module = shortName(baseName(file));
            module = module.substr(0, module.rfind('.'));
        }
        if (origin == FrameOrigin::native && native.empty() && name.starts_with("at::native::")) {
            native = withoutArguments(name.substr(12));
        }
    }
    if (!module.empty()) {
        return module;
    }
    return user.empty() ? native : user;
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
