// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/config/run_config.h"
#include "core/message/texts.h"
#include "tests/fuzz/fuzz_input.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

namespace {

bool isFix(std::string_view id)
{
    return std::ranges::any_of(tidemark::diagnose::fixTexts(),
                               [&](const auto& text) { return text.id == id; });
}

} // namespace

/// Any text is refused with one sentence or read: then with sizes above 0, with fixes of the
/// ladder, each once and with the setting that has it on, and the same every time.
int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    using namespace tidemark::config;
    const std::string text(data, data + size);
    const auto read = readRunConfig(text);
    if (!read.has_value()) {
        if (read.error().message.empty()) {
            std::abort();
        }
        return 0;
    }
    const RunConfig& config = read.value();
    for (const auto& number : {config.micro_batch, config.accumulation, config.ranks,
                               config.global_batch, config.sequence, config.effectiveBatch()}) {
        if (number && *number < 1) {
            std::abort();
        }
    }
    const ShardingSizes& sizes = config.sharding;
    for (const auto& count : {sizes.reduce, sizes.gather, sizes.live, sizes.persistent}) {
        if (count && *count < 0) {
            std::abort();
        }
    }
    const int stage = config.zero_stage.value_or(0);
    std::set<std::string_view> seen;
    for (const SwitchedOn& one : config.on) {
        if (!isFix(one.fix) || one.by.empty() || !seen.insert(one.fix).second) {
            std::abort();
        }
    }
    const auto again = readRunConfig(text);
    if (stage < 0 || stage > 3 || config.form.empty() || !again.has_value()
        || again.value().read != config.read || again.value().unread != config.unread) {
        std::abort();
    }
    return 0;
}
