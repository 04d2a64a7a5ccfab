// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <string_view>

namespace tidemark::diagnose {

/// Whether each batch size of training that the text has is 1: "--batch_size 1", "batch size is
/// already 1". Not of evaluation. `words` are squeezed. O(words).
bool hasOneSample(std::string_view words);

} // namespace tidemark::diagnose
