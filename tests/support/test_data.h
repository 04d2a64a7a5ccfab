// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtTest/QTest>

#include <filesystem>
#include <vector>

namespace tidemark::test {

/// The folder with the test snapshots: the environment variable TIDEMARK_DATA_DIR, else what CMake
/// was told. It need not exist; see TIDEMARK_NEED_DATA.
[[nodiscard]] std::filesystem::path dataDir();

/// Whether dataDir() holds snapshots.
[[nodiscard]] bool hasData();

/// Whether a missing data folder is a failure (environment TIDEMARK_REQUIRE_DATA=1).
[[nodiscard]] bool requiresData();

/// All snapshot files below dataDir(), sorted by path; empty where the folder is missing.
[[nodiscard]] std::vector<std::filesystem::path> snapshotFiles();

/// The snapshots of modelled runs (with truth or pair files beside them), sorted by path.
[[nodiscard]] std::vector<std::filesystem::path> modelledFiles();

/// The snapshots of real runs, sorted by path.
[[nodiscard]] std::vector<std::filesystem::path> realFiles();

} // namespace tidemark::test

/// First statement of a test function that reads the data folder: without the folder the test is
/// skipped with a message, or fails where TIDEMARK_REQUIRE_DATA=1.
#define TIDEMARK_NEED_DATA()                                                                       \
    do {                                                                                           \
        if (!::tidemark::test::hasData()) {                                                        \
            if (::tidemark::test::requiresData())                                                  \
                QFAIL("the test data folder is missing; set TIDEMARK_DATA_DIR to it");             \
            QSKIP("the test data folder is missing; set TIDEMARK_DATA_DIR to it");                 \
        }                                                                                          \
    } while (false)
