// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
//
// In place of cpython_reader.cpp in the static program, which embeds no interpreter.
#include "core/reader/cpython_reader.h"

namespace tidemark::reader {

std::unique_ptr<PickleReader> makeCPythonReader()
{
    return nullptr;
}

PythonInfo cpythonInfo()
{
    return {};
}

} // namespace tidemark::reader
