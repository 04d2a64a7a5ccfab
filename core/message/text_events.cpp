// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What another event than an out-of-memory message says of why a run ended.
#include "core/base/format.h"
#include "core/message/log_window.h"
#include "core/message/text_rules.h"

#include <algorithm>
#include <array>

namespace tidemark::diagnose {
namespace {

struct Meaning {
    LogEventKind kind;
    Cause cause;
    std::string_view evidence;
    double less = 0; ///< Than the event's own score.
};
// The cache of a server is judged beside a message, too: see text_causes.cpp.
constexpr std::array<Meaning, 21> kMeanings{{
    {LogEventKind::host_killed, Cause::host_memory, "host-killed"},
    {LogEventKind::host_refused, Cause::host_memory, "host-refused"},
    {LogEventKind::shared_memory, Cause::host_memory, "shared-memory"},
    {LogEventKind::illegal_access, Cause::not_gpu_memory, "illegal-access"},
    {LogEventKind::device_assert, Cause::not_gpu_memory, "device-assert"},
    {LogEventKind::collective, Cause::not_gpu_memory, "collective"},
    {LogEventKind::disk, Cause::not_gpu_memory, "disk"},
    {LogEventKind::jax, Cause::not_gpu_memory, "jax"},
    {LogEventKind::tensorflow, Cause::not_gpu_memory, "tensorflow"},
    {LogEventKind::cuda_library, Cause::library_no_memory, "library", 0.15},
    {LogEventKind::cuda_library, Cause::non_pytorch_memory, "library", 0.3},
    {LogEventKind::cuda_library, Cause::not_gpu_memory, "library-fault", 0.45},
    {LogEventKind::driver_memory, Cause::non_pytorch_memory, "driver"},
    {LogEventKind::device_fault, Cause::not_gpu_memory, "device-fault"},
    {LogEventKind::other_allocator, Cause::not_gpu_memory, "other-allocator"},
    {LogEventKind::other_allocator, Cause::non_pytorch_memory, "other-allocator", 0.2},
    {LogEventKind::too_large, Cause::loading, "too-large", 0.1},
    {LogEventKind::too_large, Cause::model_states, "too-large", 0.2},
    {LogEventKind::without_figures, Cause::hidden_oom, "without-figures"},
    {LogEventKind::scheduler, Cause::not_gpu_memory, "scheduler"},
    {LogEventKind::address_space, Cause::not_gpu_memory, "address-space"},
}};

/// "oom_kill", "Out of memory: Killed process 4121": more than that something was killed.
bool namesMemory(std::string_view line)
{
    const std::string words = squeezedText(line);
    return words.find("oom") != std::string::npos || words.find("memory") != std::string::npos;
}

} // namespace

Figures lineOf(const LogEvent& event)
{
    return {{"line", event.line}, {"number", formatCount(event.line_number)}};
}

Figures lineOf(const CodeHit& hit)
{
    return {{"line", hit.line}, {"number", formatCount(hit.line_number)}};
}

std::vector<TextFinding> eventFindings(const TextCase& in)
{
    // Where the driver had no memory for a library, ranks that lost each other are what followed;
    // where a scheduler ended the job, what was killed; where it had no addresses, its own error.
    const auto& events = in.findings.events;
    const auto has = [&events](LogEventKind kind) {
        return std::ranges::find(events, kind, &LogEvent::kind) != events.end();
    };
    const bool is_driver = has(LogEventKind::driver_memory);
    const bool is_scheduled = has(LogEventKind::scheduler);
    const bool lacks_addresses = has(LogEventKind::address_space);
    std::vector<TextFinding> findings;
    double score = 0.95;
    for (const LogEvent& event : events) {
        const bool follows = (is_driver && event.kind == LogEventKind::collective)
            || (lacks_addresses && event.kind == LogEventKind::driver_memory)
            || (is_scheduled && event.kind == LogEventKind::host_killed
                && !namesMemory(event.line));
        const bool is_engine =
            event.kind == LogEventKind::other_allocator && in.situation.kind == RunKind::engine;
        if (is_engine) { // Its own allocator is the one that counts.
            findings.push_back({Cause::kv_cache, 0.6, "kind-engine", {}});
            findings.push_back({Cause::model_states, 0.55, "kind-weights", {}});
        }
        for (const Meaning& meaning : kMeanings) {
            if (meaning.kind == event.kind && !is_engine) {
                findings.push_back({meaning.cause, (follows ? 0.3 : score) - meaning.less,
                                    meaning.evidence, lineOf(event)});
            }
        }
        score = follows ? score : std::max(0.3, score - 0.1);
    }
    return findings;
}

} // namespace tidemark::diagnose
