// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/oom_message.h"
#include "core/message/traps.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// Something else than PyTorch's out-of-memory message that ends a run or explains one.
enum class LogEventKind : std::uint8_t {
    host_killed, ///< The kernel, Slurm or Kubernetes ended it for want of host memory.
    host_refused, ///< The host refused an allocation.
    shared_memory, ///< /dev/shm is full.
    illegal_access,
    device_assert,
    collective, ///< NCCL, RCCL, Gloo.
    disk,
    cuda_library, ///< cuBLAS, cuDNN and their like could not allocate or start.
    driver_memory, ///< The driver refused memory outside of PyTorch's allocator.
    jax,
    tensorflow,
    vllm_cache, ///< vLLM, SGLang or TGI have no room for their cache.
    vllm_busy, ///< vLLM finds the card in use.
    device_fault, ///< The card, its driver or a program crashed.
    other_allocator, ///< Another framework's allocator got no memory of the card.
    too_large, ///< A loader finds that the weights do not fit.
    without_figures, ///< PyTorch ran out of memory and could not ask NVML for its message's
                     ///< figures.
    scheduler, ///< A time limit, a preemption, a node that failed: the scheduler ended the job.
    address_space, ///< No virtual addresses for one more expandable segment (torch 2.15).
};

inline constexpr std::size_t kLogEventKinds = 19;

/// "host-killed", "illegal-access", …
std::string_view logEventId(LogEventKind kind);

struct LogEvent {
    LogEventKind kind = LogEventKind::host_killed;
    std::string line; ///< As it stands in the log, without prefix and colours, shortened.
    std::size_t offset = 0;
    std::int64_t line_number = 0; ///< 1-based.
    std::optional<std::int64_t> rank;
};

/// A figure that a tool or a framework printed about memory.
struct MemoryReading {
    std::string source; ///< "nvidia-smi", "memory_summary", "vLLM", "Megatron", …; else "log".
    std::string what; ///< "used", "total", "allocated", "peak allocated", …
    std::optional<std::int64_t> gpu;
    std::optional<std::int64_t> pid;
    Bytes bytes;
    Bytes low; ///< Widened where the unit may be meant either way.
    Bytes high;
    bool unit_is_open = false; ///< "GB" that may count 10^9 or 2^30.
    std::size_t offset = 0;
};

/// What a reading is of, in the language in use; a name that only the log has stays.
std::string_view readingWords(std::string_view what);

/// Factors of tensor sizes that a log states; each may be stated several times.
struct StatedFactors {
    std::vector<std::int64_t> batch;
    std::vector<std::int64_t> sequence;
    std::vector<std::int64_t> vocabulary;
    std::vector<std::int64_t> heads;
    /// Of the model families that the text names: what their logits may be wide.
    struct NamedVocabulary {
        std::string family; ///< "Qwen 3"
        std::int64_t size = 0;
    };
    std::vector<NamedVocabulary> named_vocabularies{};
};

/// A figure that a log prints again and again, and that rises.
struct RisingFigure {
    MemoryReading first;
    MemoryReading last;
    std::size_t count = 0; ///< How often it is printed.
    std::int64_t first_line = 0; ///< 1-based.
    std::int64_t last_line = 0;
};

/// What a program said last of what it is doing.
enum class LogStage : std::uint8_t { unknown, training, evaluation };

/// That a program caught its error, as the lines behind it show.
struct WentOn {
    std::int64_t line = 0; ///< 1-based.
    std::string step; ///< As that line counts: "step 40"; empty: it says that training ended well.
};

struct LogFindings {
    std::vector<OomMessage> messages; ///< In order; those with figures, else the bare ones.
    std::optional<std::size_t> main; ///< Of `messages`: what ended the run, on the
                                     ///< rank that failed first.
    std::optional<WentOn>
        went_on; ///< Behind all messages of the rank of `main`; else it may have died.
    std::vector<std::int64_t> message_lines; ///< Their line numbers, 1-based.
    std::vector<LogEvent> events; ///< In order, the first of each kind.
    std::array<std::size_t, kLogEventKinds> event_counts{};
    std::vector<MemoryReading> readings; ///< The last of each thing that is read.
    std::optional<RisingFigure> rising; ///< The one that rises most.
    StatedFactors factors;
    TrapSigns trap_signs; ///< Of known traps, see traps.h.
    LogStage stage = LogStage::unknown; ///< Before what ended the run.
    bool mentions_backward = false; ///< In words: "during the backward pass".
    std::vector<std::string> frameworks; ///< That the text names, as fixes call them, in order.
    bool mentions_vllm = false;
    bool expandable_is_on = false; ///< The settings say expandable_segments:True.
    bool max_split_is_on = false; ///< And, in the same text, max_split_size_mb.
};

/// Everything in a log that tells why a run died: several ranks' lines in between each other,
/// colours, wrapped lines. Never fails; hostile text costs no more than its length. O(text).
LogFindings readLog(std::string_view log);

} // namespace tidemark::diagnose
