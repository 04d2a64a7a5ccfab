// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "tests/support/value_model.h"

#include <cstdint>
#include <string>

namespace tidemark::test {

/// Who writes the pickle, opcode by opcode.
enum class Dialect : std::uint8_t {
    python, ///< pickle.dump: a memo number for every object, batches of 1000, frames.
    torch, ///< torch's C++ Pickler: texts by value, one batch, shared containers numbered at the
           ///< end.
    torch_tagged, ///< The same with restore_type_tag around containers.
};

/// `protocol`: 0 to 5, always 2 for torch.
std::string pickled(const ModelValue& root, Dialect dialect, int protocol);

} // namespace tidemark::test
