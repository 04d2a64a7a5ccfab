// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/label/bucket.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::check {

/// What of a device has a limit.
enum class Measure : std::uint8_t {
    peak, ///< Bytes; with a bucket: the most that bucket ever took.
    reserved, ///< Bytes.
    growth, ///< Bytes per step that stay allocated.
    fragmentation, ///< Millionths of reserved memory, where that is largest.
    ooms, ///< OOM events.
};
inline constexpr std::int64_t kFragmentationUnit = 1'000'000;

/// "peak", "reserved", "growth_per_step", "fragmentation", "ooms".
std::string_view measureId(Measure measure);
constexpr bool isBytes(Measure measure)
{
    return measure == Measure::peak || measure == Measure::reserved || measure == Measure::growth;
}

/// A limit that a run may reach but not exceed.
struct Budget {
    Measure measure = Measure::peak;
    std::int64_t limit = 0; ///< In the measure's unit.
    std::optional<std::int32_t> device; ///< Unset: each; −1: host memory.
    std::optional<label::Bucket> bucket; ///< Of `Measure::peak`.
    std::string name; ///< Given by a person; empty: from what it limits.
    bool is_learnt = false; ///< From baselines: a device without the measure passes.
    friend bool operator==(const Budget&, const Budget&) = default;
};

/// "GPU 0", "host memory".
std::string deviceWords(std::int32_t device);
/// "peak of GPU 0", "peak of activations on GPU 0", or the budget's own name with the device.
std::string budgetName(const Budget& budget, std::int32_t device);
/// "20.0 GiB", "12 %", "1".
std::string amountText(Measure measure, std::int64_t amount);

/// A text of JSON (docs/check.md). Errors: badArgument with what is wrong; an unknown key is.
Result<std::vector<Budget>> readBudgets(std::string_view json);

} // namespace tidemark::check
