// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What a text's explanation ends in.
#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/message/log_window.h"
#include "core/message/message_reader.h"
#include "core/message/post_words.h"
#include "core/message/text_rules.h"
#include "core/message/text_situation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tidemark::diagnose {
namespace {

/// The command that shows more of a fault that is none of memory.
TrapLine lineForFault(const TextCase& in)
{
    struct FaultLine {
        LogEventKind kind;
        std::string_view line;
    };
    static constexpr std::array<FaultLine, 8> kLines{{
        {LogEventKind::illegal_access, "CUDA_LAUNCH_BLOCKING=1 python train.py"},
        {LogEventKind::device_assert, "CUDA_LAUNCH_BLOCKING=1 python train.py"},
        {LogEventKind::cuda_library, "CUDA_LAUNCH_BLOCKING=1 python train.py"},
        {LogEventKind::collective, "NCCL_DEBUG=INFO torchrun train.py"},
        {LogEventKind::disk, "df -h . /tmp"},
        {LogEventKind::device_fault, "dmesg -T | grep -i xid"},
        {LogEventKind::scheduler, "sacct -j JOBID --format=State,ExitCode,MaxRSS"},
        {LogEventKind::address_space, "cat /proc/PID/maps | wc -l"},
    }};
    for (const LogEvent& event : in.findings.events) {
        const auto* const found = std::ranges::find(kLines, event.kind, &FaultLine::kind);
        if (found != kLines.end()) {
            return {"", "shell", std::string(found->line)};
        }
    }
    return {"", "shell", "nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv"};
}

bool hasOpenLines(const std::vector<Fix>& fixes)
{
    return std::ranges::any_of(fixes, [](const Fix& fix) {
        const bool is_open =
            fix.status == FixStatus::recommended || fix.status == FixStatus::would_help;
        return is_open && !fix.how.empty();
    });
}

void addCandidate(std::vector<CauseFinding>& causes, Cause cause)
{
    static constexpr double kPossible = 0.3;
    if (std::ranges::find(causes, cause, &CauseFinding::cause) == causes.end()) {
        causes.push_back({cause, std::min(kPossible, causes.back().score), {}, {}});
    }
}

/// In any case of letters.
bool containsWords(std::string_view text, std::string_view words)
{
    const auto same = [](char a, char b) { return lowered(a) == b; };
    return std::search(text.begin(), text.end(), words.begin(), words.end(), same) != text.end();
}

/// "GPU 0 is at 23.9 GB": an amount in a sentence of a GPU.
bool namesGigabytes(std::string_view small)
{
    for (const std::string_view unit : {"gb", "gib", "mib"}) {
        for (std::size_t at = small.find(unit); at != std::string_view::npos;
             at = small.find(unit, at + 1)) {
            const std::size_t digit = at > 1 && small[at - 1] == ' ' ? at - 2 : at - 1;
            if (at > 0 && isDigit(small[digit]) && countWords(small, "gpu") > 0) {
                return true;
            }
        }
    }
    return false;
}

} // namespace

std::string_view endingId(Ending ending)
{
    static constexpr std::array<std::string_view, 3> kIds{"lines", "question", "nothing"};
    return kIds[static_cast<std::size_t>(ending)];
}

std::string titleOf(const TrapLine& line)
{
    static constexpr std::size_t kLongest = 60;
    std::string_view words = std::string_view(line.line).substr(0, line.line.find('\n'));
    if (const std::size_t remark = words.find("    #"); remark != std::string_view::npos) {
        words = words.substr(0, remark);
    }
    words.remove_prefix(std::min(words.find_first_not_of("# "), words.size()));
    if (words.size() <= kLongest) {
        return fmt::format("{}: {}", line.framework, words);
    }
    std::size_t end = kLongest - 1;
    while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0U) == 0x80U) {
        --end; // whole characters of UTF-8
    }
    return fmt::format("{}: {}…", line.framework, words.substr(0, end));
}

Ending endingOf(const TextCase& in, std::vector<CauseFinding>& causes, std::vector<Fix>& fixes)
{
    const Cause first = causes.front().cause;
    if (first == Cause::none) {
        return Ending::nothing;
    }
    if (hasOpenLines(fixes)) {
        return Ending::lines;
    }
    if (first == Cause::not_gpu_memory) {
        const TrapLine line = lineForFault(in);
        Fix next;
        next.id = "next-log";
        next.knowledge = "X-TRAP";
        next.cost_rank = 1;
        next.status = FixStatus::would_help;
        next.is_of_trap = true;
        next.title = titleOf(line);
        next.why = say("It shows more of what failed.");
        addLine(line, next.how);
        fixes.insert(fixes.begin(), std::move(next));
        return Ending::lines;
    }
    addCandidate(causes, Cause::activations);
    addCandidate(causes, Cause::other_process);
    if (causes.front().to_be_sure.empty()) {
        causes.front().to_be_sure = translated(causeText(Cause::unclear).sure);
    }
    return Ending::question;
}

bool mentionsMemory(std::string_view text)
{
    static constexpr std::size_t kProse = 4000; // bytes; what is longer has a program's own lines
    const std::string small = lowered(text.substr(0, kProse + 1));
    const bool is_log = small.size() > kProse || small.find("info ") != std::string::npos
        || small.find("info:") != std::string::npos || small.find("info]") != std::string::npos;
    if (is_log) {
        return speaksOfMemory(text);
    }
    for (const std::string_view word : {"memory", "vram", "ram", "oom", "ooms", "oomed"}) {
        if (countWord(small, word) > 0) {
            return true;
        }
    }
    return saysMemoryRanOut(text) || namesGigabytes(small);
}

bool deniesTheError(std::string_view text)
{
    if (text.size() > kPostedText) {
        return false;
    }
    const std::string small = lowered(text);
    bool has_one = false;
    for (std::size_t at = small.find("out of memory"); at != std::string::npos;
         at = small.find("out of memory", at + 1)) {
        if (!isDeniedAt(small, at)) {
            return false;
        }
        has_one = true;
    }
    return has_one;
}

bool speaksOfMemory(std::string_view text)
{
    if (saysMemoryRanOut(text)) {
        return true;
    }
    if (deniesTheError(text)) {
        return false;
    }
    if (containsWords(text, "out of memory") || containsWords(text, "outofmemory")) {
        return true;
    }
    const std::string words = squeezedText(text.substr(0, kPostedText));
    static constexpr std::array<std::string_view, 12> kWords{
        "outofmemory",  "out-of-memory", "oomed",        "outofvram",
        "memoryleak",   "ranoutofmem",   "ranoutofgpu",  "ranoutofram",
        "ranoutofcuda", "memoryusage",   "memory-usage", "oomerror"};
    return std::ranges::any_of(
        kWords, [&](std::string_view word) { return words.find(word) != std::string::npos; });
}

} // namespace tidemark::diagnose
