// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/reader/input_bytes.h"
#include "core/reader/python_object.h"

#include <cstddef>
#include <stop_token>

namespace tidemark::reader {

/// What the unpickler reads from; it gives the pages back that have been read.
struct Feed {
    InputBytes& input;
    ProgressSink& progress;
    const std::stop_token& stop;
    std::size_t at = 0;
    bool cancelled = false;

    [[nodiscard]] std::size_t left() const
    {
        return input.bytes().size() - at;
    }
    [[nodiscard]] const char* here() const
    {
        return reinterpret_cast<const char*>(input.bytes().data()) + at;
    }
};

/// The type of file objects that read from a Feed. Null with a Python error.
PythonRef makeFeedType();

/// A file object of that type; `feed` must outlive it. Null with a Python error.
PythonRef makeFeedFile(PyObject* type, Feed& feed);

} // namespace tidemark::reader
