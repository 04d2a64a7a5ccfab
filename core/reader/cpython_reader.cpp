// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/cpython_reader.h"

#include "core/reader/printable.h"
#include "core/reader/python_home.h"
#include "core/reader/snapshot_decoder.h"
#include "core/reader/work_thread.h"

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_map>

#if defined(__SANITIZE_ADDRESS__) // gcc
#define TIDEMARK_ADDRESS_SANITIZER
#elif defined(__has_feature) // clang
#if __has_feature(address_sanitizer)
#define TIDEMARK_ADDRESS_SANITIZER
#endif
#endif

// The only file that knows Python. Everything below that touches a Python object runs on the thread
// of the interpreter, which holds the GIL from start to end: no other thread ever has a use for it.

namespace tidemark::reader {
namespace {

struct Release {
    void operator()(PyObject* object) const
    {
        Py_DecRef(object);
    }
};
using Ref = std::unique_ptr<PyObject, Release>;

Error memoryError()
{
    return {ErrorCode::outOfMemory,
            "There is not enough memory to read this snapshot; close other programs or use a "
            "larger machine."};
}

/// What the unpickler reads from.
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

PyMethodDef kFeedMethods[] = {{"read", feedRead, METH_O, nullptr},
                              {"readline", feedReadLine, METH_NOARGS, nullptr},
                              {"peek", feedPeek, METH_O, nullptr},
                              {nullptr, nullptr, 0, nullptr}};
PyType_Slot kFeedSlots[] = {{Py_tp_methods, kFeedMethods}, {0, nullptr}};
PyType_Spec kFeedSpec = {"tidemark.Feed", sizeof(FeedObject), 0, Py_TPFLAGS_DEFAULT, kFeedSlots};

PyMethodDef kUnpicklerMethods[] = {{"find_class", refuseGlobal, METH_VARARGS, nullptr},
                                   {nullptr, nullptr, 0, nullptr}};
PyMethodDef kPersistentLoad = {"persistent_load", refusePersistent, METH_O, nullptr};
PyType_Slot kUnpicklerSlots[] = {{Py_tp_methods, kUnpicklerMethods}, {0, nullptr}};
PyType_Spec kUnpicklerSpec = {"tidemark.PlainUnpickler", 0, 0, Py_TPFLAGS_DEFAULT, kUnpicklerSlots};

/// Python's objects as a value tree. They must outlive it.
class PythonTree final : public ValueTree {
public:
    static Node nodeOf(PyObject* object)
    {
        return {reinterpret_cast<std::uint64_t>(object)};
    }

    Value value(Node node) override
    {
        PyObject* object = objectOf(node);
        if (PyLong_CheckExact(object)) {
            return integerValue(object);
        }
        if (PyUnicode_CheckExact(object)) {
            return {Kind::text, 0, 0.0, text(object)};
        }
        if (PyDict_CheckExact(object)) {
            return {Kind::dict, PyDict_Size(object), 0.0, {}};
        }
        if (PyList_CheckExact(object)) {
            return {Kind::list, PyList_Size(object), 0.0, {}};
        }
        if (PyTuple_CheckExact(object)) {
            return {Kind::list, PyTuple_Size(object), 0.0, {}};
        }
        if (PyBool_Check(object)) {
            return {Kind::boolean, object == Py_True ? 1 : 0, 0.0, {}};
        }
        if (PyFloat_CheckExact(object)) {
            return {Kind::floating, 0, PyFloat_AsDouble(object), {}};
        }
        return {object == Py_None ? Kind::nothing : Kind::other, 0, 0.0, {}};
    }

    Node item(Node list, std::size_t index) override
    {
        PyObject* object = objectOf(list);
        const auto at = static_cast<Py_ssize_t>(index);
        return nodeOf(PyTuple_CheckExact(object) ? PyTuple_GetItem(object, at)
                                                 : PyList_GetItem(object, at));
    }

    bool nextEntry(Node dict, std::ptrdiff_t& position, Entry& entry) override
    {
        PyObject* key = nullptr;
        PyObject* value = nullptr;
        if (PyDict_Next(objectOf(dict), &position, &key, &value) == 0) {
            return false;
        }
        entry = {nodeOf(key), nodeOf(value)};
        return true;
    }

private:
    static PyObject* objectOf(Node node)
    {
        return reinterpret_cast<PyObject*>(node.word);
    }

    static Value integerValue(PyObject* object)
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
        return {overflow == 0 ? Kind::integer : Kind::huge_integer, number, 0.0, {}};
    }

    std::string_view text(PyObject* object)
    {
        Py_ssize_t size = 0;
        if (const char* utf8 = PyUnicode_AsUTF8AndSize(object, &size)) {
            return {utf8, static_cast<std::size_t>(size)};
        }
        PyErr_Clear(); // Lone surrogates have no UTF-8 form.
        const auto [it, is_new] = m_replaced.try_emplace(object);
        if (is_new) {
            const Ref bytes(PyUnicode_AsEncodedString(object, "utf-8", "replace"));
            if (bytes != nullptr) {
                it->second.assign(PyBytes_AsString(bytes.get()),
                                  static_cast<std::size_t>(PyBytes_Size(bytes.get())));
            }
            PyErr_Clear();
        }
        return it->second;
    }

    std::unordered_map<const PyObject*, std::string> m_replaced;
};

/// Where the standard library lies below its prefix.
std::string libraryFolder()
{
    return fmt::format("lib/python{}.{}", PY_MAJOR_VERSION, PY_MINOR_VERSION);
}

/// Starts Python on this thread; a sentence if it cannot.
class Python {
public:
    std::optional<std::string> start()
    {
        const std::string folder = libraryFolder();
        const std::filesystem::path home = pythonHome(folder);
        if (!hasPythonLibrary(home, folder)) {
            return fmt::format(
                "Python's standard library is missing at {}; install libpython{}.{}-stdlib.",
                (home / folder).string(), PY_MAJOR_VERSION, PY_MINOR_VERSION);
        }
        const PyStatus status = initialize(home, home / folder);
        if (PyStatus_Exception(status) != 0) {
            return fmt::format(
                "The embedded Python does not start ({}); install libpython{}.{}-stdlib.",
                status.err_msg == nullptr ? "no reason given" : status.err_msg, PY_MAJOR_VERSION,
                PY_MINOR_VERSION);
        }
        // Values of a snapshot hold no cycles; a collection during loading would only look at all
        // of them again and again.
        PyGC_Disable();
        const Ref module(PyImport_ImportModule("_pickle"));
        const Ref base(module == nullptr ? nullptr
                                         : PyObject_GetAttrString(module.get(), "Unpickler"));
        const Ref bases(base == nullptr ? nullptr : PyTuple_Pack(1, base.get()));
        m_unpickler =
            bases == nullptr ? nullptr : PyType_FromSpecWithBases(&kUnpicklerSpec, bases.get());
        m_feed = PyType_FromSpec(&kFeedSpec);
        if (m_unpickler == nullptr || m_feed == nullptr) {
            PyErr_Clear();
            return "The embedded Python has no pickle module; install libpython3-stdlib.";
        }
        return {};
    }

    Result<Done> read(InputBytes& input, trace::SnapshotBuilder& builder, const Limits& limits,
                      ProgressSink& progress, const std::stop_token& stop)
    {
        Feed feed{input, progress, stop};
        progress.report("reading", 0.0);
        Ref root = load(feed);
        PythonTree tree;
        Result<Done> result = root == nullptr
            ? Result<Done>(takeError(feed))
            : decodeSnapshot(tree, PythonTree::nodeOf(root.get()), builder, limits, progress, stop);
        root.reset();
        PyGC_Enable(); // A hostile file can hold cycles; and without this the next call does
                       // nothing.
        PyGC_Collect();
        PyGC_Disable();
        ::malloc_trim(0);
        return result;
    }

private:
    static PyStatus initialize(const std::filesystem::path& home,
                               const std::filesystem::path& library)
    {
        PyPreConfig before;
        PyPreConfig_InitIsolatedConfig(&before);
        before.utf8_mode = 1; // Whatever the locale, which stays as the program has set it.
#if defined(TIDEMARK_ADDRESS_SANITIZER)
        before.allocator = PYMEM_ALLOCATOR_MALLOC; // So that each object is guarded.
#endif
        PyStatus status = Py_PreInitialize(&before);
        if (PyStatus_Exception(status) != 0) {
            return status;
        }
        PyConfig config;
        PyConfig_InitIsolatedConfig(&config);
        config.site_import = 0;
        config.write_bytecode = 0;
        config.install_signal_handlers = 0;
        config.module_search_paths_set = 1;
        const auto append = [&](const std::filesystem::path& path) {
            wchar_t* wide = Py_DecodeLocale(path.c_str(), nullptr);
            if (wide == nullptr) {
                return PyStatus_NoMemory();
            }
            const PyStatus appended = PyWideStringList_Append(&config.module_search_paths, wide);
            PyMem_RawFree(wide);
            return appended;
        };
        const std::function<PyStatus()> steps[] = {
            [&] { return PyConfig_SetBytesString(&config, &config.program_name, "tidemark"); },
            [&] { return PyConfig_SetBytesString(&config, &config.home, home.c_str()); },
            [&] { return append(library); },
            [&] { return append(library / "lib-dynload"); },
            [&] { return Py_InitializeFromConfig(&config); },
        };
        for (const std::function<PyStatus()>& step : steps) {
            status = step();
            if (PyStatus_Exception(status) != 0) {
                break;
            }
        }
        PyConfig_Clear(&config);
        return status;
    }

    /// The root of the values, or null with a Python error.
    Ref load(Feed& feed)
    {
        const Ref file(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(m_feed), 0));
        if (file == nullptr) {
            return nullptr;
        }
        reinterpret_cast<FeedObject*>(file.get())->feed = &feed;
        const Ref arguments(PyTuple_Pack(1, file.get()));
        // Texts of Python 2 (opcode STRING and its like) have no encoding of their own.
        const Ref options(Py_BuildValue("{s:s,s:s}", "encoding", "utf-8", "errors", "replace"));
        if (arguments == nullptr || options == nullptr) {
            return nullptr;
        }
        const Ref unpickler(PyObject_Call(m_unpickler, arguments.get(), options.get()));
        // Not a method of the type: the unpickler would hold it bound to itself, a cycle that keeps
        // every value of the file.
        const Ref persistent(PyCFunction_New(&kPersistentLoad, nullptr));
        if (unpickler == nullptr || persistent == nullptr
            || PyObject_SetAttrString(unpickler.get(), "persistent_load", persistent.get()) != 0) {
            return nullptr;
        }
        return Ref(PyObject_CallMethod(unpickler.get(), "load", nullptr));
    }

    /// The current Python error as ours.
    static Error takeError(const Feed& feed)
    {
        PyObject* type = nullptr;
        PyObject* value = nullptr;
        PyObject* traceback = nullptr;
        PyErr_Fetch(&type, &value, &traceback);
        const Ref owned[] = {Ref(type), Ref(value), Ref(traceback)};
        if (feed.cancelled) {
            return {ErrorCode::cancelled, "Reading was cancelled."};
        }
        if (type != nullptr && PyErr_GivenExceptionMatches(type, PyExc_MemoryError) != 0) {
            return memoryError();
        }
        const Ref text(value == nullptr ? nullptr : PyObject_Str(value));
        const char* reason = text == nullptr ? nullptr : PyUnicode_AsUTF8(text.get());
        PyErr_Clear();
        return {ErrorCode::damaged,
                fmt::format("The file is damaged before byte {} (Python says: {}); copy it again "
                            "or record a new one.",
                            feed.at, printable(reason == nullptr ? "nothing" : reason)),
                feed.at};
    }

    // Owned, and never given back: Python is not finalised, which would only cost time at the end
    // of the process, and nothing may touch it from another thread.
    PyObject* m_unpickler = nullptr;
    PyObject* m_feed = nullptr;
};

/// The one interpreter of the process and the thread it lives on.
class Interpreter {
public:
    static Interpreter& instance()
    {
        static Interpreter interpreter;
        return interpreter;
    }

    Result<Done> read(InputBytes& input, trace::SnapshotBuilder& builder, const Limits& limits,
                      ProgressSink& progress, const std::stop_token& stop)
    {
        Result<Done> result = Error{ErrorCode::cancelled, "Reading was cancelled."};
        const WorkThread::Work work = [&](const std::stop_token& work_stop) {
            result = readHere(input, builder, limits, progress, work_stop);
        };
        static_cast<void>(m_thread.run(work, stop)); // If not run, it stays cancelled.
        return result;
    }

private:
    Interpreter() = default;

    Result<Done> readHere(InputBytes& input, trace::SnapshotBuilder& builder, const Limits& limits,
                          ProgressSink& progress, const std::stop_token& stop)
    {
        try {
            if (!m_started) {
                m_started = true;
                m_problem = m_python.start();
            }
            return m_problem ? Result<Done>(Error{ErrorCode::internal, *m_problem})
                             : m_python.read(input, builder, limits, progress, stop);
        } catch (const std::bad_alloc&) {
            return memoryError();
        } catch (const std::exception& e) {
            return Error{
                ErrorCode::internal,
                fmt::format("Reading failed because of a mistake in Tidemark ({}).", e.what())};
        }
    }

    Python m_python;
    bool m_started = false;
    std::optional<std::string> m_problem;
    WorkThread m_thread; // Last: ends before the others go.
};

class CPythonReader final : public PickleReader {
public:
    [[nodiscard]] std::string_view name() const override
    {
        return "cpython";
    }

    Result<Done> read(InputBytes& input, trace::SnapshotBuilder& builder, const Limits& limits,
                      ProgressSink& progress, const std::stop_token& stop) override
    {
        return Interpreter::instance().read(input, builder, limits, progress, stop);
    }
};

} // namespace

std::unique_ptr<PickleReader> makeCPythonReader()
{
    return std::make_unique<CPythonReader>();
}

PythonInfo cpythonInfo()
{
    PythonInfo info;
    const std::string_view version = Py_GetVersion();
    info.version = version.substr(0, version.find(' '));
    info.home = pythonHome(libraryFolder()).string();
    Dl_info where{};
    if (::dladdr(reinterpret_cast<const void*>(&Py_GetVersion), &where) != 0
        && where.dli_fname != nullptr) {
        std::error_code error;
        const std::filesystem::path real = std::filesystem::canonical(where.dli_fname, error);
        info.library = error ? where.dli_fname : real.string();
    }
    return info;
}

} // namespace tidemark::reader
