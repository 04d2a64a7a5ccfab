// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What else than an out-of-memory message ends a run, by its words.
#include "core/diagnose/message/log_words.h"

#include <array>
#include <cctype>
#include <string>

namespace tidemark::diagnose {
namespace {

using Kind = LogEventKind;

constexpr std::string_view kKilled = "killed";

constexpr std::array<EventWording, 70> kWordings{{
    {kKilled, Kind::host_killed},
    {"exitcode137", Kind::host_killed},
    {"exitcode:137", Kind::host_killed},
    {"exitcode=137", Kind::host_killed},
    {"exitstatus137", Kind::host_killed},
    {"withcode137", Kind::host_killed},
    {"status137", Kind::host_killed},
    {"exitcode:-9", Kind::host_killed},
    {"exitcode-9", Kind::host_killed},
    {"exitcode=-9", Kind::host_killed},
    {"diedwith<signals.sigkill", Kind::host_killed},
    {"signals.sigkill:9", Kind::host_killed},
    {"signal9(sigkill)", Kind::host_killed},
    {"signal:9(sigkill)", Kind::host_killed},
    {"bysignal:killed", Kind::host_killed},
    {"outofmemory:killedprocess", Kind::host_killed},
    {"outofmemory:killprocess", Kind::host_killed},
    {"cgroupoutofmemory", Kind::host_killed},
    {"oom-kill:", Kind::host_killed},
    {"oom_kill", Kind::host_killed},
    {"oom-killer", Kind::host_killed},
    {"oomkilled", Kind::host_killed},
    {"oom_reaper", Kind::host_killed},
    {"state=out_of_memory", Kind::host_killed},
    {"state:out_of_memory", Kind::host_killed},
    {"nodewasrunninglowonmemory", Kind::host_killed},
    {"noderunninglowonmemory", Kind::host_killed},
    {"exceededmemorylimit", Kind::host_killed},
    {"defaultcpuallocator:", Kind::host_refused},
    {"std::bad_alloc", Kind::host_refused},
    {"cannotallocatememory", Kind::host_refused},
    {"memoryerror:", Kind::host_refused},
    {"unabletoallocate", Kind::host_refused},
    {"outofsharedmemory", Kind::shared_memory},
    {"insufficientsharedmemory", Kind::shared_memory},
    {"outofspaceondevice/dev/shm", Kind::shared_memory},
    {"unabletoopensharedmemoryobject", Kind::shared_memory},
    {"unabletowritetofile</torch", Kind::shared_memory},
    {"illegalmemoryaccess", Kind::illegal_access},
    {"misalignedaddress", Kind::illegal_access},
    {"device-sideassert", Kind::device_assert},
    {"ncclerror", Kind::collective},
    {"ncclunhandled", Kind::collective},
    {"ncclsystemerror", Kind::collective},
    {"ncclinternalerror", Kind::collective},
    {"ncclremoteerror", Kind::collective},
    {"ncclinvalidusage", Kind::collective},
    {"watchdogcaughtcollective", Kind::collective},
    {"collectiveoperationtimeout", Kind::collective},
    {"connectionclosedbypeer", Kind::collective},
    {"nospaceleftondevice", Kind::disk},
    {"diskquotaexceeded", Kind::disk},
    {"cublas_status_alloc_failed", Kind::cuda_library},
    {"cublas_status_not_initialized", Kind::cuda_library},
    {"cublas_status_execution_failed", Kind::cuda_library},
    {"cudnn_status_alloc_failed", Kind::cuda_library},
    {"cudnn_status_not_initialized", Kind::cuda_library},
    {"cudnn_status_internal_error", Kind::cuda_library},
    {"cufft_alloc_failed", Kind::cuda_library},
    {"cusolver_status_alloc_failed", Kind::cuda_library},
    {"cudafailure'outofmemory'", Kind::driver_memory},
    {"cudafailure2'outofmemory'", Kind::driver_memory},
    {"resource_exhausted:", Kind::jax},
    {"xlaruntimeerror", Kind::jax},
    {"oomwhenallocatingtensor", Kind::tensorflow},
    {"noavailablememoryforthecacheblocks", Kind::vllm_cache},
    {"kvcacheisneeded,whichislarger", Kind::vllm_cache},
    {"numberoftokensthatcanbestoredinkvcache", Kind::vllm_cache},
    {"islessthandesiredgpumemoryutilization", Kind::vllm_busy},
    {"failedtoallocaterequestfor", Kind::jax},
}};

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

std::string lowered(std::string_view text)
{
    std::string small;
    for (const char c : text) {
        small.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
    return small;
}

/// "Killed" alone, or as a shell reports it: "run.sh: line 3: 4711 Killed   python train.py".
bool isShellsKilled(std::string_view line)
{
    const std::string small = lowered(line);
    const std::size_t at = small.rfind("killed");
    if (at == std::string::npos) {
        return false;
    }
    std::size_t before = at;
    while (before > 0 && (small[before - 1] == ' ' || small[before - 1] == '\t')) {
        --before;
    }
    const bool is_alone = small.find_first_not_of(" \t\r", at + 6) == std::string::npos
        && (before == 0 || small[before - 1] == ']' || small[before - 1] == ':');
    const bool has_pid = before < at && before > 0 && isDigit(small[before - 1]);
    return is_alone || (has_pid && small.find("line ") < at);
}

} // namespace

std::span<const EventWording> eventWordings()
{
    return kWordings;
}

bool isEvent(const EventWording& wording, std::string_view line)
{
    const std::string small = lowered(line);
    if (wording.words == kKilled) {
        return isShellsKilled(line);
    }
    if (wording.words == "memoryerror:") {
        // Python's own, not OutOfMemoryError.
        return small.find("outofmemoryerror") == std::string::npos;
    }
    if (wording.words == "unabletoallocate") {
        return small.find("array") != std::string::npos;
    }
    if (wording.words == "resource_exhausted:" || wording.words == "xlaruntimeerror") {
        return small.find("memory") != std::string::npos
            || small.find("allocat") != std::string::npos;
    }
    if (wording.words == "withcode137" || wording.words == "status137"
        || wording.words == "exitcode137") {
        const std::size_t at = small.find("137");
        return at != std::string::npos && (at + 3 == small.size() || !isDigit(small[at + 3]));
    }
    return true;
}

std::string_view logEventId(LogEventKind kind)
{
    static constexpr std::array<std::string_view, 13> kIds{
        "host-killed", "host-refused", "shared-memory", "illegal-access", "device-assert",
        "collective",  "disk",         "cuda-library",  "driver-memory",  "jax",
        "tensorflow",  "vllm-cache",   "vllm-busy"};
    return kIds[static_cast<std::size_t>(kind)];
}

} // namespace tidemark::diagnose
