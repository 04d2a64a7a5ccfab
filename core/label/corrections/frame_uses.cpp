// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/frame_uses.h"

#include <algorithm>

namespace tidemark::label {
namespace {

/// All but the uses.
template <class PartOf>
FrameTexts textsOf(const trace::Snapshot& snapshot, const PartOf& partOf)
{
    static constexpr std::uint32_t kNew = 0xffffffff;
    const std::size_t count = snapshot.stacks.frameCount();
    FrameTexts part;
    std::vector<std::uint32_t> number(snapshot.strings.size() + 1, kNew); // The last: of none.
    for (std::size_t f = 0; f < count; ++f) {
        const StringId text = partOf(snapshot.stacks.frame(FrameId(f)));
        std::uint32_t& known = number[text.isNone() ? number.size() - 1 : text.index()];
        if (known == kNew) {
            known = static_cast<std::uint32_t>(part.texts.size());
            part.texts.push_back(snapshot.text(text));
            part.longest = std::max(part.longest, part.texts.back().size());
        }
        part.of_frame.push_back(known);
    }
    part.frames = NumberLists(part.texts.size(), [&](const auto& visit) {
        for (std::size_t f = 0; f < count; ++f) {
            visit(part.of_frame[f], static_cast<std::uint32_t>(f));
        }
    });
    return part;
}

} // namespace

FrameUses::FrameUses(const trace::Snapshot& snapshot)
    : names(textsOf(snapshot, [](const Frame& frame) { return frame.name; }))
    , files(textsOf(snapshot, [](const Frame& frame) { return frame.filename; }))
    , stacks(snapshot.stacks.frameCount(), [&snapshot](const auto& visit) {
        for (std::size_t s = 0; s < snapshot.stacks.stackCount(); ++s) {
            for (const FrameId frame : snapshot.stacks.frames(StackId(s))) {
                visit(frame.index(), static_cast<std::uint32_t>(s));
            }
        }
    })
{
    for (FrameTexts* const part : {&names, &files}) {
        part->uses.assign(part->texts.size(), 0);
        for (std::size_t f = 0; f < part->of_frame.size(); ++f) {
            part->uses[part->of_frame[f]] += stacks.of(f).size();
        }
    }
}

} // namespace tidemark::label
