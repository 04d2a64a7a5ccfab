// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/config/setting_handlers.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::config {
void zeroStage(const Setting& s, ConfigBuilder& g)
{
    if (s.value == "0") {
        g.config.zero_stage = 0;
    } else if (const auto stage = wholeNumber(s.value)) {
        g.shard(std::min(3, *stage), s);
    }
}
void deepspeedName(const Setting& s, ConfigBuilder& g)
{
    const std::string value = lowered(s.value);
    const std::string_view name = std::string_view(value).substr(value.rfind('/') + 1);
    for (int stage = 1; stage <= 3; ++stage) {
        for (const char* words : {"zero{}", "zero_{}", "zero-{}", "stage{}", "stage_{}", "_z{}"}) {
            if (has(name, fmt::format(fmt::runtime(words), stage))) {
                g.named_stage = stage;
                g.named_by = s;
            }
        }
    }
}
void fsdpWords(const Setting& s, ConfigBuilder& g)
{
    const std::string value = lowered(s.value);
    if (has(value, "no_shard") || value == "3") {
        g.config.zero_stage = 0;
    } else if (has(value, "hybrid_shard") || value == "4" || value == "5") {
        // Within a node like the others; every node has a copy of its own.
        g.shard(has(value, "zero2") || value == "5" ? 2 : 3, s);
        g.config.sharding_words =
            say("in each node only, with a whole copy per node (HYBRID_SHARD)");
    } else if (has(value, "shard_grad_op") || value == "2") {
        g.shard(2, s);
    } else if (has(value, "full_shard") || value == "1") {
        g.shard(3, s);
    }
    if (has(value, "offload")) {
        g.switchOn("offload-parameters", s);
        g.switchOn("offload-optimizer", s);
    }
}
void reshards(const Setting& s, ConfigBuilder& g)
{
    static constexpr int kMostNumbered = 5; // of FSDP1's strategies
    const std::string value = lowered(s.value);
    if (isTrue(value) || isFalse(value) || value == "always" || value == "never") {
        g.reshards = isTrue(value) || value == "always";
        g.reshards_by = s;
    } else if (wholeNumber(value).value_or(0) > kMostNumbered) {
        g.reshards = true;
        g.reshards_by = s;
        g.config.sharding_words =
            say("after forward over {} GPUs only (reshard_after_forward)", s.value);
    } else {
        fsdpWords(s, g);
    }
}
void strategy(const Setting& s, ConfigBuilder& g)
{
    const std::string value = lowered(s.value);
    for (int stage = 1; stage <= 3; ++stage) {
        if (has(value, fmt::format("deepspeed_stage_{}", stage))) {
            g.shard(stage, s);
        }
    }
    if (value.starts_with("fsdp")) {
        g.sharded_by = s;
    }
    if (has(value, "offload")) {
        g.switchOn("offload-optimizer", s);
        if (has(value, "stage_3")) {
            g.switchOn("offload-parameters", s);
        }
    }
}
void distributedOptimizer(const Setting& s, ConfigBuilder& g)
{
    if (isTrue(s.value)) {
        g.shard(1, s);
    }
}
void shardsByDefault(const Setting& s, ConfigBuilder& g)
{
    if (isTrue(s.value)) {
        g.sharded_by = s;
    }
}

void ConfigBuilder::closeSharding()
{
    if (sharded_by && !config.zero_stage) {
        shard(3, *sharded_by);
    }
    if (named_stage && !config.zero_stage) {
        shard(*named_stage, named_by);
        if (has(lowered(named_by.value), "offload")) {
            switchOn("offload-optimizer", named_by);
            if (*named_stage == 3) {
                switchOn("offload-parameters", named_by);
            }
        }
    }
    if (reshards) {
        std::erase_if(config.on, [](const SwitchedOn& one) { return one.fix == "zero-3"; });
        config.zero_stage.reset();
        shard(*reshards ? 3 : 2, reshards_by);
    }
}

} // namespace tidemark::config
