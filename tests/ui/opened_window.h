// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/diagnosis.h"
#include "tests/ui/ui_test.h"
#include "ui/models/preferences.h"
#include "ui/models/session.h"
#include "ui/models/view_state.h"
#include "ui/views/window/main_window.h"

#include <QtTest/QTest>

namespace tidemark::test {

/// A window with a session of its own.
struct Opened {
    ui::Preferences preferences;
    ui::Session session;
    ui::MainWindow window;

    explicit Opened(QSize size)
        : window(session, preferences, {nullptr, examplePath()})
    {
        window.resize(size);
    }
    void show()
    {
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
    }
    void open(const QStringList& paths)
    {
        window.openFiles(paths);
        QTRY_VERIFY_WITH_TIMEOUT(!session.isLoading(), 300000); // Beside much other work, too.
        QTRY_VERIFY(window.viewState().hasDevice());
        QTRY_VERIFY(window.viewState().diagnosis() != nullptr);
        settle();
    }
    static void settle()
    {
        for (int i = 0; i < 6; ++i) {
            QCoreApplication::sendPostedEvents();
            QCoreApplication::processEvents();
        }
    }
    template <class T>
    T* child(const char* name)
    {
        return window.findChild<T*>(QString::fromLatin1(name));
    }
};

} // namespace tidemark::test
