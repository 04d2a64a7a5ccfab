// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/report_options.h"

#include "app/cli/parser_words.h"
#include "core/base/language.h"
#include "core/base/progress.h"
#include "core/pipeline/bookmarks.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tidemark::cli {

void addRedactOption(CLI::App& command, bool& redacts)
{
    command.add_flag("--redact", redacts,
                     say("Replaces the names of users, hosts and folders, each by the same one "
                         "everywhere; the output says so"));
}

void addPaperOption(CLI::App& command, report::PaperSize& paper)
{
    command
        .add_option_function<std::string>(
            "--paper",
            [&paper](const std::string& word) {
                paper = word == "a4" ? report::PaperSize::a4 : report::PaperSize::letter;
            },
            say("Paper of a PDF and of a printed page: a4 or letter"))
        ->check(oneOf({"a4", "letter"}));
}

report::ReportBookmarks savedBookmarks(std::span<const diagnose::Analysis> runs,
                                       const pipeline::RuleOptions& rules)
{
    report::ReportBookmarks saved;
    const std::array<std::vector<pipeline::Bookmark>*, 2> lists{&saved.own, &saved.other};
    for (std::size_t i = 0; rules.use_saved && i < std::min(runs.size(), lists.size()); ++i) {
        *lists[i] = pipeline::loadBookmarks(runs[i].file, rules.folder).list;
    }
    return saved;
}

Result<Done> redactRuns(std::span<diagnose::Analysis> runs, report::ReportBookmarks& bookmarks)
{
    pipeline::Redaction names;
    NoProgress silent;
    for (const auto* const marks : {&bookmarks.own, &bookmarks.other}) {
        for (const pipeline::Bookmark& mark : *marks) {
            names.noteText(mark.note);
        }
    }
    Result<Done> done = pipeline::redact(runs, names, silent, {});
    for (auto* const marks : {&bookmarks.own, &bookmarks.other}) {
        for (pipeline::Bookmark& mark : *marks) {
            mark.note = names.text(mark.note);
        }
    }
    return done;
}

} // namespace tidemark::cli
