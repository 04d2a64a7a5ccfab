// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
//
// tidemark_bench_file OUT EVENTS: a synthetic snapshot for the whole-process figures.
#include "tests/bench/synthetic_pickle.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <string>

int main(int argc, char** argv)
{
    tidemark::bench::SyntheticRun run;
    const std::string count = argc == 3 ? argv[2] : "";
    const auto [end, problem] =
        std::from_chars(count.data(), count.data() + count.size(), run.events);
    if (argc != 3 || problem != std::errc() || end != count.data() + count.size()) {
        fmt::print(stderr, "usage: tidemark_bench_file OUT EVENTS\n");
        return 2;
    }
    std::ofstream file(argv[1], std::ios::binary);
    const auto events = tidemark::bench::writeSyntheticPickle(run, [&](std::string_view piece) {
        file.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    });
    file.close();
    if (!file) {
        fmt::print(stderr, "tidemark_bench_file: {} cannot be written\n", argv[1]);
        return 1;
    }
    fmt::print("{} events\n", events);
    return 0;
}
