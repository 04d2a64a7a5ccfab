// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/colours.h"

#include "resources/colours.json.h"

#include <nlohmann/json.hpp>

#include <array>
#include <string>

namespace tidemark::report {
namespace {

struct Colours {
    std::array<std::string, label::kBucketCount> buckets;
    std::array<std::string, label::kPhaseCount> phases;
    std::vector<std::string> runs;
    std::string alarm;

    Colours()
    {
        const nlohmann::json json = nlohmann::json::parse(resources::colours());
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            buckets[i] = json.at("buckets").at(std::string(label::bucketId(label::bucketAt(i))));
        }
        for (std::size_t i = 0; i < phases.size(); ++i) {
            phases[i] =
                json.at("phases").at(std::string(label::phaseId(static_cast<label::Phase>(i))));
        }
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
    return colours().buckets[label::indexOf(bucket)];
}

std::string_view phaseColour(label::Phase phase)
{
    return colours().phases[static_cast<std::size_t>(phase)];
}

std::string_view runColour(std::size_t number)
{
    return colours().runs[number % colours().runs.size()];
}

std::string_view alarmColour()
{
    return colours().alarm;
}

} // namespace tidemark::report
