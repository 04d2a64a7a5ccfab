// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/python_unpickler.h"

#include "core/reader/inert_wrappers.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>

namespace tidemark::reader {
namespace {

WrapperArgument argumentOf(PyObject* object)
{
    Py_ssize_t size = 0;
    int overflow = 0;
    if (PyUnicode_CheckExact(object)) {
        if (const char* text = PyUnicode_AsUTF8AndSize(object, &size)) {
            return {ArgumentKind::text, {text, static_cast<std::size_t>(size)}, 0};
        }
        PyErr_Clear();
    } else if (PyLong_CheckExact(object)) {
        const std::int64_t number = PyLong_AsLongLongAndOverflow(object, &overflow);
        return {overflow == 0 ? ArgumentKind::integer : ArgumentKind::other, {}, number};
    } else if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
        return {ArgumentKind::list, {}, 0};
    } else if (PyDict_CheckExact(object)) {
        return {ArgumentKind::dict, {}, 0};
    }
    return {};
}

PyObject* refuseCall()
{
    PyErr_SetString(PyExc_RuntimeError, "a memory snapshot calls nothing");
    return nullptr;
}

/// What a harmless callable gives for its arguments. `self` is its number.
PyObject* reshape(PyObject* self, PyObject* tuple) noexcept
{
    const auto wrapper = static_cast<Wrapper>(PyLong_AsLong(self));
    const Py_ssize_t count = PyTuple_Size(tuple);
    std::array<WrapperArgument, kMaxWrapperArguments> arguments{};
    if (count < 0 || static_cast<std::size_t>(count) > arguments.size()) {
        return refuseCall();
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        arguments[static_cast<std::size_t>(i)] = argumentOf(PyTuple_GetItem(tuple, i));
    }
    const std::span<const WrapperArgument> given(arguments.data(), static_cast<std::size_t>(count));
    if (!takesArguments(wrapper, given)) {
        return refuseCall();
    }
    switch (wrapper) {
    case Wrapper::ordered_dict:
        return PyDict_New();
    case Wrapper::device:
        try {
            const std::string text = deviceText(given);
            return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
        } catch (const std::bad_alloc&) {
            return PyErr_NoMemory();
        }
    default:
        return Py_NewRef(PyTuple_GetItem(tuple, 0));
    }
}

PyMethodDef kReshape = {"reshape", reshape, METH_VARARGS, nullptr};

/// Never imports anything: a name of the list gives a callable of ours, every other is refused.
PyObject* findClass(PyObject* /*self*/, PyObject* arguments) noexcept
{
    const char* module = nullptr;
    const char* name = nullptr;
    if (PyArg_ParseTuple(arguments, "ss", &module, &name) == 0) {
        return nullptr;
    }
    const std::optional<Wrapper> wrapper = wrapperFromName(module, name);
    if (!wrapper) {
        PyErr_SetString(PyExc_RuntimeError, "a memory snapshot has no globals");
        return nullptr;
    }
    const PythonRef number(PyLong_FromLong(static_cast<long>(*wrapper)));
    return number == nullptr ? nullptr : PyCFunction_New(&kReshape, number.get());
}

PyObject* refusePersistent(PyObject* /*self*/, PyObject* /*id*/) noexcept
{
    PyErr_SetString(PyExc_RuntimeError, "a memory snapshot has no persistent objects");
    return nullptr;
}

PyMethodDef kUnpicklerMethods[] = {{"find_class", findClass, METH_VARARGS, nullptr},
                                   {nullptr, nullptr, 0, nullptr}};
PyMethodDef kPersistentLoad = {"persistent_load", refusePersistent, METH_O, nullptr};
PyType_Slot kUnpicklerSlots[] = {{Py_tp_methods, kUnpicklerMethods}, {0, nullptr}};
PyType_Spec kUnpicklerSpec = {"tidemark.PlainUnpickler", 0, 0, Py_TPFLAGS_DEFAULT, kUnpicklerSlots};

} // namespace

bool PlainUnpickler::prepare()
{
    const PythonRef module(PyImport_ImportModule("_pickle"));
    const PythonRef base(module == nullptr ? nullptr
                                           : PyObject_GetAttrString(module.get(), "Unpickler"));
    const PythonRef bases(base == nullptr ? nullptr : PyTuple_Pack(1, base.get()));
    m_type = bases == nullptr ? nullptr : PyType_FromSpecWithBases(&kUnpicklerSpec, bases.get());
    m_feed_type = makeFeedType().release();
    PyErr_Clear();
    return m_type != nullptr && m_feed_type != nullptr;
}

void PlainUnpickler::release()
{
    Py_CLEAR(m_last);
}

PythonRef PlainUnpickler::load(Feed& feed)
{
    const PythonRef file = makeFeedFile(m_feed_type, feed);
    if (file == nullptr) {
        return nullptr;
    }
    const PythonRef arguments(PyTuple_Pack(1, file.get()));
    // Texts of Python 2 (opcode STRING and its like) have no encoding of their own.
    const PythonRef options(Py_BuildValue("{s:s,s:s}", "encoding", "utf-8", "errors", "replace"));
    if (arguments == nullptr || options == nullptr) {
        return nullptr;
    }
    const PythonRef unpickler(PyObject_Call(m_type, arguments.get(), options.get()));
    // Not a method of the type: the unpickler would hold it bound to itself, a cycle that keeps
    // every value of the file.
    const PythonRef persistent(PyCFunction_New(&kPersistentLoad, nullptr));
    if (unpickler == nullptr || persistent == nullptr
        || PyObject_SetAttrString(unpickler.get(), "persistent_load", persistent.get()) != 0) {
        return nullptr;
    }
    release();
    m_last = Py_NewRef(unpickler.get());
    return PythonRef(PyObject_CallMethod(m_last, "load", nullptr));
}

} // namespace tidemark::reader
