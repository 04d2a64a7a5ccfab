// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"

#include "app/cli/text_input.h"
#include "core/base/language.h"
#include "core/reader/log_text.h"
#include "core/trace/snapshot_builder.h"

#include <charconv>
#include <filesystem>
#include <utility>

namespace tidemark::cli {
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
        return Error{ErrorCode::badArgument, say("The file '{}' is empty.", name), {}};
    }
    return reader::logText(std::move(text).value());
}

bool namesFile(const std::string& argument)
{
    static constexpr std::size_t kLongestName = 4096;
    std::error_code error;
    using Type = std::filesystem::file_type;
    const Type type = argument.size() < kLongestName
        ? std::filesystem::status(argument, error).type()
        : Type::not_found;
    return type == Type::regular || type == Type::fifo || type == Type::character;
}

Result<std::string> fileOrText(const std::string& argument)
{
    if (argument.starts_with('@')) {
        return textOrFile(argument);
    }
    if (namesFile(argument)) {
        return textOrFile('@' + argument);
    }
    if (argument.find_first_of(" =:{(\n") == std::string::npos) {
        return Error{ErrorCode::badArgument, say("No such file: '{}'.", argument), {}};
    }
    return argument;
}

std::string fileNameIn(const std::string& argument)
{
    const std::string name = argument.starts_with('@') ? argument.substr(1) : argument;
    return namesFile(name) ? std::filesystem::path(name).filename().string() : std::string();
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

Result<config::RunConfig> configFrom(const std::vector<std::string>& arguments)
{
    std::vector<std::string> texts;
    for (const std::string& argument : arguments) {
        auto text = fileOrText(argument);
        if (!text.has_value()) {
            return text.error();
        }
        texts.push_back(std::move(text).value());
    }
    return config::readRunConfigs(texts);
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
                     say("'{}' is not a device; give a number such as 0, or host.", text),
                     {}};
    }
    return index;
}

} // namespace tidemark::cli
