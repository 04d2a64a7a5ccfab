// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <string>

namespace tidemark {

/// Notes a file that a signal would leave behind, see `removeUnfinishedFilesOnSignals`; for
/// NewFile. O(1). The slot to forget it by, −1 where all are taken.
int noteUnfinishedFile(const std::string& path);
/// Does nothing for −1.
void forgetUnfinishedFile(int slot);

} // namespace tidemark
