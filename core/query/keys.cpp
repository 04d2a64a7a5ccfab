// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/keys.h"

#include "core/base/joined.h"
#include "core/base/language.h"
#include "core/label/bucket.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace tidemark::query {
namespace {

constexpr std::array kKeys{
    KeyInfo{Key::bucket, "bucket", KeyKind::choice, toSay("Bucket"), "bucket:activation"},
    KeyInfo{Key::size, "size", KeyKind::bytes, toSay("Requested bytes"), "size>100MiB"},
    KeyInfo{Key::life, "life", KeyKind::duration, toSay("Lifetime"), "life<1ms"},
    KeyInfo{Key::live, "live", KeyKind::moment, toSay("Live at a moment, or after an event"),
            "live@peak"},
    KeyInfo{Key::kept, "kept", KeyKind::nothing, toSay("Never freed in the trace"), "kept"},
    KeyInfo{Key::stack, "stack", KeyKind::text, toSay("A function or file of its stack"),
            "stack:attention"},
    KeyInfo{Key::line, "line", KeyKind::text, toSay("The line shown in the list"),
            "line:model.py:41"},
    KeyInfo{Key::function, "function", KeyKind::text, toSay("A function of its stack"),
            "function:softmax"},
    KeyInfo{Key::file, "file", KeyKind::text, toSay("A file of its stack"), "file:model.py"},
    KeyInfo{Key::module, "module", KeyKind::text, toSay("Its module"), "module:Linear"},
    KeyInfo{Key::phase, "phase", KeyKind::choice, toSay("The phase that allocated it"),
            "phase:backward"},
    KeyInfo{Key::step, "step", KeyKind::number, toSay("The step that allocated it"), "step:3"},
    KeyInfo{Key::role, "role", KeyKind::choice, toSay("Its role in its bucket"), "role:logits"},
    KeyInfo{Key::address, "addr", KeyKind::address, toSay("The allocation at an address"),
            "addr:0x7f0012000000"},
    KeyInfo{Key::event, "event", KeyKind::number, toSay("Allocated or freed by an event"),
            "event:12345"},
    KeyInfo{Key::made, "made", KeyKind::number, toSay("The event that allocated it"), "made>5000"},
    KeyInfo{Key::freed, "freed", KeyKind::number, toSay("The event that freed it"), "freed<6000"},
    KeyInfo{Key::stream, "stream", KeyKind::number, toSay("Its stream"), "stream:0"},
    KeyInfo{Key::confidence, "confidence", KeyKind::number,
            toSay("Confidence in its bucket, in percent"), "confidence<70"},
};

} // namespace

std::span<const KeyInfo> keyTable()
{
    return kKeys;
}

const KeyInfo& infoOf(Key key)
{
    const auto found = std::ranges::find(kKeys, key, &KeyInfo::key);
    assert(found != kKeys.end());
    return *found;
}

const KeyInfo* findKey(std::string_view name)
{
    const auto found = std::ranges::find(kKeys, name, &KeyInfo::name);
    return found == kKeys.end() ? nullptr : &*found;
}

std::vector<std::string_view> choicesOf(Key key)
{
    switch (key) {
    case Key::bucket:
        return label::bucketIds();
    case Key::role:
        return label::roleIds(); // `Role::none` is no choice.
    case Key::phase:
        return label::phaseIds();
    case Key::live:
        return {"start", "peak", "oom", "end"};
    default:
        return {};
    }
}

std::string keyNames()
{
    return joined(kKeys, ", ", &KeyInfo::name);
}

} // namespace tidemark::query
