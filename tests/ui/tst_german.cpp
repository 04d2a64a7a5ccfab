// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The window in another language than that of the sources.
#include "core/compare/changes.h"
#include "core/query/bands.h"
#include "tests/support/test_main.h"
#include "tests/ui/made_job.h"
#include "tests/ui/opened_window.h"
#include "tests/ui/ui_test.h"
#include "ui/models/allocations_model.h"
#include "ui/models/corrections_model.h"
#include "ui/models/job_lines.h"
#include "ui/models/language.h"
#include "ui/models/one_unit.h"
#include "ui/models/place_text.h"
#include "ui/models/text.h"
#include "ui/views/job/job_page.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/panels/change_controls.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"

#include <QtCore/QFile>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QDialog>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

#include <algorithm>

namespace tidemark::tst_german {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

namespace {

constexpr QSize kSmallest{1024, 700};

/// Buttons that can be seen and whose words do not fit into them.
QStringList cutButtons(const QWidget& window)
{
    QStringList cut;
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>()) {
        const bool is_worded = !button->text().isEmpty()
            && (qobject_cast<const QPushButton*>(button) != nullptr
                || qobject_cast<const QToolButton*>(button) != nullptr);
        const int words = button->fontMetrics().size(Qt::TextShowMnemonic, button->text()).width();
        if (is_worded && button->isVisible() && !button->visibleRegion().isEmpty()
            && (button->width() < words
                || button->visibleRegion().boundingRect().width() < button->width())) {
            cut << button->text();
        }
    }
    return cut;
}

QStringList cutTabs(const QWidget& window)
{
    QStringList cut;
    for (const QTabBar* bar : window.findChildren<QTabBar*>()) {
        for (int i = 0; bar->isVisible() && i < bar->count(); ++i) {
            const int words = bar->fontMetrics().horizontalAdvance(bar->tabText(i));
            if (bar->isTabVisible(i)
                && (bar->elideMode() != Qt::ElideNone || bar->tabRect(i).width() < words)) {
                cut << bar->tabText(i);
            }
        }
    }
    return cut;
}

} // namespace

class TstGerman : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void everyItemOfAMenuHasALetterOfItsOwn_data()
    {
        QTest::addColumn<QString>("language");
        QTest::newRow("English") << QStringLiteral("en");
        QTest::newRow("German") << QStringLiteral("de");
    }
    void everyItemOfAMenuHasALetterOfItsOwn()
    {
        QFETCH(QString, language);
        speakLanguage(language);
        Opened opened(kSmallest);
        opened.open({examplePath()});
        QList<QMenu*> menus;
        for (const QAction* action : opened.window.findChild<QMenuBar*>()->actions()) {
            menus << action->menu() << action->menu()->findChildren<QMenu*>();
        }
        for (QMenu* menu : menus) {
            Q_EMIT menu->aboutToShow();
            QStringList letters;
            for (const QAction* action : menu->actions()) {
                const QString text = QString(action->text()).remove(QStringLiteral("&&"));
                const qsizetype mark = text.indexOf(QLatin1Char('&'));
                if (mark >= 0) {
                    letters << text.mid(mark + 1, 1).toLower();
                }
            }
            QVERIFY2(letters.removeDuplicates() == 0, qUtf8Printable(menu->title()));
        }
        QVERIFY(menus.size() > 4);
    }
    void thePageOfAJobFits()
    {
        speakLanguage(QStringLiteral("de"));
        JobPage page;
        page.resize(kSmallest);
        page.show();
        job::Job made = test::madeJob(4);
        for (job::RankSummary& row : made.rows) {
            *row.first_time -= Duration{4'000'000}; // Most of it is quiet.
        }
        made.rows.push_back(test::madeRank(1, kMiB));
        made.rows.back().moment.words = "first";
        page.setJob(std::make_shared<const job::Job>(made));
        page.setReading(0.5, 5);
        Opened::settle();
        QVERIFY2(page.minimumSizeHint().width() <= kSmallest.width(),
                 qPrintable(QString::number(page.minimumSizeHint().width())));
        for (const QWidget* widget : page.findChildren<QWidget*>()) {
            if (widget->isVisible() && widget->minimumSizeHint().width() > 300) {
                qInfo("%s %d", qPrintable(widget->objectName()), widget->minimumSizeHint().width());
            }
        }
        QCOMPARE(cutButtons(page), QStringList());
        QCOMPARE(cutTabs(page), QStringList());
        QCOMPARE(fateText(test::madeJob(4), 3).section(u',', 0, 0),
                 QStringLiteral("als Erster gescheitert"));
    }
    void cleanup()
    {
        speakLanguage(QStringLiteral("en"));
        UiTest::cleanup();
    }

    void theSystemsLanguageIsSpokenUnlessOneWasChosen()
    {
        const QStringList german{QStringLiteral("de-AT"), QStringLiteral("en-GB")};
        QCOMPARE(languageFor({}, german), QStringLiteral("de"));
        QCOMPARE(languageFor(QStringLiteral("en"), german), QStringLiteral("en"));
        QCOMPARE(languageFor(QStringLiteral("xx"), {QStringLiteral("fr-FR"), german.front()}),
                 QStringLiteral("de"));
        QCOMPARE(languageFor({}, {QStringLiteral("C")}), QStringLiteral("en"));
        QVERIFY(!isLanguage(QStringLiteral("fr")));
    }

    void numbersHaveTheDecimalSignOfTheLanguage()
    {
        const diagnose::Analysis analysis = test::analysisOf(test::smallRun());
        const trace::Device& device = analysis.snapshot->devices.front();
        const auto place = [&](const char* words) {
            return stateFromText(QString::fromUtf8(words), device);
        };
        QCOMPARE(ui::OneUnit(kGiB).text({kGiB.value / 4}), QStringLiteral("0.25 GiB"));
        QCOMPARE(bytesFromText(QStringLiteral("1.5 MiB")), Bytes{3 * kMiB.value / 2});
        QVERIFY(place("1,0").has_value()); // Ten.
        speakLanguage(QStringLiteral("de"));
        QCOMPARE(ui::OneUnit(kGiB).text({kGiB.value / 4}), QStringLiteral("0,25 GiB"));
        QCOMPARE(
            byteTicks(Interval<double>{0, 1.5 * static_cast<double>(kGiB.value)}, 3).at(1).label,
            QStringLiteral("0,5 GiB"));
        QCOMPARE(bytesFromText(QStringLiteral("1,5 MiB")), Bytes{3 * kMiB.value / 2});
        QCOMPARE(bytesText({3 * kMiB.value / 2}), QStringLiteral("1,50 MiB"));
        QVERIFY(!bytesFromText(QStringLiteral("1.5 MiB")).has_value());
        QCOMPARE(place("Ereignis 1"), place("event 1"));
        QCOMPARE(place("1.0"), place("10"));
        QVERIFY(!place("1,0").has_value());
    }

    void oneAndManyAreToldApart_data()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("one");
        QTest::addColumn<QString>("some"); // Grouped as everywhere else, see core/base/format.h.
        QTest::addColumn<QString>("many");
        QTest::newRow("English") << QStringLiteral("en") << QStringLiteral("1 place is equal")
                                 << QStringLiteral("1200 places are equal")
                                 << QStringLiteral("12,000 places are equal");
        QTest::newRow("German") << QStringLiteral("de") << QStringLiteral("1 Stelle ist gleich")
                                << QStringLiteral("1200 Stellen sind gleich")
                                << QStringLiteral("12.000 Stellen sind gleich");
    }
    void oneAndManyAreToldApart()
    {
        QFETCH(QString, language);
        QFETCH(QString, one);
        QFETCH(QString, some);
        QFETCH(QString, many);
        speakLanguage(language);
        const auto places = [](int count) {
            return QCoreApplication::translate("tidemark::ui::Comparison",
                                               "%Ln place is equal|%Ln places are equal", nullptr,
                                               count);
        };
        QCOMPARE(places(1), one);
        QCOMPARE(places(1200), some);
        QCOMPARE(places(12000), many);
    }

    void whatIsDoneWithAFileIsSaidInGerman()
    {
        const QStringList stages{QStringLiteral("wartet"),
                                 QStringLiteral("öffnet"),
                                 QStringLiteral("prüft"),
                                 QStringLiteral("liest"),
                                 QStringLiteral("dekodiert"),
                                 QStringLiteral("spielt ab"),
                                 QStringLiteral("vergibt Labels"),
                                 QStringLiteral("diagnostiziert"),
                                 QStringLiteral("spielt den Allocator nach"),
                                 QStringLiteral("simuliert")};
        speakLanguage(QStringLiteral("de"));
        Opened opened(kSmallest);
        const auto* strip = opened.child<QWidget>("loadingStrip");
        QStringList said;
        connect(&opened.session, &Session::progressChanged, strip, [&] {
            const QString words = strip->findChild<QLabel*>()->text();
            if (!strip->isHidden()) {
                said << words.mid(words.indexOf(QStringLiteral(": ")) + 2);
            }
        });
        opened.open({examplePath()});
        said.removeDuplicates();
        QVERIFY2(said.size() >= 4, qPrintable(said.join(u'|')));
        for (const QString& words : said) {
            QVERIFY2(stages.contains(words), qPrintable(words));
        }
    }

    void panelsHaveGermanTitlesAndNothingIsCut()
    {
        speakLanguage(QStringLiteral("de"));
        Opened opened(kSmallest);
        opened.show();
        opened.open({examplePath()});
        auto* tabs = opened.child<QTabBar>("drawerTabs");
        QStringList found;
        for (int i = 0; i < tabs->count(); ++i) {
            found << tabs->tabText(i);
        }
        QCOMPARE(found,
                 QStringList({QStringLiteral("Abhilfe"), QStringLiteral("Warum"),
                              QStringLiteral("Allokationen"), QStringLiteral("Stacks"),
                              QStringLiteral("Speicher"), QStringLiteral("Schritte")}));
        // Its words are longer than the English ones.
        QVERIFY(opened.window.width() <= kSmallest.width() + 20);
        QCOMPARE(opened.window.height(), kSmallest.height());
        for (const QString& name : AnalysisPage::panelNames()) {
            QVERIFY2(opened.window.analysisPage().showPanel(name), qPrintable(name));
            Opened::settle();
            const QStringList cut = cutButtons(opened.window) + cutTabs(opened.window);
            QVERIFY2(cut.isEmpty(), qPrintable(name + QStringLiteral(": ") + cut.join(u'|')));
        }
        QVERIFY(opened.window.height() <= kSmallest.height() + 20);
    }

    void namesOfTheDataAreGerman()
    {
        speakLanguage(QStringLiteral("de"));
        QCOMPARE(bucketWithRole(label::Bucket::parameter, label::Role::trainable),
                 QStringLiteral("Parameter, trainierbar"));
        QCOMPARE(text(query::bandByName(query::BandBy::bucket)), QStringLiteral("Bucket"));
        QCOMPARE(text(compare::wordsOf(compare::ChangeOf::rows)),
                 QStringLiteral("Batch oder Sequenz"));
        Opened opened(kSmallest);
        opened.show();
        opened.show();
        opened.open({examplePath()});
        QVERIFY(opened.window.showView(QStringLiteral("steps"), false));
        const auto* steps = opened.child<QTableView>("phasePeaks");
        QVERIFY(steps != nullptr);
        QTRY_COMPARE(steps->model()->headerData(2, Qt::Horizontal).toString(),
                     QStringLiteral("Eingabe"));
        QVERIFY(opened.window.showView(QStringLiteral("model"), false));
        QStringList words;
        for (const QLabel* label : opened.child<QWidget>("modelPanel")->findChildren<QLabel*>()) {
            words << label->text();
        }
        QVERIFY2(words.contains(
                     QStringLiteral("Die Dimensionen des Modells ließen sich nicht ableiten.")),
                 qPrintable(words.join(u'|')));
    }

    void whereAnAllocationIsMadeCanBeReadInASmallWindow()
    {
        speakLanguage(QStringLiteral("de"));
        Opened opened(kSmallest);
        opened.show();
        opened.open({examplePath()});
        for (const char* view : {"allocations", "run"}) {
            QVERIFY(opened.window.showView(QString::fromLatin1(view), false));
            Opened::settle();
            const auto* table = opened.child<QTableView>("allocations");
            QVERIFY(table != nullptr);
            QVERIFY(
                table->columnWidth(AllocationsModel::Line)
                >= table->fontMetrics().horizontalAdvance(QStringLiteral("scenes.py:30 forward")));
        }
        // Back to what they were where there is room.
        auto* table = opened.child<QTableView>("allocations");
        const int bucket = table->columnWidth(AllocationsModel::Bucket);
        opened.window.resize(1800, kSmallest.height());
        Opened::settle();
        QVERIFY(table->columnWidth(AllocationsModel::Bucket) > bucket);
    }

    void theAxisHasItsName()
    {
        speakLanguage(QStringLiteral("de"));
        Opened opened(kSmallest);
        opened.show();
        opened.open({examplePath()});
        const TimelinePlot& plot = opened.window.analysisPage().timeline().plot();
        const QFontMetrics metrics(plot.scene().style().font);
        constexpr int kBehindName = 12; // Before the first label, which stands below the edge.
        QVERIFY(plot.bandRect().left()
                >= metrics.horizontalAdvance(QStringLiteral("Ereignis")) + kBehindName);
    }

    void whatAPredictionSaysIsNotCut()
    {
        speakLanguage(QStringLiteral("de"));
        Opened opened(kSmallest);
        opened.show();
        opened.open({examplePath()});
        QVERIFY(opened.window.showView(QStringLiteral("whatif"), false));
        Opened::settle();
        const auto* panel = opened.child<QWidget>("whatIfPanel");
        int count = 0;
        for (const QScrollArea* area : panel->findChildren<QScrollArea*>()) {
            QVERIFY(area->widget()->minimumSizeHint().width() <= area->viewport()->width());
            ++count;
        }
        QCOMPARE(count, 2);
        for (const auto* control : panel->findChildren<ChangeControl*>()) {
            const auto* name = control->findChild<QLabel*>();
            QVERIFY2(name->isHidden() || name->height() >= name->heightForWidth(name->width()),
                     qPrintable(name->text()));
            QVERIFY(name->wordWrap());
        }
    }

    void tabsCanBeReadInASmallWindow()
    {
        Opened opened(kSmallest);
        opened.show();
        opened.open({examplePath()});
        QCOMPARE(cutTabs(opened.window), QStringList());
    }

    void dialogsSpeakGerman_data()
    {
        QTest::addColumn<QString>("words"); ///< Somewhere in it.
        const auto row = [](const char* name, const char* words) {
            QTest::newRow(name) << QString::fromUtf8(words);
        };
        row("keys", "Tastatur und Maus");
        row("words", "Glossar");
        row("recording", "Aufzeichnen");
        row("explain", "OOM-&Meldung, Traceback oder Log");
        row("states", "&Parameter");
        row("plan", "&Präzision");
        row("remote", "A&dresse");
        row("relabel", "Alle &passenden");
        row("note", "Lesezeichen");
    }
    void dialogsSpeakGerman()
    {
        QFETCH(QString, words);
        speakLanguage(QStringLiteral("de"));
        Opened opened(kSmallest);
        opened.show();
        opened.open({examplePath()});
        QWidget* const dialog =
            opened.window.openDialog(QString::fromLatin1(QTest::currentDataTag()));
        QVERIFY(dialog != nullptr);
        Opened::settle();
        QStringList found{dialog->windowTitle()};
        for (const QLabel* label : dialog->findChildren<QLabel*>()) {
            found << label->text();
        }
        for (const QAbstractButton* button : dialog->findChildren<QAbstractButton*>()) {
            found << button->text();
        }
        for (const QTabBar* bar : dialog->findChildren<QTabBar*>()) {
            for (int i = 0; i < bar->count(); ++i) {
                found << bar->tabText(i);
            }
        }
        QVERIFY2(found.contains(words), qPrintable(found.join(u'|')));
        QCOMPARE(cutButtons(*dialog) + cutTabs(*dialog), QStringList());
    }

    void theLanguageThatIsChosenHoldsFromTheNextStart()
    {
        Opened opened(kSmallest);
        opened.show();
        const QList<QAction*> actions = opened.window.findChildren<QAction*>();
        const auto german = std::ranges::find_if(
            actions, [](const QAction* a) { return a->text() == QStringLiteral("Deutsch"); });
        QVERIFY(german != actions.end());
        (*german)->trigger();
        QCOMPARE(opened.preferences.language(), QStringLiteral("de"));
        QVERIFY((*german)->isChecked());
        auto* notice = opened.child<QLabel>("noticeText");
        QVERIFY(notice != nullptr);
        QCOMPARE(notice->text(), QStringLiteral("The language changes after a restart."));
    }
};

TIDEMARK_TEST(TstGerman)

} // namespace tidemark::tst_german

#include "tst_german.moc"
