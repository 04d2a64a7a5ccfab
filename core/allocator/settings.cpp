// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/settings.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

namespace tidemark::allocator {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;
/// Options that change nothing about device memory.
constexpr std::array<std::string_view, 13> kWithoutInfluence{
    "release_lock_on_cudamalloc",     "graph_capture_record_stream_reuse",
    "pinned_use_cuda_host_register",  "pinned_use_hip_host_register",
    "pinned_num_register_threads",    "pinned_use_background_threads",
    "pinned_reserve_segment_size_mb", "pinned_free_catch_all",
    "pinned_max_round_threshold_mb",  "pinned_max_cached_size_mb",
    "pinned_max_power2_size_mb",      "expandable_segments_reserve_by_class",
    "expandable_segments_reserve",
};

Error bad(std::string sentence)
{
    return {ErrorCode::badArgument, std::move(sentence), {}};
}

std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return is_whole && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<double> realNumber(std::string_view text)
{
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return is_whole ? std::optional(value) : std::nullopt;
}

using Entry = std::pair<std::string, std::string>;

/// "key:value" parts; a comma inside brackets separates nothing. White space is ignored.
Result<std::vector<Entry>> entriesOf(std::string_view text)
{
    std::vector<std::string> parts(1);
    bool is_list = false;
    for (const char c : text) {
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            continue;
        }
        is_list = c == '[' || (is_list && c != ']');
        if (c == ',' && !is_list) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    std::vector<Entry> entries;
    for (const std::string& part : parts) {
        if (part.empty()) {
            continue;
        }
        const std::size_t colon = part.find(':');
        if (colon == std::string::npos || colon == 0 || colon + 1 == part.size()) {
            return bad(say("'{}' is not option:value.", part));
        }
        entries.emplace_back(part.substr(0, colon), part.substr(colon + 1));
    }
    return entries;
}

bool isDivision(std::int64_t value)
{
    return value == 0 || std::has_single_bit(static_cast<std::uint64_t>(value));
}

/// "[256:1,512:2,>:8]": each boundary sets its own entry, the first also those below, ">" those
/// above the last.
Result<Done> parseDivisionList(std::string_view list, std::array<std::int64_t, 16>& divisions)
{
    std::size_t last = 0;
    bool is_first = true;
    const auto entries = entriesOf(list);
    if (!entries.has_value()) {
        return entries.error();
    }
    for (const auto& [key, value] : entries.value()) {
        const auto division = wholeNumber(value);
        if (!division || !isDivision(*division)) {
            return bad(say("roundup_power2_divisions takes 0 or a power of two for each size."));
        }
        if (key == ">") {
            std::fill(divisions.begin() + static_cast<std::ptrdiff_t>(is_first ? 0 : last + 1),
                      divisions.end(), *division);
            continue;
        }
        const auto boundary = wholeNumber(key);
        if (!boundary || !std::has_single_bit(static_cast<std::uint64_t>(*boundary))) {
            return bad(say("The sizes in roundup_power2_divisions are powers of two, in MiB."));
        }
        last = std::min<std::size_t>(
            static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(*boundary))),
            divisions.size() - 1);
        if (is_first) {
            std::fill_n(divisions.begin(), last, *division);
        }
        divisions[last] = *division;
        is_first = false;
    }
    return Done{};
}

Result<Done> parseDivisions(const std::string& value, std::array<std::int64_t, 16>& divisions)
{
    if (value.front() == '[' && value.back() == ']') {
        return parseDivisionList(std::string_view(value).substr(1, value.size() - 2), divisions);
    }
    const auto all = wholeNumber(value);
    if (!all || *all == 0 || !isDivision(*all)) {
        return bad(say("roundup_power2_divisions is a power of two, or a list such as "
                       "[256:1,512:2,1024:4,>:8]."));
    }
    divisions.fill(*all);
    return Done{};
}

Result<Done> parseFlag(const Entry& entry, bool& flag)
{
    if (entry.second != "True" && entry.second != "False") {
        return bad(say("{} must be True or False, spelled so.", entry.first));
    }
    flag = entry.second == "True";
    return Done{};
}

Result<Done> parseMebibytes(const Entry& entry, std::int64_t least, std::int64_t& bytes)
{
    const auto mebibytes = wholeNumber(entry.second);
    if (!mebibytes || *mebibytes < least || *mebibytes > Settings::kUnlimited / kMebi) {
        return bad(say("{} must be a whole number of MiB, at least {}.", entry.first, least));
    }
    bytes = *mebibytes * kMebi;
    return Done{};
}

Result<Done> parseFraction(const Entry& entry, bool is_open, double& fraction)
{
    const auto value = realNumber(entry.second);
    const bool is_inside = value && *value >= 0 && *value <= 1;
    if (!is_inside || (is_open && (*value == 0 || *value == 1))) {
        return bad(is_open ? say("{} must be between 0 and 1, exclusive.", entry.first)
                           : say("{} must be from 0 to 1.", entry.first));
    }
    fraction = *value;
    return Done{};
}

Result<Done> parseEntry(const Entry& entry, Settings& settings)
{
    const auto& [key, value] = entry;
    if (key == "expandable_segments") {
        return parseFlag(entry, settings.expandable_segments);
    }
    if (key == "max_split_size_mb") {
        return parseMebibytes(entry, 20, settings.max_split);
    }
    if (key == "max_non_split_rounding_mb") {
        return parseMebibytes(entry, 20, settings.max_non_split_rounding);
    }
    if (key == "large_segment_size_mb") {
        return parseMebibytes(entry, 11, settings.large_segment);
    }
    if (key == "roundup_power2_divisions") {
        return parseDivisions(value, settings.roundup_divisions);
    }
    if (key == "garbage_collection_threshold") {
        return parseFraction(entry, true, settings.gc_threshold);
    }
    if (key == "per_process_memory_fraction") {
        return parseFraction(entry, false, settings.memory_fraction);
    }
    if (key == "throw_on_cudamalloc_oom") {
        return parseFlag(entry, settings.throws_on_refusal);
    }
    if (key == "backend") {
        return value == "native" ? Result<Done>(Done{})
                                 : bad(say("Backend {} does not use PyTorch's caching allocator; "
                                           "only backend:native can be simulated.",
                                           value));
    }
    if (std::ranges::find(kWithoutInfluence, key) != kWithoutInfluence.end()) {
        return Done{};
    }
    return bad(say("Unknown allocator option '{}'; PyTorch rejects it too.", key));
}

/// The options that differ from the defaults, as a text that gives them.
std::string textOf(const Settings& s)
{
    const Settings defaults;
    std::vector<std::string> parts;
    const auto add = [&](bool differs, std::string part) {
        if (differs) {
            parts.push_back(std::move(part));
        }
    };
    add(s.expandable_segments, "expandable_segments:True");
    add(s.max_split != defaults.max_split,
        fmt::format("max_split_size_mb:{}", s.max_split / kMebi));
    add(s.max_non_split_rounding != defaults.max_non_split_rounding,
        fmt::format("max_non_split_rounding_mb:{}", s.max_non_split_rounding / kMebi));
    add(s.large_segment != defaults.large_segment,
        fmt::format("large_segment_size_mb:{}", s.large_segment / kMebi));
    add(s.gc_threshold > 0, fmt::format("garbage_collection_threshold:{}", s.gc_threshold));
    add(s.memory_fraction < 1, fmt::format("per_process_memory_fraction:{}", s.memory_fraction));
    add(s.throws_on_refusal, "throw_on_cudamalloc_oom:True");
    const auto& divisions = s.roundup_divisions;
    if (std::ranges::all_of(divisions, [&](std::int64_t d) { return d == divisions[0]; })) {
        add(divisions[0] != 0, fmt::format("roundup_power2_divisions:{}", divisions[0]));
    } else {
        std::vector<std::string> list;
        for (std::size_t k = 0; k < divisions.size(); ++k) {
            list.push_back(fmt::format("{}:{}", 1U << k, divisions[k]));
        }
        add(true, fmt::format("roundup_power2_divisions:[{}]", fmt::join(list, ",")));
    }
    return fmt::format("{}", fmt::join(parts, ","));
}

bool hasExpandable(const trace::Device& device)
{
    return std::ranges::any_of(device.segments, &trace::Segment::is_expandable)
        || std::ranges::find(device.events.action, trace::Action::segment_map)
        != device.events.action.end();
}

} // namespace

replay::Rounding Settings::rounding() const
{
    if (is_npu) {
        return replay::Rounding::ofNpu();
    }
    trace::AllocatorSettings table;
    for (std::size_t k = 0; k < roundup_divisions.size(); ++k) {
        table.roundup_power2_divisions.emplace_back(std::to_string(1U << k), roundup_divisions[k]);
    }
    return replay::Rounding(table);
}

std::int64_t Settings::segmentSizeFor(std::int64_t rounded) const
{
    const bool is_middle = rounded > replay::kSmallSize && rounded < replay::kMinLargeAlloc;
    return is_middle ? large_segment : replay::segmentSizeFor({rounded}).value;
}

std::int64_t Settings::pageUnit(bool is_small_pool) const
{
    return is_small_pool ? replay::kSmallBuffer : large_segment;
}

bool placeAlike(const Settings& a, const Settings& b)
{
    return a.expandable_segments == b.expandable_segments && a.max_split == b.max_split
        && a.max_non_split_rounding == b.max_non_split_rounding
        && a.large_segment == b.large_segment && a.roundup_divisions == b.roundup_divisions
        && a.gc_threshold == b.gc_threshold && a.memory_fraction == b.memory_fraction
        && a.throws_on_refusal == b.throws_on_refusal && a.is_npu == b.is_npu;
}

std::string splitLimitClash(Bytes limit)
{
    return say("Unset max_split_size_mb: with expandable_segments:True, free blocks of {} and more "
               "serve no smaller request, and from torch 2.12 on reserved memory grows without "
               "bound.",
               formatBytes(limit)); // As it is set.
}

Settings withoutMaxSplit(Settings settings)
{
    settings.max_split = Settings::kUnlimited;
    settings.text = textOf(settings);
    return settings;
}

Result<Settings> parseSettings(std::string_view text)
{
    const auto entries = entriesOf(text);
    if (!entries.has_value()) {
        return entries.error();
    }
    Settings settings;
    settings.text = text;
    for (const Entry& entry : entries.value()) {
        if (const auto parsed = parseEntry(entry, settings); !parsed.has_value()) {
            return parsed.error();
        }
    }
    if (settings.max_split < settings.large_segment) {
        return bad(say("max_split_size_mb must not be below large_segment_size_mb."));
    }
    return settings;
}

Settings recordedSettings(const trace::AllocatorSettings& stated, const trace::Device& device)
{
    Settings settings;
    // The text is only the last one parsed, and may have been ignored: the stated values win.
    if (auto parsed = parseSettings(stated.conf); parsed.has_value()) {
        settings = std::move(parsed).value();
    }
    settings.expandable_segments = stated.expandable_segments.value_or(hasExpandable(device));
    const std::int64_t max_split = stated.max_split_size_bytes.value_or(-1);
    settings.max_split = max_split > 0 ? max_split : Settings::kUnlimited;
    settings.gc_threshold = stated.garbage_collection_threshold.value_or(settings.gc_threshold);
    settings.roundup_divisions.fill(0);
    for (const auto& [key, divisions] : stated.roundup_power2_divisions) {
        const auto mebibytes = wholeNumber(key);
        if (mebibytes && std::has_single_bit(static_cast<std::uint64_t>(*mebibytes))
            && *mebibytes < (1 << 16)) {
            settings.roundup_divisions[static_cast<std::size_t>(
                std::countr_zero(static_cast<std::uint64_t>(*mebibytes)))] = divisions;
        }
    }
    const replay::Rounding rule = replay::findRounding(stated, device).rule;
    settings.is_npu = rule == replay::Rounding::ofNpu();
    settings.text = textOf(settings);
    return settings;
}

} // namespace tidemark::allocator
