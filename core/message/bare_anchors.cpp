// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The words of out-of-memory errors that have no figures, as programs print and people type them.
#include "core/base/ascii.h"
#include "core/message/message_reader.h"

#include <algorithm>
#include <array>
#include <string>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kLongestSentence = 300;

/// What is wished for was not so.
bool isWish(std::string_view sentence)
{
    static constexpr std::array<std::string_view, 11> kWishes{
        "how", "can", "could", "want", "would", "need", "like", "try", "trying", "possible", "to"};
    std::string word;
    for (const char c : std::string(sentence) + ' ') {
        if (isLetter(c)) {
            word += lowered(c);
        } else if (c == '?' || std::ranges::find(kWishes, word) != kWishes.end()) {
            return true;
        } else {
            word.clear();
        }
    }
    return false;
}

/// From the mark before a place to the one behind it.
std::string_view sentenceAt(std::string_view text, std::size_t place)
{
    const std::size_t from = place - std::min(place, kLongestSentence);
    std::size_t begin = text.substr(0, place).find_last_of(".!?\n");
    begin = begin == std::string_view::npos || begin < from ? from : begin + 1;
    const std::size_t end = std::min(text.find_first_of(".!?\n", place), text.size() - 1);
    return text.substr(begin, std::min(end + 1 - begin, 2 * kLongestSentence));
}

} // namespace

bool isDeniedAt(std::string_view text, std::size_t place)
{
    static constexpr std::array<std::string_view, 7> kBetween{"any",  "a",   "single", "more",
                                                              "cuda", "gpu", "further"};
    std::size_t at = place;
    for (std::size_t words = 0; words <= kBetween.size(); ++words) {
        std::size_t end = at;
        while (end > 0 && text[end - 1] == ' ') {
            --end;
        }
        std::size_t begin = end;
        while (begin > 0 && end - begin < kLongestSentence && isLetter(text[begin - 1])) {
            --begin;
        }
        const std::string word = lowered(text.substr(begin, end - begin));
        if (word == "no" || word == "without") {
            return word == "no" || !isWish(sentenceAt(text, place));
        }
        if (std::ranges::find(kBetween, word) == kBetween.end()) {
            return false;
        }
        at = begin;
    }
    return false;
}

bool isDeniedAnchor(std::string_view text, std::size_t end, std::string_view anchor)
{
    std::size_t begin = std::min(end, text.size());
    for (std::size_t letters = anchor.size(); begin > 0 && letters > 0; --begin) {
        const char c = text[begin - 1];
        letters -= c == ' ' || c == '\t' || c == '\n' || c == '\r' ? 0 : 1;
    }
    return isDeniedAt(text, begin);
}

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
