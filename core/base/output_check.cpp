// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/output_check.h"

#include "core/base/ascii.h"
#include "core/base/file_head.h"
#include "core/base/language.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark {
namespace {

namespace fs = std::filesystem;

struct KindWords {
    std::string_view name;
    std::string_view begins_with; ///< In small letters; what the program writes begins like this.
};

/// By OutputKind.
constexpr std::array<KindWords, 19> kKinds{{
    {toSay("PDF file"), "%pdf-"},
    {toSay("PNG picture"), "\x89png\r\n\x1a\n"},
    {toSay("SVG picture"), "<?xml"},
    {toSay("report of Tidemark in HTML"),
     "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>"},
    {toSay("report of Tidemark in JSON"), "{\"report\""},
    {toSay("report of Tidemark in Markdown"), "# memory report"},
    {toSay("list of Tidemark in CSV"), "device,alloc_event,"},
    {toSay("Python module"), "# spdx-license-identifier: mit"},
    {toSay("rules file"), "{"},
    {toSay("Perfetto trace"), "\n"},
    {toSay("gzip file"), "\x1f\x8b"},
    {toSay("speedscope profile"), "{\"$schema\":\"https://www.speedscope.app"},
    {toSay("folded stacks of Tidemark"), "gpu "},
    {toSay("SQLite database"), "sqlite format 3"},
    {toSay("table of Tidemark in CSV"), "device,"},
    {toSay("part of a snapshot"), "\x80\x04}(x\x08"},
    {toSay("part of a snapshot"), "{\"segments\":["},
    {toSay("JUnit report"), "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites"},
    {toSay("Bencher metrics"), "{"},
}};

/// What the program writes begins like this, too: in the language in use, or about a job.
std::string otherBeginning(OutputKind kind)
{
    std::string begins(kKinds[static_cast<std::size_t>(kind)].begins_with);
    if (kind == OutputKind::html) {
        static constexpr std::string_view kEnglish = "\"en\"";
        begins.replace(begins.find(kEnglish), kEnglish.size(), '"' + language().id + '"');
    } else if (kind == OutputKind::markdown) {
        const std::string_view title = translated("Memory report: {}");
        begins = lowered("# " + std::string(title.substr(0, title.find('{'))));
    } else if (kind == OutputKind::csv) {
        begins = "file,rank,moment,";
    } else if (kind == OutputKind::folded) {
        begins = "host";
    }
    return begins;
}

} // namespace

Result<Done> checkOutput(const fs::path& output, OutputKind kind, std::span<const fs::path> inputs,
                         std::string_view also)
{
    struct stat old { };
    if (::stat(output.c_str(), &old) != 0 || !S_ISREG(old.st_mode)) {
        return Done{};
    }
    for (const fs::path& input : inputs) {
        struct stat read { };
        if (::stat(input.c_str(), &read) == 0 && read.st_dev == old.st_dev
            && read.st_ino == old.st_ino) {
            return Error{
                ErrorCode::badArgument,
                say("{} is one of the files to read; name another file to write.", output.string()),
                {}};
        }
    }
    const KindWords& words = kKinds[static_cast<std::size_t>(kind)];
    const std::string other = otherBeginning(kind);
    if (old.st_size == 0 || lowered(fileHead(output, words.begins_with.size())) == words.begins_with
        || lowered(fileHead(output, other.size())) == other
        || (!also.empty() && lowered(fileHead(output, also.size())) == also)) {
        return Done{};
    }
    return Error{ErrorCode::badArgument,
                 say("{} is there already and is no {}, so it is left as it is; name "
                     "another file, or remove that one first.",
                     output.string(), translated(words.name)),
                 {}};
}

} // namespace tidemark
