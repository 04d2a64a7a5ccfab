// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "core/report/capabilities.h"

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

report::Json commandList()
{
    report::Json list = report::Json::array();
    for (const Command& command : kCommands) {
        list.push_back({{"id", command.name}, {"title", translated(command.sentence)}});
    }
    return list;
}

/// The version of what each command prints as JSON: fields may come, none goes or means something
/// else without a higher one.
report::Json schemaVersions()
{
    report::Json versions = report::Json::object();
    for (const Command& command : kCommands) {
        if (command.schema > 0) {
            versions[std::string(command.name)] = command.schema;
        }
    }
    return versions;
}

report::Document capabilitiesText()
{
    report::Table commands{{{}, {}}, {}, {}};
    for (const report::Json& command : commandList()) {
        commands.rows.push_back({command.at("id"), command.at("title")});
    }
    report::Document document = report::capabilitiesDocument();
    document.sections.insert(document.sections.begin(), {say("Commands"), {std::move(commands)}});
    return document;
}

} // namespace

void addCapabilities(CLI::App& command, Run& run)
{
    const auto as_json = std::make_shared<bool>(false);
    command.add_flag("--json", *as_json, say("Print JSON instead of text"));
    command.callback([as_json, &run] {
        run = [as_json] {
            if (*as_json) {
                report::Json json = report::capabilitiesJson(TIDEMARK_VERSION);
                json["commands"] = commandList();
                json["schemas"] = schemaVersions();
                std::cout << report::toString(json) << '\n';
            } else {
                std::cout << report::toText(capabilitiesText());
            }
            return kSuccess;
        };
    });
}

} // namespace tidemark::cli
