// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "core/base/language.h"
#include "core/report/capture_facts.h"

#include <iostream>

namespace tidemark::cli {

void addCaptureModule(CLI::App& program, Run& run)
{
    CLI::App* const command =
        program.add_subcommand("capture-module",
                               say("Prints the Python module that records snapshots with exact "
                                   "labels; copy it to your code"));
    command->callback([&run] {
        run = [] {
            std::cout << report::captureModule();
            return kSuccess;
        };
    });
}

} // namespace tidemark::cli
