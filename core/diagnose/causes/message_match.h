// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/message/oom_message.h"

#include <optional>
#include <string>

namespace tidemark::diagnose {

/// What a file tells that a message can be held against, of one device.
struct MessageKeys {
    std::int32_t device = 0; ///< As the process numbers its cards.
    std::optional<std::int64_t> rank;
    std::optional<Bytes> total; ///< Of the card.
    // Of the last OOM event; unset without one.
    std::optional<Bytes> free; ///< What the driver had: it told both.
    std::optional<Bytes> tried;
    std::optional<Bytes> reserved;
};
MessageKeys messageKeysOf(const Analysis& analysis, std::size_t device);

/// Why a message cannot be of this card or process: another GPU's number, another rank, a card of
/// another size. "it names GPU 3, and this is device 0"; empty where nothing speaks against it.
std::string whyOfAnotherCard(const OomMessage& message, const MessageKeys& keys);
/// Why it cannot be of the OOM event: what was free, asked for or reserved differs by more than the
/// printed digits leave open. Empty without an event, or where nothing speaks against it.
std::string whyOfAnotherMoment(const OomMessage& message, const MessageKeys& keys);

/// Of all messages in the user's text (or in the capture's) the one that is of the event; the last
/// or fullest where none or several are. Nullopt without any. O(text).
std::optional<OomMessage> messageFor(const Analysis& analysis, const MessageKeys& keys);

} // namespace tidemark::diagnose
