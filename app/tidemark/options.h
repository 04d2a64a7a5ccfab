// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/pipeline/pipeline.h"
#include "core/query/bands.h"
#include "core/reader/reader.h"
#include "core/report/document.h"
#include "ui/models/preferences.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tidemark::app {

/// The command line, understood.
struct Options {
    std::vector<std::string> files;
    bool example = false;
    std::string watch; ///< A folder to wait for dumps in; empty: none.
    std::string report; ///< Write a PDF here and exit; empty: no.
    bool single_reports = false; ///< Of two runs: that of each behind the comparison.
    bool redacts = false; ///< Other names in the report.
    report::PaperSize paper = report::PaperSize::any;
    std::string screenshot; ///< Write a PNG here and exit; empty: no.
    std::string view = "overview";
    int width = 1500;
    int height = 860;
    bool has_size = false; ///< A person said it.
    std::optional<ui::ThemeChoice> theme;
    QString language; ///< Its code; empty: the window's as preferred, else English.
    std::optional<query::BandBy> bands; ///< What they are; else what they were, or buckets.
    diagnose::UserInput input;
    pipeline::RuleOptions rules;
    reader::ReadOptions read;

    [[nodiscard]] bool needsDisplay() const
    {
        return report.empty() && screenshot.empty();
    }
};

/// What to do instead of going on: print and exit.
struct Exit {
    int code = 0;
    std::string output; ///< For standard output.
    std::string error; ///< One sentence for standard error.
};

[[nodiscard]] std::variant<Options, Exit> parseArguments(int argc, char** argv);

inline constexpr int kUnusable = 2; ///< Exit code: a file or an argument could not be used.
inline constexpr int kInternal = 3; ///< Exit code: a bug of ours.

} // namespace tidemark::app
