// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"

#include "app/cli/text_input.h"
#include "core/reader/log_text.h"
#include "core/trace/snapshot_builder.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

namespace tidemark::cli {
namespace {

struct Unit {
    std::string_view name;
    double bytes;
};

constexpr std::array<Unit, 15> kUnits{{{"", 1},
                                       {"B", 1},
                                       {"K", 0x1p10},
                                       {"KiB", 0x1p10},
                                       {"KB", 1e3},
                                       {"M", 0x1p20},
                                       {"MiB", 0x1p20},
                                       {"MB", 1e6},
                                       {"G", 0x1p30},
                                       {"GiB", 0x1p30},
                                       {"GB", 1e9},
                                       {"T", 0x1p40},
                                       {"TiB", 0x1p40},
                                       {"TB", 1e12},
                                       {"k", 0x1p10}}};

} // namespace

Result<Bytes> parseBytes(std::string_view text)
{
    const Error error{
        ErrorCode::badArgument,
        fmt::format("'{}' is no amount of memory; give bytes, or a figure such as 80GiB.", text),
        {}};
    double number = 0;
    const char* const last = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), last, number, std::chars_format::fixed);
    if (parsed.ec != std::errc() || number < 0) {
        return error;
    }
    std::string_view unit(parsed.ptr, static_cast<std::size_t>(last - parsed.ptr));
    while (unit.starts_with(' ')) {
        unit.remove_prefix(1);
    }
    for (const Unit& known : kUnits) {
        if (unit == known.name) {
            const double bytes = number * known.bytes;
            // 2^62: beyond any memory, and far from overflow.
            return bytes < 0x1p62 ? Result<Bytes>(Bytes{std::llround(bytes)}) : error;
        }
    }
    return error;
}

Result<std::string> textOrFile(const std::string& argument)
{
    if (!argument.starts_with('@')) {
        return argument;
    }
    const std::string name = argument.substr(1);
    Result<std::string> text = readTextInput(name);
    if (!text.has_value()) {
        return text;
    }
    if (text.value().empty() && name != "-") {
        return Error{ErrorCode::badArgument, fmt::format("The file '{}' is empty.", name), {}};
    }
    return reader::logText(std::move(text).value());
}

Result<std::string> fileOrText(const std::string& argument)
{
    static constexpr std::size_t kLongestName = 4096;
    if (argument.starts_with('@')) {
        return textOrFile(argument);
    }
    std::error_code error;
    const bool may_be_name = argument.size() < kLongestName && !argument.empty();
    if (may_be_name && std::filesystem::is_regular_file(argument, error)) {
        return textOrFile('@' + argument);
    }
    if (argument.find_first_of(" =:{(\n") == std::string::npos) {
        return Error{ErrorCode::badArgument, fmt::format("There is no file '{}'.", argument), {}};
    }
    return argument;
}

std::string fileNameIn(const std::string& argument)
{
    const std::string name = argument.starts_with('@') ? argument.substr(1) : argument;
    std::error_code error;
    return std::filesystem::is_regular_file(name, error)
        ? std::filesystem::path(name).filename().string()
        : std::string();
}

std::string fileNamesIn(const std::vector<std::string>& arguments)
{
    std::string names;
    for (const std::string& argument : arguments) {
        const std::string name = fileNameIn(argument);
        names += (names.empty() || name.empty() ? "" : " + ") + name;
    }
    return names;
}

Result<diagnose::RunConfig> configFrom(const std::vector<std::string>& arguments)
{
    std::vector<std::string> texts;
    for (const std::string& argument : arguments) {
        auto text = fileOrText(argument);
        if (!text.has_value()) {
            return text.error();
        }
        texts.push_back(std::move(text).value());
    }
    return diagnose::readRunConfigs(texts);
}

Result<std::int32_t> parseDevice(std::string_view text)
{
    if (text == "host") {
        return trace::SnapshotBuilder::kHostDevice;
    }
    std::int32_t index = 0;
    const char* const last = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), last, index);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != last) {
        return Error{ErrorCode::badArgument,
                     fmt::format("'{}' is no device; give a number such as 0, or host.", text),
                     {}};
    }
    return index;
}

} // namespace tidemark::cli
