// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/base/units.h"

#include <string>
#include <string_view>

namespace tidemark::plan {

/// What a person says that a process can get, for the window and the command line alike:
/// "23.65 GiB", "80GB" and "1,5g" (of 1024 as well), "24" (GiB, up to 512), "25394806784" (bytes,
/// from 1 MiB on) or the name of a card, however it is written (`findCard`). Errors: badArgument,
/// a sentence with the text in it, which is not escaped.
Result<Bytes> parseCapacity(std::string_view text);

/// The known cards whose names begin like this, with commas between them; all where none does.
std::string cardsLike(std::string_view text);

} // namespace tidemark::plan
