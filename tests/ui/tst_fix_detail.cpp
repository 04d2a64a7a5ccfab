// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/fix.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/source_places.h"
#include "ui/models/text.h"
#include "ui/models/view_state.h"
#include "ui/views/panels/fix_detail.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QToolButton>

#include <cstdlib>

namespace tidemark::tst_fix_detail {

using namespace tidemark::ui;

namespace {

struct Shown {
    ViewState state;
    SourcePlaces places;
    FixDetail detail{state, places};

    Shown()
    {
        state.show(test::analysisOf(test::smallRun()), 0);
        detail.resize(700, 700);
        detail.show();
    }
    void show(const diagnose::Fix& fix)
    {
        detail.showFix(&fix, {}, kGiB);
    }
    template <class T>
    [[nodiscard]] T& child(const char* name) const
    {
        return *detail.findChild<T*>(QString::fromLatin1(name));
    }
};

diagnose::Fix fixWith(const QString& code)
{
    diagnose::Fix fix;
    fix.id = "micro-batch";
    fix.title = "Micro-batch 1/2";
    fix.why = "model.py:10 forward allocated the most.";
    fix.how = {{"PyTorch", utf8(code)}};
    return fix;
}

} // namespace

class TstFixDetail : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void longCodeIsShownWholeOnOneClick()
    {
        QString code;
        for (int i = 0; i < 30; ++i) {
            code += QStringLiteral("step(%1)\n").arg(i);
        }
        Shown shown;
        shown.show(fixWith(code));
        const auto& lines = shown.child<QPlainTextEdit>("fixLine");
        auto& all = shown.child<QToolButton>("fixAllLines");
        QVERIFY(all.isVisible() && lines.toPlainText().size() < code.size());
        QCOMPARE(all.text(), QStringLiteral("Show All 31 Lines"));
        shown.child<QToolButton>("fixCopy").click();
        QCOMPARE(QGuiApplication::clipboard()->text(), code);
        all.click();
        QVERIFY(!all.isVisible());
        QCOMPARE(lines.toPlainText(), code);
        shown.show(fixWith(QStringLiteral("step()")));
        QVERIFY(!all.isVisible());
    }

    void linesOfCodeStandUnderTheWordsThatNameThem()
    {
        Shown shown;
        shown.show(fixWith(QStringLiteral("step()")));
        const auto left = [&](const QWidget& widget) {
            return widget.mapTo(&shown.detail, QPoint()).x();
        };
        QTRY_VERIFY(std::abs(left(shown.child<QToolButton>("lineLink"))
                             - left(shown.child<QLabel>("fixWhy")))
                    < 20);
    }
};

TIDEMARK_TEST(TstFixDetail)

} // namespace tidemark::tst_fix_detail

#include "tst_fix_detail.moc"
