// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <string>
#include <string_view>

namespace tidemark::report {

/// The oldest torch that writes all the fields of this file, "2.12"; empty where each does. Other
/// backends (torch_npu, XPU) follow later, so it is a lower bound. O(1).
/// Source: the pull requests that added the fields; a snapshot does not name its version.
std::string_view oldestTorch(const trace::Snapshot& snapshot);

/// For people: "torch 2.13.0" where the capture module said it, else "torch 2.12 or newer, judging
/// by the file's fields".
std::string torchText(const trace::Snapshot& snapshot);

} // namespace tidemark::report
