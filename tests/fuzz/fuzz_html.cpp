// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/content_kind.h"
#include "core/reader/html_page.h"
#include "tests/fuzz/fuzz_input.h"

using namespace tidemark;

int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view page(reinterpret_cast<const char*>(data), size);
    for (const reader::PageFile& file : reader::findPageFiles(page)) {
        if (file.offset > size || file.base64.size() > size - file.offset) {
            std::abort();
        }
        const Result<reader::InputBytes> decoded = reader::decodeBase64(file);
        if (decoded.has_value()) {
            static_cast<void>(reader::contentKind(decoded.value().bytes()));
        }
    }
    static_cast<void>(reader::contentKind(std::as_bytes(std::span(data, size))));
    fuzz::readWhole(std::as_bytes(std::span(data, size)));
    return 0;
}
