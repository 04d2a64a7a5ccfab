// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/settings_decoder.h"

#include <fmt/format.h>

#include <string_view>

namespace tidemark::reader {
namespace {

using Kind = ValueTree::Kind;

/// Settings are one level deep; more would be foreign and is not followed.
constexpr int kDeepest = 3;
constexpr std::int64_t kItemsShown = 64;

std::string textOf(ValueTree& tree, ValueTree::Node node, int depth);

std::string listText(ValueTree& tree, ValueTree::Node node, std::int64_t size, int depth)
{
    std::string result;
    for (std::int64_t i = 0; i < size && i < kItemsShown; ++i) {
        result += i == 0 ? "" : ", ";
        result += textOf(tree, tree.item(node, static_cast<std::size_t>(i)), depth + 1);
    }
    return fmt::format("[{}{}]", result, size > kItemsShown ? ", ..." : "");
}

std::string dictText(ValueTree& tree, ValueTree::Node node, std::int64_t size, int depth)
{
    std::string result;
    std::ptrdiff_t position = 0;
    ValueTree::Entry entry;
    for (std::int64_t i = 0; i < kItemsShown && tree.nextEntry(node, position, entry); ++i) {
        result += i == 0 ? "" : ", ";
        result += textOf(tree, entry.key, depth + 1) + ": " + textOf(tree, entry.value, depth + 1);
    }
    return fmt::format("{{{}{}}}", result, size > kItemsShown ? ", ..." : "");
}

std::string textOf(ValueTree& tree, ValueTree::Node node, int depth)
{
    const ValueTree::Value value = tree.value(node);
    switch (value.kind) {
    case Kind::nothing:
        return "none";
    case Kind::boolean:
        return value.integer != 0 ? "true" : "false";
    case Kind::integer:
        return fmt::format("{}", value.integer);
    case Kind::huge_integer:
        return "(a number beyond 64 bits)";
    case Kind::floating:
        return fmt::format("{}", value.floating);
    case Kind::text:
        return std::string(value.text);
    case Kind::list:
        return depth < kDeepest ? listText(tree, node, value.integer, depth) : "[...]";
    case Kind::dict:
        return depth < kDeepest ? dictText(tree, node, value.integer, depth) : "{...}";
    case Kind::other:
        break;
    }
    return "(another kind of value)";
}

/// True when every division is a number and was taken over.
bool decodeDivisions(ValueTree& tree, ValueTree::Node dict, trace::AllocatorSettings& settings)
{
    std::ptrdiff_t position = 0;
    ValueTree::Entry entry;
    while (tree.nextEntry(dict, position, entry)) {
        const ValueTree::Value value = tree.value(entry.value);
        if (value.kind != Kind::integer) {
            settings.roundup_power2_divisions.clear();
            return false;
        }
        settings.roundup_power2_divisions.emplace_back(valueText(tree, entry.key), value.integer);
    }
    return true;
}

/// True when the key is known and its value of the usual type.
bool decodeKnown(ValueTree& tree, std::string_view key, ValueTree::Node node,
                 trace::AllocatorSettings& settings)
{
    const ValueTree::Value value = tree.value(node);
    // XPU builds call the string PYTORCH_ALLOC_CONF.
    if ((key == "PYTORCH_CUDA_ALLOC_CONF" || key == "PYTORCH_ALLOC_CONF")
        && value.kind == Kind::text) {
        settings.conf = value.text;
        return true;
    }
    if (key == "expandable_segments"
        && (value.kind == Kind::boolean || value.kind == Kind::integer)) {
        settings.expandable_segments = value.integer != 0;
        return true;
    }
    if (key == "max_split_size" && value.kind == Kind::integer) {
        settings.max_split_size_bytes = value.integer;
        return true;
    }
    if (key == "garbage_collection_threshold"
        && (value.kind == Kind::floating || value.kind == Kind::integer)) {
        settings.garbage_collection_threshold =
            value.kind == Kind::floating ? value.floating : static_cast<double>(value.integer);
        return true;
    }
    if (key == "roundup_power2_divisions" && value.kind == Kind::dict) {
        return decodeDivisions(tree, node, settings);
    }
    return false;
}

} // namespace

std::string valueText(ValueTree& tree, ValueTree::Node node)
{
    return textOf(tree, node, 0);
}

void decodeSettings(ValueTree& tree, ValueTree::Node dict, trace::AllocatorSettings& settings)
{
    settings.present = true;
    std::ptrdiff_t position = 0;
    ValueTree::Entry entry;
    while (tree.nextEntry(dict, position, entry)) {
        const std::string key = valueText(tree, entry.key);
        if (!decodeKnown(tree, key, entry.value, settings)) {
            settings.others.emplace_back(key, valueText(tree, entry.value));
        }
    }
}

bool isAnySet(ValueTree& tree, ValueTree::Node node)
{
    const ValueTree::Value value = tree.value(node);
    if (value.kind == Kind::boolean || value.kind == Kind::integer) {
        return value.integer != 0;
    }
    if (value.kind == Kind::list) {
        for (std::int64_t i = 0; i < value.integer; ++i) {
            const ValueTree::Value item = tree.value(tree.item(node, static_cast<std::size_t>(i)));
            if ((item.kind == Kind::boolean || item.kind == Kind::integer) && item.integer != 0) {
                return true;
            }
        }
    }
    return false;
}

} // namespace tidemark::reader
