// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "tests/ui/ui_test.h"
#include "ui/views/look/when_seen.h"

#include <QtCore/QPointer>
#include <QtTest/QTest>
#include <QtWidgets/QWidget>

namespace tidemark::tst_when_seen {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

class TstWhenSeen : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void aHiddenWidgetIsFilledOnceItIsShown()
    {
        QWidget window;
        QWidget part(&window);
        int filled = 0;
        WhenSeen seen(part, [&] { ++filled; });
        seen.fill();
        QCOMPARE(filled, 1); // Nothing of the window is shown: whoever shows it finds it filled.
        part.hide();
        window.show();
        seen.fill();
        seen.fill();
        QCOMPARE(filled, 1);
        part.show();
        QCOMPARE(filled, 2);
        part.hide();
        part.show();
        QCOMPARE(filled, 2);
        seen.fill();
        QCOMPARE(filled, 3);
    }

    /// Whichever was made first, and though the first may ask for the other.
    void whatNeedsAnotherIsFilledAfterIt()
    {
        QWidget window;
        QWidget part(&window);
        QString order;
        WhenSeen* needs = nullptr;
        WhenSeen first(part, [&] {
            order += u'a';
            needs->fill();
        });
        WhenSeen second(
            part, [&] { order += u'b'; }, &first);
        needs = &second;
        part.hide();
        window.show();
        for (const char* asked : {"first", "second"}) {
            part.hide();
            order.clear();
            (*asked == 'f' ? first : second).fill();
            (*asked == 'f' ? second : first).fill();
            QCOMPARE(order, QString());
            part.show();
            QCOMPARE(order, QStringLiteral("ab"));
        }
        order.clear();
        part.hide();
        second.fill();
        part.show();
        QCOMPARE(order, QStringLiteral("b"));
    }

    /// What stays as it is keeps its widgets.
    void anotherViewOfTheSameFileMakesNothingAnew()
    {
        Opened opened({1200, 760});
        opened.show();
        opened.open({examplePath()});
        opened.window.showView(QStringLiteral("fixes"), false);
        Opened::settle();
        const auto part = [&](const char* name) {
            return QPointer<QWidget>(opened.window.findChild<QWidget*>(QString::fromLatin1(name)));
        };
        const QPointer<QWidget> chip = part("fileChip_A");
        const QPointer<QWidget> terms = part("fixTerms");
        QVERIFY(chip && terms);
        for (const char* view : {"stacks", "model", "evidence", "memory"}) {
            opened.window.showView(QString::fromLatin1(view), false);
            Opened::settle();
        }
        QVERIFY(chip && terms);
        QVERIFY(part("fileChip_A") == chip);
        QVERIFY(part("fixTerms") == terms);
        QVERIFY(part("evidenceText")); // Seen meanwhile.
    }
};

TIDEMARK_TEST(TstWhenSeen)

} // namespace tidemark::tst_when_seen

#include "tst_when_seen.moc"
