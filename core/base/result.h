// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tidemark {

enum class ErrorCode : std::uint8_t {
    cancelled, ///< The user asked to stop; never shown as a failure.
    cannotOpen, ///< Missing, no permission, a directory, or an I/O error.
    empty, ///< Zero bytes.
    notASnapshot, ///< Readable, but not a memory snapshot.
    damaged, ///< A snapshot that breaks its own format.
    refused, ///< The file asks for code to be run.
    tooLarge, ///< A length or depth above `Limits`.
    badArgument, ///< An option or change that has no meaning.
    outOfMemory, ///< This machine's memory is not enough.
    cannotWrite, ///< An output file cannot be written.
    internal, ///< A bug of ours.
};

/// What went wrong, as one sentence for people.
struct Error {
    ErrorCode code = ErrorCode::internal;
    std::string message; ///< One sentence with what to do, without the file's name.
    std::optional<std::uint64_t> where{}; ///< Byte offset in the file, where there is one.
};

/// A value or an Error. Member names follow std::expected, so it can become an alias of it later.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T v) // A value converts, as in std::expected.
        : m_content(std::in_place_index<0>, std::move(v))
    {
    }
    Result(Error e) // An error converts, too.
        : m_content(std::in_place_index<1>, std::move(e))
    {
    }
    [[nodiscard]] bool has_value() const
    {
        return m_content.index() == 0;
    }
    T& value() &
    {
        require(has_value());
        return std::get<0>(m_content);
    }
    const T& value() const&
    {
        require(has_value());
        return std::get<0>(m_content);
    }
    T&& value() &&
    {
        require(has_value());
        return std::get<0>(std::move(m_content));
    }
    [[nodiscard]] const Error& error() const
    {
        require(!has_value());
        return std::get<1>(m_content);
    }

private:
    /// In release builds, too: what lies in the other alternative is no value.
    static void require(bool is_so)
    {
        if (!is_so) [[unlikely]] {
            std::abort();
        }
    }

    std::variant<T, Error> m_content;
};

/// Success without a value.
struct Done { };

} // namespace tidemark
