// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/scan_errors.h"

#include "core/base/format.h"
#include "core/base/language.h"

namespace tidemark::reader {

Error refusedError(std::uint64_t at, std::string_view what)
{
    return {ErrorCode::refused,
            say("The file asks to {} at byte {}; a memory snapshot never does, so Tidemark "
                "refuses it.",
                what, at),
            at};
}

Error damagedError(std::uint64_t at, std::string_view what)
{
    return {
        ErrorCode::damaged,
        say("The file is damaged at byte {} ({}); copy it again or record a new one.", at, what),
        at};
}

Error cutOffError(std::uint64_t at)
{
    return {ErrorCode::damaged,
            say("The file is cut off in a value that begins at byte {}; copy it again.", at), at};
}

Error nestingError(std::uint64_t at, std::uint32_t limit)
{
    return {ErrorCode::tooLarge,
            say("At byte {} the file nests values deeper than {} levels; a memory snapshot "
                "does not, so Tidemark refuses it.",
                at, limit),
            at};
}

Error nestedKeyError(std::uint64_t at)
{
    return {ErrorCode::tooLarge,
            say("At byte {} the file has a key of nested values; a memory snapshot has none, "
                "so Tidemark refuses it.",
                at),
            at};
}

Error otherKeysError(std::uint64_t at, std::uint32_t limit)
{
    return {ErrorCode::tooLarge,
            say("At byte {} the file has more than {} keys that are not texts; a memory "
                "snapshot has none, so Tidemark refuses it.",
                at, limit),
            at};
}

Error memoGapError(std::uint64_t at, std::uint64_t index, std::uint64_t due)
{
    return {ErrorCode::tooLarge,
            say("At byte {} the file numbers a value {} where {} was due; a memory snapshot "
                "counts without gaps, so Tidemark refuses it.",
                at, index, due),
            at};
}

Error tooMuchMemoryError(std::uint64_t at, std::uint64_t bytes)
{
    return {ErrorCode::tooLarge,
            say("At byte {} the file already needs {} of memory, far more than a snapshot "
                "of its size can; Tidemark refuses it.",
                at, Bytes{static_cast<std::int64_t>(bytes)}),
            at};
}

} // namespace tidemark::reader
