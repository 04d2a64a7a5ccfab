// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/ascii.h"
#include "core/config/setting_handlers.h"

#include <charconv>
#include <cmath>

namespace tidemark::config {
namespace {

/// "5e8", "500000000"; nothing for "auto" and what is no count.
std::optional<std::int64_t> elementCount(std::string_view text)
{
    static constexpr double kMost = 1e15;
    double count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (!is_number || !(count >= 0) || count > kMost) {
        return std::nullopt;
    }
    return std::llround(count);
}

} // namespace

void shardingSize(const Setting& setting, ConfigBuilder& builder)
{
    const std::string_view path = setting.path;
    ShardingSizes& sizes = builder.config.sharding;
    if (path.ends_with("overlap_comm")) {
        if (isTrue(setting.value) || isFalse(setting.value)) {
            sizes.overlaps = isTrue(setting.value);
        }
        return;
    }
    if (path.ends_with("reduce_dtype")) {
        builder.config.reduces_in_fp32 = lowered(setting.value).ends_with("32");
        return;
    }
    const auto count = elementCount(setting.value);
    if (!count) {
        return;
    }
    if (path.ends_with("allgather_bucket_size")) {
        sizes.gather = count;
    } else if (path.ends_with("reduce_bucket_size")) {
        sizes.reduce = count;
    } else if (path.ends_with("max_live_parameters")) {
        sizes.live = count;
    } else {
        sizes.persistent = count;
    }
}

} // namespace tidemark::config
