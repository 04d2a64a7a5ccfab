// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/json_depth.h"
#include "core/base/language.h"
#include "core/check/budget.h"
#include "core/plan/capacity_text.h"
#include "core/report/json.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::check {
namespace {

using report::Json;

constexpr int kBudgetsVersion = 1;
constexpr std::size_t kMostBudgets = 1000;
constexpr std::array kLimitKeys{std::pair("peak", Measure::peak),
                                std::pair("reserved", Measure::reserved),
                                std::pair("growth_per_step", Measure::growth)};

Error budgetError(const std::string& sentence)
{
    return {ErrorCode::badArgument, say("Unusable budgets: {}", sentence), {}};
}

/// A whole number of bytes, or a text such as "20 GiB".
Result<std::int64_t> bytesIn(const Json& value, const std::string& key)
{
    if (value.is_number_integer() && value >= 0) {
        return value.get<std::int64_t>();
    }
    if (value.is_string()) {
        const Result<Bytes> given = plan::parseBytes(value.get<std::string>());
        if (given.has_value()) {
            return given.value().value;
        }
        return budgetError(fmt::format("{}: {}", key, given.error().message));
    }
    return budgetError(say("{} is a text such as \"20 GiB\", or bytes", key));
}

/// The device, the bucket and the name of an entry; its limits are left.
Result<Budget> selectionIn(const Json& entry)
{
    Budget budget;
    if (entry.contains("name")) {
        if (!entry["name"].is_string()) {
            return budgetError(say("name is a text"));
        }
        budget.name = entry["name"].get<std::string>();
    }
    if (entry.contains("device")) {
        const Json& device = entry["device"];
        const bool is_index = device.is_number_integer() && device >= 0 && device < INT32_MAX;
        if (!is_index && device != "host") {
            return budgetError(say("device is a CUDA index or \"host\""));
        }
        budget.device = is_index ? device.get<std::int32_t>() : -1;
    }
    if (entry.contains("bucket")) {
        budget.bucket = entry["bucket"].is_string()
            ? label::bucketFromId(entry["bucket"].get<std::string>())
            : std::nullopt;
        if (!budget.bucket) {
            return budgetError(
                say("bucket is one of {}", fmt::format("{}", fmt::join(label::bucketIds(), ", "))));
        }
    }
    return budget;
}

Result<Done> addLimits(const Json& entry, const Budget& selection, std::vector<Budget>& budgets)
{
    const std::size_t before = budgets.size();
    const auto add = [&](Measure measure, std::int64_t limit) {
        budgets.push_back(selection);
        budgets.back().measure = measure;
        budgets.back().limit = limit;
    };
    for (const auto& [key, value] : entry.items()) {
        if (key == "name" || key == "device" || key == "bucket") {
            continue;
        }
        const std::string& wanted = key; // clang 14 captures no structured binding.
        const auto* const known =
            std::find_if(kLimitKeys.begin(), kLimitKeys.end(),
                         [&wanted](const auto& row) { return row.first == wanted; });
        if (selection.bucket && key != "peak") {
            return budgetError(say("a bucket has a peak, no {}", key));
        }
        if (known != kLimitKeys.end()) {
            const Result<std::int64_t> bytes = bytesIn(value, key);
            if (!bytes.has_value()) {
                return bytes.error();
            }
            add(known->second, bytes.value());
        } else if (key == "fragmentation" && value.is_number() && value >= 0 && value <= 1) {
            add(Measure::fragmentation,
                std::llround(value.get<double>() * static_cast<double>(kFragmentationUnit)));
        } else if (key == "fragmentation") {
            return budgetError(say("fragmentation is a share from 0 to 1"));
        } else if (key == "no_oom" && value == true) {
            add(Measure::ooms, 0);
        } else if (key != "no_oom" || value != false) {
            return budgetError(say(
                "there is no {}; a budget has peak, reserved, growth_per_step, fragmentation or "
                "no_oom, for a device or a bucket, and a name",
                key));
        }
    }
    return budgets.size() > before ? Result<Done>(Done{})
                                   : Result<Done>(budgetError(say("an entry has no limit")));
}

} // namespace

Result<std::vector<Budget>> readBudgets(std::string_view json)
{
    Json file;
    try {
        file = Json::parse(json, limitJsonDepth);
    } catch (const std::exception&) {
        return budgetError(say("this is no JSON"));
    }
    if (!file.is_object() || !file.contains("tidemark_budgets")
        || file["tidemark_budgets"] != kBudgetsVersion || !file.contains("budgets")
        || !file["budgets"].is_array()) {
        return budgetError(say("they begin with {}",
                               R"({"tidemark_budgets": 1, "budgets": [{"peak": "20 GiB"}]})"));
    }
    std::vector<Budget> budgets;
    for (const Json& entry : file["budgets"]) {
        if (!entry.is_object()) {
            return budgetError(say("an entry has no limit"));
        }
        const Result<Budget> selection = selectionIn(entry);
        if (!selection.has_value()) {
            return selection.error();
        }
        if (const auto added = addLimits(entry, selection.value(), budgets); !added.has_value()) {
            return added.error();
        }
        if (budgets.size() > kMostBudgets) {
            return budgetError(say("there are more than {}", kMostBudgets));
        }
    }
    if (budgets.empty()) {
        return budgetError(say("there are none"));
    }
    return budgets;
}

} // namespace tidemark::check
