// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/corrections_json.h"
#include "tests/fuzz/fuzz_input.h"

#include <cstdlib>
#include <string>

/// Any text is refused or read; what is read is written so that it can be read again, to the same.
int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    using namespace tidemark::label;
    const std::string text(data, data + size);
    const auto rules = parseCorrections(text);
    if (rules.has_value()) {
        const auto again = parseCorrections(correctionsText(rules.value()));
        if (!again.has_value() || again.value() != rules.value()) {
            std::abort();
        }
    }
    return 0;
}
