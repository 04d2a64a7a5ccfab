// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"

#ifdef TIDEMARK_TEST_GUI
#include "ui/models/language.h"
#endif

#include <QtTest/QTest>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#ifdef TIDEMARK_TEST_GUI
#include <QtCore/QStandardPaths>
#include <QtWidgets/QApplication>
#include <QtWidgets/QStyleFactory>
#endif

namespace tidemark::test {

namespace {

struct Registered {
    std::string unit;
    TestFactory factory;
};

std::vector<Registered>& registeredTests()
{
    static std::vector<Registered> tests;
    return tests;
}

/// Runs the tests of `unit` (all where it is empty); returns the number of failures, or 1 where
/// there was nothing to run.
int runTests(const std::string& unit, int argc, char** argv)
{
    int failures = 0;
    bool ran = false;
    for (const auto& test : registeredTests()) {
        if (!unit.empty() && test.unit != unit)
            continue;
        ran = true;
        const auto object = test.factory();
        failures += QTest::qExec(object.get(), argc, argv);
    }
    if (!ran) {
        std::fprintf(stderr, "no test is registered under the name '%s'\n", unit.c_str());
        return 1;
    }
    return failures;
}

} // namespace

bool registerTest(const char* source_file, TestFactory factory)
{
    registeredTests().push_back({std::filesystem::path(source_file).stem().string(), factory});
    return true;
}

} // namespace tidemark::test

int main(int argc, char** argv)
{
    // The first argument may name the unit; the rest is Qt Test's (a function, -v2, -o file).
    std::string unit;
    std::vector<char*> arguments(argv, argv + argc);
    if (argc > 1 && std::string(argv[1]).starts_with("tst_")) {
        unit = argv[1];
        arguments.erase(arguments.begin() + 1);
    }
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
#ifdef TIDEMARK_TEST_GUI
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(count, arguments.data());
    tidemark::ui::speakLanguage(QStringLiteral("en")); // Whatever this machine speaks.
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
#endif
    return tidemark::test::runTests(unit, count, arguments.data());
}
