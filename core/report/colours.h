// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/bucket.h"

#include <string>
#include <string_view>

namespace tidemark::report {

// The colours of HTML reports, as "#RRGGBB": those of the window.

std::string_view bucketColour(label::Bucket bucket);
std::string_view phaseColour(label::Phase phase);
/// Of the run with that letter, A being 0.
std::string_view runColour(std::size_t number);
/// For capacity and out-of-memory events, and for nothing else.
std::string_view alarmColour();
/// The same as the attributes of a text in an SVG: on a dark page it is lighter.
std::string alarmText();

} // namespace tidemark::report
