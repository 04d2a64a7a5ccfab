// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::test {

/// Writes a pickle of plain data by hand, in protocol 0 (text opcodes) or 2 to 5:
///
///     PickleWriter w(4);
///     w.dict([&] {
///         w.key("segments").list([] {});
///         w.key("device_traces").list([&] { w.list([&] { ... }); });
///     });
///     w.save(path);
///
/// From protocol 4 on everything lies in one frame.
class PickleWriter {
public:
    explicit PickleWriter(int protocol = 4)
        : m_protocol(protocol)
    {
    }

    PickleWriter& none()
    {
        return raw("N");
    }
    PickleWriter& boolean(bool value)
    {
        if (m_protocol < 2) {
            return raw(value ? "I01\n" : "I00\n");
        }
        return raw(value ? "\x88" : "\x89");
    }
    PickleWriter& integer(std::int64_t value)
    {
        if (m_protocol < 2) {
            return raw("L" + std::to_string(value) + "L\n");
        }
        if (value >= 0 && value <= 0xff) {
            return raw("K").little(static_cast<std::uint64_t>(value), 1);
        }
        if (value >= INT32_MIN && value <= INT32_MAX) {
            return raw("J").little(static_cast<std::uint64_t>(value), 4);
        }
        return raw("\x8a\x08").little(static_cast<std::uint64_t>(value), 8);
    }
    /// As Python writes it: nine bytes from 2^63 on.
    PickleWriter& unsignedInteger(std::uint64_t value)
    {
        if (value <= INT64_MAX) {
            return integer(static_cast<std::int64_t>(value));
        }
        if (m_protocol < 2) {
            return raw("L" + std::to_string(value) + "L\n");
        }
        return raw("\x8a\x09").little(value, 8).little(0, 1);
    }
    PickleWriter& floating(double value)
    {
        if (m_protocol < 2) {
            return raw("F" + std::to_string(value) + "\n");
        }
        raw("G");
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (int shift = 56; shift >= 0; shift -= 8) {
            m_body.push_back(static_cast<char>(bits >> shift));
        }
        return *this;
    }
    /// UTF-8; in protocol 0 printable ASCII without backslashes.
    PickleWriter& text(std::string_view value)
    {
        if (m_protocol < 2) {
            return raw("V").raw(value).raw("\n");
        }
        if (m_protocol >= 4 && value.size() < 256) {
            return raw("\x8c").little(value.size(), 1).raw(value);
        }
        return raw("X").little(value.size(), 4).raw(value);
    }
    PickleWriter& key(std::string_view name)
    {
        return text(name);
    }
    template <class Fill>
    PickleWriter& list(Fill&& fill)
    {
        raw(m_protocol < 2 ? "(" : "](");
        std::forward<Fill>(fill)();
        return raw(m_protocol < 2 ? "l" : "e");
    }
    template <class Fill>
    PickleWriter& tuple(Fill&& fill)
    {
        raw("(");
        std::forward<Fill>(fill)();
        return raw("t");
    }
    /// `fill` writes keys and values in turn.
    template <class Fill>
    PickleWriter& dict(Fill&& fill)
    {
        raw(m_protocol < 2 ? "(" : "}(");
        std::forward<Fill>(fill)();
        return raw(m_protocol < 2 ? "d" : "u");
    }
    /// Remembers the value written last; `get` with the result writes it again.
    std::uint32_t memoize()
    {
        if (m_protocol < 2) {
            raw("p" + std::to_string(m_memo) + "\n");
        } else if (m_protocol < 4) {
            raw("r").little(m_memo, 4);
        } else {
            raw("\x94");
        }
        return m_memo++;
    }
    PickleWriter& get(std::uint32_t index)
    {
        return m_protocol < 2 ? raw("g" + std::to_string(index) + "\n") : raw("j").little(index, 4);
    }
    /// Bytes as they are: opcodes of your own.
    PickleWriter& raw(std::string_view bytes)
    {
        m_body += bytes;
        return *this;
    }
    /// An integer of so many bytes, lowest first.
    PickleWriter& little(std::uint64_t value, int width)
    {
        for (int i = 0; i < width; ++i) {
            m_body.push_back(static_cast<char>(value >> (8 * i)));
        }
        return *this;
    }

    /// The whole pickle, from its header to STOP.
    [[nodiscard]] std::string string() const
    {
        PickleWriter whole;
        if (m_protocol >= 2) {
            whole.raw("\x80").little(static_cast<std::uint64_t>(m_protocol), 1);
        }
        if (m_protocol >= 4) {
            whole.raw("\x95").little(m_body.size() + 1, 8);
        }
        return whole.m_body + m_body + ".";
    }
    [[nodiscard]] std::vector<std::byte> bytes() const
    {
        return bytesOf(string());
    }
    void save(const std::filesystem::path& path) const
    {
        std::ofstream(path, std::ios::binary) << string();
    }

    static std::vector<std::byte> bytesOf(std::string_view text)
    {
        std::vector<std::byte> result(text.size());
        if (!text.empty()) {
            std::memcpy(result.data(), text.data(), text.size());
        }
        return result;
    }

private:
    int m_protocol;
    std::string m_body;
    std::uint32_t m_memo = 0;
};

} // namespace tidemark::test
