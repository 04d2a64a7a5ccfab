// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/printed_values.h"

#include "core/base/ascii.h"
#include "core/message/log_window.h"
#include "core/message/printed_size.h"

#include <algorithm>
#include <array>
#include <string>

namespace tidemark::diagnose {
namespace {

constexpr double kOneGB = 1e9;
constexpr double kOneGiB = 0x1p30;
constexpr double kOneMiB = 0x1p20;

/// The unit of a value that has its own: whether its "GB" counts 10^9 or 2^30 is not known, or
/// known to be 2^30.
constexpr double kOwn = 0;
constexpr double kOwnBinary = -1;

/// A value and the name before it, both squeezed.
struct ValueWording {
    std::string_view words;
    std::string_view source;
    std::string_view what;
    double unit = kOwn; ///< Bytes, where the name says it or the program prints none.
    std::string_view needs{}; ///< Elsewhere in the line, where the name alone is too common.
    std::string_view second{}; ///< What a second value behind a stroke is.
};

// The units are those of the programs' sources: most divide by 1024 and print "MB" or "GB".
constexpr auto kValues = std::to_array<ValueWording>({
    {"max_allocated_gb", "log", "peak allocated", kOneGB},
    {"max_reserved_gb", "log", "peak reserved", kOneGB},
    {"max_memory_allocated_gb", "log", "peak allocated", kOneGB},
    {"max_memory_reserved_gb", "log", "peak reserved", kOneGB},
    {"allocated_gb", "log", "allocated", kOneGB},
    {"reserved_gb", "log", "reserved", kOneGB},
    {"gpu_memory_gb", "log", "total", kOneGB}, // As the driver's bytes by 10^9: 191.5 of 178.4 GiB.
    {"max_allocated_gib", "log", "peak allocated", kOneGiB},
    {"max_reserved_gib", "log", "peak reserved", kOneGiB},
    {"max_memory_allocated", "log", "peak allocated"},
    {"max_memory_reserved", "log", "peak reserved"},
    {"maxmemoryallocated", "log", "peak allocated"},
    {"maxmemoryreserved", "log", "peak reserved"},
    {"peakmemoryallocated", "log", "peak allocated"},
    {"peakmemoryreserved", "log", "peak reserved"},
    {"memoryallocated", "log", "allocated"},
    {"memoryreserved", "log", "reserved"},
    {"memory_allocated", "log", "allocated"},
    {"memory_reserved", "log", "reserved"},
    {"maxallocated", "log", "peak allocated"},
    {"maxreserved", "log", "peak reserved"},
    {"peakallocated", "log", "peak allocated"},
    {"peakreserved", "log", "peak reserved"},
    {"peakmemory", "log", "peak allocated"},
    {"peakgpumemory", "log", "peak allocated"},
    {"peakmem", "log", "peak allocated"},
    {"max_mem", "log", "peak allocated", kOwnBinary}, // Detectron2
    {"maxmem", "log", "peak allocated"},
    {"maxmem", "log", "peak allocated", kOneMiB, "eta:"}, // torchvision's references, DETR, timm
    {"memoryusage", "log", "allocated", kOwn, "peakallocated"}, // nanotron
    {"gpumem", "log", "used"},
    {"gpumemoryused", "log", "used"},
    {"gpumemoryusage", "log", "used"},
    {"vramused", "log", "used"},
    {"vramusage", "log", "used"},
    {"max_ma", "DeepSpeed", "peak allocated", kOwnBinary},
    {"max_ca", "DeepSpeed", "peak reserved", kOwnBinary},
    {"allocated:", "Megatron", "allocated", kOneMiB, "memory(mb)"},
    {"maxallocated:", "Megatron", "peak allocated", kOneMiB, "memory(mb)"},
    {"reserved:", "Megatron", "reserved", kOneMiB, "memory(mb)"},
    {"maxreserved:", "Megatron", "peak reserved", kOneMiB, "memory(mb)"},
    {"memory:", "torchtitan", "peak reserved", kOwnBinary, "gib("},
    {"memory:", "MMEngine", "peak allocated", kOneMiB, "data_time:"},
    {"peak_memory_active", "torchtune", "peak active", kOneGiB},
    {"peak_memory_alloc", "torchtune", "peak allocated", kOneGiB},
    {"peak_memory_reserved", "torchtune", "peak reserved", kOneGiB},
    {"max_mem_active(gib)", "Axolotl", "peak active", kOneGiB},
    {"max_mem_allocated(gib)", "Axolotl", "peak allocated", kOneGiB},
    {"mem_reserved(gib)", "Axolotl", "reserved", kOneGiB},
    {"maxmemory", "Unsloth", "total", kOwnBinary, "gpu="},
    {"maxmemory", "Unsloth", "total", kOwnBinary, "platform:"},
    {"peakreservedmemory", "Unsloth", "peak reserved", kOwnBinary},
    {"memory(gib)", "ms-swift", "peak reserved", kOneGiB, "elapsed"},
    {"consumedduringthetrain(max)", "PEFT", "peak allocated", kOneMiB, "gputotalpeak"},
    {"memoryallocated(gb)", "veRL", "allocated", kOneGiB},
    {"memoryreserved(gb)", "veRL", "reserved", kOneGiB},
    {"memoryused/total(gb)", "veRL", "used", kOneGiB, "", "total"},
    {"modelweightstake", "vLLM", "weights"},
    {"modelloadingtook", "vLLM", "weights"},
    {"non_torch_memorytakes", "vLLM", "outside PyTorch"},
    {"activationpeakmemorytakes", "vLLM", "peak of activations"},
    {"availablekvcachememory", "vLLM", "room for the cache"},
    {"reservedforkvcacheis", "vLLM", "room for the cache"},
    {"memoryforkvcacheis", "vLLM", "room for the cache"},
    {"availmem=", "SGLang", "free", kOwnBinary},
    {"memusage=", "SGLang", "weights", kOwnBinary},
});

// A moment's name stands between words and value: "GPU memory usage after model load: 4.2GB (+0.1GB
// cache, …)".
constexpr ValueWording kNamedMoment{"memoryusage", "Axolotl", "allocated", kOwnBinary, "gbcache"};
// The heading of a column: "Epoch  GPU_mem  box_loss …".
constexpr ValueWording kColumn{"gpu_mem", "Ultralytics", "reserved"};

constexpr std::size_t kLongestName = 64;

/// The GPU that the words before a figure name.
std::optional<std::int64_t> gpuBefore(std::string_view log, std::size_t place)
{
    static constexpr std::size_t kNear = 60;
    const std::size_t first = place > kNear ? place - kNear : 0;
    std::string_view near = log.substr(first, place - first);
    const std::size_t line = near.find_last_of("\r\n");
    near = line == std::string_view::npos ? near : near.substr(line + 1);
    const std::string text = squeezedText(near);
    const std::size_t at = text.rfind("gpu");
    return at == std::string::npos ? std::nullopt : numberAfter(text.substr(at), "gpu");
}

/// A value in the way a wording has it, in both readings of its unit.
struct Value {
    PrintedSize size;
    bool is_open = false;
    Bytes high; ///< Of both.
    std::size_t end = 0; ///< In the squeezed text.
};

std::optional<Value> valueOf(const std::string& text, double unit)
{
    std::optional<PrintedSize> size;
    bool is_open = false;
    if (unit > 0) {
        size = numberOf(text, 0, unit);
        is_open = unit == kOneGB;
    } else if ((size = sizeAt(text, 0, UnitReading::decimal)) && size->is_decimal_unit) {
        is_open = unit == kOwn;
        size = unit == kOwnBinary ? sizeAt(text, 0) : size;
    } else if (!size) {
        size = numberOf(text, 0, 1); // bytes, as torch.cuda.max_memory_allocated() returns
        size = size && size->bytes->value >= (1 << 20) ? size : std::nullopt;
    }
    if (!size || !size->bytes) {
        return std::nullopt;
    }
    Value value{*size, is_open, size->high, size->end};
    if (is_open) {
        const auto binary = unit > 0 ? numberOf(text, 0, kOneGiB) : sizeAt(text, 0);
        value.high = binary ? binary->high : value.high;
    }
    return value;
}

void addReading(const ValueWording& wording, std::string_view what, const Value& value,
                std::optional<std::int64_t> gpu, std::size_t place,
                std::vector<MemoryReading>& readings)
{
    readings.push_back({std::string(wording.source), std::string(what), gpu, std::nullopt,
                        *value.size.bytes, value.size.low, value.high, value.is_open, place});
}

/// `printed`: from the value on.
void addValue(std::string_view log, std::size_t place, std::string_view printed,
              const ValueWording& wording, std::vector<MemoryReading>& readings)
{
    static constexpr std::size_t kLongest = 40;
    if (printed.empty() || !isDigit(printed[0])) {
        return;
    }
    const std::string text = squeezedText(printed.substr(0, kLongest));
    const auto value = valueOf(text, wording.unit);
    if (!value) {
        return;
    }
    const auto gpu = gpuBefore(log, place);
    addReading(wording, wording.what, *value, gpu, place, readings);
    if (!wording.second.empty() && value->end < text.size() && text[value->end] == '/') {
        if (const auto second = valueOf(text.substr(value->end + 1), wording.unit)) {
            addReading(wording, wording.second, *second, gpu, place, readings);
        }
    }
}

bool isInLine(std::string_view log, std::size_t place, std::string_view words)
{
    return words.empty() || squeezedText(lineAt(log, place - 1)).find(words) != std::string::npos;
}

/// Of the wordings with this name the one for such a line, those that need nothing last.
const ValueWording* wordingFor(std::string_view log, std::size_t place, std::string_view anchor)
{
    const ValueWording* found = nullptr;
    for (const ValueWording& value : kValues) {
        const bool is_better = found == nullptr || found->needs.empty();
        if (value.words == anchor && is_better && isInLine(log, place, value.needs)) {
            found = &value;
        }
    }
    return found;
}

/// "max memory allocated" is not "memory allocated".
bool endsLongerName(std::string_view log, std::size_t place, std::string_view anchor)
{
    const std::size_t first = place > kLongestName ? place - kLongestName : 0;
    const std::string before = squeezedText(log.substr(first, place - first));
    return std::ranges::any_of(kValues, [&](const ValueWording& other) {
        return other.words.size() > anchor.size() && other.words.ends_with(anchor)
            && before.ends_with(other.words) && isInLine(log, place, other.needs);
    });
}

void addBehindColon(std::string_view log, std::size_t place, std::vector<MemoryReading>& readings)
{
    const std::string_view line = lineAt(log, place - 1);
    const auto end = static_cast<std::size_t>(line.data() - log.data()) + line.size();
    const std::size_t colon = log.substr(0, end).find(": ", place);
    if (colon != std::string_view::npos && isInLine(log, place, kNamedMoment.needs)) {
        addValue(log, place, log.substr(valueBehind(log, colon)), kNamedMoment, readings);
    }
}

/// In the rows below a heading the value stands behind "1/100".
void addColumn(std::string_view log, std::size_t place, std::vector<MemoryReading>& readings)
{
    static constexpr int kRows = 3;
    static constexpr std::size_t kMostBlanks = 16;
    std::size_t at = log.find_first_of("\r\n", place);
    for (int row = 0; row < kRows && at < log.size(); ++row) {
        const std::string_view line = lineAt(log, at + 1, 400);
        std::size_t i = line.find('/');
        if (i != std::string_view::npos && i > 0 && isDigit(line[i - 1])) {
            const std::size_t digits = line.find_first_not_of("0123456789", i + 1);
            const std::size_t begin = line.find_first_not_of(' ', std::min(digits, line.size()));
            if (begin != std::string_view::npos && begin - digits <= kMostBlanks) {
                const std::size_t end = line.find(' ', begin);
                addValue(log, place, line.substr(begin, end - begin), kColumn, readings);
                return;
            }
        }
        at = log.find_first_of("\r\n", at + 1);
    }
}

} // namespace

std::span<const std::string_view> valueAnchors()
{
    static const auto kAnchors = [] {
        std::vector<std::string_view> anchors{kColumn.words};
        for (const ValueWording& value : kValues) {
            anchors.push_back(value.words);
        }
        std::ranges::sort(anchors);
        anchors.erase(std::unique(anchors.begin(), anchors.end()), anchors.end());
        return anchors;
    }();
    return kAnchors;
}

void addValues(std::string_view log, std::size_t place, std::string_view anchor,
               std::vector<MemoryReading>& readings)
{
    if (anchor == kColumn.words) {
        addColumn(log, place, readings);
        return;
    }
    if (anchor == kNamedMoment.words) {
        addBehindColon(log, place, readings);
    }
    const std::size_t begin = valueBehind(log, place);
    const bool has_value = begin < log.size() && isDigit(log[begin])
        && (begin > place || anchor.ends_with(':') || anchor.ends_with('='));
    if (!has_value || endsLongerName(log, place, anchor)) {
        return;
    }
    if (const ValueWording* wording = wordingFor(log, place, anchor)) {
        addValue(log, place, log.substr(begin), *wording, readings);
    }
}

std::size_t valueBehind(std::string_view log, std::size_t place)
{
    static constexpr std::size_t kMost = 14;
    static constexpr std::string_view kBetween = " \t\"':=>,(|";
    const std::size_t last = std::min(log.size(), place + kMost);
    while (place < last && kBetween.find(log[place]) != std::string_view::npos) {
        ++place;
    }
    return place;
}

} // namespace tidemark::diagnose
