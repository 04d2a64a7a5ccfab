// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QObject>

#include <memory>

namespace tidemark::test {

using TestFactory = std::unique_ptr<QObject> (*)();

/// Adds a test object to the executable; `source_file` is its __FILE__. Returns true, so that it
/// can initialise a constant.
bool registerTest(const char* source_file, TestFactory factory);

} // namespace tidemark::test

/// Last line but one of a tst_<unit>.cpp: runs `TestClass` when the executable is started with the
/// file's name (tst_<unit>) or with no unit at all.
#define TIDEMARK_TEST(TestClass)                                                                   \
    namespace {                                                                                    \
    [[maybe_unused]] const bool kRegistered##TestClass = ::tidemark::test::registerTest(           \
        __FILE__, []() -> std::unique_ptr<QObject> { return std::make_unique<TestClass>(); });     \
    }
