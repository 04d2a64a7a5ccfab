// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/message_reader.h"

#include "core/base/ascii.h"
#include "core/message/line_prefix.h"
#include "core/message/printed_size.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace tidemark::diagnose {
namespace {

constexpr std::array<std::string_view, 5> kAnchors{"triedtoallocate", "tryingtoallocate",
                                                   "wouldexceedallowedmemory", "preemptivelyreject",
                                                   "failedtoallocate"};

constexpr std::array<std::string_view, 11> kCard{
    "totalcapacityof", "totalcapactyof", "isallocatedbypytorch",
    "gibtotal",        "gbtotal",        "mibtotal",
    "gibinuse",        "gbinuse",        "mibinuse",
    "gibfree",         "gbfree"};

struct Opening {
    std::string_view words;
    std::string_view backend;
};
constexpr std::array<Opening, 9> kOpenings{{{"cudaoutofmemory", "CUDA"},
                                            {"hipoutofmemory", "HIP"},
                                            {"xpuoutofmemory", "XPU"},
                                            {"dpcppoutofmemory", "XPU"},
                                            {"mpsoutofmemory", "MPS"},
                                            {"mpsbackendoutofmemory", "MPS"},
                                            {"npuoutofmemory", "NPU"},
                                            {"cudaoutofthememory", "CUDA"},
                                            {"allocationondevice", "CUDA"}}};

/// The pid in "...process123has" right before a figure.
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

constexpr Wording kTried{"", &OomMessage::tried, "tried"};
constexpr Wording kTotal{"", &OomMessage::total, "total"};
constexpr Wording kFree{"", &OomMessage::free, "free"};
constexpr Wording kAllocated{"", &OomMessage::allocated, "allocated"};
constexpr Wording kReserved{"", &OomMessage::reserved, "reserved"};
constexpr Wording kCached{"", &OomMessage::cached, "cached"};
constexpr Wording kUnallocated{"", &OomMessage::unallocated, "unallocated"};
constexpr Wording kAllowed{"", &OomMessage::allowed, "allowed"};
constexpr Wording kPrivate{"", &OomMessage::private_pools, "private"};
constexpr Wording kProcess{"", &OomMessage::this_process, "this_process"};
constexpr Wording kInUse{"", &OomMessage::in_use, "in_use"};
constexpr Wording kReserve{"", &OomMessage::reserve, "reserve"};
constexpr Wording kOther{"", &OomMessage::other, "other"};

constexpr Wording at(std::string_view words, Wording wording)
{
    wording.words = words;
    return wording;
}

// What stands before a figure. The misspelling is torch 2.1's own; the last rows are how people
// retype a message.
constexpr std::array<Wording, 38> kPrintedBefore{{at("%of", kTotal),
                                                  at("rejectingallocation:requested", kTried),
                                                  at("total_allocated_memory(", kReserved),
                                                  at("exceedmemorylimit(", kAllowed),
                                                  at("unallocated:", kUnallocated),
                                                  at("unallocated=", kUnallocated),
                                                  at("triedtoallocate", kTried),
                                                  at("tryingtoallocate", kTried),
                                                  at("failedtoallocate", kTried),
                                                  at("requestedsize:", kTried),
                                                  at("requested:", kTried),
                                                  at("totalcapacityof", kTotal),
                                                  at("totalcapactyof", kTotal),
                                                  at("devicelimit:", kTotal),
                                                  at("freeaccordingtocuda):", kFree),
                                                  at("free(accordingtocuda):", kFree),
                                                  at("currentlyallocated:", kAllocated),
                                                  at("mpsallocated:", kAllocated),
                                                  at("memoryfraction):", kAllowed),
                                                  at("maxallowed:", kAllowed),
                                                  at("otherallocations:", kOther),
                                                  at("thisprocesshas", kProcess),
                                                  at("segmentreserveof", kReserve),
                                                  at("capacityof", kTotal),
                                                  at("capacity:", kTotal),
                                                  at("total:", kTotal),
                                                  at("free:", kFree),
                                                  at("allocated:", kAllocated),
                                                  at("reserved:", kReserved),
                                                  at("inuse:", kInUse),
                                                  at("used:", kInUse),
                                                  at("total=", kTotal),
                                                  at("free=", kFree),
                                                  at("allocated=", kAllocated),
                                                  at("reserved=", kReserved),
                                                  at("tried=", kTried),
                                                  at("tried:", kTried),
                                                  at("requested=", kTried)}};

// What stands before a figure where people make a list or a table of them. Longer wordings before
// those they end with.
constexpr std::array<Wording, 13> kListed{
    {at("totalcapacity", kTotal), at("totalmemory", kTotal), at("capacity", kTotal),
     at("total", kTotal), at("freeof", kTotal), at("reservedbutunallocated", kUnallocated),
     at("unallocated", kUnallocated), at("allocatedbypytorch", kAllocated),
     at("allocated", kAllocated), at("reservedbypytorch", kReserved), at("reserved", kReserved),
     at("inuse", kInUse), at("free", kFree)}};

// What stands after a figure. Longer wordings before those they begin with.
constexpr std::array<Wording, 31> kAfter{{at("totalcapac", kTotal),
                                          at("alreadyallocated", kAllocated),
                                          at("isallocatedbypytorch", kAllocated),
                                          at("isalreadyallocated", kAllocated),
                                          at("allocatedbypytorch", kAllocated),
                                          at("allocatedinprivatepools", kPrivate),
                                          at("inprivatepools", kPrivate),
                                          at("isreservedbypytorchbutunallocated", kUnallocated),
                                          at("reservedbypytorchbutunallocated", kUnallocated),
                                          at("reservedbutunallocated", kUnallocated),
                                          at("isreservedbutunallocated", kUnallocated),
                                          at("reservedintotal", kReserved),
                                          at("wasreservedbutunallocated", kUnallocated),
                                          at("wasallocated", kAllocated),
                                          at("wasfree", kFree),
                                          at("requested", kTried),
                                          at("isreserved", kReserved),
                                          at("isallocated", kAllocated),
                                          at("isfree", kFree),
                                          at("free", kFree),
                                          at("available", kFree),
                                          at("cached", kCached),
                                          at("allowed", kAllowed),
                                          at("reserved", kReserved),
                                          at("isinuse", kInUse),
                                          at("inuse", kInUse),
                                          at("areinuse", kInUse),
                                          at("totalmemory", kTotal),
                                          at("total", kTotal),
                                          at("capacity", kTotal),
                                          at("allocated", kAllocated)}};

class MessageReader {
public:
    explicit MessageReader(std::string_view text)
        : m_text(text)
    {
    }

    OomMessage read()
    {
        m_message.backend = backend();
        if (m_message.backend.empty()
            && m_text.find("preemptivelyrejectingallocation") != m_text.npos) {
            m_message.backend = "CUDA"; // a warning, before the error that says so
        }
        m_message.gpu = gpuIndex();
        if (!m_message.gpu) {
            m_message.gpu = numberAfter(m_text, "allocationondevice");
        }
        m_message.rejected_by_limit = m_text.find("preemptivelyreject") != m_text.npos;
        m_message.asks_for_tensor =
            m_message.backend == "MPS" || m_text.find("wouldexceedallowedmemory") != m_text.npos;
        const std::vector<PrintedSize> sizes = sizesIn(m_text);
        std::ptrdiff_t more_names_before = 0;
        for (const PrintedSize& size : sizes) {
            if (saidBefore(size) == nullptr) {
                more_names_before += (listedBefore(size) != nullptr ? 1 : 0)
                    - (namedBehind(size) != nullptr ? 1 : 0);
            }
        }
        m_names_come_first = more_names_before > 0;
        for (const PrintedSize& size : sizes) {
            classify(size);
        }
        return std::move(m_message);
    }

private:
    [[nodiscard]] std::string backend() const
    {
        std::string name;
        std::size_t last = 0;
        for (const Opening& opening : kOpenings) {
            const std::size_t found = m_text.rfind(opening.words);
            if (found != std::string_view::npos && found + 1 > last) {
                last = found + 1;
                name = opening.backend;
            }
        }
        return name;
    }

    /// Of "GPU 3 has" or "(NPU 3;", but not of "GPU 80GB".
    [[nodiscard]] std::optional<std::int64_t> gpuIndex() const
    {
        for (const std::string_view word : {"gpu", "npu", "gpucuda:"}) {
            for (std::size_t i = m_text.find(word); i != std::string_view::npos;
                 i = m_text.find(word, i + 1)) {
                const std::size_t number = i + word.size();
                if (number < m_text.size() && isDigit(m_text[number]) && !sizeAt(m_text, number)) {
                    return numberAfter(m_text.substr(i), word);
                }
            }
        }
        return std::nullopt;
    }

    void classify(const PrintedSize& size)
    {
        const std::string_view before = m_text.substr(0, size.begin);
        const std::string_view after = m_text.substr(size.end);
        if (after.starts_with("freed")) {
            return;
        }
        if (after.starts_with("memoryinuse")) {
            if (const auto pid = pidBefore(before)) {
                m_message.processes.push_back({*pid, size.bytes});
                return;
            }
        }
        if (const Wording* const wording = saidBefore(size)) {
            keep(*wording, size);
            return;
        }
        const Wording* const behind = namedBehind(size);
        const Wording* const listed = listedBefore(size);
        if (const Wording* const wording =
                listed != nullptr && (behind == nullptr || m_names_come_first) ? listed : behind) {
            // "… allocated by PyTorch, and 2 GiB is reserved": the rest was cut off.
            const bool is_rest = wording->words == "isreserved"
                && m_text.find("isallocatedbypytorch") != std::string_view::npos;
            keep(is_rest ? kUnallocated : *wording, size);
        }
    }

    [[nodiscard]] const Wording* namedBehind(const PrintedSize& size) const
    {
        const std::string_view after = m_text.substr(size.end);
        for (const Wording& wording : kAfter) {
            if (after.starts_with(wording.words)) {
                // "total=" names the next figure.
                const std::string_view next = after.substr(wording.words.size(), 1);
                return next == "=" || next == ":" ? nullptr : &wording;
            }
        }
        return nullptr;
    }

    [[nodiscard]] const Wording* saidBefore(const PrintedSize& size) const
    {
        return endOf(kPrintedBefore, m_text.substr(0, size.begin));
    }

    [[nodiscard]] const Wording* listedBefore(const PrintedSize& size) const
    {
        return endOf(kListed, m_text.substr(0, size.begin));
    }

    static const Wording* endOf(std::span<const Wording> wordings, std::string_view before)
    {
        const auto found = std::ranges::find_if(
            wordings, [&](const Wording& wording) { return before.ends_with(wording.words); });
        return found == wordings.end() ? nullptr : &*found;
    }

    void keep(const Wording& wording, const PrintedSize& size)
    {
        if (!size.bytes) {
            m_message.this_process_unknown |= wording.field == &OomMessage::this_process;
            return;
        }
        std::optional<Bytes>& field = m_message.*wording.field;
        if (field) {
            return;
        }
        field = size.bytes;
        PrintedFigure figure{std::string(wording.name), *size.bytes, size.low, size.high};
        // MPS prints GB and counts by 1024; a person who writes GB may mean either.
        if (size.is_decimal_unit && m_message.backend != "MPS") {
            if (const auto decimal = sizeAt(m_text, size.begin, UnitReading::decimal)) {
                figure.low = decimal->low;
            }
        }
        m_message.printed.push_back(std::move(figure));
    }

    std::string_view m_text;
    OomMessage m_message;
    bool m_names_come_first = false; ///< "total 24 GiB", not "24 GiB total".
};

/// From the "out of memory" before the anchor (some figures of MPS stand there) to the advice after
/// it, or to the next message where two processes write into one line.
std::string_view messageAround(std::string_view text, std::size_t anchor)
{
    static constexpr std::size_t kLongestHead = 220;
    static constexpr std::size_t kLongestMessage = 4000;
    const std::size_t head_from = anchor > kLongestHead ? anchor - kLongestHead : 0;
    const std::string_view head = text.substr(head_from, anchor - head_from);
    std::size_t begin = anchor;
    std::size_t end = std::min(text.size(), anchor + kLongestMessage);
    std::size_t nearest = 0;
    for (const Opening& opening : kOpenings) {
        const std::size_t found = head.rfind(opening.words);
        if (found != std::string_view::npos && found + 1 > nearest) {
            nearest = found + 1;
            begin = head_from + found;
        }
        end = std::min(end, text.find(opening.words, anchor));
    }
    for (const std::string_view words : kAnchors) {
        const std::size_t own_end = anchor + words.size();
        end = std::min(end, text.find(words, std::min(text.size(), own_end)));
    }
    for (const std::string_view tail :
         {"ifreserved", "seedocumentation", "pleaseuseempty_cache", "usepytorch_mps",
          "traceback(mostrecent", "duringhandlingoftheabove", "theaboveexceptionwas",
          "torch.outofmemoryerror", "torch.cuda.outofmemoryerror", "torch_use_cuda_dsa"}) {
        end = std::min(end, text.find(tail, anchor));
    }
    return text.substr(begin, end - begin);
}

/// "DefaultCPUAllocator: not enough memory: you tried to allocate", before torch 1.0 "$ Torch: not
/// enough memory: you tried to allocate", "RESOURCE_EXHAUSTED: Out of memory while trying to
/// allocate": the words before are those of the host's allocator or XLA's.
bool isOfOtherAllocator(std::string_view before)
{
    static constexpr std::size_t kNear = 90;
    const std::string_view near = before.substr(before.size() - std::min(kNear, before.size()));
    return std::ranges::any_of(
        std::array<std::string_view, 4>{"cpuallocator:", "torch:notenough",
                                        "resource_exhausted:", "resourceexhausted:"},
        [&](std::string_view words) { return near.find(words) != std::string_view::npos; });
}

} // namespace

std::span<const std::string_view> messageAnchors()
{
    return kAnchors;
}

std::optional<OomMessage> readMessage(const Window& window)
{
    const std::string_view text = window.text;
    std::size_t begin = window.anchor;
    for (const std::string_view words : kAnchors) {
        if (text.substr(0, window.anchor).ends_with(words)) {
            begin = window.anchor - words.size();
        }
    }
    if (isOfOtherAllocator(text.substr(0, begin))) {
        return std::nullopt;
    }
    OomMessage message = MessageReader(messageAround(text, begin)).read();
    message.rank = window.prefix.rank;
    message.is_absurd = text.substr(begin).starts_with("triedtoallocatemorethan1e");
    const bool names_gpu = message.total || message.free || message.allocated;
    if (text.substr(begin).starts_with("failedtoallocate")
        || text.substr(begin).starts_with("tryingtoallocate")) {
        // Words of many programs: only with a card beside them, or after "out of memory".
        return message.tried && (names_gpu || !message.backend.empty()) ? std::optional(message)
                                                                        : std::nullopt;
    }
    if (message.tried || message.is_absurd || !message.backend.empty()) {
        return message;
    }
    return std::nullopt;
}

std::span<const std::string_view> cardAnchors()
{
    return kCard;
}

std::optional<CardStatement> readCardStatement(std::string_view log, std::size_t place)
{
    static constexpr std::size_t kLongest = 700;
    const std::string_view line = lineAt(log, place == 0 ? 0 : place - 1, kLongest);
    const auto begin = static_cast<std::size_t>(line.data() - log.data());
    std::string text = squeezedText(log.substr(begin, kLongest));
    for (const std::string_view words : kAnchors) {
        text.resize(std::min(text.size(), text.find(words)));
    }
    CardStatement statement{MessageReader(text).read(), false};
    statement.is_pytorchs = text.find("isallocatedbypytorch") != std::string::npos
        || text.find("ofwhich") != std::string::npos;
    const OomMessage& f = statement.figures;
    const int known = (f.total ? 1 : 0) + (f.free ? 1 : 0) + (f.allocated ? 1 : 0)
        + (f.in_use ? 1 : 0) + (f.unallocated || f.reserved ? 1 : 0);
    return known >= 2 ? std::optional(statement) : std::nullopt;
}

std::optional<CardStatement> readTypedStatement(std::string_view text)
{
    const CardStatement statement{readFigures(squeezedText(text)), false};
    const OomMessage& f = statement.figures;
    return f.total || f.allocated ? std::optional(statement) : std::nullopt;
}

OomMessage readFigures(std::string_view squeezed_text)
{
    return MessageReader(squeezed_text).read();
}

void addStatement(const CardStatement& statement, OomMessage& message)
{
    const OomMessage& from = statement.figures;
    if (from.gpu && message.gpu && *from.gpu != *message.gpu) {
        return;
    }
    message.gpu = message.gpu ? message.gpu : from.gpu;
    for (const auto field :
         {&OomMessage::total, &OomMessage::free, &OomMessage::allocated, &OomMessage::reserved,
          &OomMessage::cached, &OomMessage::unallocated, &OomMessage::allowed,
          &OomMessage::private_pools, &OomMessage::this_process, &OomMessage::in_use}) {
        if (!(message.*field)) {
            message.*field = from.*field;
        }
    }
    for (const PrintedFigure& figure : from.printed) {
        if (message.figure(figure.name) == nullptr) {
            message.printed.push_back(figure);
        }
    }
    if (message.processes.empty()) {
        message.processes = from.processes;
    }
}

OomMessage bareMessage(std::string_view anchor)
{
    OomMessage message;
    message.is_bare = true;
    message.backend = anchor.starts_with("hip") ? "HIP"
        : anchor.starts_with("xpu")             ? "XPU"
        : anchor.starts_with("ur_")             ? "XPU"
        : anchor.starts_with("ze_")             ? "XPU"
        : anchor.starts_with("pi_")             ? "XPU"
        : anchor.starts_with("outofdevice")     ? "XPU"
        : anchor.starts_with("npu")             ? "NPU"
        : anchor.starts_with("mps")             ? "MPS"
                                                : "CUDA";
    return message;
}

} // namespace tidemark::diagnose
