// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/python_feed.h"
#include "core/reader/python_object.h"

namespace tidemark::reader {

/// Python's own unpickler. It imports and calls nothing: the names of inert_wrappers.h give
/// callables of ours that reshape their arguments, every other global and every persistent id is
/// refused.
class PlainUnpickler {
public:
    /// Makes the types, once. False, without a Python error, when Python has no pickle module.
    bool prepare();
    /// The root of the values in `feed`, or null with a Python error. Requires prepare().
    PythonRef load(Feed& feed);
    /// Gives up what the last load() made and did not return. O(values) where it failed.
    void release();

private:
    // Owned, and never given back: Python is not finalised, which would only cost time at the end
    // of the process, and nothing may touch it from another thread.
    PyObject* m_type = nullptr;
    PyObject* m_feed_type = nullptr;
    PyObject* m_last = nullptr; ///< What load() used.
};

} // namespace tidemark::reader
