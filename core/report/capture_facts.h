// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/capture.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::report {

/// What the capture module says about a run, as names and values for people: program, rank, device,
/// what it marked, its own time, its warnings. O(moments).
std::vector<std::pair<std::string, std::string>> captureFacts(const trace::Capture& capture);

/// The module itself: a Python file for the training side.
std::string_view captureModule();

} // namespace tidemark::report
