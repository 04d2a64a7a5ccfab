// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/pickle_scanner.h"
#include "tests/fuzz/fuzz_input.h"

using namespace tidemark;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
    NoProgress progress;
    const Result<reader::PickleScan> scan = reader::scanPickle(bytes, {}, progress, {});
    if (scan.has_value()) {
        // What the scan promises to those that read after it.
        const reader::PickleScan& found = scan.value();
        if (found.stop_offset >= size || bytes[found.stop_offset] != std::byte{'.'}
            || found.memo_count > size || found.value_count > size) {
            std::abort();
        }
    } else if (!scan.error().where || *scan.error().where > size) {
        std::abort();
    }
    fuzz::readWhole(bytes);
    return 0;
}
