// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/value_pickler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace tidemark::test {
namespace {

using Kind = ModelValue::Kind;

void addLittle(std::string& out, std::uint64_t value, int width)
{
    for (int i = 0; i < width; ++i) {
        out.push_back(static_cast<char>(value >> (8 * i)));
    }
}

void addFloat(std::string& out, double value)
{
    out += 'G';
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 56; shift >= 0; shift -= 8) {
        out.push_back(static_cast<char>(bits >> shift));
    }
}

/// A number in as few bytes of two's complement as hold it.
std::string bytesOf(const ModelValue& v)
{
    if (v.kind == Kind::huge) {
        return v.raw;
    }
    std::string bytes;
    addLittle(bytes, static_cast<std::uint64_t>(v.integer), 8);
    if (v.is_unsigned) {
        bytes.push_back('\0');
        return bytes;
    }
    const auto isSpare = [&](std::size_t last) {
        const bool is_negative = (static_cast<unsigned char>(bytes[last - 1]) & 0x80U) != 0;
        return bytes[last] == (is_negative ? '\xff' : '\0');
    };
    while (bytes.size() > 1 && isSpare(bytes.size() - 1)) {
        bytes.pop_back();
    }
    return bytes;
}

std::string digitsOf(const ModelValue& v)
{
    if (v.kind == Kind::huge) {
        return v.text;
    }
    return v.is_unsigned ? fmt::format("{}", static_cast<std::uint64_t>(v.integer))
                         : fmt::format("{}", v.integer);
}

/// Python's raw-unicode-escape, with the escapes that keep a text on its line.
std::string escaped(std::string_view utf8)
{
    std::string result;
    for (std::size_t i = 0; i < utf8.size();) {
        const auto lead = static_cast<unsigned char>(utf8[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        std::uint32_t code = length == 1 ? lead : lead & (0xffU >> (length + 1));
        for (std::size_t k = 1; k < length; ++k) {
            code = (code << 6U) | (static_cast<unsigned char>(utf8[i + k]) & 0x3fU);
        }
        i += length;
        if (code > 0xffff) {
            result += fmt::format("\\U{:08x}", code);
        } else if (code > 0xff || code == '\\' || code == 0 || code == '\n' || code == '\r'
                   || code == 0x1a) {
            result += fmt::format("\\u{:04x}", code);
        } else {
            result.push_back(static_cast<char>(code));
        }
    }
    return result;
}

class PythonPickler {
public:
    explicit PythonPickler(int protocol)
        : m_protocol(protocol)
    {
    }

    std::string run(const ModelValue& root)
    {
        if (m_protocol >= 2) {
            m_out = "\x80";
            addLittle(m_out, static_cast<std::uint64_t>(m_protocol), 1);
        }
        save(root);
        m_frame += '.';
        commit();
        return std::move(m_out);
    }

private:
    void save(const ModelValue& v)
    {
        constexpr std::size_t kFrame = std::size_t{64} << 10U;
        if (const auto known = m_memo.find(&v); known != m_memo.end()) {
            get(known->second);
        } else {
            saveNew(v);
        }
        if (m_protocol >= 4 && m_frame.size() >= kFrame) {
            commit();
        }
    }

    void saveNew(const ModelValue& v)
    {
        switch (v.kind) {
        case Kind::none:
            m_frame += 'N';
            break;
        case Kind::boolean:
            m_frame += m_protocol >= 2 ? (v.integer != 0 ? "\x88" : "\x89")
                                       : (v.integer != 0 ? "I01\n" : "I00\n");
            break;
        case Kind::integer:
        case Kind::huge:
            saveNumber(v);
            break;
        case Kind::floating:
            if (m_protocol >= 1) {
                addFloat(m_frame, v.floating);
            } else {
                m_frame += fmt::format("F{}\n", v.floating);
            }
            break;
        case Kind::text:
            saveText(v);
            break;
        case Kind::tuple:
            saveTuple(v);
            break;
        case Kind::list:
            m_frame += m_protocol >= 1 ? "]" : "(l";
            memoize(v);
            saveBatches(v, 1, 'a', 'e');
            break;
        case Kind::dict:
            m_frame += m_protocol >= 1 ? "}" : "(d";
            memoize(v);
            saveBatches(v, 2, 's', 'u');
            break;
        }
    }

    void saveNumber(const ModelValue& v)
    {
        const bool is_small = v.kind == Kind::integer && !v.is_unsigned && v.integer >= INT32_MIN
            && v.integer <= INT32_MAX;
        if (!is_small && m_protocol >= 2) {
            const std::string bytes = bytesOf(v);
            m_frame += '\x8a';
            addLittle(m_frame, bytes.size(), 1);
            m_frame += bytes;
        } else if (!is_small || m_protocol == 0) {
            m_frame += is_small ? "I" + digitsOf(v) + "\n" : "L" + digitsOf(v) + "L\n";
        } else if (v.integer >= 0 && v.integer <= 0xffff) {
            const bool is_byte = v.integer <= 0xff;
            m_frame += is_byte ? 'K' : 'M';
            addLittle(m_frame, static_cast<std::uint64_t>(v.integer), is_byte ? 1 : 2);
        } else {
            m_frame += 'J';
            addLittle(m_frame, static_cast<std::uint64_t>(v.integer), 4);
        }
    }

    void saveText(const ModelValue& v)
    {
        constexpr std::size_t kLarge = std::size_t{64} << 10U;
        if (m_protocol == 0) {
            m_frame += 'V' + escaped(v.text) + '\n';
        } else if (m_protocol >= 4 && v.text.size() < 256) {
            m_frame += '\x8c';
            addLittle(m_frame, v.text.size(), 1);
            m_frame += v.text;
        } else {
            const bool is_outside = m_protocol >= 4 && v.text.size() >= kLarge;
            if (is_outside) {
                commit(); // Large texts stand between the frames.
            }
            std::string& out = is_outside ? m_out : m_frame;
            out += 'X';
            addLittle(out, v.text.size(), 4);
            out += v.text;
        }
        memoize(v);
    }

    void saveTuple(const ModelValue& v)
    {
        const std::size_t size = v.items.size();
        if (size == 0) {
            m_frame += m_protocol >= 1 ? ")" : "(t";
            return;
        }
        const bool is_short = m_protocol >= 2 && size <= 3;
        m_frame += is_short ? "" : "(";
        for (const ValueRef& item : v.items) {
            save(*item);
        }
        m_frame += is_short ? static_cast<char>(0x84 + size) : 't';
        memoize(v);
    }

    /// `width`: values per item.
    void saveBatches(const ModelValue& v, std::size_t width, char one, char many)
    {
        constexpr std::size_t kBatch = 1000;
        const std::size_t count = v.items.size() / width;
        if (m_protocol == 0 || count == 1) {
            for (std::size_t i = 0; i < v.items.size(); i += width) {
                saveItems(v, i, i + width);
                m_frame += one;
            }
            return;
        }
        for (std::size_t done = 0; done < count; done += kBatch) {
            m_frame += '(';
            saveItems(v, done * width, std::min(done + kBatch, count) * width);
            m_frame += many;
        }
    }

    void saveItems(const ModelValue& v, std::size_t begin, std::size_t end)
    {
        for (std::size_t i = begin; i < end; ++i) {
            save(*v.items[i]);
        }
    }

    void memoize(const ModelValue& v)
    {
        const std::size_t index = m_memo.size();
        m_memo.emplace(&v, index);
        if (m_protocol >= 4) {
            m_frame += '\x94';
        } else {
            addMemo('p', 'q', 'r', index);
        }
    }

    void get(std::size_t index)
    {
        addMemo('g', 'h', 'j', index);
    }

    void addMemo(char as_text, char as_byte, char as_word, std::size_t index)
    {
        if (m_protocol == 0) {
            m_frame += fmt::format("{}{}\n", as_text, index);
        } else {
            m_frame += index < 256 ? as_byte : as_word;
            addLittle(m_frame, index, index < 256 ? 1 : 4);
        }
    }

    void commit()
    {
        constexpr std::size_t kSmallest = 4;
        if (m_protocol >= 4 && m_frame.size() >= kSmallest) {
            m_out += '\x95';
            addLittle(m_out, m_frame.size(), 8);
        }
        m_out += m_frame;
        m_frame.clear();
    }

    int m_protocol;
    std::string m_out;
    std::string m_frame;
    std::unordered_map<const ModelValue*, std::size_t> m_memo;
};

/// Source: torch/csrc/jit/serialization/pickler.cpp.
class TorchPickler {
public:
    explicit TorchPickler(bool is_tagged)
        : m_is_tagged(is_tagged)
    {
    }

    std::string run(const ModelValue& root)
    {
        countUses(root);
        m_out = "\x80\x02";
        push(root);
        return m_out + '.';
    }

private:
    void countUses(const ModelValue& v)
    {
        if (++m_uses[&v] == 1) {
            for (const ValueRef& item : v.items) {
                countUses(*item);
            }
        }
    }

    void push(const ModelValue& v)
    {
        if (const auto known = m_values.find(&v); known != m_values.end()) {
            memo('h', 'j', known->second);
            return;
        }
        switch (v.kind) {
        case Kind::none:
            m_out += 'N';
            break;
        case Kind::boolean:
            m_out += v.integer != 0 ? '\x88' : '\x89';
            break;
        case Kind::integer:
            pushInteger(v.integer);
            break;
        case Kind::huge: // A Pickler has none.
            m_out += '\x8a';
            addLittle(m_out, v.raw.size(), 1);
            m_out += v.raw;
            break;
        case Kind::floating:
            addFloat(m_out, v.floating);
            break;
        case Kind::text:
            pushText(v.text);
            break;
        default:
            pushContainer(v);
            if (m_uses[&v] > 1) {
                m_values.emplace(&v, m_count);
                memo('q', 'r', m_count++);
            }
        }
    }

    void pushInteger(std::int64_t value)
    {
        const auto bits = static_cast<std::uint64_t>(value);
        if (value >= 0 && value <= 0xffff) {
            m_out += value <= 0xff ? 'K' : 'M';
            addLittle(m_out, bits, value <= 0xff ? 1 : 2);
        } else if (value >= INT32_MIN && value <= INT32_MAX) {
            m_out += 'J';
            addLittle(m_out, bits, 4);
        } else {
            m_out += "\x8a\x08";
            addLittle(m_out, bits, 8);
        }
    }

    void pushText(const std::string& text)
    {
        pushOnce(text, [&] {
            m_out += 'X';
            addLittle(m_out, text.size(), 4);
            m_out += text;
        });
    }

    /// What is numbered by its text.
    void pushOnce(const std::string& text, const std::function<void()>& write)
    {
        const auto [it, is_new] = m_texts.try_emplace(text, m_count);
        if (is_new) {
            write();
            memo('q', 'r', m_count++);
        } else {
            memo('h', 'j', it->second);
        }
    }

    void pushContainer(const ModelValue& v)
    {
        const bool has_tag = m_is_tagged && v.kind != Kind::tuple;
        if (has_tag) {
            const std::string name = "ctorch.jit._pickle\nrestore_type_tag\n";
            pushOnce(name, [&] { m_out += name; });
        }
        const std::size_t size = v.items.size();
        const bool is_short = v.kind == Kind::tuple && size <= 3;
        m_out += v.kind == Kind::list ? "](" : v.kind == Kind::dict ? "}(" : is_short ? "" : "(";
        for (const ValueRef& item : v.items) {
            push(*item);
        }
        if (v.kind != Kind::tuple) {
            m_out += v.kind == Kind::list ? 'e' : 'u';
        } else if (is_short) {
            m_out += size == 0 ? ')' : static_cast<char>(0x84 + size);
        } else {
            m_out += 't';
        }
        if (has_tag) {
            pushText(v.kind == Kind::list ? "List[Any]" : "Dict[str, Any]");
            m_out += "\x86R";
        }
    }

    void memo(char as_byte, char as_word, std::size_t index)
    {
        m_out += index < 256 ? as_byte : as_word;
        addLittle(m_out, index, index < 256 ? 1 : 4);
    }

    bool m_is_tagged;
    std::string m_out;
    std::size_t m_count = 0; ///< Of numbers given.
    std::unordered_map<std::string, std::size_t> m_texts;
    std::unordered_map<const ModelValue*, std::size_t> m_values;
    std::unordered_map<const ModelValue*, std::size_t> m_uses;
};

} // namespace

std::string pickled(const ModelValue& root, Dialect dialect, int protocol)
{
    return dialect == Dialect::python ? PythonPickler(protocol).run(root)
                                      : TorchPickler(dialect == Dialect::torch_tagged).run(root);
}

} // namespace tidemark::test
