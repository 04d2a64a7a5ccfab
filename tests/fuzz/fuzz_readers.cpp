// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/same_snapshot.h"

#include <cstdio>

using namespace tidemark;

namespace {

/// Whether the whole file was read: what was cut off is shown by the native reader alone.
bool isWhole(const Result<trace::Snapshot>& result)
{
    return result.has_value() && result.value().notes.find("cut-off") == nullptr;
}

} // namespace

/// What both readers take is the same to both, and what is refused by one is not read by the other.
int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
    const auto native = fuzz::readBy(reader::ReaderChoice::native, bytes);
    const auto cpython = fuzz::readBy(reader::ReaderChoice::cpython, bytes);
    if (isWhole(native) && cpython.has_value()) {
        if (const auto difference = test::firstDifference(native.value(), cpython.value())) {
            std::fprintf(stderr, "native and cpython differ: %s\n", difference->c_str());
            std::abort();
        }
    }
    if (native.has_value() && !cpython.has_value() && cpython.error().code == ErrorCode::refused) {
        std::fprintf(stderr, "native reads what asks for code to be run: %s\n",
                     cpython.error().message.c_str());
        std::abort();
    }
    return 0;
}
