// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>

namespace tidemark::program {

// Bytes of what cuBLAS gets from PyTorch's allocator by default, for each handle and stream
// (ATen/cuda/CublasHandlePool.cpp). It stays to the end as weights do.

/// Before Hopper, CUBLAS_WORKSPACE_CONFIG=:4096:2:16:8 in KiB.
inline constexpr std::int64_t kDefaultCublasWorkspace = 8'519'680;
/// From Hopper on, :4096:8.
inline constexpr std::int64_t kHopperCublasWorkspace = 33'554'432;

/// cuBLASLt's own, CUBLASLT_WORKSPACE_SIZE; as large as cuBLAS' where
/// TORCH_CUBLASLT_UNIFIED_WORKSPACE says so.
inline constexpr std::int64_t kCublasLtWorkspace = 1'048'576;

} // namespace tidemark::program
