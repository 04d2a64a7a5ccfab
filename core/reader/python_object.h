// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

// Only the files core/reader/python_* and cpython_reader.cpp may include this. Everything in them
// that touches a Python object runs on the thread of the interpreter, which holds the GIL from
// start to end: no other thread ever has a use for it.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>

namespace tidemark::reader {

struct ReleaseObject {
    void operator()(PyObject* object) const
    {
        Py_DecRef(object);
    }
};
/// Owns one reference to a Python object, or none.
using PythonRef = std::unique_ptr<PyObject, ReleaseObject>;

} // namespace tidemark::reader
