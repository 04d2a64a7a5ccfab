// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/pickle_reader.h"
#include "core/reader/reader.h"

#include <memory>

namespace tidemark::reader {

/// Python's own unpickler, embedded. The interpreter starts with the first read, on a thread of its
/// own that stays until the process ends; reads queue up there. It is isolated: no environment
/// variables, no site or user packages, no signal handlers, no working directory on its path. Its
/// unpickler imports and calls nothing, see PlainUnpickler. Null in the static program, which
/// embeds no interpreter.
std::unique_ptr<PickleReader> makeCPythonReader();

/// See pythonInfo().
PythonInfo cpythonInfo();

} // namespace tidemark::reader
