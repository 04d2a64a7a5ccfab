// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtTest/QTest>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::test {

/// tests/data (its README.md).
[[nodiscard]] std::filesystem::path ownData();

/// A snapshot of tests/data/modelled, by its name.
[[nodiscard]] std::filesystem::path modelledFile(std::string_view name);

/// All snapshots of tests/data/modelled, sorted by path.
[[nodiscard]] std::vector<std::filesystem::path> modelledFiles();

/// A snapshot's name without what says its kind.
[[nodiscard]] std::string bareName(const std::filesystem::path& snapshot);

/// What lies beside a snapshot, such as its ".truth.json"; it need not exist.
[[nodiscard]] std::filesystem::path beside(const std::filesystem::path& snapshot,
                                           std::string_view ending);

/// The folder with recordings of other people: the environment variable TIDEMARK_DATA_DIR, else
/// what CMake was told. It need not exist; only the tests data.* read it.
[[nodiscard]] std::filesystem::path othersData();

/// The snapshots there, sorted by path.
[[nodiscard]] std::vector<std::filesystem::path> othersFiles();

/// What a test of any recording reads, sorted by path: the modelled runs, those of today's
/// libraries and one rank of each job, or othersFiles() where TIDEMARK_RECORDINGS=others.
[[nodiscard]] std::vector<std::filesystem::path> recordings();

/// Whether a recording is of a private build of torch, whose keys and allocator are not known.
[[nodiscard]] bool isOfPrivateBuild(const std::filesystem::path& snapshot);

/// Of what is many and alike a test looks at one in so many: TIDEMARK_SAMPLE (environment), else 1.
[[nodiscard]] unsigned sample();

/// About one in sample() of them, drawn by their names: always the same ones.
[[nodiscard]] std::vector<std::filesystem::path> sampled(std::vector<std::filesystem::path> files);

/// Whether what is missing is a failure (environment TIDEMARK_REQUIRE_DATA=1).
[[nodiscard]] bool requiresData();

} // namespace tidemark::test

/// First statement of a test of other people's recordings: without them it is skipped with a
/// message, or fails where TIDEMARK_REQUIRE_DATA=1.
#define TIDEMARK_NEED_OTHERS()                                                                     \
    do {                                                                                           \
        if (::tidemark::test::othersFiles().empty()) {                                             \
            if (::tidemark::test::requiresData())                                                  \
                QFAIL("there are no recordings in TIDEMARK_DATA_DIR");                             \
            QSKIP("there are no recordings in TIDEMARK_DATA_DIR");                                 \
        }                                                                                          \
    } while (false)
