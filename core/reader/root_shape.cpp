// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/root_shape.h"

#include "core/base/language.h"
#include "core/reader/printable.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace tidemark::reader {
namespace {

constexpr std::size_t kKeysLookedAt = 1000;
constexpr std::size_t kKeysNamed = 3;

struct Known {
    std::string_view key;
    std::string_view what;
};

/// Keys by which files that people confuse with snapshots are known.
constexpr auto kKnown = std::to_array<Known>({
    {"state_dict", toSay("a PyTorch checkpoint")},
    {"model_state_dict", toSay("a PyTorch checkpoint")},
    {"optimizer_state_dict", toSay("a PyTorch checkpoint")},
    {"param_groups", toSay("the state of an optimizer")},
    {"traceEvents", toSay("a profiler trace")},
    {"allocated_bytes.all.current", toSay("the result of torch.cuda.memory_stats()")},
});

std::string describeDict(ValueTree& tree, ValueTree::Node root, std::size_t size)
{
    std::string names;
    std::size_t seen = 0;
    std::ptrdiff_t position = 0;
    ValueTree::Entry entry;
    while (seen < kKeysLookedAt && tree.nextEntry(root, position, entry)) {
        const ValueTree::Value key = tree.value(entry.key);
        const auto* const known = std::ranges::find(kKnown, key.text, &Known::key);
        if (known != kKnown.end()) {
            return std::string(translated(known->what));
        }
        if (seen++ < kKeysNamed) {
            names += names.empty() ? "" : ", ";
            names += key.kind == NodeKind::text ? printable(key.text) : say("(no text)");
        }
    }
    if (size == 0) {
        return say("an empty dictionary, as from a backend that records no memory");
    }
    if (size > kKeysNamed) {
        names = say("{} and {} more", names, size - kKeysNamed);
    }
    return sayCounted(static_cast<std::int64_t>(size), "a dictionary with the key {}",
                      "a dictionary with the keys {}", names);
}

} // namespace

std::string describeRoot(ValueTree& tree, ValueTree::Node root)
{
    // torch.save before 1.6 began each file with a pickle of this number.
    const ValueTree::Value value = tree.value(root);
    switch (value.kind) {
    case NodeKind::nothing:
        return "None";
    case NodeKind::boolean:
    case NodeKind::integer:
    case NodeKind::floating:
        return say("a single number");
    case NodeKind::huge_integer:
        return say("an old PyTorch checkpoint");
    case NodeKind::text:
        return say("a single text");
    case NodeKind::list:
        return say("a list, but not of segments");
    case NodeKind::dict:
        return describeDict(tree, root, static_cast<std::size_t>(value.integer));
    case NodeKind::other:
        break;
    }
    return say("an object of another kind");
}

} // namespace tidemark::reader
