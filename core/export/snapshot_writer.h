// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string_view>

namespace tidemark::exports {

/// Takes a value of dictionaries, lists, texts and numbers piece by piece, and writes it as it
/// comes. In a dictionary each value follows its key.
class ValueSink {
public:
    virtual ~ValueSink() = default;
    virtual void beginDict() = 0;
    virtual void endDict() = 0;
    virtual void beginList() = 0;
    virtual void endList() = 0;
    virtual void key(std::string_view name) = 0;
    virtual void text(std::string_view valid_utf8) = 0;
    virtual void number(std::int64_t value) = 0;
    virtual void address(std::uint64_t value) = 0;
    virtual void fraction(double value) = 0;
    virtual void boolean(bool value) = 0;
    /// Of a pickle: writes the value that was remembered under this number, if one was, and says
    /// so. JSON has no such thing.
    virtual bool recall(std::uint64_t number) = 0;
    /// That the value just written is to be recalled.
    virtual void remember(std::uint64_t number) = 0;
};

/// A pickle of protocol 4 made of the opcodes that PyTorch's MemoryViz.js knows, or JSON.
std::unique_ptr<ValueSink> pickleSink(std::ostream& out);
std::unique_ptr<ValueSink> jsonSink(std::ostream& out);

} // namespace tidemark::exports
