// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/export/snapshot_writer.h"

#include "core/report/json.h"

#include <bit>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::exports {
namespace {

class PickleSink final : public ValueSink {
public:
    explicit PickleSink(std::ostream& out)
        : m_out(out)
    {
        m_out.write("\x80\x04", 2);
    }
    PickleSink(const PickleSink&) = delete;
    PickleSink& operator=(const PickleSink&) = delete;
    ~PickleSink() override
    {
        m_out.put('.');
    }

    void beginDict() override
    {
        beginItem();
        m_out.write("}(", 2);
        m_levels.push_back({.is_list = false});
    }
    void endDict() override
    {
        m_out.put('u');
        m_levels.pop_back();
    }
    void beginList() override
    {
        beginItem();
        m_out.write("](", 2);
        m_levels.push_back({.is_list = true});
    }
    void endList() override
    {
        m_out.put('e');
        m_levels.pop_back();
    }
    void key(std::string_view name) override
    {
        writeText(name);
    }
    void text(std::string_view valid_utf8) override
    {
        beginItem();
        writeText(valid_utf8);
    }
    void number(std::int64_t value) override
    {
        beginItem();
        if (value >= INT32_MIN && value <= INT32_MAX) {
            m_out.put('J');
            littleEndian(static_cast<std::uint64_t>(value), 4);
            return;
        }
        m_out.write("\x8a\x08", 2);
        littleEndian(static_cast<std::uint64_t>(value), 8);
    }
    void address(std::uint64_t value) override
    {
        if (value <= INT64_MAX) {
            number(static_cast<std::int64_t>(value));
            return;
        }
        beginItem();
        m_out.write("\x8a\x09", 2);
        littleEndian(value, 8);
        m_out.put('\0');
    }
    void fraction(double value) override
    {
        beginItem();
        m_out.put('G');
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (int shift = 56; shift >= 0; shift -= 8) {
            m_out.put(static_cast<char>(bits >> shift));
        }
    }
    void boolean(bool value) override
    {
        beginItem();
        m_out.put(static_cast<char>(value ? 0x88 : 0x89));
    }
    bool recall(std::uint64_t number) override
    {
        const auto found = m_remembered.find(number);
        if (found == m_remembered.end()) {
            return false;
        }
        beginItem();
        get(found->second);
        return true;
    }
    void remember(std::uint64_t number) override
    {
        memoize();
        m_remembered.emplace(number, m_memo - 1);
    }

private:
    struct Level {
        bool is_list = false;
        int items = 0;
    };

    /// Python's own pickler adds so many at once: JavaScript spreads them onto its stack.
    void beginItem()
    {
        constexpr int kBatch = 1000;
        if (m_levels.empty() || !m_levels.back().is_list) {
            return;
        }
        if (++m_levels.back().items > kBatch) {
            m_out.write("e(", 2);
            m_levels.back().items = 1;
        }
    }

    void littleEndian(std::uint64_t value, int bytes)
    {
        for (int i = 0; i < bytes; ++i) {
            m_out.put(static_cast<char>(value >> (8 * i)));
        }
    }

    void memoize()
    {
        m_out.put('\x94');
        ++m_memo;
    }

    void get(std::uint32_t memo)
    {
        m_out.put('j');
        littleEndian(memo, 4);
    }

    void writeText(std::string_view text)
    {
        const auto [known, is_new] = m_texts.try_emplace(std::string(text), m_memo);
        if (!is_new) {
            get(known->second);
            return;
        }
        m_out.put('X');
        littleEndian(text.size(), 4);
        m_out.write(text.data(), static_cast<std::streamsize>(text.size()));
        memoize();
    }

    std::ostream& m_out;
    std::vector<Level> m_levels;
    std::uint32_t m_memo = 0;
    std::unordered_map<std::string, std::uint32_t> m_texts;
    std::unordered_map<std::uint64_t, std::uint32_t> m_remembered;
};

class JsonSink final : public ValueSink {
public:
    explicit JsonSink(std::ostream& out)
        : m_out(out)
    {
    }
    JsonSink(const JsonSink&) = delete;
    JsonSink& operator=(const JsonSink&) = delete;
    ~JsonSink() override
    {
        m_out.put('\n');
    }

    void beginDict() override
    {
        begin('{');
    }
    void endDict() override
    {
        end('}');
    }
    void beginList() override
    {
        begin('[');
    }
    void endList() override
    {
        end(']');
    }
    void key(std::string_view name) override
    {
        separate();
        m_out << report::toString(report::Json(name)) << ':';
        m_follows = false;
    }
    void text(std::string_view valid_utf8) override
    {
        separate();
        m_out << report::toString(report::Json(valid_utf8));
    }
    void number(std::int64_t value) override
    {
        separate();
        m_out << value;
    }
    void address(std::uint64_t value) override
    {
        separate();
        m_out << value;
    }
    void fraction(double value) override
    {
        separate();
        m_out << report::toString(report::Json(value));
    }
    void boolean(bool value) override
    {
        separate();
        m_out << (value ? "true" : "false");
    }
    bool recall(std::uint64_t /*number*/) override
    {
        return false;
    }
    void remember(std::uint64_t /*number*/) override { }

private:
    void separate()
    {
        if (m_follows) {
            m_out.put(',');
        }
        m_follows = true;
    }
    void begin(char bracket)
    {
        separate();
        m_out.put(bracket);
        m_follows = false;
    }
    void end(char bracket)
    {
        m_out.put(bracket);
        m_follows = true;
    }

    std::ostream& m_out;
    bool m_follows = false;
};

} // namespace

std::unique_ptr<ValueSink> pickleSink(std::ostream& out)
{
    return std::make_unique<PickleSink>(out);
}

std::unique_ptr<ValueSink> jsonSink(std::ostream& out)
{
    return std::make_unique<JsonSink>(out);
}

} // namespace tidemark::exports
