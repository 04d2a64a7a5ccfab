// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/fuzz/fuzz_input.h"

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    tidemark::fuzz::readWhole(std::as_bytes(std::span(data, size)));
    return 0;
}
