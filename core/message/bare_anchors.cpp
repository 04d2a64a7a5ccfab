// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The words of out-of-memory errors that have no figures, as programs print and people type them.
#include "core/message/message_reader.h"

#include <array>

namespace tidemark::diagnose {

std::span<const std::string_view> bareAnchors()
{
    static constexpr std::array<std::string_view, 31> kBare{"cudaerror:outofmemory",
                                                            "cudaout-of-memory",
                                                            "cudaoutofmemeory",
                                                            "cudaoutofmemroy",
                                                            "cudadrivererror:outofmemory",
                                                            "cuda_error_out_of_memory",
                                                            "cudaerrormemoryallocation",
                                                            "cudaoutofmemory",
                                                            "cudaruntimeerror(2)",
                                                            "error=2:outofmemory",
                                                            "cublas_status_alloc_failed",
                                                            "cudnn_status_alloc_failed",
                                                            "cudafailure'outofmemory'",
                                                            "cudafailure2'outofmemory'",
                                                            "witherror2outofmemory",
                                                            "cudaerror2:outofmemory",
                                                            "cudaerror2outofmemory",
                                                            "ur_result_error_out_of_device_memory",
                                                            "ur_result_error_out_of_resources",
                                                            "ze_result_error_out_of_device_memory",
                                                            "pi_error_out_of_resources",
                                                            "outofdevicememoryoncurrentplatform",
                                                            "youranoutofmemoryonyourgpu",
                                                            "processing!!!allocationondevice",
                                                            "npuoutofmemory",
                                                            "torch.outofmemoryerror",
                                                            "torch.cuda.outofmemoryerror",
                                                            "hiperror:outofmemory",
                                                            "hipoutofmemory",
                                                            "xpuoutofmemory",
                                                            "mpsbackendoutofmemory"};
    return kBare;
}

} // namespace tidemark::diagnose
