// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace tidemark::exports {

/// Compressed as gzip does. Errors: cannotWrite.
Result<std::string> gzipped(std::string_view bytes);

} // namespace tidemark::exports
