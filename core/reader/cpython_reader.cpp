// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/cpython_reader.h"

#include "core/base/language.h"
#include "core/base/sanitizers.h"
#include "core/reader/printable.h"
#include "core/reader/python_home.h"
#include "core/reader/python_object.h"
#include "core/reader/python_tree.h"
#include "core/reader/python_unpickler.h"
#include "core/reader/snapshot_decoder.h"
#include "core/reader/work_thread.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>

#include <exception>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace tidemark::reader {
namespace {

Error memoryError()
{
    return {ErrorCode::outOfMemory,
            say("Not enough memory to read this snapshot; close other programs or use a larger "
                "machine.")};
}

/// Whether there is the memory that Python takes to start: where it finds none it ends the process.
bool hasRoomToStart()
{
    constexpr std::size_t kRoom = std::size_t{48} << 20; // Four times what Python 3.11 takes.
    void* const room =
        ::mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && ::munmap(room, kRoom) == 0;
}

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
            return say("Python's standard library is missing at {}; install libpython{}.{}-stdlib.",
                       (home / folder).string(), PY_MAJOR_VERSION, PY_MINOR_VERSION);
        }
        const PyStatus status = initialize(home, home / folder);
        if (PyStatus_Exception(status) != 0) {
            return say("The embedded Python failed to start ({}); install libpython{}.{}-stdlib.",
                       status.err_msg == nullptr ? translated("no reason given") : status.err_msg,
                       PY_MAJOR_VERSION, PY_MINOR_VERSION);
        }
        // Values of a snapshot hold no cycles; a collection during loading would only look at all
        // of them again and again.
        PyGC_Disable();
        if (!m_unpickler.prepare()) {
            return say("The embedded Python has no pickle module; install libpython3-stdlib.");
        }
        return {};
    }

    Result<Done> read(InputBytes& input, trace::SnapshotBuilder& builder,
                      const ReaderLimits& limits, ProgressSink& progress,
                      const std::stop_token& stop)
    {
        Feed feed{input, progress, stop};
        progress.report("reading", 0.0);
        m_holds_values = true;
        m_root = m_unpickler.load(feed).release();
        Result<Done> result = m_root == nullptr ? Result<Done>(takeError(feed))
                                                : decode(m_root, feed, builder, limits);
        if (result.has_value()) {
            release(); // Whatever comes next needs the memory.
        }
        return result;
    }

    /// Gives up the values of the last reading, which takes a while: a third of a second for a
    /// million events.
    void release()
    {
        if (!std::exchange(m_holds_values, false)) {
            return;
        }
        Py_CLEAR(m_root);
        m_unpickler.release();
        PyGC_Enable(); // A hostile file can hold cycles; and without this the next call does
                       // nothing.
        PyGC_Collect();
        PyGC_Disable();
        ::malloc_trim(0);
    }

private:
    static Result<Done> decode(PyObject* root, const Feed& feed, trace::SnapshotBuilder& builder,
                               const ReaderLimits& limits)
    {
        PythonTree tree;
        SnapshotDecoder decoder(tree, builder, limits, feed.progress, feed.stop);
        decoder.setInputBytes(feed.input.bytes().size());
        return decoder.finish(PythonTree::nodeOf(root));
    }

    static PyStatus initialize(const std::filesystem::path& home,
                               const std::filesystem::path& library)
    {
        PyPreConfig before;
        PyPreConfig_InitIsolatedConfig(&before);
        before.utf8_mode = 1; // Whatever the locale, which stays as the program has set it.
        if constexpr (kAddressSanitizer) {
            before.allocator = PYMEM_ALLOCATOR_MALLOC; // So that each object is guarded.
        }
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

    /// The current Python error as ours.
    static Error takeError(const Feed& feed)
    {
        PyObject* type = nullptr;
        PyObject* value = nullptr;
        PyObject* traceback = nullptr;
        PyErr_Fetch(&type, &value, &traceback);
        const PythonRef owned[] = {PythonRef(type), PythonRef(value), PythonRef(traceback)};
        if (feed.cancelled) {
            return {ErrorCode::cancelled, say("Reading was cancelled.")};
        }
        if (type != nullptr && PyErr_GivenExceptionMatches(type, PyExc_MemoryError) != 0) {
            return memoryError();
        }
        const PythonRef text(value == nullptr ? nullptr : PyObject_Str(value));
        const char* reason = text == nullptr ? nullptr : PyUnicode_AsUTF8(text.get());
        PyErr_Clear();
        return {ErrorCode::damaged,
                say("The file is damaged before byte {} (Python says: {}); copy it again "
                    "or record a new one.",
                    feed.at, printable(reason == nullptr ? translated("nothing") : reason)),
                feed.at};
    }

    PlainUnpickler m_unpickler;
    bool m_holds_values = false;
    PyObject* m_root =
        nullptr; ///< Not a PythonRef: at the end of the process nothing may touch it.
};

/// The one interpreter of the process and the thread it lives on.
class Interpreter {
public:
    static Interpreter& instance()
    {
        static Interpreter interpreter;
        return interpreter;
    }

    Result<Done> read(InputBytes& input, trace::SnapshotBuilder& builder,
                      const ReaderLimits& limits, ProgressSink& progress,
                      const std::stop_token& stop)
    {
        Result<Done> result = Error{ErrorCode::cancelled, say("Reading was cancelled.")};
        const WorkThread::Work work = [&](const std::stop_token& work_stop) {
            result = readHere(input, builder, limits, progress, work_stop);
        };
        // If not run, it stays cancelled. Someone who has cancelled is not kept waiting.
        static_cast<void>(m_thread.run(work, stop, [this] { m_python.release(); }));
        return result;
    }

private:
    Interpreter() = default;

    Result<Done> readHere(InputBytes& input, trace::SnapshotBuilder& builder,
                          const ReaderLimits& limits, ProgressSink& progress,
                          const std::stop_token& stop)
    {
        try {
            if (!m_started) {
                if (!hasRoomToStart()) {
                    return memoryError();
                }
                m_started = true;
                m_problem = m_python.start();
            }
            return m_problem ? Result<Done>(Error{ErrorCode::internal, *m_problem})
                             : m_python.read(input, builder, limits, progress, stop);
        } catch (const std::bad_alloc&) {
            return memoryError();
        } catch (const std::exception& e) {
            return Error{ErrorCode::internal,
                         say("Reading failed because of a bug in Tidemark ({}).", e.what())};
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

    Result<Done> read(InputBytes& input, trace::SnapshotBuilder& builder,
                      const ReaderLimits& limits, ProgressSink& progress,
                      const std::stop_token& stop) override
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
