// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The same for tests of the window: inside a QApplication with fixed style, language and settings.
#define TIDEMARK_TEST_GUI
#include "tests/support/test_main.cpp"
