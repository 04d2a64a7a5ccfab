// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/python_feed.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tidemark::reader {
namespace {

struct FeedObject {
    PyObject_HEAD Feed* feed;
};

Feed& feedOf(PyObject* self)
{
    return *reinterpret_cast<FeedObject*>(self)->feed;
}

/// Bytes as a Python object, and the file goes on by so many. Null with a Python error on a stop.
PyObject* consume(Feed& feed, std::size_t count)
{
    if (feed.stop.stop_requested()) {
        feed.cancelled = true;
        PyErr_SetString(PyExc_RuntimeError, "cancelled");
        return nullptr;
    }
    PyObject* bytes = PyBytes_FromStringAndSize(feed.here(), static_cast<Py_ssize_t>(count));
    feed.at += count;
    feed.input.releaseBefore(feed.at);
    feed.progress.report(
        "reading", static_cast<double>(feed.at) / static_cast<double>(feed.input.bytes().size()));
    return bytes;
}

/// The number of bytes a caller asks for, at most what is left; nothing with a Python error.
std::optional<std::size_t> wanted(const Feed& feed, PyObject* argument)
{
    const Py_ssize_t count = PyNumber_AsSsize_t(argument, PyExc_OverflowError);
    if (count == -1 && PyErr_Occurred() != nullptr) {
        return {};
    }
    return count < 0 ? feed.left() : std::min(feed.left(), static_cast<std::size_t>(count));
}

// Noexcept: nothing may unwind through the interpreter's own frames.
PyObject* feedRead(PyObject* self, PyObject* argument) noexcept
{
    Feed& feed = feedOf(self);
    const std::optional<std::size_t> count = wanted(feed, argument);
    return count ? consume(feed, *count) : nullptr;
}

PyObject* feedReadLine(PyObject* self, PyObject* /*unused*/) noexcept
{
    Feed& feed = feedOf(self);
    const void* newline = std::memchr(feed.here(), '\n', feed.left());
    const std::size_t count = newline == nullptr
        ? feed.left()
        : static_cast<std::size_t>(static_cast<const char*>(newline) - feed.here()) + 1;
    return consume(feed, count);
}

/// With this the unpickler takes its bytes in large pieces also where the pickle has no frames.
PyObject* feedPeek(PyObject* self, PyObject* argument) noexcept
{
    const Feed& feed = feedOf(self);
    const std::optional<std::size_t> count = wanted(feed, argument);
    return count ? PyBytes_FromStringAndSize(feed.here(), static_cast<Py_ssize_t>(*count))
                 : nullptr;
}

PyMethodDef kFeedMethods[] = {{"read", feedRead, METH_O, nullptr},
                              {"readline", feedReadLine, METH_NOARGS, nullptr},
                              {"peek", feedPeek, METH_O, nullptr},
                              {nullptr, nullptr, 0, nullptr}};
PyType_Slot kFeedSlots[] = {{Py_tp_methods, kFeedMethods}, {0, nullptr}};
PyType_Spec kFeedSpec = {"tidemark.Feed", sizeof(FeedObject), 0, Py_TPFLAGS_DEFAULT, kFeedSlots};

} // namespace

PythonRef makeFeedType()
{
    return PythonRef(PyType_FromSpec(&kFeedSpec));
}

PythonRef makeFeedFile(PyObject* type, Feed& feed)
{
    PythonRef file(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type), 0));
    if (file != nullptr) {
        reinterpret_cast<FeedObject*>(file.get())->feed = &feed;
    }
    return file;
}

} // namespace tidemark::reader
