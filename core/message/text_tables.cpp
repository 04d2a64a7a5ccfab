// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What the rows of nvidia-smi say where a text has no error.
#include "core/base/ascii.h"
#include "core/base/format.h"
#include "core/message/log_window.h"
#include "core/message/smi_readings.h"
#include "core/message/text_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kTableText = 100'000; ///< Bytes; longer texts are logs of programs.
constexpr std::size_t kMostRowsRead = 256;

/// Many processes with no more than a CUDA context beside one that works: each began on this GPU
/// before it was told which one is its own.
void addContexts(const std::map<std::int64_t, std::vector<std::int64_t>>& by_gpu,
                 std::vector<TextFinding>& findings)
{
    static constexpr std::int64_t kContextLeast = 150; ///< MiB
    static constexpr std::int64_t kContextMost = 1700;
    for (const auto& [gpu, sizes] : by_gpu) {
        const auto contexts = std::ranges::count_if(
            sizes, [](std::int64_t mib) { return mib >= kContextLeast && mib <= kContextMost; });
        const std::int64_t most = *std::ranges::max_element(sizes);
        if (contexts >= 2 && most > 2 * kContextMost) {
            findings.push_back({Cause::wrong_device,
                                0.85,
                                "contexts",
                                {{"count", formatCount(contexts)}, {"gpu", formatCount(gpu)}}});
            return;
        }
    }
}

/// The same share of every GPU is what a library took at its start: 75 % JAX, 90 % vLLM.
void addShares(const TextCase& in, std::vector<TextFinding>& findings)
{
    std::map<std::int64_t, std::int64_t> used;
    std::map<std::int64_t, std::int64_t> total;
    for (const MemoryReading& reading : in.findings.readings) {
        if (reading.source == "nvidia-smi" && reading.gpu && !reading.pid) {
            if (reading.what == "used") {
                used[*reading.gpu] = reading.bytes.value;
            } else if (reading.what == "total") {
                total[*reading.gpu] = reading.bytes.value;
            }
        }
    }
    double least = 1;
    double most = 0;
    for (const auto& [gpu, bytes] : used) {
        if (total[gpu] <= 0) {
            return;
        }
        const double share = static_cast<double>(bytes) / static_cast<double>(total[gpu]);
        least = std::min(least, share);
        most = std::max(most, share);
    }
    const Figures share{{"share", formatPercent(most)},
                        {"count", formatCount(static_cast<std::int64_t>(used.size()))}};
    static constexpr double kHeldByNobody = 0.5;
    if (used.size() == 1 && most >= kHeldByNobody
        && squeezedText(in.log).find("norunningprocessesfound") != std::string::npos) {
        findings.push_back({Cause::other_process, 0.85, "no-rows", share});
        return;
    }
    const bool is_same = used.size() >= 2 && most - least < 0.01;
    if (is_same && least >= 0.73 && most <= 0.78) {
        findings.push_back({Cause::preallocation, 0.8, "same-share", share});
    } else if (used.size() == 1 && least >= 0.745 && most <= 0.77) {
        findings.push_back({Cause::preallocation, 0.55, "same-share", share});
    } else if (!used.empty() && most >= 0.85) {
        findings.push_back({Cause::other_process, 0.5, "table-full", share});
    }
}

/// "65536 x 65536", "torch.ones(65536, 65536": two large extents of one tensor, in the dtype that
/// the text names, else fp32. Where the message says what was asked for, the product must be it.
void addShape(const TextCase& in, std::vector<TextFinding>& findings)
{
    static constexpr std::int64_t kLeastExtent = 8192;
    static constexpr std::int64_t kLeastInShape = 16; ///< Behind a large one: "[9000000, 200]".
    static constexpr std::int64_t kMostExtent = 1LL << 28;
    static constexpr std::int64_t kLeastBytes = 1LL << 30;
    const std::string text = lowered(in.log);
    const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
    const std::int64_t each = has("bf16") || has("bfloat16") || has("fp16") || has("float16") ? 2
        : has("int64") || has("float64")                                                      ? 8
                                                                                              : 4;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!isDigit(text[at]) || (at > 0 && (isDigit(text[at - 1]) || text[at - 1] == '.'))) {
            continue;
        }
        std::int64_t extents[2] = {0, 0};
        std::size_t end = at;
        for (std::int64_t& extent : extents) {
            const auto done = std::from_chars(text.data() + end, text.data() + text.size(), extent);
            const std::int64_t least =
                &extent != extents && at > 0 && (text[at - 1] == '[' || text[at - 1] == '(')
                ? kLeastInShape
                : kLeastExtent;
            if (done.ec != std::errc{} || extent < least || extent > kMostExtent) {
                extent = 0;
                break;
            }
            end = static_cast<std::size_t>(done.ptr - text.data());
            std::size_t sign = text.find_first_not_of(' ', end);
            if (&extent == extents) {
                const std::string_view rest =
                    std::string_view(text).substr(std::min(sign, text.size()));
                const std::size_t length = rest.starts_with("\xc3\x97")                       ? 2
                    : rest.starts_with("x") || rest.starts_with(",") || rest.starts_with("*") ? 1
                                                                                              : 0;
                end = length == 0
                    ? text.size()
                    : std::min(text.find_first_not_of(' ', sign + length), text.size());
            }
        }
        const std::int64_t bytes =
            extents[0] > 0 && extents[1] > 0 ? extents[0] * extents[1] / 1024 * each * 1024 : 0;
        const bool is_asked = !in.proof.tried
            || (bytes > in.proof.tried->low / 10 * 9 && bytes / 10 * 9 < in.proof.tried->high);
        if (bytes >= kLeastBytes && is_asked) {
            findings.push_back({Cause::single_huge_tensor,
                                in.proof.tried ? 0.9 : 0.7,
                                "shape",
                                {{"shape", fmt::format("{} × {}", extents[0], extents[1])},
                                 {"each", fmt::format("{}", each)},
                                 {"bytes", Bytes{bytes}}}});
            return;
        }
    }
}

/// Whole numbers of the text that may be a tensor's extents, each once.
std::vector<std::int64_t> statedExtents(std::string_view text)
{
    static constexpr std::int64_t kLeast = 4096;
    static constexpr std::int64_t kMost = 1LL << 28;
    static constexpr std::size_t kMostNumbers = 24;
    std::vector<std::int64_t> extents;
    for (std::size_t at = 0; at < text.size() && extents.size() < kMostNumbers; ++at) {
        const bool begins = isDigit(text[at])
            && (at == 0
                || !(isDigit(text[at - 1]) || isLetter(text[at - 1]) || text[at - 1] == '.'
                     || text[at - 1] == '_' || text[at - 1] == ':' || text[at - 1] == '-'));
        if (!begins) {
            continue; // Nor is it read: a long run of digits once, not from each of them.
        }
        std::int64_t number = 0;
        const auto done = std::from_chars(text.data() + at, text.data() + text.size(), number);
        if (done.ec != std::errc{}) {
            continue;
        }
        const auto end = static_cast<std::size_t>(done.ptr - text.data());
        const bool is_whole = end >= text.size() || !(text[end] == '.' || text[end] == ':')
            || end + 1 >= text.size() || !isDigit(text[end + 1]);
        if (is_whole && number >= kLeast && number <= kMost
            && std::ranges::find(extents, number) == extents.end()) {
            extents.push_back(number);
        }
        at = end;
    }
    return extents;
}

/// Every row of one set with every row of another: the product of two numbers of the text, with the
/// bytes of a dtype, is what was asked for.
void addPairs(const TextCase& in, std::vector<TextFinding>& findings)
{
    static constexpr std::int64_t kLeastBytes = 1LL << 30;
    if (!in.proof.tried || in.proof.tried->low < kLeastBytes) {
        return;
    }
    const std::vector<std::int64_t> extents = statedExtents(in.log);
    for (std::size_t i = 0; i < extents.size(); ++i) {
        for (std::size_t k = i; k < extents.size(); ++k) {
            for (const std::int64_t each : {4, 8, 2, 1}) {
                const std::int64_t bytes = extents[i] * extents[k] * each;
                if (bytes >= in.proof.tried->low && bytes <= in.proof.tried->high) {
                    findings.push_back({Cause::single_huge_tensor,
                                        0.9,
                                        "shape",
                                        {{"shape", fmt::format("{} × {}", extents[i], extents[k])},
                                         {"each", fmt::format("{}", each)},
                                         {"bytes", Bytes{bytes}}}});
                    return;
                }
            }
        }
    }
}

} // namespace

std::vector<TextFinding> shapeFindings(const TextCase& in)
{
    std::vector<TextFinding> findings;
    if (in.log.size() <= kTableText && (in.message != nullptr || speaksOfMemory(in.log))) {
        addShape(in, findings);
        if (findings.empty()) {
            addPairs(in, findings);
        }
    }
    return findings;
}

std::vector<TextFinding> tableFindings(const TextCase& in)
{
    std::vector<TextFinding> findings;
    if (in.log.size() > kTableText) {
        return findings;
    }
    std::map<std::int64_t, std::vector<std::int64_t>> by_gpu;
    std::size_t rows = 0;
    for (std::size_t at = 0; at < in.log.size() && rows < kMostRowsRead;) {
        const std::size_t end = std::min(in.log.find('\n', at), in.log.size());
        if (const auto row = smiProcess(in.log.substr(at, end - at))) {
            ++rows;
            if (row->computes) {
                by_gpu[row->gpu].push_back(row->mib);
            }
        }
        at = end + 1;
    }
    addContexts(by_gpu, findings);
    addShares(in, findings);
    const bool is_shared =
        std::ranges::any_of(by_gpu, [](const auto& gpu) { return gpu.second.size() >= 2; });
    if (findings.empty() && is_shared) {
        findings.push_back({Cause::other_process, 0.55, "rows", {}});
    }
    return findings;
}

} // namespace tidemark::diagnose
