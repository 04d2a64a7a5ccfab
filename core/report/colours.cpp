// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/colours.h"

#include "resources/colours.json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tidemark::report {
namespace {

struct Colours {
    std::vector<std::string> runs;
    std::string alarm;

    Colours()
    {
        const nlohmann::json json = nlohmann::json::parse(resources::colours());
        runs = json.at("runs");
        alarm = json.at("themes").at("light").at("danger");
    }
};

const Colours& colours()
{
    static const Colours kColours;
    return kColours;
}

} // namespace

std::string_view bucketColour(label::Bucket bucket)
{
    return label::infoOf(bucket).colour;
}

std::string_view phaseColour(label::Phase phase)
{
    return label::infoOf(phase).colour;
}

std::string_view runColour(std::size_t number)
{
    return colours().runs[number % colours().runs.size()];
}

std::string_view alarmColour()
{
    return colours().alarm;
}

std::string alarmText()
{
    return fmt::format("class=\"alarm\" fill=\"{}\"", alarmColour());
}

} // namespace tidemark::report
