// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/log_window.h"
#include "core/message/oom_message.h"

#include <optional>
#include <span>
#include <string_view>

namespace tidemark::diagnose {

/// Words at which an out-of-memory message with figures is found, squeezed.
std::span<const std::string_view> messageAnchors();
/// Words of errors without figures: the driver's, a library's, or a message that was cut off.
std::span<const std::string_view> bareAnchors();
/// Whether a sentence says that there was none of what begins at a place: "No CUDA out of memory
/// errors", "it trained without any"; but not "how to train without". O(its sentence).
bool isDeniedAt(std::string_view text, std::size_t place);
/// The same of one of `bareAnchors`, which is squeezed, by its end in the text.
bool isDeniedAnchor(std::string_view text, std::size_t end, std::string_view anchor);

/// Words beside a figure, and which one they say that it is.
struct Wording {
    std::string_view words;
    std::optional<Bytes> OomMessage::*field;
    std::string_view name;
};

/// The message at the window's anchor, which stands right behind one of `messageAnchors`.
/// Nullopt if the words were about something else.
std::optional<OomMessage> readMessage(const Window& window);

/// Words of sentences about a card that stand without what was asked for, squeezed.
std::span<const std::string_view> cardAnchors();

/// Figures of a card, as people retype them or as a message that lost its beginning has them.
struct CardStatement {
    OomMessage figures; ///< `tried` where the words ask for something, too.
    bool is_pytorchs = false; ///< In the words of PyTorch's own message.
};
/// The statement whose words, one of `cardAnchors`, end at `place`, an offset into `log`. Nullopt
/// if it says too little about a card. O(its surroundings).
std::optional<CardStatement> readCardStatement(std::string_view log, std::size_t place);

/// All figures of a text that is short enough to be typed by hand: lists and tables, in any order.
/// O(text).
std::optional<CardStatement> readTypedStatement(std::string_view text);

/// The figures of a squeezed text, whatever it is. O(text).
OomMessage readFigures(std::string_view squeezed_text);

/// Takes over the figures that `message` has none of. A statement about another card adds nothing.
void addStatement(const CardStatement& statement, OomMessage& message);

/// The error without figures that `anchor`, one of `bareAnchors`, is part of.
OomMessage bareMessage(std::string_view anchor);

} // namespace tidemark::diagnose
