// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <QtCore/QObject>
#include <QtCore/QPointF>
#include <QtCore/QString>

#include <string_view>

class QWidget;

namespace tidemark::test {

/// Base of the tests of the window: fixed theme, in English (tests/support/test_main.cpp) whatever
/// the language of the machine is, and any warning of Qt fails the test function
/// it appears in.
class UiTest : public QObject {
    Q_OBJECT
protected Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void cleanupTestCase();
};

/// An analysis of a trace script (see trace_script.h) up to the curves; without a diagnosis.
[[nodiscard]] diagnose::Analysis analysisOf(std::string_view script);
[[nodiscard]] diagnose::Analysis analysisOf(trace::Snapshot snapshot);
/// The same with a diagnosis of one recommended fix that halves everything.
[[nodiscard]] diagnose::Analysis diagnosedAnalysisOf(std::string_view script);

/// A run of two steps with an out-of-memory event at the end, in a trace script.
[[nodiscard]] std::string_view smallRun();

/// Drags files over a window and drops them, as a file manager does. False: it does not take them.
bool dropFiles(QWidget& window, const QStringList& paths);

/// Drags from one place of a widget to another one.
void drag(QWidget& widget, const QPointF& from, const QPointF& to,
          Qt::KeyboardModifiers modifiers = Qt::NoModifier);

/// The snapshot that is bundled with the program.
[[nodiscard]] QString examplePath();

} // namespace tidemark::test
