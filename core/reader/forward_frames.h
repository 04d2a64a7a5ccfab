// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/reader/list_cache.h"
#include "core/reader/tree_access.h"

#include <map>
#include <vector>

namespace tidemark::reader {

/// The lists `forward_frames`, of the lines of a traceback → one text each, the lines joined as
/// they are. Most lists of a file say the same: each text is made once.
class ForwardFrames {
public:
    ForwardFrames(TreeAccess& access, StringPool& strings)
        : m_access(access)
        , m_strings(strings)
    {
    }

    /// None for an empty list. O(lines).
    StringId decode(ValueTree::Node list, Place place);

private:
    StringId join(const std::vector<StringId>& lines);

    TreeAccess& m_access;
    StringPool& m_strings;
    ListCache<StringId> m_known;
    std::map<std::vector<StringId>, StringId> m_texts;
};

} // namespace tidemark::reader
