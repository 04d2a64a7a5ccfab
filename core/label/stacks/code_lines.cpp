// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/code_lines.h"

#include "core/base/language.h"
#include "core/label/stacks/stack_rules.h"

#include <optional>

namespace tidemark::label {

LineFinder::LineFinder(const trace::Snapshot& snapshot)
{
    const StackRules& rules = StackRules::builtin();
    const std::size_t files = snapshot.strings.size() + 1; // the last one for none
    std::vector<std::optional<StackRules::Code>> code(files);
    std::vector<bool> has_forward(files, false);
    const auto fileOf = [&](std::size_t f) {
        const StringId file = snapshot.stacks.frame(FrameId(f)).filename;
        return file.isNone() ? files - 1 : file.index();
    };
    m_frames.resize(snapshot.stacks.frameCount());
    for (std::size_t f = 0; f < m_frames.size(); ++f) {
        const Frame& frame = snapshot.stacks.frame(FrameId(f));
        const std::string_view name = snapshot.text(frame.name);
        const std::string_view file = snapshot.text(frame.filename);
        std::optional<StackRules::Code>& of_file = code[fileOf(f)];
        of_file = of_file ? of_file : rules.codeOf(file);
        Facts& facts = m_frames[f];
        if (!of_file->is_python) {
            facts.origin = rules.isNoise(name, file) || rules.makesTensors(name)
                ? FrameOrigin::noise
                : FrameOrigin::native;
            continue;
        }
        facts.origin = of_file->is_library ? FrameOrigin::library : FrameOrigin::user;
        facts.is_runner = of_file->is_runner;
        facts.is_forward = name == "forward";
        facts.is_module_call = of_file->calls_modules
            && (name == "_call_impl" || name == "_wrapped_call_impl" || name == "__call__");
        facts.is_apply = of_file->calls_functions;
        facts.may_be_model = !of_file->is_block && !of_file->is_runner;
        if (facts.is_forward) {
            has_forward[fileOf(f)] = true;
        }
    }
    // A library's file is a model's if a `forward` lies in it: its helpers are then, too.
    for (std::size_t f = 0; f < m_frames.size(); ++f) {
        const bool is_own = m_frames[f].origin == FrameOrigin::user;
        m_frames[f].may_be_model = m_frames[f].may_be_model && (is_own || has_forward[fileOf(f)]);
    }
}

CodeLines LineFinder::of(std::span<const FrameId> frames) const
{
    const auto at = [&](std::size_t i) -> const Facts& { return m_frames[frames[i].index()]; };
    // The `forward` of an autograd function is none of a module.
    const auto isOfFunction = [&](std::size_t i) {
        return at(i).is_forward && i + 1 < frames.size() && at(i + 1).is_apply;
    };
    std::size_t inside = frames.size(); // of how many innermost frames a module is the caller
    while (inside > 0 && !at(inside - 1).is_module_call
           && (!at(inside - 1).is_forward || isOfFunction(inside - 1))) {
        --inside;
    }
    CodeLines lines;
    FrameId own; // the user's or a runner's
    FrameId library;
    FrameId native;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const Facts& facts = at(i);
        const bool is_own = facts.origin == FrameOrigin::user;
        const auto take = [&](FrameId& line, bool is_meant) {
            line = line.isNone() && is_meant ? frames[i] : line;
        };
        take(lines.model, i < inside && facts.may_be_model && (is_own || !isOfFunction(i)));
        take(lines.user, is_own);
        take(own, is_own || facts.is_runner);
        take(library, facts.origin == FrameOrigin::library);
        take(native, facts.origin == FrameOrigin::native);
    }
    for (const FrameId line : {lines.model, own, library, native}) {
        lines.shown = lines.shown.isNone() ? line : lines.shown;
    }
    return lines;
}

std::string linesText(const trace::Snapshot& snapshot, const CodeLines& lines)
{
    const std::string shown = frameText(snapshot, lines.shown);
    return lines.caller().isNone()
        ? shown
        : say("{}, called at {}", shown, frameText(snapshot, lines.caller()));
}

} // namespace tidemark::label
