// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/received.h"

#include "core/base/format.h"
#include "core/base/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::remote {
namespace {

std::string bytesText(std::uint64_t count)
{
    return formatBytes(Bytes{static_cast<std::int64_t>(count)});
}

} // namespace

double Received::share() const
{
    return size == 0 ? 0 : std::min(1.0, static_cast<double>(holds) / static_cast<double>(size));
}

std::string receivedWords(const Received& received)
{
    if (received.size == 0) {
        return bytesText(received.bytes) + " received";
    }
    if (!received.is_packed) {
        return fmt::format("{} of {} received", bytesText(received.holds),
                           bytesText(received.size));
    }
    if (received.holds == 0) {
        return fmt::format("{} received, packed, of a file of {}", bytesText(received.bytes),
                           bytesText(received.size));
    }
    return fmt::format("{} received, packed: {} of {}", bytesText(received.bytes),
                       formatPercent(received.share()), bytesText(received.size));
}

} // namespace tidemark::remote
