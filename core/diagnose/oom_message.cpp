// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/oom_message.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace tidemark::diagnose {
namespace {

// Logs wrap lines in the middle of words and numbers, draw boxes around tracebacks and colour them.
// All that is gone in the squeezed text: lower case, ASCII, no white space. No figure of the
// message needs a blank to be told from its neighbour, because words or punctuation stand between
// all of them.
std::string squeeze(std::string_view text)
{
    std::string squeezed;
    squeezed.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c == 0x1b && i + 1 < text.size() && text[i + 1] == '[') { // a terminal's colour code
            while (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) == 0) {
                ++i;
            }
            continue;
        }
        if (c > 0x20 && c < 0x7f) {
            squeezed.push_back(static_cast<char>(std::tolower(c)));
        }
    }
    return squeezed;
}

struct Unit {
    std::string_view name;
    std::int64_t bytes;
};
// MPS prints GB and MB, but counts by 1024 as all others do.
constexpr std::array<Unit, 8> kUnits{{{"gib", 1LL << 30},
                                      {"mib", 1LL << 20},
                                      {"kib", 1LL << 10},
                                      {"bytes", 1},
                                      {"gb", 1LL << 30},
                                      {"mb", 1LL << 20},
                                      {"kb", 1LL << 10},
                                      {"tib", 1LL << 40}}};

/// A printed size and where it stands.
struct Figure {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::optional<Bytes> bytes; ///< Unset for the sentinel of "not available".
};

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Reads "5.27gib" at `at`. 2^64 − 1 bytes is what NVML and an unset limit print for "not
/// available".
std::optional<Figure> figureAt(std::string_view text, std::size_t at)
{
    static constexpr std::size_t kMaxDigits = 14;
    std::int64_t digits = 0;
    std::int64_t scale = 1;
    bool fraction = false;
    std::size_t i = at;
    std::size_t count = 0;
    for (; i < text.size() && count <= kMaxDigits; ++i) {
        if (isDigit(text[i])) {
            digits = digits * 10 + (text[i] - '0');
            scale *= fraction ? 10 : 1;
            ++count;
        } else if (text[i] == '.' && !fraction && i + 1 < text.size() && isDigit(text[i + 1])) {
            fraction = true;
        } else {
            break;
        }
    }
    if (count == 0 || count > kMaxDigits) {
        return std::nullopt;
    }
    const auto* const unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) {
        return text.substr(i, u.name.size()) == u.name;
    });
    if (unit == kUnits.end()) {
        return std::nullopt;
    }
    Figure figure{at, i + unit->name.size(), std::nullopt};
    // Whole units and the rest apart, so that nothing overflows and nothing is lost to floating
    // point.
    const std::int64_t whole = digits / scale;
    if (whole < (1LL << 62) / unit->bytes) {
        const std::int64_t rest = (digits % scale) * unit->bytes;
        figure.bytes = Bytes{whole * unit->bytes + (rest + scale / 2) / scale};
    }
    return figure;
}

std::vector<Figure> figuresIn(std::string_view text)
{
    std::vector<Figure> figures;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool starts_number = isDigit(text[i]) && (i == 0 || !isDigit(text[i - 1]))
            && !(i >= 2 && text[i - 1] == '.' && isDigit(text[i - 2]));
        if (!starts_number) {
            continue;
        }
        if (const auto figure = figureAt(text, i)) {
            figures.push_back(*figure);
            i = figure->end - 1;
        }
    }
    return figures;
}

std::optional<std::int64_t> numberAfter(std::string_view text, std::string_view word)
{
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        std::size_t i = at + word.size();
        std::int64_t number = 0;
        std::size_t count = 0;
        for (; i < text.size() && isDigit(text[i]) && count < 12; ++i, ++count) {
            number = number * 10 + (text[i] - '0');
        }
        if (count > 0) {
            return number;
        }
    }
    return std::nullopt;
}

/// The pid in "...process123has" right before a figure; 0 if there is none.
std::optional<std::int64_t> pidBefore(std::string_view before)
{
    if (!before.ends_with("has")) {
        return std::nullopt;
    }
    before.remove_suffix(3);
    std::size_t begin = before.size();
    while (begin > 0 && isDigit(before[begin - 1])) {
        --begin;
    }
    if (begin == before.size() || !before.substr(0, begin).ends_with("process")) {
        return std::nullopt;
    }
    return numberAfter(before.substr(begin - 7), "process");
}

void keepFirst(std::optional<Bytes>& field, const Figure& figure)
{
    if (!field) {
        field = figure.bytes;
    }
}

struct Wording {
    std::string_view words;
    std::optional<Bytes> OomMessage::*field;
};

// What stands before a figure. The misspelling is torch 2.1's own.
constexpr std::array<Wording, 13> kBefore{{{"triedtoallocate", &OomMessage::tried},
                                           {"requestedsize:", &OomMessage::tried},
                                           {"requested:", &OomMessage::tried},
                                           {"totalcapacityof", &OomMessage::total},
                                           {"totalcapactyof", &OomMessage::total},
                                           {"devicelimit:", &OomMessage::total},
                                           {"freeaccordingtocuda):", &OomMessage::free},
                                           {"free(accordingtocuda):", &OomMessage::free},
                                           {"currentlyallocated:", &OomMessage::allocated},
                                           {"mpsallocated:", &OomMessage::allocated},
                                           {"memoryfraction):", &OomMessage::allowed},
                                           {"maxallowed:", &OomMessage::allowed},
                                           {"thisprocesshas", &OomMessage::this_process}}};

// What stands after a figure. Longer wordings before those they begin with.
constexpr std::array<Wording, 11> kAfter{
    {{"totalcapac", &OomMessage::total},
     {"alreadyallocated", &OomMessage::allocated},
     {"isallocatedbypytorch", &OomMessage::allocated},
     {"allocatedinprivatepools", &OomMessage::private_pools},
     {"isreservedbypytorchbutunallocated", &OomMessage::unallocated},
     {"reservedintotal", &OomMessage::reserved},
     {"isfree", &OomMessage::free},
     {"free", &OomMessage::free},
     {"cached", &OomMessage::cached},
     {"allowed", &OomMessage::allowed},
     {"reserved", &OomMessage::reserved}}};

void classify(std::string_view text, const Figure& figure, OomMessage& message)
{
    const std::string_view before = text.substr(0, figure.begin);
    const std::string_view after = text.substr(figure.end);
    if (after.starts_with("memoryinuse")) {
        if (const auto pid = pidBefore(before)) {
            message.processes.push_back({*pid, figure.bytes});
            return;
        }
    }
    for (const Wording& wording : kBefore) {
        if (before.ends_with(wording.words)) {
            keepFirst(message.*wording.field, figure);
            return;
        }
    }
    for (const Wording& wording : kAfter) {
        if (after.starts_with(wording.words)) {
            keepFirst(message.*wording.field, figure);
            return;
        }
    }
}

std::string backendOf(std::string_view before)
{
    struct Name {
        std::string_view words;
        std::string_view backend;
    };
    static constexpr std::array<Name, 8> kNames{{{"cudaoutofmemory", "CUDA"},
                                                 {"hipoutofmemory", "HIP"},
                                                 {"xpuoutofmemory", "XPU"},
                                                 {"dpcppoutofmemory", "XPU"},
                                                 {"mpsoutofmemory", "MPS"},
                                                 {"mpsbackendoutofmemory", "MPS"},
                                                 {"npuoutofmemory", "NPU"},
                                                 {"allocationondevice", "CUDA"}}};
    std::string backend;
    std::size_t last = 0;
    for (const Name& name : kNames) {
        const std::size_t at = before.rfind(name.words);
        if (at != std::string_view::npos && at + 1 > last) {
            last = at + 1;
            backend = name.backend;
        }
    }
    return backend;
}

/// From the "out of memory" before the anchor (some figures of MPS stand there) to the advice after
/// it.
std::string_view messageAround(std::string_view text, std::size_t anchor)
{
    static constexpr std::size_t kLongestHead = 220;
    static constexpr std::size_t kLongestMessage = 4000;
    const std::size_t head_from = anchor > kLongestHead ? anchor - kLongestHead : 0;
    const std::string_view head = text.substr(head_from, anchor - head_from);
    std::size_t begin = anchor;
    for (const std::string_view opening :
         {"cudaoutofmemory", "hipoutofmemory", "xpuoutofmemory", "dpcppoutofmemory",
          "npuoutofmemory", "mpsoutofmemory", "mpsbackendoutofmemory", "allocationondevice"}) {
        const std::size_t at = head.rfind(opening);
        if (at != std::string_view::npos) {
            begin = std::min(begin, head_from + at);
        }
    }
    std::size_t end = std::min(text.size(), anchor + kLongestMessage);
    for (const std::string_view tail :
         {"ifreserved", "seedocumentation", "pleaseuse`empty_cache", "thisallocationexceeds",
          "usepytorch_mps", "traceback(mostrecent", "duringhandlingoftheabove"}) {
        end = std::min(end, text.find(tail, anchor));
    }
    return text.substr(begin, end - begin);
}

OomMessage readMessage(std::string_view text)
{
    OomMessage message;
    message.backend = backendOf(text);
    message.gpu = numberAfter(text, "gpu");
    if (!message.gpu) {
        message.gpu = numberAfter(text, "allocationondevice");
    }
    for (const Figure& figure : figuresIn(text)) {
        classify(text, figure, message);
    }
    return message;
}

/// Texts of the driver or of a library: no figures, but an out-of-memory error all the same.
std::optional<OomMessage> bareError(std::string_view text)
{
    for (const std::string_view words :
         {"cudaerror:outofmemory", "cudadrivererror:outofmemory", "cudaoutofmemory",
          "cublas_status_alloc_failed", "cudnn_status_alloc_failed", "cudafailure'outofmemory'",
          "cudafailure2'outofmemory'", "cudaruntimeerror(2)"}) {
        if (text.find(words) != std::string_view::npos) {
            OomMessage message;
            message.backend = "CUDA";
            return message;
        }
    }
    for (const std::string_view words : {"hiperror:outofmemory", "hipoutofmemory"}) {
        if (text.find(words) != std::string_view::npos) {
            OomMessage message;
            message.backend = "HIP";
            return message;
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<OomMessage> parseOomMessage(std::string_view text)
{
    const std::string squeezed = squeeze(text);
    const std::string_view whole = squeezed;
    std::size_t from = std::string_view::npos;
    while (true) {
        std::size_t anchor = std::string_view::npos;
        for (const std::string_view words :
             {"triedtoallocate", "wouldexceedallowedmemory", "preemptivelyrejected"}) {
            const std::size_t at = whole.rfind(words, from);
            if (at != std::string_view::npos && (anchor == std::string_view::npos || at > anchor)) {
                anchor = at;
            }
        }
        if (anchor == std::string_view::npos) {
            return bareError(whole);
        }
        OomMessage message = readMessage(messageAround(whole, anchor));
        const bool is_absurd_request = whole.substr(anchor).starts_with("triedtoallocatemorethan");
        if (message.tried || is_absurd_request || !message.backend.empty()) {
            return message;
        }
        if (anchor == 0) {
            return bareError(whole);
        }
        from = anchor - 1;
    }
}

} // namespace tidemark::diagnose
