// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/python_unpickler.h"

namespace tidemark::reader {
namespace {

PyObject* refuseGlobal(PyObject* /*self*/, PyObject* /*arguments*/) noexcept
{
    PyErr_SetString(PyExc_RuntimeError, "a memory snapshot has no globals");
    return nullptr;
}

PyObject* refusePersistent(PyObject* /*self*/, PyObject* /*id*/) noexcept
{
    PyErr_SetString(PyExc_RuntimeError, "a memory snapshot has no persistent objects");
    return nullptr;
}

PyMethodDef kUnpicklerMethods[] = {{"find_class", refuseGlobal, METH_VARARGS, nullptr},
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
    return PythonRef(PyObject_CallMethod(unpickler.get(), "load", nullptr));
}

} // namespace tidemark::reader
