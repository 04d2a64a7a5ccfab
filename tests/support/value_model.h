// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/value_tree.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::test {

struct ModelValue;
/// Sharing one means what it means in a pickle: it is written once.
using ValueRef = std::shared_ptr<ModelValue>;

/// A value as a file can hold it.
struct ModelValue {
    enum class Kind : std::uint8_t {
        none,
        boolean, ///< In `integer`.
        integer, ///< With `is_unsigned` the bits of a number from 2^63 on.
        huge, ///< Beyond 64 bits: digits in `text`, two's complement bytes in `raw`.
        floating,
        text, ///< UTF-8; surrogates stand as three bytes each.
        list,
        tuple,
        dict, ///< Keys and values in turn; a key may come again.
    };
    Kind kind = Kind::none;
    bool is_unsigned = false;
    std::int64_t integer = 0;
    double floating = 0.0;
    std::string text{};
    std::string raw{};
    std::vector<ValueRef> items{};
};

ValueRef none();
ValueRef boolean(bool value);
ValueRef integer(std::int64_t value);
ValueRef unsignedInteger(std::uint64_t value);
ValueRef huge(std::string digits, std::string raw);
ValueRef floating(double value);
ValueRef text(std::string value);
ValueRef list(std::vector<ValueRef> items = {});
ValueRef tuple(std::vector<ValueRef> items = {});
ValueRef dict(std::vector<std::pair<std::string, ValueRef>> entries = {});
/// Adds one more entry behind the others.
void put(const ValueRef& dict, std::string key, ValueRef value);

/// The model as what the decoding reads, without any file in between: the values must outlive it.
class ModelTree final : public reader::ValueTree {
public:
    static Node nodeOf(const ModelValue& value)
    {
        return {reinterpret_cast<std::uint64_t>(&value)};
    }

    reader::ValueTree::Value value(Node node) override;
    Node item(Node list, std::size_t index) override;
    /// Of a key that comes again, the last value in the place of the first.
    bool nextEntry(Node dict, std::ptrdiff_t& position, Entry& entry) override;

private:
    const std::vector<Entry>& entries(const ModelValue& dict);

    std::unordered_map<const ModelValue*, std::string> m_texts; ///< Without surrogates.
    std::unordered_map<const ModelValue*, std::vector<Entry>> m_entries;
};

} // namespace tidemark::test
