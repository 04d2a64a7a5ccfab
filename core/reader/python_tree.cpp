// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/python_tree.h"

#include <cstdint>

namespace tidemark::reader {
namespace {

PyObject* objectOf(ValueTree::Node node)
{
    return reinterpret_cast<PyObject*>(node.word);
}

ValueTree::Value integerValue(PyObject* object)
{
    int overflow = 0;
    std::int64_t number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow > 0) {
        const std::uint64_t bits = PyLong_AsUnsignedLongLong(object);
        if (PyErr_Occurred() == nullptr) {
            overflow = 0;
            number = static_cast<std::int64_t>(bits);
        }
        PyErr_Clear();
    }
    return {overflow == 0 ? NodeKind::integer : NodeKind::huge_integer, number, 0.0, {}};
}

} // namespace

ValueTree::Value PythonTree::value(Node node)
{
    PyObject* object = objectOf(node);
    if (PyLong_CheckExact(object)) {
        return integerValue(object);
    }
    if (PyUnicode_CheckExact(object)) {
        return {NodeKind::text, 0, 0.0, text(object)};
    }
    if (PyDict_CheckExact(object)) {
        return {NodeKind::dict, PyDict_Size(object), 0.0, {}};
    }
    if (PyList_CheckExact(object)) {
        return {NodeKind::list, PyList_Size(object), 0.0, {}};
    }
    if (PyTuple_CheckExact(object)) {
        return {NodeKind::list, PyTuple_Size(object), 0.0, {}};
    }
    if (PyBool_Check(object)) {
        return {NodeKind::boolean, object == Py_True ? 1 : 0, 0.0, {}};
    }
    if (PyFloat_CheckExact(object)) {
        return {NodeKind::floating, 0, PyFloat_AsDouble(object), {}};
    }
    return {object == Py_None ? NodeKind::nothing : NodeKind::other, 0, 0.0, {}};
}

ValueTree::Node PythonTree::item(Node list, std::size_t index)
{
    PyObject* object = objectOf(list);
    const auto at = static_cast<Py_ssize_t>(index);
    return nodeOf(PyTuple_CheckExact(object) ? PyTuple_GetItem(object, at)
                                             : PyList_GetItem(object, at));
}

bool PythonTree::nextEntry(Node dict, std::ptrdiff_t& position, Entry& entry)
{
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    if (PyDict_Next(objectOf(dict), &position, &key, &value) == 0) {
        return false;
    }
    entry = {nodeOf(key), nodeOf(value)};
    return true;
}

std::string_view PythonTree::text(PyObject* object)
{
    Py_ssize_t size = 0;
    if (const char* utf8 = PyUnicode_AsUTF8AndSize(object, &size)) {
        return {utf8, static_cast<std::size_t>(size)};
    }
    PyErr_Clear(); // Lone surrogates have no UTF-8 form.
    const auto [it, is_new] = m_replaced.try_emplace(object);
    if (is_new) {
        const PythonRef bytes(PyUnicode_AsEncodedString(object, "utf-8", "replace"));
        if (bytes != nullptr) {
            it->second.assign(PyBytes_AsString(bytes.get()),
                              static_cast<std::size_t>(PyBytes_Size(bytes.get())));
        }
        PyErr_Clear();
    }
    return it->second;
}

} // namespace tidemark::reader
