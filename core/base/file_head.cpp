// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/file_head.h"

#include <algorithm>
#include <fstream>

namespace tidemark {

std::string fileHead(const std::filesystem::path& file, std::size_t size)
{
    std::string head(size, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(head.data(), static_cast<std::streamsize>(size));
    head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return head;
}

} // namespace tidemark
