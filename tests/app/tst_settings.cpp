// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/tidemark/settings.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/allocations_model.h"
#include "ui/models/band_grouping.h"
#include "ui/models/source_places.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"

#include <QtCore/QFile>
#include <QtCore/QSettings>
#include <QtCore/QTemporaryDir>
#include <QtGui/QScreen>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QMenu>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

#include <algorithm>

namespace tidemark::tst_settings {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

namespace {

constexpr QSize kSize{1400, 850};

/// The example, or a file that holds no trace.
QString fileFor(bool only_state, const QTemporaryDir& folder)
{
    if (!only_state) {
        return examplePath();
    }
    const QString path = folder.filePath(QStringLiteral("state.json"));
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(R"({"segments": [{"address": 140000000000000, "total_size": 1073741824,
            "stream": 0, "segment_type": "large", "allocated_size": 805306368,
            "active_size": 805306368, "device": 0, "blocks": [
            {"address": 140000000000000, "size": 805306368, "requested_size": 805306368,
             "state": "active_allocated", "frames": []},
            {"address": 140000805306368, "size": 268435456, "requested_size": 0,
             "state": "inactive", "frames": []}]}], "device_traces": [[]]})");
    }
    return path;
}

/// Makes the panel at the cursor wider, as a person does.
void dragBeside(Opened& opened, int pixels)
{
    QWidget* const handle = opened.child<QSplitter>("plotColumns")->handle(1);
    const QPoint at = handle->rect().center();
    QTest::mousePress(handle, Qt::LeftButton, {}, at);
    QTest::mouseMove(handle, at - QPoint(pixels, 0));
    QTest::mouseRelease(handle, Qt::LeftButton, {}, handle->rect().center());
    Opened::settle();
}

/// Whether names and figures of the table at the cursor can be read in full.
bool isLegible(Opened& opened)
{
    auto* table = opened.child<QTableView>("cursorBuckets");
    const QAbstractItemView* view = table; // Its size hints are public there.
    return table->horizontalHeader()->length() <= table->viewport()->width()
        && view->sizeHintForColumn(0) <= table->columnWidth(0);
}

} // namespace

class TstSettings : public test::UiTest {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        QSettings().clear();
    }
    void panelsComeBackAsTheyWere_data()
    {
        QTest::addColumn<bool>("only_state");
        QTest::newRow("trace") << false;
        QTest::newRow("state only") << true;
    }
    void panelsComeBackAsTheyWere()
    {
        QFETCH(bool, only_state);
        const QString path = fileFor(only_state, m_folder);
        QSize wanted;
        {
            Opened first(kSize);
            app::loadWindow(first.window);
            first.window.resize(kSize);
            first.show();
            first.open({path});
            dragBeside(first, 60);
            QVERIFY(first.window.showView(QStringLiteral("steps"), false));
            Opened::settle();
            wanted = first.child<QWidget>("cursorCard")->size();
            first.window.close();
            app::saveWindow(first.window);
        }
        Opened second({900, 600});
        app::loadWindow(second.window);
        // Not over the edges of the screen that is there.
        const QSize room = second.window.screen()->availableGeometry().size();
        QVERIFY(second.window.height() <= std::max(room.height(), 600));
        second.window.resize(kSize);
        second.show();
        second.open({path});
        Opened::settle();
        QCOMPARE(second.child<QWidget>("cursorCard")->size(), wanted);
        QVERIFY(second.child<QWidget>("stepsPanel")->isVisible());
        QVERIFY(isLegible(second));
    }
    void theTitleIsOnTheScreenAndASizeThatIsSaidHolds()
    {
        Opened first(kSize);
        app::loadWindow(first.window);
        const QRect room = first.window.screen()->availableGeometry();
        QVERIFY(room.contains(first.window.geometry().adjusted(-2, -24, 2, 2)));
        app::loadWindow(first.window, QSize(784, 700));
        QCOMPARE(first.window.size(), QSize(784, 700));
    }
    void theLanguageComesBack()
    {
        Preferences first;
        first.setLanguage(QStringLiteral("de"));
        app::savePreferences(first);
        Preferences second;
        app::loadPreferences(second);
        QCOMPARE(second.language(), QStringLiteral("de"));
    }
    void aLayoutThatIsTooNarrowGivesWay()
    {
        int width = 0;
        {
            Opened first(kSize);
            first.show();
            first.open({examplePath()});
            dragBeside(first, 60);
            width = first.child<QWidget>("cursorCard")->width();
            app::saveWindow(first.window);
        }
        QSettings settings;
        QByteArray panels = settings.value(QStringLiteral("v1/panels")).toByteArray();
        const QByteArray written = "\"beside\":" + QByteArray::number(width);
        QVERIFY2(panels.contains(written), panels.constData());
        panels.replace(written, "\"beside\":48");
        settings.setValue(QStringLiteral("v1/panels"), panels);
        settings.sync();
        Opened second(kSize);
        app::loadWindow(second.window);
        second.show();
        second.open({examplePath()});
        QVERIFY(second.child<QWidget>("cursorCard")->width() < width); // It was taken,
        QVERIFY(isLegible(second)); // as far as the panel can be read.
    }
    void whatIsListedAndHowItIsColouredComesBack()
    {
        const auto columns = [](Opened& opened) {
            return opened.child<QToolButton>("allocationColumns")->menu()->actions();
        };
        {
            Opened first(kSize);
            AnalysisPage& page = first.window.analysisPage();
            page.panel<AllocationsPanel>().setScope(AllocationsPanel::Scope::run);
            QVERIFY(!columns(first)[AllocationsModel::Expression]->isChecked());
            columns(first)[AllocationsModel::Expression]->trigger();
            columns(first)[AllocationsModel::Lifetime]->trigger();
            page.timeline().grouper().setBy(query::BandBy::lifetime);
            page.sourcePlaces().add({QStringLiteral("/remote"), QStringLiteral("/here")});
            page.sourcePlaces().setEditor(SourcePlaces::Editor::pycharm);
            app::saveWindow(first.window);
        }
        Opened second(kSize);
        app::loadWindow(second.window);
        AnalysisPage& page = second.window.analysisPage();
        QVERIFY(page.panel<AllocationsPanel>().scope() == AllocationsPanel::Scope::run);
        QVERIFY(columns(second)[AllocationsModel::Expression]->isChecked());
        QVERIFY(!columns(second)[AllocationsModel::Lifetime]->isChecked());
        QVERIFY(page.timeline().grouper().by() == query::BandBy::lifetime);
        QCOMPARE(page.sourcePlaces().mappings().front().here, QStringLiteral("/here"));
        QVERIFY(page.sourcePlaces().editor() == SourcePlaces::Editor::pycharm);
        // What another program wrote changes nothing.
        page.panel<AllocationsPanel>().restoreChoices(QStringLiteral("3 0 1 1"));
        page.panel<AllocationsPanel>().restoreChoices(QStringLiteral("nonsense"));
        QVERIFY(columns(second)[AllocationsModel::Expression]->isChecked());
    }
    void aSessionWithoutAFileKeepsTheLayout()
    {
        const auto panels = [] {
            return QSettings().value(QStringLiteral("v1/panels")).toByteArray();
        };
        {
            Opened first(kSize);
            first.show();
            first.open({examplePath()});
            app::saveWindow(first.window);
        }
        const QByteArray saved = panels();
        QVERIFY(!saved.isEmpty());
        {
            Opened second(kSize);
            app::loadWindow(second.window);
            second.show();
            app::saveWindow(second.window);
        }
        QCOMPARE(panels(), saved);
    }
};

TIDEMARK_TEST(TstSettings)

} // namespace tidemark::tst_settings

#include "tst_settings.moc"
