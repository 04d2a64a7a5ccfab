// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The window on the smallest screen: nothing has to be scrolled sideways.
//
// TIDEMARK_PICTURES  a folder that takes a picture of every view
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

#include <QtCore/QDirIterator>
#include <QtCore/QFile>
#include <QtCore/QMap>
#include <QtCore/QPointer>
#include <QtCore/QRegularExpression>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QToolButton>

#include <vector>

namespace tidemark::tst_small_screen {

using namespace tidemark::ui;
using tidemark::test::Opened;

namespace {

constexpr QSize kSmallest{1024, 700};
constexpr QSize kLeastWindow{800, 560};
constexpr int kPatience = 60000;

/// Tables, trees and pages that can be seen and do not show all of their width.
QStringList scrolledSideways(const QWidget& window, const QString& where)
{
    QStringList found;
    for (const auto* view : window.findChildren<QAbstractScrollArea*>()) {
        // Code is not wrapped.
        if (view->isVisible() && !view->inherits("tidemark::ui::CodeBlock")
            && view->horizontalScrollBar()->maximum() > 1) { // Rounded.
            found << QStringLiteral("%1: %2 by %3")
                         .arg(where, view->objectName())
                         .arg(view->horizontalScrollBar()->maximum());
        }
    }
    return found;
}

/// Says all of them: the message of a failure is cut off.
bool isNone(const QStringList& found)
{
    for (const QString& each : found) {
        qInfo("%s", qPrintable(each));
    }
    return found.isEmpty();
}

void keepPicture(QWidget& window, const QString& name)
{
    if (const QString folder = qEnvironmentVariable("TIDEMARK_PICTURES"); !folder.isEmpty()) {
        QVERIFY(window.grab().save(folder % u'/' % name % QStringLiteral(".png")));
    }
}

/// Buttons and fields that share pixels with one beside them.
QStringList overlapping(const QWidget& window, const QString& where)
{
    QStringList found;
    for (const auto* parent : window.findChildren<QWidget*>()) {
        if (!parent->isVisible() || parent->layout() == nullptr) {
            continue;
        }
        std::vector<const QWidget*> beside;
        for (const auto* child :
             parent->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            const bool is_used = child->inherits("QAbstractButton") || child->inherits("QComboBox")
                || child->inherits("QLineEdit") || child->inherits("QLabel")
                || !child->findChildren<QAbstractButton*>().isEmpty();
            if (child->isVisible() && is_used && !child->isWindow()) {
                beside.push_back(child);
            }
        }
        for (std::size_t i = 0; i < beside.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (beside[i]->geometry().intersects(beside[j]->geometry())) {
                    found << where % u' ' % parent->objectName() % QStringLiteral(": ")
                            % beside[j]->objectName() % QStringLiteral(" over ")
                            % beside[i]->objectName();
                }
            }
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

    static void languagesAndScreens()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QSize>("screen");
        for (const QString& language : {QStringLiteral("en"), QStringLiteral("de")}) {
            for (const QSize screen : {kSmallest, kLeastWindow}) {
                QTest::addRow("%s, %d pixels wide", qPrintable(language), screen.width())
                    << language << screen;
            }
        }
    }

private Q_SLOTS:
    void cleanup()
    {
        speakLanguage(QStringLiteral("en"));
        UiTest::cleanup();
    }

    void noPanelScrollsSideways_data()
    {
        languagesAndScreens();
    }
    void noPanelScrollsSideways()
    {
        QFETCH(QString, language);
        QFETCH(QSize, screen);
        speakLanguage(language);
        QStringList found;
        for (const QString& path :
             {own("gpu/runs/llama_lora.pickle.xz"), own("gpu/runs/oom_leak.pickle.xz")}) {
            Opened opened(screen);
            opened.show();
            opened.open({path});
            for (const bool alone : {false, true}) {
                for (const QString& name : MainWindow::viewNames()) {
                    if (!opened.window.showView(name, alone)) {
                        continue;
                    }
                    QTRY_VERIFY_WITH_TIMEOUT(!opened.window.analysisPage().isBusy(), kPatience);
                    Opened::settle();
                    // Tables set their scroll bars a moment after their columns.
                    (void)QTest::qWaitFor(
                        [&] { return scrolledSideways(opened.window, {}).isEmpty(); }, 300);
                    const QString where = path.section(u'/', -1) % u' ' % name
                        % (alone ? QStringLiteral(" alone") : QString());
                    found += scrolledSideways(opened.window, where);
                    found += overlapping(opened.window, where);
                    if (opened.window.size() != screen) {
                        found << where
                                % QStringLiteral(": %1 × %2")
                                      .arg(opened.window.width())
                                      .arg(opened.window.height());
                        opened.window.resize(screen);
                    }
                    keepPicture(
                        opened.window,
                        QStringLiteral("%1 %2 %3").arg(language).arg(screen.width()).arg(where));
                }
            }
        }
        QVERIFY2(isNone(found), qPrintable(found.join(u'\n')));
    }

    void noComparisonScrollsSideways_data()
    {
        languagesAndScreens();
    }
    void noComparisonScrollsSideways()
    {
        QFETCH(QString, language);
        QFETCH(QSize, screen);
        speakLanguage(language);
        Opened opened(screen);
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
                found += overlapping(opened.window, name);
                keepPicture(opened.window,
                            QStringLiteral("%1 %2 %3").arg(language).arg(screen.width()).arg(name));
            }
        }
        QCOMPARE(opened.window.size(), screen); // Nothing made it larger.
        QVERIFY2(isNone(found), qPrintable(found.join(u'\n')));
    }

    void everyDialogFits_data()
    {
        languagesAndScreens();
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
        QVERIFY2(isNone(found), qPrintable(found.join(u'\n')));
    }

    void everyDialogOfTheProgramIsInTheTable()
    {
        // The system's dialogs for files are no matter of ours.
        static const QRegularExpression kClass(QStringLiteral(
            "class (\\w+)(?: final)?\\s*: public Q(?:Dialog|MessageBox|InputDialog|Wizard|"
            "ProgressDialog|ErrorMessage)\\b"));
        static const QRegularExpression kMade(QStringLiteral(
            "new (Q(?:Dialog|MessageBox|InputDialog|Wizard|ProgressDialog|ErrorMessage))\\b"));
        static const QRegularExpression kAtOnce(
            QStringLiteral("\\bQ(?:MessageBox|InputDialog|ProgressDialog)::(?:get|question|"
                           "warning|information|critical|about)\\w*\\("));
        QMap<QString, int> wanted; // By class: how many the sources have.
        QStringList at_once;
        QDirIterator sources(QStringLiteral(TIDEMARK_SOURCE_DIR "/ui"),
                             {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
                             QDirIterator::Subdirectories);
        while (sources.hasNext()) {
            QFile file(sources.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString code = QString::fromUtf8(file.readAll());
            for (auto each = kClass.globalMatch(code); each.hasNext();) {
                wanted[each.next().captured(1)] = 1;
            }
            for (auto each = kMade.globalMatch(code); each.hasNext();) {
                ++wanted[each.next().captured(1)];
            }
            for (auto each = kAtOnce.globalMatch(code); each.hasNext();) {
                at_once << file.fileName() % QStringLiteral(": ") % each.next().captured(0);
            }
        }
        QVERIFY(wanted.size() > 7);
        QVERIFY2(at_once.isEmpty(), qPrintable(at_once.join(u'\n'))); // Nobody could open it.
        Opened opened(kSmallest);
        opened.show();
        opened.open({test::examplePath()});
        QMap<QString, QStringList> in_table; // By class: names.
        for (const QString& name : MainWindow::dialogNames()) {
            QWidget* const dialog = opened.window.openDialog(name);
            QVERIFY2(dialog != nullptr, qPrintable(name));
            QStringList& names = in_table[QString::fromLatin1(dialog->metaObject()->className())
                                              .section(QStringLiteral("::"), -1)];
            if (!names.contains(dialog->objectName())) {
                names << dialog->objectName();
            }
            dialog->close();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        }
        QStringList missing;
        for (auto each = wanted.constBegin(); each != wanted.constEnd(); ++each) {
            if (in_table.value(each.key()).size() < each.value()) {
                missing << each.key();
            }
        }
        QCOMPARE(missing, QStringList());
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
        QVERIFY2(isNone(found), qPrintable(found.join(u'\n')));
        QCOMPARE(page.bands().verticalScrollBar()->maximum(), 0);
    }
};

TIDEMARK_TEST(TstSmallScreen)

} // namespace tidemark::tst_small_screen

#include "tst_small_screen.moc"
