// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/value_model.h"

#include <algorithm>

namespace tidemark::test {
namespace {

ValueRef make(ModelValue::Kind kind)
{
    auto value = std::make_shared<ModelValue>();
    value->kind = kind;
    return value;
}

ValueRef container(ModelValue::Kind kind, std::vector<ValueRef> items)
{
    ValueRef value = make(kind);
    value->items = std::move(items);
    return value;
}

const ModelValue& valueOf(reader::ValueTree::Node node)
{
    return *reinterpret_cast<const ModelValue*>(node.word);
}

/// "?" for each surrogate, which has no UTF-8 form.
std::string shown(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_surrogate = text[i] == '\xed' && i + 2 < text.size()
            && static_cast<unsigned char>(text[i + 1]) >= 0xa0;
        result += is_surrogate ? '?' : text[i];
        i += is_surrogate ? 2 : 0;
    }
    return result;
}

} // namespace

ValueRef none()
{
    return make(ModelValue::Kind::none);
}

ValueRef boolean(bool value)
{
    ValueRef result = make(ModelValue::Kind::boolean);
    result->integer = value ? 1 : 0;
    return result;
}

ValueRef integer(std::int64_t value)
{
    ValueRef result = make(ModelValue::Kind::integer);
    result->integer = value;
    return result;
}

ValueRef unsignedInteger(std::uint64_t value)
{
    ValueRef result = integer(static_cast<std::int64_t>(value));
    result->is_unsigned = result->integer < 0;
    return result;
}

ValueRef huge(std::string digits, std::string raw)
{
    ValueRef result = make(ModelValue::Kind::huge);
    result->text = std::move(digits);
    result->raw = std::move(raw);
    return result;
}

ValueRef floating(double value)
{
    ValueRef result = make(ModelValue::Kind::floating);
    result->floating = value;
    return result;
}

ValueRef text(std::string value)
{
    ValueRef result = make(ModelValue::Kind::text);
    result->text = std::move(value);
    return result;
}

ValueRef list(std::vector<ValueRef> items)
{
    return container(ModelValue::Kind::list, std::move(items));
}

ValueRef tuple(std::vector<ValueRef> items)
{
    return container(ModelValue::Kind::tuple, std::move(items));
}

ValueRef dict(std::vector<std::pair<std::string, ValueRef>> entries)
{
    ValueRef result = make(ModelValue::Kind::dict);
    for (auto& [key, value] : entries) {
        put(result, std::move(key), std::move(value));
    }
    return result;
}

void put(const ValueRef& dict, std::string key, ValueRef value)
{
    dict->items.push_back(text(std::move(key)));
    dict->items.push_back(std::move(value));
}

reader::ValueTree::Value ModelTree::value(Node node)
{
    const ModelValue& v = valueOf(node);
    switch (v.kind) {
    case ModelValue::Kind::none:
        return {Kind::nothing, 0, 0.0, {}};
    case ModelValue::Kind::boolean:
        return {Kind::boolean, v.integer, 0.0, {}};
    case ModelValue::Kind::integer:
        return {Kind::integer, v.integer, 0.0, {}};
    case ModelValue::Kind::huge:
        return {Kind::huge_integer, 0, 0.0, {}};
    case ModelValue::Kind::floating:
        return {Kind::floating, 0, v.floating, {}};
    case ModelValue::Kind::text:
        return {Kind::text, 0, 0.0, m_texts.try_emplace(&v, shown(v.text)).first->second};
    case ModelValue::Kind::list:
    case ModelValue::Kind::tuple:
        return {Kind::list, static_cast<std::int64_t>(v.items.size()), 0.0, {}};
    case ModelValue::Kind::dict:
        return {Kind::dict, static_cast<std::int64_t>(entries(v).size()), 0.0, {}};
    }
    return {Kind::other, 0, 0.0, {}};
}

reader::ValueTree::Node ModelTree::item(Node list, std::size_t index)
{
    return nodeOf(*valueOf(list).items[index]);
}

bool ModelTree::nextEntry(Node dict, std::ptrdiff_t& position, Entry& entry)
{
    const std::vector<Entry>& all = entries(valueOf(dict));
    if (position >= static_cast<std::ptrdiff_t>(all.size())) {
        return false;
    }
    entry = all[static_cast<std::size_t>(position++)];
    return true;
}

const std::vector<reader::ValueTree::Entry>& ModelTree::entries(const ModelValue& dict)
{
    const auto [it, is_new] = m_entries.try_emplace(&dict);
    std::vector<Entry>& result = it->second;
    for (std::size_t i = 0; is_new && i + 1 < dict.items.size(); i += 2) {
        const ModelValue& key = *dict.items[i];
        const auto same = std::ranges::find_if(result, [&](const Entry& e) {
            return valueOf(e.key).kind == key.kind && valueOf(e.key).text == key.text
                && valueOf(e.key).integer == key.integer;
        });
        if (same == result.end()) {
            result.push_back({nodeOf(key), nodeOf(*dict.items[i + 1])});
        } else {
            same->value = nodeOf(*dict.items[i + 1]);
        }
    }
    return result;
}

} // namespace tidemark::test
