// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/received.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/base/units.h"

#include <algorithm>

namespace tidemark::remote {
namespace {

Bytes bytesOf(std::uint64_t count)
{
    return {static_cast<std::int64_t>(count)};
}

} // namespace

double Received::share() const
{
    return size == 0 ? 0 : std::min(1.0, static_cast<double>(holds) / static_cast<double>(size));
}

std::string receivedWords(const Received& received)
{
    if (received.size == 0) {
        return say("{} received", bytesOf(received.bytes));
    }
    if (!received.is_packed) {
        return say("{} of {} received", Bare{bytesOf(received.holds)}, bytesOf(received.size));
    }
    if (received.holds == 0) {
        return say("{} received, packed, of a file of {}", bytesOf(received.bytes),
                   bytesOf(received.size));
    }
    return say("{} received, packed: {} of {}", bytesOf(received.bytes),
               formatPercent(received.share()), bytesOf(received.size));
}

} // namespace tidemark::remote
