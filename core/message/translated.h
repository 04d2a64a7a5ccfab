// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/oom_message.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace tidemark::diagnose {

/// The word that stays in every language, squeezed.
inline constexpr std::string_view kTranslatedAnchor = "gpu";

/// A message of torch 1.0 to 2.0 whose words were translated, by a person or a browser: "(GPU 0;
/// 2,00 GiB insgesamt; 1,34 GiB bereits belegt; …)". Its figures keep their order, so the place of
/// each in the brackets tells what it is: total, allocated, free, reserved; the one before the
/// brackets was asked for. `place` is an offset into `log` right behind the anchor. Nullopt if
/// these are no such brackets, or the figures contradict that order. O(surroundings).
std::optional<OomMessage> readTranslatedMessage(std::string_view log, std::size_t place);

} // namespace tidemark::diagnose
