// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/config/run_config.h"

#include "core/base/language.h"
#include "core/config/setting_handlers.h"

#include <algorithm>
#include <limits>

namespace tidemark::config {
namespace {

/// What follows from several settings: ranks from processes and nodes, or from the whole batch;
/// accumulation from the whole batch; the stage from what is done after forward.
void workOut(ConfigBuilder& g)
{
    RunConfig& config = g.config;
    g.closeSharding();
    if (!config.sequence && g.prompt && g.response) {
        const std::int64_t tokens = std::int64_t{*g.prompt} + *g.response;
        config.sequence = static_cast<int>(std::min<std::int64_t>(tokens, 1'000'000'000));
    }
    if (config.global_batch && g.samples_per_prompt > 1) {
        const std::int64_t samples = std::int64_t{*config.global_batch} * g.samples_per_prompt;
        config.global_batch = static_cast<int>(std::min<std::int64_t>(samples, 1'000'000'000));
    }
    if (g.processes) {
        const std::int64_t all =
            std::int64_t{*g.processes} * (g.counts_all ? 1 : g.nodes.value_or(1));
        config.ranks = static_cast<int>(
            std::clamp<std::int64_t>(all / std::max(1, g.shared_model), 1, 1'000'000));
    }
    const std::int64_t of_one =
        std::int64_t{config.micro_batch.value_or(0)} * config.accumulation.value_or(0);
    if (!g.processes && config.global_batch && of_one > 0 && *config.global_batch % of_one == 0) {
        config.ranks = static_cast<int>(*config.global_batch / of_one);
    }
    const std::int64_t at_once =
        std::int64_t{config.micro_batch.value_or(0)} * config.ranks.value_or(1);
    // Megatron accumulates by the whole batch whatever its trainer was told: "accumulate 1".
    const bool may_follow = !config.accumulation
        || (config.ranks && *config.accumulation == 1 && config.global_batch > at_once);
    const bool follows =
        config.global_batch && may_follow && at_once > 0 && *config.global_batch % at_once == 0;
    if (follows) {
        config.accumulation = static_cast<int>(*config.global_batch / at_once);
    }
}

} // namespace

std::optional<int> RunConfig::effectiveBatch() const
{
    if (!micro_batch) {
        return global_batch;
    }
    const std::int64_t product =
        std::int64_t{*micro_batch} * accumulation.value_or(1) * std::max(1, ranks.value_or(1));
    if (product > std::numeric_limits<int>::max()) {
        return std::nullopt;
    }
    return static_cast<int>(product);
}

std::string_view RunConfig::whatHasOn(std::string_view fix) const
{
    const auto found = std::ranges::find(on, fix, &SwitchedOn::fix);
    return found == on.end() ? std::string_view{} : std::string_view(found->by);
}

Result<RunConfig> readRunConfig(std::string_view text)
{
    const std::string one(text);
    return readRunConfigs(std::span(&one, 1));
}

Result<RunConfig> readRunConfigs(std::span<const std::string> texts)
{
    std::vector<Setting> all;
    std::string forms;
    for (const std::string& text : texts) {
        auto settings = readSettings(text);
        if (!settings.has_value()) {
            return settings.error();
        }
        std::vector<Setting>& later = settings.value().all;
        std::erase_if(all, [&](const Setting& earlier) {
            return std::ranges::any_of(later, [&](const Setting& setting) {
                return settingName(setting.path) == settingName(earlier.path);
            });
        });
        all.insert(all.end(), later.begin(), later.end());
        forms += (forms.empty() ? "" : " + ") + settings.value().form;
    }
    ConfigBuilder builder;
    bool says_something = false;
    for (const Setting& setting : all) {
        if (understand(setting, builder)) {
            says_something = says_something || setting.path != "launcher";
            builder.config.read.emplace_back(setting.path, setting.value);
        } else if (std::ranges::find(builder.config.unread, setting.path)
                   == builder.config.unread.end()) {
            builder.config.unread.push_back(setting.path);
        }
    }
    if (!says_something) {
        return Error{ErrorCode::badArgument,
                     say("The configuration has no known setting; give the one with batch size, "
                         "precision, sharding or optimizer."),
                     {}};
    }
    workOut(builder);
    builder.config.form = forms;
    return std::move(builder.config);
}

} // namespace tidemark::config
