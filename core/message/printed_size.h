// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// What "GB" counts.
enum class UnitReading : std::uint8_t {
    binary, ///< 2^30: PyTorch's own texts, whatever they call it.
    decimal, ///< 10^9: nvidia-smi never prints it, training frameworks do.
};

/// A printed size inside squeezed text. Rounded to nearest by whoever printed it, so that the true
/// amount lies from `low` to `high`.
struct PrintedSize {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::optional<Bytes> bytes; ///< Unset for 2^64 − 1 bytes, the sign of "not available".
    Bytes low;
    Bytes high;
    bool is_decimal_unit = false; ///< Written as KB, MB, GB or TB.
};

/// Reads "5.27gib" at `at`. Nullopt if no number with a unit begins there.
std::optional<PrintedSize> sizeAt(std::string_view squeezed_text, std::size_t at,
                                  UnitReading reading = UnitReading::binary);

/// All sizes of a text, in order.
std::vector<PrintedSize> sizesIn(std::string_view squeezed_text,
                                 UnitReading reading = UnitReading::binary);

/// The number right behind `word`, at its first place that has one.
std::optional<std::int64_t> numberAfter(std::string_view text, std::string_view word);

/// A number without unit, counted in `unit` bytes ("179.78" of "max_allocated_gb: 179.78").
std::optional<PrintedSize> numberOf(std::string_view text, std::size_t at, double unit);

} // namespace tidemark::diagnose
