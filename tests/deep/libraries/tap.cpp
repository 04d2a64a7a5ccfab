// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
//
// A CPU allocator for PyTorch that asks a Python function about each allocation and tells it of
// each free: function(is_alloc, pointer, bytes). When it answers an allocation with True, torch
// raises what a CUDA device out of memory raises. Only the thread that set the function is heard;
// the scratch of CPU kernels' workers is none of a device's business.

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>
#include <unordered_map>

// Of Python's stable ABI, declared here so that no headers are needed.
extern "C" {
struct _object;
int Py_IsInitialized();
int PyGILState_Ensure();
void PyGILState_Release(int);
void PyErr_Fetch(_object**, _object**, _object**);
void PyErr_Restore(_object*, _object*, _object*);
void PyErr_Print();
_object* PyObject_CallFunction(_object*, const char*, ...);
int PyObject_IsTrue(_object*);
void Py_IncRef(_object*);
void Py_DecRef(_object*);
}

namespace {

using PyObject = _object;

constexpr std::size_t kAlignment = 64;

PyObject* g_listener = nullptr;
std::thread::id g_heard;
std::mutex g_mutex;
std::unordered_map<void*, std::size_t> g_told; // What the listener knows of, by pointer.

/// The listener's answer; false without one. Leaves the thread's Python error as it was.
bool ask(bool is_alloc, void* pointer, std::size_t bytes)
{
    if (g_listener == nullptr || Py_IsInitialized() == 0) {
        return false;
    }
    const int gil = PyGILState_Ensure();
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyObject* const answer = PyObject_CallFunction(
        g_listener, "iKK", is_alloc ? 1 : 0,
        static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(pointer)),
        static_cast<unsigned long long>(bytes));
    if (answer == nullptr) {
        PyErr_Print();
    }
    const bool refuses = answer != nullptr && PyObject_IsTrue(answer) == 1;
    Py_DecRef(answer);
    PyErr_Restore(type, value, trace);
    PyGILState_Release(gil);
    return refuses;
}

void release(void* pointer)
{
    std::size_t bytes = 0;
    bool is_told = false;
    {
        const std::lock_guard lock(g_mutex);
        const auto it = g_told.find(pointer);
        if (it != g_told.end()) {
            is_told = true;
            bytes = it->second;
            g_told.erase(it);
        }
    }
    if (is_told) {
        ask(false, pointer, bytes);
    }
    std::free(pointer);
}

class Tap final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override
    {
        const c10::Device cpu(c10::DeviceType::CPU);
        void* pointer = nullptr;
        if (bytes == 0) {
            return {nullptr, nullptr, &release, cpu};
        }
        if (posix_memalign(&pointer, kAlignment, bytes) != 0) {
            throw std::bad_alloc();
        }
        if (g_listener != nullptr && std::this_thread::get_id() == g_heard) {
            if (ask(true, pointer, bytes)) {
                std::free(pointer);
                TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ",
                                 bytes, " bytes. GPU 0 has a total capacity of the stand-in's.");
            }
            const std::lock_guard lock(g_mutex);
            g_told[pointer] = bytes;
        }
        return {pointer, pointer, &release, cpu};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &release;
    }

    void copy_data(void* to, const void* from, std::size_t bytes) const override
    {
        std::memcpy(to, from, bytes);
    }
};

Tap g_tap;

} // namespace

extern "C" void tap_listen(PyObject* listener)
{
    static bool is_installed = false;
    if (!is_installed) {
        c10::SetCPUAllocator(&g_tap, 100);
        is_installed = true;
    }
    Py_IncRef(listener);
    Py_DecRef(g_listener);
    g_heard = std::this_thread::get_id();
    g_listener = listener;
}
