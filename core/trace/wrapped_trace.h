// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <span>

namespace tidemark::trace {

/// Where torch's ring buffer was made larger after it had wrapped round, the dump begins in its
/// middle: times then run backwards at exactly one place, and the last event is no later than the
/// first. Puts the events into the order in which they happened, with the numbers in `fields` (all
/// of the file's) that name events of device `index`. Returns how many events were moved from the
/// front to the end; 0, with nothing done, for any other trace. O(events).
std::size_t unwrapTrace(Events& events, std::int32_t index, std::span<OtherField> fields);

} // namespace tidemark::trace
