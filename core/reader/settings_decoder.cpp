// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/settings_decoder.h"

#include "core/reader/value_text.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark::reader {
namespace {

/// Far longer than any setting.
constexpr std::size_t kLongestSetting = 4096;

std::string textOf(TreeAccess& access, ValueTree::Node node)
{
    std::string text = valueText(access.tree(), node, kLongestSetting);
    access.spend(text.size());
    return text;
}

/// True when every division is a number and was taken over.
bool decodeDivisions(TreeAccess& access, ValueTree::Node dict, trace::AllocatorSettings& settings)
{
    std::ptrdiff_t position = 0;
    ValueTree::Entry entry;
    while (access.tree().nextEntry(dict, position, entry)) {
        const ValueTree::Value value = access.tree().value(entry.value);
        if (value.kind != NodeKind::integer) {
            settings.roundup_power2_divisions.clear();
            return false;
        }
        settings.roundup_power2_divisions.emplace_back(textOf(access, entry.key), value.integer);
    }
    return true;
}

/// True when the key is known and its value of the usual type.
bool decodeKnown(TreeAccess& access, std::string_view key, ValueTree::Node node,
                 trace::AllocatorSettings& settings)
{
    const ValueTree::Value value = access.tree().value(node);
    // XPU builds call the string PYTORCH_ALLOC_CONF.
    if ((key == "PYTORCH_CUDA_ALLOC_CONF" || key == "PYTORCH_ALLOC_CONF")
        && value.kind == NodeKind::text) {
        settings.conf = value.text;
        return true;
    }
    if (key == "expandable_segments"
        && (value.kind == NodeKind::boolean || value.kind == NodeKind::integer)) {
        settings.expandable_segments = value.integer != 0;
        return true;
    }
    if (key == "max_split_size" && value.kind == NodeKind::integer) {
        settings.max_split_size_bytes = value.integer;
        return true;
    }
    if (key == "garbage_collection_threshold"
        && (value.kind == NodeKind::floating || value.kind == NodeKind::integer)) {
        settings.garbage_collection_threshold =
            value.kind == NodeKind::floating ? value.floating : static_cast<double>(value.integer);
        return true;
    }
    if (key == "roundup_power2_divisions" && value.kind == NodeKind::dict) {
        return decodeDivisions(access, node, settings);
    }
    return false;
}

} // namespace

void decodeSettings(TreeAccess& access, ValueTree::Node dict, trace::AllocatorSettings& settings)
{
    settings.present = true;
    std::ptrdiff_t position = 0;
    ValueTree::Entry entry;
    while (!access.isOverspent() && access.tree().nextEntry(dict, position, entry)) {
        const std::string key = textOf(access, entry.key);
        if (!decodeKnown(access, key, entry.value, settings)) {
            settings.others.emplace_back(key, textOf(access, entry.value));
        }
    }
}

} // namespace tidemark::reader
