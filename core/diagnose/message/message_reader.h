// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/message/log_window.h"
#include "core/diagnose/oom_message.h"

#include <optional>
#include <span>
#include <string_view>

namespace tidemark::diagnose {

/// Words at which an out-of-memory message with figures is found, squeezed.
std::span<const std::string_view> messageAnchors();
/// Words of errors without figures: the driver's, a library's, or a message that was cut off.
std::span<const std::string_view> bareAnchors();

/// The message at the window's anchor, which stands right behind one of `messageAnchors`.
/// Nullopt if the words were about something else.
std::optional<OomMessage> readMessage(const Window& window);

/// The error without figures that `anchor`, one of `bareAnchors`, is part of.
OomMessage bareMessage(std::string_view anchor);

} // namespace tidemark::diagnose
