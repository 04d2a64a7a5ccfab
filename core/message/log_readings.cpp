// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Tables about memory that tools print, and the factors of tensor sizes.
#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/message/log_window.h"
#include "core/message/log_words.h"
#include "core/message/printed_size.h"
#include "core/message/printed_values.h"
#include "core/message/smi_readings.h"
#include "core/message/word_finder.h"

#include <algorithm>
#include <array>
#include <string>

namespace tidemark::diagnose {
namespace {

constexpr std::string_view kSummary = "pytorchcudamemorysummary";

/// A cell of torch.cuda.memory_summary(): "35283 MiB", whole units, the rest cut off.
std::optional<PrintedSize> cellSize(std::string_view cell)
{
    std::string text = squeezedText(cell);
    if (!text.empty() && text.back() == 'b' && text.size() > 1 && isDigit(text[text.size() - 2])) {
        text.replace(text.size() - 1, 1, "bytes");
    }
    auto size = sizeAt(text, 0);
    if (size && size->bytes) {
        const std::int64_t rounding = size->high.value - size->bytes->value;
        size->low = *size->bytes;
        size->high = Bytes{size->bytes->value + std::max<std::int64_t>(0, 2 * rounding - 1)};
    }
    return size;
}

void addSummaryRow(std::string_view line, std::optional<std::int64_t> gpu, std::size_t place,
                   std::vector<MemoryReading>& readings)
{
    struct Row {
        std::string_view name;
        std::string_view now;
        std::string_view peak;
    };
    static constexpr std::array<Row, 5> kRows{
        {{"allocatedmemory", "allocated", "peak allocated"},
         {"activememory", "active", "peak active"},
         {"requestedmemory", "requested", "peak requested"},
         {"gpureservedmemory", "reserved", "peak reserved"},
         {"non-releasablememory", "non-releasable", "peak non-releasable"}}};
    std::vector<std::string_view> cells;
    for (std::size_t begin = line.find('|'); begin != std::string_view::npos;) {
        const std::size_t end = line.find('|', begin + 1);
        if (end == std::string_view::npos) {
            break;
        }
        cells.push_back(line.substr(begin + 1, end - begin - 1));
        begin = end;
    }
    if (cells.size() < 3) {
        return;
    }
    const std::string name = squeezedText(cells[0]);
    for (const Row& row : kRows) {
        if (name != row.name) {
            continue;
        }
        for (const std::size_t column : {1U, 2U}) {
            const auto size = cellSize(cells[column]);
            if (size && size->bytes) {
                readings.push_back({"memory_summary", std::string(column == 1 ? row.now : row.peak),
                                    gpu, std::nullopt, *size->bytes, size->low, size->high, false,
                                    place});
            }
        }
    }
}

void addSummary(std::string_view log, std::size_t place, std::vector<MemoryReading>& readings)
{
    static constexpr std::size_t kMost = 8000;
    const std::string_view table = log.substr(place, kMost);
    const auto gpu = numberAfter(squeezedText(table.substr(0, 120)), "deviceid");
    int outside = 0;
    for (std::size_t begin = 0; begin < table.size() && outside < 2;) {
        const std::size_t end = std::min(table.find('\n', begin), table.size());
        const std::string_view line = table.substr(begin, end - begin);
        outside = begin > 0 && line.find('|') == std::string_view::npos ? outside + 1 : 0;
        addSummaryRow(line, gpu, place + begin, readings);
        begin = end + 1;
    }
}

constexpr std::array<std::string_view, 17> kFactors{
    "vocab_size",       "vocabsize", "max_seq_len",     "max_seq_length",      "max_length",
    "seq_length",       "seq_len",   "sequence_length", "block_size",          "max_model_len",
    "batch_size",       "batchsize", "n_head",          "num_attention_heads", "num_heads",
    "max_position_len", "cutoff_len"};

} // namespace

std::span<const std::string_view> readingAnchors()
{
    static const auto kAnchors = [] {
        std::vector<std::string_view> anchors{kSummary};
        for (const auto more : {smiAnchors(), valueAnchors()}) {
            anchors.insert(anchors.end(), more.begin(), more.end());
        }
        return anchors;
    }();
    return kAnchors;
}

void addReadings(std::string_view log, std::size_t place, std::string_view anchor,
                 std::vector<MemoryReading>& readings)
{
    if (anchor == kSummary) {
        addSummary(log, place, readings);
    } else if (!addSmiReadings(log, place, anchor, readings)) {
        addValues(log, place, anchor, readings);
    }
}

std::span<const std::string_view> factorAnchors()
{
    return kFactors;
}

void addFactor(std::string_view log, std::size_t place, std::string_view anchor,
               StatedFactors& factors)
{
    static constexpr std::size_t kMostKept = 8;
    const std::size_t begin = valueBehind(log, place);
    if (begin == place) {
        return;
    }
    std::int64_t number = 0;
    std::size_t i = begin;
    while (i < log.size() && isDigit(log[i]) && i - begin < 10) {
        number = number * 10 + (log[i] - '0');
        ++i;
    }
    const bool is_whole = i > begin && (i == log.size() || (!isDigit(log[i]) && log[i] != '.'));
    if (!is_whole || number < 1) {
        return;
    }
    std::vector<std::int64_t>& list = anchor.starts_with("vocab") ? factors.vocabulary
        : anchor.starts_with("batch")                             ? factors.batch
        : anchor.find("head") != anchor.npos                      ? factors.heads
                                                                  : factors.sequence;
    if (list.size() < kMostKept && std::ranges::find(list, number) == list.end()) {
        list.push_back(number);
    }
}

std::string_view readingWords(std::string_view what)
{
    static constexpr std::array kWords{toSay("used"),
                                       toSay("total"),
                                       toSay("free"),
                                       toSay("allocated"),
                                       toSay("active"),
                                       toSay("requested"),
                                       toSay("reserved"),
                                       toSay("non-releasable"),
                                       toSay("peak allocated"),
                                       toSay("peak active"),
                                       toSay("peak requested"),
                                       toSay("peak reserved"),
                                       toSay("peak non-releasable"),
                                       toSay("peak activations"),
                                       toSay("weights"),
                                       toSay("outside PyTorch"),
                                       toSay("room for the cache"),
                                       toSay("process")};
    const auto found =
        std::ranges::find(kWords, what, [](const char* word) { return std::string_view(word); });
    return found == kWords.end() ? what : translated(*found);
}

} // namespace tidemark::diagnose
