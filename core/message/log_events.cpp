// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What else than an out-of-memory message ends a run, by its words.
#include "core/base/ascii.h"
#include "core/message/log_window.h"
#include "core/message/log_words.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

namespace tidemark::diagnose {
namespace {

using Kind = LogEventKind;

constexpr std::string_view kKilled = "killed";

constexpr std::array<EventWording, 156> kWordings{{
    {"[expandablesegmentva]failed", Kind::address_space},
    {"duetotimelimit", Kind::scheduler},
    {"duetopreemption", Kind::scheduler},
    {"duetonodefailure", Kind::scheduler},
    {"duetojobrequeue", Kind::scheduler},
    {"term_runlimit", Kind::scheduler},
    {"walltimeexceeded", Kind::scheduler},
    {kKilled, Kind::host_killed},
    {"exitcode137", Kind::host_killed},
    {"exitcode:137", Kind::host_killed},
    {"exitcode=137", Kind::host_killed},
    {"exitstatus137", Kind::host_killed},
    {"withcode137", Kind::host_killed},
    {"status137", Kind::host_killed},
    {"exitcode:-9", Kind::host_killed},
    {"exitcode-9", Kind::host_killed},
    {"error-9", Kind::host_killed},
    {"witherrorcode-9", Kind::host_killed},
    {"withcode-9", Kind::host_killed},
    {"withstatus-9", Kind::host_killed},
    {"exitcode(-9)", Kind::host_killed},
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
    {"torch:notenoughmemory", Kind::host_refused},
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
    {"cudnn_status_execution_failed", Kind::cuda_library},
    {"cudnn_status_not_initialized", Kind::cuda_library},
    {"cudnn_status_internal_error", Kind::cuda_library},
    {"cufft_alloc_failed", Kind::cuda_library},
    {"cusolver_status_alloc_failed", Kind::cuda_library},
    {"cudafailure'outofmemory'", Kind::driver_memory},
    {"torch.acceleratorerror:cudaerror:outofmemory", Kind::driver_memory},
    {"cudafailure2'outofmemory'", Kind::driver_memory},
    {"failedtocudacalloc", Kind::driver_memory},
    {"resource_exhausted:", Kind::jax},
    {"xlaruntimeerror", Kind::jax},
    {"oomwhenallocatingtensor", Kind::tensorflow},
    {"noavailablememoryforthecacheblocks", Kind::vllm_cache},
    {"kvcacheisneeded,whichislarger", Kind::vllm_cache},
    {"numberoftokensthatcanbestoredinkvcache", Kind::vllm_cache},
    {"islessthandesiredgpumemoryutilization", Kind::vllm_busy},
    {"failedtoallocaterequestfor", Kind::jax},
    {"returncode=-9", Kind::host_killed},
    {"returncode:-9", Kind::host_killed},
    {"returncode-9", Kind::host_killed},
    {"returncode137", Kind::host_killed},
    {"code:137", Kind::host_killed},
    {"bysignal9", Kind::host_killed},
    {"receivedsignal9", Kind::host_killed},
    {"oom-killevent", Kind::host_killed},
    {"out_of_me+", Kind::host_killed},
    {"out_of_memory0:125", Kind::host_killed},
    {"lowonresource:memory", Kind::host_killed},
    {"killedduetomemorypressure", Kind::host_killed},
    {"rayoutofmemoryerror", Kind::host_killed},
    {"exitedunexpectedly", Kind::host_killed},
    {"memoryerror", Kind::host_refused},
    {"winerror1455", Kind::host_refused},
    {"oserror1455", Kind::host_refused},
    {"pagingfileistoosmall", Kind::host_refused},
    {"cudaerrorhostmemory", Kind::host_refused},
    {"out_of_host_memory", Kind::host_refused},
    {"creatingsharedmemorysegment", Kind::shared_memory},
    {"failedtoextend/dev/shm", Kind::shared_memory},
    {"unspecifiedlaunchfailure", Kind::device_fault},
    {"uncorrectableeccerror", Kind::device_fault},
    {"illegalinstructionwasencountered", Kind::device_fault},
    {"nokernelimageisavailable", Kind::device_fault},
    {"invaliddeviceordinal", Kind::device_fault},
    {"error_device_lost", Kind::device_fault},
    {"fallenoffthebus", Kind::device_fault},
    {"segmentationfault", Kind::device_fault},
    {"cublas_status_internal_error", Kind::cuda_library},
    {"cusolver_status_internal_error", Kind::cuda_library},
    {"cusolver_status_not_initialized", Kind::cuda_library},
    {"cufft_internal_error", Kind::cuda_library},
    {"findavalidcudnnalgorithm", Kind::cuda_library},
    {"findanenginetoexecute", Kind::cuda_library},
    {"resourceexhausted:outofmemory", Kind::jax},
    {"outofmemoryerrorongpu", Kind::other_allocator},
    {"outofmemoryallocating", Kind::other_allocator},
    {"outofmemorytoallocate", Kind::other_allocator},
    {"memoryforrequestedbuffer", Kind::other_allocator},
    {"cudamallocfailed:outofmemory", Kind::other_allocator},
    {"requestedamountofgpumemory", Kind::other_allocator},
    {"cudamallocretryfailed", Kind::other_allocator},
    {"leavenogpumemoryforthekvcache", Kind::vllm_cache},
    {"pleasetrytoincrease--mem-fraction-static", Kind::vllm_cache},
    {"notenoughmemorytohandle", Kind::vllm_cache},
    {"errorinmemoryprofiling", Kind::vllm_busy},
    {"usingallavailableram", Kind::host_killed},
    {"morememorythanisavailable", Kind::host_killed},
    {"pbs:jobkilled:mem", Kind::host_killed},
    {"term_memlimit", Kind::host_killed},
    {"bytheoomkiller", Kind::host_killed},
    {"result'oom-kill'", Kind::host_killed},
    {"signalsigkill", Kind::host_killed},
    {"signal9(killed)", Kind::host_killed},
    {"processpoolwasterminatedabruptly", Kind::host_killed},
    {"cudahostallocfailed", Kind::host_refused},
    {"nvrm:xid", Kind::device_fault},
    {"outofresource:sharedmemory", Kind::device_fault},
    {"toomanyresourcesrequested", Kind::device_fault},
    {"settingupncclcommunicator", Kind::collective},
    {"connectionresetbypeer", Kind::collective},
    {"modulesaredispatchedonthecpu", Kind::too_large},
    {"availablekvcachememory:-", Kind::vllm_cache},
    {"reservedforkvcacheis-", Kind::vllm_cache},
    {"#cudablocks:0,", Kind::vllm_cache},
    {"#gpublocks:0,", Kind::vllm_cache},
    {"ranoutofmemorytryingtoallocate", Kind::tensorflow},
    {"nvml_success==", Kind::without_figures},
}};

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

/// "137" and "-9" are not the beginning of a longer number.
bool endsWithNumber(std::string_view words, const std::string& squeezed_line)
{
    if (!isDigit(words.back())) {
        return true;
    }
    for (std::size_t at = squeezed_line.find(words); at != std::string::npos;
         at = squeezed_line.find(words, at + 1)) {
        const std::size_t end = at + words.size();
        if (end == squeezed_line.size() || !isDigit(squeezed_line[end])) {
            return true;
        }
    }
    return false;
}

/// Every place of `words` is followed by one of `tails`.
bool isAlwaysFollowed(const std::string& text, std::string_view words,
                      std::initializer_list<std::string_view> tails)
{
    for (std::size_t at = text.find(words); at != std::string::npos;
         at = text.find(words, at + 1)) {
        const std::string_view behind = std::string_view(text).substr(at + words.size());
        if (std::ranges::none_of(tails,
                                 [&](std::string_view tail) { return behind.starts_with(tail); })) {
            return false;
        }
    }
    return true;
}

/// "MemoryError" as the last line of a traceback has it, without a text.
bool isPythonsMemoryError(std::string_view small)
{
    static constexpr std::string_view kWords = "memoryerror";
    while (!small.empty() && (small.back() == ' ' || small.back() == '\r')) {
        small.remove_suffix(1);
    }
    if (!small.ends_with(kWords)) {
        return false;
    }
    const std::string_view before = small.substr(0, small.size() - kWords.size());
    return before.empty() || before.back() == '.' || before.back() == ' ';
}

} // namespace

std::span<const EventWording> eventWordings()
{
    return kWordings;
}

bool isEvent(const EventWording& wording, std::string_view line)
{
    const std::string small = lowered(line);
    const auto has = [&](std::string_view words) { return small.find(words) != std::string::npos; };
    switch (wording.kind) {
    case Kind::device_assert: // Not PyTorch's advice below every CUDA error.
        return !isAlwaysFollowed(squeezedText(line), wording.words, {"ions"});
    case Kind::host_killed:
        if (wording.words == kKilled) {
            return isShellsKilled(line);
        }
        if (wording.words == "oomkilled") {
            return !isAlwaysFollowed(squeezedText(line), "oomkilled",
                                     {":false", "\":false", "=false"});
        }
        if (wording.words == "exitedunexpectedly") {
            return has("dataloader");
        }
        return endsWithNumber(wording.words, squeezedText(line));
    case Kind::host_refused:
        if (wording.words == "memoryerror") {
            return isPythonsMemoryError(small);
        }
        // Thrust and CuPy raise the host's errors for the GPU: "std::bad_alloc:
        // cudaErrorMemoryAllocation: out of memory".
        // Not any "cuda" or "hip": folders have those, ".../envs/cuda12/...", ".../ship/...".
        if (has("cudaerror") || has("cuda error") || has("hiperror") || has("hip error")) {
            return false;
        }
        // Python's own, not OutOfMemoryError; and some programs raise it for the GPU's.
        return wording.words == "memoryerror:"    ? !has("outofmemoryerror") && !has("gpu")
            : wording.words == "unabletoallocate" ? has("array")
                                                  : true;
    case Kind::jax:
        return wording.words == "failedtoallocaterequestfor" || has("memory") || has("allocat");
    case Kind::illegal_access:
        return !has("no illegal");
    case Kind::tensorflow: // a hint that another way was slower
        return !has("this is not a failure");
    default:
        return true;
    }
}

std::string_view logEventId(LogEventKind kind)
{
    static constexpr std::array<std::string_view, kLogEventKinds> kIds{"host-killed",
                                                                       "host-refused",
                                                                       "shared-memory",
                                                                       "illegal-access",
                                                                       "device-assert",
                                                                       "collective",
                                                                       "disk",
                                                                       "cuda-library",
                                                                       "driver-memory",
                                                                       "jax",
                                                                       "tensorflow",
                                                                       "vllm-cache",
                                                                       "vllm-busy",
                                                                       "device-fault",
                                                                       "other-allocator",
                                                                       "too-large",
                                                                       "without-figures",
                                                                       "scheduler",
                                                                       "address-space"};
    return kIds[static_cast<std::size_t>(kind)];
}

} // namespace tidemark::diagnose
