// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/reader/limits.h"

#include <stop_token>
#include <string>

namespace tidemark::reader {

/// The text of a log whose bytes may be packed (`isPackedKind`), up to three levels deep; of an
/// archive all its files, one after another. UTF-16 becomes UTF-8. O(unpacked), which is
/// `Limits::logBytes` at most, all levels together. A packed log that ends too early gives what
/// came before. Errors: badArgument for a snapshot, a checkpoint or other bytes that are no text;
/// tooLarge, cancelled, and those of ArchiveSource where nothing came out.
Result<std::string> logText(std::string bytes, const Limits& limits = {},
                            const std::stop_token& stop = {});

} // namespace tidemark::reader
