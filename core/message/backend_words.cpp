// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/backend_words.h"

#include <array>
#include <cstddef>

namespace tidemark::diagnose {
namespace {

struct BackendWord {
    std::string_view backend;
    std::string_view cuda;
    std::string_view own;
};

// torch 2.13: torch/xpu/memory.py and torch/mps/__init__.py; libc10 reads PYTORCH_ALLOC_CONF for
// every backend, and c10/xpu/XPUCachingAllocator.h has expandable segments, which older ones lack.
// torch 2.12: c10/cuda/CUDACachingAllocator.cpp has them under ROCm, which 2.3 left out.
constexpr std::array<BackendWord, 17> kBackendWords{{
    {"HIP", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"},
    {"HIP", "torch 2.1+ on Linux", "torch 2.12; older ROCm builds may ignore it"},
    {"NPU", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_NPU_ALLOC_CONF"},
    {"NPU", "torch.cuda.", "torch.npu."}, // torch_npu
    {"NPU", "\"cuda\"", "\"npu\""},
    {"NPU", "\"cuda:0\"", "\"npu:0\""},
    {"XPU", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"},
    {"XPU", "torch 2.1+ on Linux", "torch 2.13; older ones may ignore it"},
    {"XPU", "torch.cuda.", "torch.xpu."},
    {"XPU", "\"cuda\"", "\"xpu\""},
    {"XPU", "\"cuda:0\"", "\"xpu:0\""},
    {"MPS", "torch.cuda.max_memory_reserved()", "torch.mps.driver_allocated_memory()"},
    {"MPS", "torch.cuda.memory_allocated()", "torch.mps.current_allocated_memory()"},
    {"MPS", "torch.cuda.empty_cache", "torch.mps.empty_cache"},
    {"MPS", "torch.cuda.set_per_process_memory_fraction",
     "torch.mps.set_per_process_memory_fraction"},
    {"MPS", "\"cuda\"", "\"mps\""},
    {"MPS", "\"cuda:0\"", "\"mps\""},
}};

} // namespace

std::string inWordsOf(std::string_view backend, std::string lines)
{
    for (const BackendWord& word : kBackendWords) {
        if (word.backend != backend) {
            continue;
        }
        for (std::size_t at = lines.find(word.cuda); at != std::string::npos;
             at = lines.find(word.cuda, at + word.own.size())) {
            lines.replace(at, word.cuda.size(), word.own);
        }
    }
    return lines;
}

} // namespace tidemark::diagnose
