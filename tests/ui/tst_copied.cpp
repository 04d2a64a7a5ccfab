// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What was copied is said where it was asked for.
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/views/look/copy_button.h"
#include "ui/views/window/analysis_page.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtTest/QTest>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

#include <map>

namespace tidemark::tst_copied {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

namespace {

const QString kCopied = QString::fromUtf8("Copied ✓");

/// Where everything that can be seen of a window is.
std::map<const QWidget*, QRect> placesOf(const QWidget& window)
{
    std::map<const QWidget*, QRect> places;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (widget->isVisible()) {
            places[widget] = {widget->mapTo(&window, QPoint()), widget->size()};
        }
    }
    return places;
}

} // namespace

class TstCopied : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void theButtonSaysSoForTwoSecondsAndIsAsWide_data()
    {
        QTest::addColumn<QString>("words");
        QTest::newRow("shorter") << QStringLiteral("Copy");
        QTest::newRow("longer") << QStringLiteral("Copy the lines of this");
    }
    void theButtonSaysSoForTwoSecondsAndIsAsWide()
    {
        QFETCH(QString, words);
        QWidget window;
        auto* row = new QHBoxLayout(&window);
        QToolButton* button =
            makeCopyButton(&window, words, [] { return QStringLiteral("the text"); });
        button->setAccessibleName(QStringLiteral("Copy what is meant"));
        auto* beside = new QLabel(QStringLiteral("beside"), &window);
        row->addWidget(button);
        row->addWidget(beside);
        row->addStretch(1);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const QRect place = button->geometry();
        const QRect place_beside = beside->geometry();
        button->setFocus();
        QTest::keyClick(button, Qt::Key_Return);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("the text"));
        QCOMPARE(button->text(), kCopied);
        QCOMPARE(button->accessibleName(), QStringLiteral("Copied"));
        Opened::settle();
        QCOMPARE(button->geometry(), place);
        QCOMPARE(beside->geometry(), place_beside);
        QVERIFY(button->fontMetrics().horizontalAdvance(kCopied) <= button->width());
        QTest::qWait(1200);
        QTest::mouseClick(button, Qt::LeftButton); // Once more: two seconds from now on.
        QTest::qWait(1200);
        QCOMPARE(button->text(), kCopied);
        QTRY_COMPARE(button->text(), words);
        QCOMPARE(button->accessibleName(), QStringLiteral("Copy what is meant"));
    }

    void nothingMovesInTheWindow_data()
    {
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("name");
        const auto add = [](const char* view, const char* name) {
            QTest::newRow(name) << QString::fromLatin1(view) << QString::fromLatin1(name);
        };
        add("fixes", "fixCopy");
        add("whatif", "whatIfCopy");
        add("fixes", "copyLines");
    }
    void nothingMovesInTheWindow()
    {
        QFETCH(QString, view);
        QFETCH(QString, name);
        Opened opened({1280, 860});
        opened.show();
        opened.open({examplePath()});
        opened.child<QToolButton>("tryFix")->click(); // There is a command.
        QVERIFY(opened.window.showView(view, false));
        auto* page = opened.child<AnalysisPage>("analysisPage");
        QTRY_VERIFY(!page->isBusy());
        Opened::settle();
        auto* button = opened.window.findChild<QToolButton*>(name);
        QVERIFY(button->isVisible());
        const auto places = placesOf(opened.window);
        QGuiApplication::clipboard()->clear();
        if (button->menu() != nullptr) {
            button->menu()->actions().constFirst()->trigger();
        } else {
            QTest::mouseClick(button, Qt::LeftButton);
        }
        Opened::settle();
        QVERIFY(!QGuiApplication::clipboard()->text().isEmpty());
        QCOMPARE(button->text(), kCopied);
        QVERIFY(places == placesOf(opened.window)); // No notice either.
    }

    void aMenuSaysWhatItCopied()
    {
        Opened opened({1280, 860});
        opened.show();
        opened.open({examplePath()});
        QVERIFY(opened.window.showView(QStringLiteral("allocations"), false));
        auto* table = opened.child<QTableView>("allocations");
        table->setCurrentIndex({});
        table->clearSelection();
        QMenu* menu = opened.child<QToolButton>("allocationCopy")->menu();
        const auto notice = [&] {
            Opened::settle();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            const auto* label = opened.child<QLabel>("noticeText");
            return label == nullptr ? QString() : label->text();
        };
        menu->actions().constFirst()->trigger();
        QVERIFY2(notice().startsWith(QStringLiteral("Select rows first")), qPrintable(notice()));
        table->setCurrentIndex(table->model()->index(0, 0));
        menu->actions().constFirst()->trigger();
        QCOMPARE(notice(), QStringLiteral("1 row copied."));
    }
};

TIDEMARK_TEST(TstCopied)

} // namespace tidemark::tst_copied

#include "tst_copied.moc"
