// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "core/base/language.h"
#include "core/report/capture_facts.h"

#include <iostream>

namespace tidemark::cli {

void addCaptureModule(CLI::App& command, Run& run)
{
    command.callback([&run] {
        run = [] {
            std::cout << report::captureModule();
            return kSuccess;
        };
    });
}

} // namespace tidemark::cli
