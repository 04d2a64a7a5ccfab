// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The window on the smallest screen: nothing has to be scrolled sideways.
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/language.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/window/analysis_page.h"

#include <QtTest/QTest>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QScrollBar>

namespace tidemark::tst_small_screen {

using namespace tidemark::ui;
using tidemark::test::Opened;

namespace {

constexpr QSize kSmallest{1024, 700};
constexpr int kPatience = 60000;

/// Tables and trees that can be seen and do not show all of their columns.
QStringList scrolledSideways(const QWidget& window, const QString& where)
{
    QStringList found;
    for (const auto* view : window.findChildren<QAbstractItemView*>()) {
        if (view->isVisible() && view->horizontalScrollBar()->maximum() > 0) {
            found << QStringLiteral("%1: %2 by %3")
                         .arg(where, view->objectName())
                         .arg(view->horizontalScrollBar()->maximum());
        }
    }
    return found;
}

QString own(const char* path)
{
    return QString::fromStdString((test::ownData() / path).string());
}

} // namespace

class TstSmallScreen : public test::UiTest {
    Q_OBJECT

    static void languages()
    {
        QTest::addColumn<QString>("language");
        QTest::newRow("English") << QStringLiteral("en");
        QTest::newRow("German") << QStringLiteral("de");
    }

private Q_SLOTS:
    void cleanup()
    {
        speakLanguage(QStringLiteral("en"));
        UiTest::cleanup();
    }

    void noPanelScrollsSideways_data()
    {
        languages();
    }
    void noPanelScrollsSideways()
    {
        QFETCH(QString, language);
        speakLanguage(language);
        QStringList found;
        for (const QString& path :
             {test::examplePath(), own("gpu/runs/llama_lora.pickle.xz"),
              own("gpu/captured/captured_trainer.pickle.xz"), own("gpu/runs/oom_leak.pickle.xz")}) {
            Opened opened(kSmallest);
            opened.show();
            opened.open({path});
            for (const bool alone : {false, true}) {
                for (const QString& name : {QStringLiteral("model")}) {
                    QVERIFY(opened.window.showView(name, alone));
                    QTRY_VERIFY_WITH_TIMEOUT(!opened.window.analysisPage().isBusy(), kPatience);
                    Opened::settle();
                    found += scrolledSideways(opened.window, path.section(u'/', -1) % u' ' % name);
                }
            }
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    void noComparisonScrollsSideways_data()
    {
        languages();
    }
    void noComparisonScrollsSideways()
    {
        QFETCH(QString, language);
        speakLanguage(language);
        Opened opened(kSmallest);
        opened.show();
        opened.open(
            {own("gpu/runs/llama_adamw.pickle.xz"), own("gpu/runs/llama_checkpointing.pickle.xz")});
        QStringList found;
        QTRY_VERIFY_WITH_TIMEOUT(!opened.window.comparePage().isBusy(), kPatience);
        for (const QString& name : MainWindow::comparisonViewNames()) {
            if (opened.window.showView(name, false)) {
                QTRY_VERIFY_WITH_TIMEOUT(!opened.window.comparePage().isBusy(), kPatience);
                Opened::settle();
                found += scrolledSideways(opened.window, name);
            }
        }
        QCOMPARE(opened.window.width(), kSmallest.width()); // Nothing made it wider.
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }
};

TIDEMARK_TEST(TstSmallScreen)

} // namespace tidemark::tst_small_screen

#include "tst_small_screen.moc"
