// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/reader/limits.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>

namespace tidemark::reader {

/// What a pickle is made of, as far as its opcodes tell.
struct PickleScan {
    int protocol = 0; ///< As PROTO says; 0 without one (protocols 0 and 1 have no header).
    std::uint64_t stop_offset =
        0; ///< Byte offset of STOP. What follows it is not part of the pickle.
    std::uint64_t value_count = 0; ///< Values that loading makes.
    std::uint64_t memo_count = 0; ///< Memo entries in use at the end.
    std::uint64_t memory_bytes = 0; ///< Estimate of what CPython needs for the values and the memo.
};

/// Follows the opcode stream without making any value: opcodes of protocols 0 to 5, lengths against
/// the bytes that are there, frames, stack, marks, memo and nesting. Accepts plain data only (None,
/// bools, numbers, texts, bytes, lists, tuples, dictionaries, sets) and the calls of
/// inert_wrappers.h with their arguments written right before them: a stream that asks for another
/// global or call, an extension or a persistent object is refused with what it asks for. What
/// passes can be given to CPython's unpickler, which then runs no code and stays within `limits`.
///
/// One pass, O(size), with 8 bytes of memory per stack and memo entry. Offsets are relative to
/// `bytes`. Errors: refused, damaged (also: cut off), tooLarge, cancelled; all with `where`.
Result<PickleScan> scanPickle(std::span<const std::byte> bytes, const ReaderLimits& limits,
                              ProgressSink& progress, const std::stop_token& stop);

} // namespace tidemark::reader
