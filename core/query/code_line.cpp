// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/code_line.h"

#include "core/base/ascii.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tidemark::query {
namespace {

/// Whether a path or a text ends in a file: as a whole or behind a folder or a blank.
bool endsInFile(std::string_view text, std::string_view file)
{
    if (text.size() < file.size()) {
        return false;
    }
    const std::size_t at = text.size() - file.size();
    const bool begins =
        at == 0 || std::string_view("/\\ ").find(text[at - 1]) != std::string_view::npos;
    return begins
        && std::ranges::equal(text.substr(at), file, {}, [](char c) { return lowered(c); });
}

} // namespace

bool CodeLine::isOf(const trace::Snapshot& snapshot, const Frame& frame) const
{
    return frame.line == line && endsInFile(snapshot.text(frame.filename), file);
}

bool CodeLine::isIn(std::string_view text) const
{
    const std::string number = fmt::format(":{}", line);
    for (std::size_t at = text.find(number); at != std::string_view::npos;
         at = text.find(number, at + 1)) {
        const std::size_t end = at + number.size();
        if ((end == text.size() || !isDigit(text[end])) && endsInFile(text.substr(0, at), file)) {
            return true;
        }
    }
    return false;
}

std::optional<CodeLine> codeLineOf(std::string_view text)
{
    const std::size_t colon = text.rfind(':');
    const std::string_view file = text.substr(0, std::min(colon, text.size()));
    const std::size_t dot = file.rfind('.');
    if (colon == std::string_view::npos || dot == std::string_view::npos || dot + 1 == file.size()
        || !std::ranges::all_of(file.substr(dot + 1), isLetter)) {
        return std::nullopt;
    }
    CodeLine found{lowered(file), 0};
    const auto done =
        std::from_chars(text.data() + colon + 1, text.data() + text.size(), found.line);
    return done.ec == std::errc{} && done.ptr == text.data() + text.size() && found.line > 0
        ? std::optional(std::move(found))
        : std::nullopt;
}

} // namespace tidemark::query
