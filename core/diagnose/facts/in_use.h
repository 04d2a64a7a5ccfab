// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// A fix that the frames show in use, from resources/rules/in_use.json.
struct InUse {
    std::string fix; ///< Its id in resources/fixes.json.
    std::string says; ///< One sentence for the reader.
    bool is_partly = false; ///< Somewhere; memory that it would free may be there all the same.
};

/// Every fix that a frame of the snapshot shows, once each, in the order of the file. O(names +
/// filenames + frames).
std::vector<InUse> fixesInUse(const trace::Snapshot& snapshot);
/// The one of that id; null: not seen.
const InUse* useOf(const std::vector<InUse>& in_use, std::string_view fix);

} // namespace tidemark::diagnose
