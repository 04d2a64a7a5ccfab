// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/reader/input_bytes.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::reader {

/// A file inside an HTML page.
struct PageFile {
    std::string name;
    std::string_view base64; ///< Still encoded; a view into the page.
    std::uint64_t offset = 0; ///< Of the encoded bytes in the page.
};

/// The files in a page that torch's _memory_viz.py made (trace_plot, segment_plot, profile_plot):
/// its script holds one JSON list of objects with `name` and `base64`. Empty when there is no such
/// list. O(size). Source: torch/cuda/_memory_viz.py, `_format_viz`.
std::vector<PageFile> findPageFiles(std::string_view page);

/// The decoded bytes; white space is skipped. Errors: damaged with the offset in the page,
/// outOfMemory.
Result<InputBytes> decodeBase64(const PageFile& file);

} // namespace tidemark::reader
