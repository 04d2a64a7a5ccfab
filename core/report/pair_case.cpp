// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/pair_case.h"

#include "core/report/json.h"

#include <nlohmann/json.hpp>

namespace tidemark::report {
namespace {

/// As people would write it; the whole path where no way leads there.
std::string pathFrom(const std::filesystem::path& file, const std::filesystem::path& folder)
{
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(file, error);
    const std::filesystem::path near = absolute.lexically_relative(folder);
    return near.empty() ? absolute.string() : near.string();
}

} // namespace

std::string pairCase(const diagnose::Analysis& a, const diagnose::Analysis& b,
                     const compare::Difference& difference, const std::filesystem::path& folder)
{
    std::vector<diagnose::Change> apply;
    Json changes = Json::array();
    for (const compare::RunChange& change : difference.parts.changes) {
        if (change.apply) {
            apply.push_back(*change.apply);
        }
        changes.push_back({{"what", compare::idOf(change.of)},
                           {"ratio", change.ratio ? Json(*change.ratio) : Json()},
                           {"from", change.from},
                           {"to", change.to},
                           {"explains_bytes", change.explains.value}});
    }
    const Json root{{"a", pathFrom(a.file, folder)},
                    {"b", pathFrom(b.file, folder)},
                    {"apply", diagnose::changesText(apply)},
                    {"peak_requested_before", difference.headline.peak_a.value},
                    {"peak_requested_after", difference.headline.peak_b.value},
                    {"changes", changes},
                    {"unexplained_bytes", difference.parts.unexplained.value}};
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tidemark::report
