// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The window on the smallest screen: nothing has to be scrolled sideways.
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/ui/made_job.h"
#include "tests/ui/opened_window.h"
#include "ui/models/language.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/dialogs/plan_dialog.h"
#include "ui/views/job/job_page.h"
#include "ui/views/job/rank_bands.h"
#include "ui/views/look/pieces.h"
#include "ui/views/timeline/minimap.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"

#include <QtCore/QPointer>
#include <QtTest/QTest>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QToolButton>

namespace tidemark::tst_small_screen {

using namespace tidemark::ui;
using tidemark::test::Opened;

namespace {

constexpr QSize kSmallest{1024, 700};
constexpr int kPatience = 60000;

/// Tables, trees and pages that can be seen and do not show all of their width.
QStringList scrolledSideways(const QWidget& window, const QString& where)
{
    QStringList found;
    for (const auto* view : window.findChildren<QAbstractScrollArea*>()) {
        if (view->isVisible() && view->horizontalScrollBar()->maximum() > 1) { // Rounded.
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

    void everyDialogFits_data()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QSize>("screen");
        for (const QString& language : {QStringLiteral("en"), QStringLiteral("de")}) {
            for (const QSize screen : {kSmallest, QSize(800, 560)}) {
                QTest::addRow("%s, %d pixels wide", qPrintable(language), screen.width())
                    << language << screen;
            }
        }
    }
    void everyDialogFits()
    {
        QFETCH(QString, language);
        QFETCH(QSize, screen);
        constexpr QSize kFrame(16, 48);
        speakLanguage(language);
        Opened opened(screen);
        opened.show();
        opened.open({test::examplePath()});
        QStringList found;
        for (const QString& name : MainWindow::dialogNames()) {
            QPointer<QWidget> dialog = opened.window.openDialog(name);
            QVERIFY2(dialog != nullptr, qPrintable(name));
            dialog->resize(screen - kFrame);
            QTRY_VERIFY_WITH_TIMEOUT(!dialog->property("busy").toBool(), kPatience);
            Opened::settle();
            if (dialog->width() > screen.width() - kFrame.width()
                || dialog->height() > screen.height() - kFrame.height()) {
                found << QStringLiteral("%1: %2 × %3")
                             .arg(name)
                             .arg(dialog->width())
                             .arg(dialog->height());
            }
            found += scrolledSideways(*dialog, name);
            for (const auto* button : dialog->findChildren<QPushButton*>()) {
                const QRect place(button->mapTo(dialog, QPoint()), button->size());
                if (button->isVisible() && !dialog->rect().contains(place)) {
                    found << name % QStringLiteral(": ") % button->text();
                }
            }
            dialog->close();
            Opened::settle();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    void theFieldsOfADialogScrollAndItsButtonsStay()
    {
        PlanDialog dialog;
        dialog.resize(784, 512);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        QCOMPARE(dialog.size(), QSize(784, 512));
        auto* fields = dialog.findChild<QScrollArea*>();
        QVERIFY(fields->verticalScrollBar()->maximum() > 0);
        auto* last = dialog.findChild<QComboBox*>(QStringLiteral("planCard"));
        fields->ensureWidgetVisible(last);
        QVERIFY(!last->visibleRegion().isEmpty());
        // What is answered has room to be read.
        const auto* answer = dialog.findChild<QTextBrowser*>();
        QVERIFY2(answer->width() > answer->fontMetrics().averageCharWidth() * 28,
                 qPrintable(QString::number(answer->width())));
    }

    void aHeadlineBecomesSmallerBeforeItIsCutOff()
    {
        const QString words = QStringLiteral("Out of memory in forward of step 2");
        QFont font;
        font.setPixelSize(16);
        ElidedLabel label(nullptr, Qt::ElideRight);
        label.setShrinks(0.75);
        label.setWords(words);
        const int wide = QFontMetrics(font).horizontalAdvance(words);
        const auto shown_in = [&](int width, int& size) {
            QFont fitting = font;
            const QString shown = label.shown(width, fitting);
            size = fitting.pixelSize();
            return shown;
        };
        int size = 0;
        QCOMPARE(shown_in(wide, size), words);
        QCOMPARE(size, 16);
        QCOMPARE(shown_in(wide * 85 / 100, size), words);
        QVERIFY(size < 16 && size >= 12);
        QVERIFY(shown_in(wide / 2, size).endsWith(QChar(0x2026)));
        QCOMPARE(size, 12);
    }

    void inALowWindowTheBandsHaveTheRoom()
    {
        Opened opened({800, 560});
        opened.show();
        opened.open({test::examplePath()});
        TimelineView& timeline = opened.window.analysisPage().timeline();
        const auto* entry = opened.child<QToolButton>("legend_activation");
        QVERIFY(!timeline.minimap().isVisible());
        QCOMPARE(entry->toolButtonStyle(), Qt::ToolButtonIconOnly);
        QVERIFY2(timeline.plot().bandRect().height() > 80,
                 qPrintable(QString::number(timeline.plot().bandRect().height())));
        QVERIFY(timeline.rect().contains(timeline.plot().geometry()));
        opened.window.resize(1440, 900);
        Opened::settle();
        QVERIFY(timeline.minimap().isVisible());
        QCOMPARE(entry->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
    }

    void eightRanksFitWithoutScrolling()
    {
        JobPage page;
        page.resize(kSmallest - QSize(0, 48)); // below the bar
        page.show();
        page.setJob(test::sharedJob(8));
        Opened::settle();
        const QStringList found = scrolledSideways(page, QStringLiteral("job"));
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
        QCOMPARE(page.bands().verticalScrollBar()->maximum(), 0);
    }
};

TIDEMARK_TEST(TstSmallScreen)

} // namespace tidemark::tst_small_screen

#include "tst_small_screen.moc"
