// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/fuzz/fuzz_input.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// About so many beginnings of each file are tried.
constexpr std::size_t kBeginnings = 40;

// Runs a fuzz target over each file of a folder, and over beginnings of it.
int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("usage: tidemark_replay_NAME FOLDER\n", stderr);
        return 2;
    }
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
        std::ifstream stream(entry.path(), std::ios::binary);
        const std::string content{std::istreambuf_iterator<char>(stream), {}};
        const std::size_t step = content.size() / kBeginnings + 1;
        for (std::size_t size = content.size() % step; size <= content.size(); size += step) {
            // A copy of exactly this size, so that a sanitizer sees each byte read behind it.
            const std::string part = content.substr(0, size);
            LLVMFuzzerTestOneInput(reinterpret_cast<const unsigned char*>(part.data()),
                                   part.size());
        }
        ++files;
    }
    std::printf("%d files and beginnings of them\n", files);
    return files > 0 ? 0 : 1;
}
