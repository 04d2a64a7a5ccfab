// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "core/base/language.h"
#include "core/report/capabilities.h"

#include <iostream>
#include <memory>

namespace tidemark::cli {

void addCapabilities(CLI::App& program, Run& run)
{
    CLI::App* const command = program.add_subcommand(
        "capabilities",
        say("Lists the words this build knows: buckets, roles, phases, causes, keys of a query"));
    const auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, say("Print JSON instead of text"));
    command->callback([json, &run] {
        run = [json] {
            if (*json) {
                std::cout << report::toString(report::capabilitiesJson(TIDEMARK_VERSION)) << '\n';
            } else {
                std::cout << report::toText(report::capabilitiesDocument());
            }
            return kSuccess;
        };
    });
}

} // namespace tidemark::cli
