// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What takes keys and wheels, what is copied, and what fits into the window.
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "tests/ui/ui_test.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"
#include "ui/models/what_if_trial.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/drawer.h"
#include "ui/views/window/main_window.h"
#include "ui/views/window/top_bar.h"

#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QSet>
#include <QtCore/QTemporaryDir>
#include <QtCore/QTimer>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QWheelEvent>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractScrollArea>
#include <QtWidgets/QAbstractSpinBox>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QSlider>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <memory>

namespace tidemark::tst_window_state {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

namespace {

/// Lists other files as soon as a widget is moved, as the window does for what its layout changes.
class Relister : public QObject {
public:
    Relister(TopBar& bar, QWidget& watched)
        : m_bar(bar)
    {
        watched.installEventFilter(this);
    }
    int times = 0;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Move && times < 20) {
            ++times;
            m_bar.setFiles({{1, QStringLiteral("A"), QString(times, u'x'), {}, false, true}});
        }
        return QObject::eventFilter(watched, event);
    }

private:
    TopBar& m_bar;
};

/// The parts of the page that must not lie over each other.
QList<QWidget*> parts(MainWindow& window)
{
    QList<QWidget*> all;
    for (const char* name :
         {"topBar", "verdictCard", "fixCard", "timelineCard", "cursorCard", "drawer"}) {
        all << window.findChild<QWidget*>(QString::fromLatin1(name));
    }
    return all;
}

QRect areaOf(const QWidget& widget, const QWidget& window)
{
    return {widget.mapTo(&window, QPoint()), widget.size()};
}

QString nameOf(const QWidget& widget)
{
    return QString::fromLatin1(widget.metaObject()->className()) + u' ' + widget.objectName();
}

} // namespace

class TstWindowState : public test::UiTest {
    Q_OBJECT

    /// Presses Tab until the focus is where it was, and looks at every place it comes by.
    static int walk(MainWindow& window)
    {
        QSet<QWidget*> seen;
        QWidget* focus = QApplication::focusWidget();
        while (focus != nullptr && !seen.contains(focus)) {
            seen.insert(focus);
            const QRect area = areaOf(*focus, window);
            // What scrolls is covered by its viewport.
            const auto* const scrolled = qobject_cast<QAbstractScrollArea*>(focus);
            const QWidget* const seen_part = scrolled != nullptr ? scrolled->viewport() : focus;
            const bool is_in_view = focus->isVisible() && !seen_part->visibleRegion().isEmpty()
                && window.rect().intersects(area);
            if (!is_in_view) {
                QTest::qFail(qPrintable(nameOf(*focus) + u" has the focus, out of sight"), __FILE__,
                             __LINE__);
            }
            QTest::keyClick(focus, Qt::Key_Tab);
            focus = QApplication::focusWidget();
        }
        return static_cast<int>(seen.size());
    }
    static void turnWheel(QWidget& widget)
    {
        const QPoint at = widget.rect().center();
        QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, -240}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&widget, &event);
    }

private Q_SLOTS:
    void namesGiveWayBeforeTheMenu()
    {
        auto* menu = new QMenuBar; // The bar takes it over.
        TopBar bar(menu);
        for (const char* title : {"Datei", "Bearbeiten", "Ansicht", "Hilfe"}) {
            menu->addMenu(QString::fromLatin1(title));
        }
        bar.setFiles({{1, QStringLiteral("A"), QString(60, u'w'), {}, false, true}});
        bar.setAxes({.time = true});
        bar.setCapacityVisible(true);
        bar.show();
        const auto hasName = [&bar] {
            const auto* chip = bar.findChild<QWidget*>(QStringLiteral("fileChip_A"));
            return chip->findChild<QToolButton*>()->text().size() > 1;
        };
        for (int width = 1300; width > 740; width -= 20) {
            bar.resize(width, 38);
            Opened::settle();
            QVERIFY2(menu->width() >= menu->sizeHint().width() || !hasName(),
                     qPrintable(QString::number(width)));
        }
    }
    /// A chip is shown when its event comes; the layouts around it are done first.
    void chipsMayBeReplacedWhileOneIsBeingShown()
    {
        QWidget window;
        auto* bar = new TopBar(new QMenuBar, &window);
        auto* column = new QVBoxLayout(&window);
        column->addWidget(bar);
        window.resize(1300, 60);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        Relister relister(*bar, *bar->findChild<QWidget*>(QStringLiteral("addFile")));
        bar->setFiles({{1, QStringLiteral("A"), QStringLiteral("a"), {}, false, true}});
        bar->setFiles({{1, QStringLiteral("A"), QStringLiteral("longer"), {}, false, true},
                       {2, QStringLiteral("B"), QStringLiteral("b"), {}, false, true}});
        Opened::settle();
        QVERIFY(relister.times > 0);
        QCOMPARE(bar->findChildren<QWidget*>(QStringLiteral("closeFile")).size(), 1);
    }

    void theRangeIsReadWholeInASmallWindow()
    {
        Opened opened({1024, 700});
        opened.show();
        opened.open({examplePath()});
        QVERIFY(opened.window.showView(QStringLiteral("range"), false));
        const auto hidden = [&](const char* name) {
            const auto* table = opened.child<QTableView>(name);
            return table->horizontalHeader()->length() - table->viewport()->width();
        };
        QTRY_VERIFY(opened.child<QTableView>("rangeBuckets")->model()->rowCount() > 0);
        QTRY_VERIFY(hidden("rangeBuckets") <= 0);
        QTRY_VERIFY(hidden("rangeStacks") <= 0);
    }
    void theFocusIsNeverOutOfSight_data();
    void theFocusIsNeverOutOfSight();
    void everyLinkOfTheEvidenceIsReached();
    void theBandsKeepTheirRoom();
    void keysReachWhatIsSeen();
    void theWheelChangesNothingInPassing();
    void filesAreLookedForWhereTheLastOneWas();
    void withoutFramesTheWordsStayAtTheTop();
    void rowsAreCopiedWhole();
    void aFilteredListIsReadFromItsBeginning();
    void theFactsOfAFileAreReadable();
    void aStackWidensNoSmallWindow();
    void nothingLiesOverAnotherThing();
};

void TstWindowState::theFocusIsNeverOutOfSight_data()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("a small window") << QSize(1024, 700);
    QTest::newRow("a window") << QSize(1200, 760);
    QTest::newRow("a large window") << QSize(2560, 1400);
}

void TstWindowState::theFocusIsNeverOutOfSight()
{
    QFETCH(const QSize, size);
    const QTemporaryDir folder;
    const QString other = folder.filePath(QStringLiteral("second.pickle"));
    QVERIFY(QFile::copy(examplePath(), other));
    Opened opened(size);
    opened.show();
    opened.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&opened.window));
    QVERIFY(walk(opened.window) > 3); // The start page.
    opened.open({examplePath()});
    for (const QString& view : MainWindow::viewNames()) {
        if (view == QStringLiteral("start") || view == QStringLiteral("compare")
            || view == QStringLiteral("job")) {
            continue;
        }
        QVERIFY2(opened.window.showView(view, false), qPrintable(view));
        Opened::settle();
        opened.window.analysisPage().timeline().plot().setFocus();
        QVERIFY2(walk(opened.window) > 10, qPrintable(view));
    }
    opened.open({other});
    QVERIFY(opened.window.isComparing());
    QVERIFY(walk(opened.window) > 5);
}

void TstWindowState::everyLinkOfTheEvidenceIsReached()
{
    for (const std::filesystem::path& file : test::sampled(test::modelledFiles())) {
        Opened opened({1024, 700});
        opened.show();
        opened.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&opened.window));
        opened.open({pathText(file)});
        QVERIFY(opened.window.showView(QStringLiteral("evidence"), false));
        Opened::settle();
        opened.window.analysisPage().timeline().plot().setFocus();
        QVERIFY2(walk(opened.window) > 10, file.c_str());
    }
}

void TstWindowState::theBandsKeepTheirRoom()
{
    Opened opened({1024, 700});
    opened.show();
    opened.open({examplePath()});
    AnalysisPage& page = opened.window.analysisPage();
    page.resetLayout();
    Opened::settle();
    const int first = page.timeline().plot().bandRect().height();
    QVERIFY2(first >= 110, qPrintable(QString::number(first)));
    for (const QString& panel : page.panelNames()) {
        page.showPanel(panel);
        Opened::settle();
        const int height = page.timeline().plot().bandRect().height();
        QVERIFY2(height >= 75, qPrintable(panel + u' ' + QString::number(height)));
    }
    QCOMPARE(opened.window.size(), QSize(1024, 700));
}

void TstWindowState::keysReachWhatIsSeen()
{
    Opened opened({1400, 850});
    opened.show();
    opened.open({examplePath()});
    opened.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&opened.window));
    AnalysisPage& page = opened.window.analysisPage();
    page.showPanel(QStringLiteral("whatif"));
    auto* batch = opened.child<QWidget>("control_microBatch")->findChild<QAbstractSpinBox*>();
    QVERIFY(batch != nullptr);
    batch->setFocus();
    QVERIFY(batch->hasFocus());
    page.showPanel(QStringLiteral("fixes"));
    // Out of sight it has no focus any more, and what is typed then does not change it.
    QVERIFY(page.timeline().plot().hasFocus());
    QVERIFY(!batch->isVisible());
    for (int i = 0; i < 12; ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_4, Qt::AltModifier);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_4);
    }
    QVERIFY(page.trial().changes().empty());
    page.timeline().plot().setFocus();
    QTest::keyClick(&page.timeline().plot(), Qt::Key_W);
    QVERIFY(batch->isVisible());
}

void TstWindowState::theWheelChangesNothingInPassing()
{
    Opened opened({1400, 850});
    opened.show();
    opened.open({examplePath()});
    AnalysisPage& page = opened.window.analysisPage();
    page.showPanel(QStringLiteral("whatif"));
    Opened::settle();
    for (QWidget* editor : opened.window.findChildren<QWidget*>()) {
        const bool takes_wheels = qobject_cast<QAbstractSpinBox*>(editor) != nullptr
            || qobject_cast<QComboBox*>(editor) != nullptr
            || qobject_cast<QSlider*>(editor) != nullptr;
        if (takes_wheels) {
            QVERIFY2(editor->focusPolicy() != Qt::WheelFocus, qPrintable(nameOf(*editor)));
            turnWheel(*editor);
        }
    }
    QVERIFY(page.trial().changes().empty());
}

void TstWindowState::filesAreLookedForWhereTheLastOneWas()
{
    Opened opened({1400, 850});
    opened.show();
    opened.open({examplePath()});
    QString folder;
    QTimer::singleShot(0, [&folder] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (dialog != nullptr) {
            folder = dialog->directory().absolutePath();
            dialog->reject();
        }
    });
    QTest::mouseClick(opened.child<QToolButton>("addFile"), Qt::LeftButton);
    QTRY_COMPARE(folder, QFileInfo(examplePath()).absolutePath());
}

void TstWindowState::withoutFramesTheWordsStayAtTheTop()
{
    Opened opened({1400, 850});
    opened.show();
    opened.open({examplePath()});
    opened.window.viewState().select(AllocationId::none());
    opened.window.analysisPage().showPanel(QStringLiteral("stack"));
    Opened::settle();
    const auto* panel = opened.child<QWidget>("stackPanel");
    const auto* words = opened.child<QLabel>("stackDetail");
    QVERIFY(words->isVisible());
    QVERIFY(words->geometry().bottom() < panel->height() / 2);
}

void TstWindowState::rowsAreCopiedWhole()
{
    Opened opened({1400, 850});
    opened.show();
    opened.open({examplePath()});
    opened.window.analysisPage().showPanel(QStringLiteral("allocations"));
    Opened::settle();
    auto* table = opened.child<QTableView>("allocations");
    QTRY_VERIFY(table->model()->rowCount() > 2);
    table->setCurrentIndex(table->model()->index(1, 2));
    QCOMPARE(table->currentIndex().row(), 1);
    QTest::keySequence(table, QKeySequence::Copy);
    const QStringList cells = QGuiApplication::clipboard()->text().split(u'\t');
    QStringList shown;
    for (int i = 0; i < table->model()->columnCount(); ++i) {
        if (!table->isColumnHidden(i)) {
            shown << table->model()->index(1, i).data().toString();
        }
    }
    QVERIFY(shown.size() > 5);
    QCOMPARE(cells, shown);
}

void TstWindowState::aFilteredListIsReadFromItsBeginning()
{
    Opened opened({1400, 850});
    opened.show();
    opened.open({examplePath()});
    opened.window.analysisPage().showPanel(QStringLiteral("allocations"));
    Opened::settle();
    auto* table = opened.child<QTableView>("allocations");
    auto* filter = opened.child<QLineEdit>("allocationFilter");
    QTRY_VERIFY(table->model()->rowCount() > 0);
    const int all = table->model()->rowCount();
    opened.window.viewState().select(
        AllocationId(table->model()->index(all - 1, 0).data(AllocationRole).toUInt()));
    QVERIFY(table->verticalScrollBar()->value() > 0);
    filter->setText(QStringLiteral("-bucket:parameter")); // The selected one is still there.
    QTRY_VERIFY(table->model()->rowCount() < all);
    QVERIFY(table->verticalScrollBar()->maximum() > 0);
    QCOMPARE(table->verticalScrollBar()->value(), 0);
    const int fewer = table->model()->rowCount();
    table->scrollToBottom();
    filter->setText(QStringLiteral("activations"));
    QTRY_VERIFY(table->model()->rowCount() < fewer);
    QVERIFY(table->model()->rowCount() > 20);
    QCOMPARE(table->verticalScrollBar()->value(), 0);
    filter->setText(QStringLiteral("no such thing"));
    QTRY_COMPARE(table->model()->rowCount(), 0);
    const auto* summary = opened.child<QLabel>("allocationSummary");
    QVERIFY(summary->text().contains(QStringLiteral("no allocation matches")));
}

/// In the smallest window that must do.
void TstWindowState::theFactsOfAFileAreReadable()
{
    Opened opened({1024, 700});
    opened.show();
    opened.open({examplePath()});
    opened.window.analysisPage().showPanel(QStringLiteral("file"));
    Opened::settle();
    const auto* devices = opened.child<QTableView>("devices");
    QVERIFY(devices->isVisible());
    QVERIFY(devices->horizontalHeader()->length() <= devices->viewport()->width());
    auto* facts = opened.child<QTableView>("facts");
    QCOMPARE(facts->horizontalScrollBar()->maximum(), 0);
    const int width = facts->columnWidth(2) - 18; // Less the paddings of the cell and its words.
    for (int row = 0; row < facts->model()->rowCount(); ++row) {
        const QString fact = facts->model()->index(row, 2).data().toString();
        if (!fact.contains(u'/')) { // Paths are parted elsewhere, too.
            const QRect room(0, 0, width, 1000);
            const int height =
                facts->fontMetrics().boundingRect(room, Qt::TextWordWrap, fact).height();
            QVERIFY2(facts->rowHeight(row) >= height, qPrintable(fact));
        }
    }
    // Names have their whole width back where there is room.
    opened.window.resize(1800, 900);
    Opened::settle();
    facts->setWordWrap(false);
    QVERIFY(facts->columnWidth(1) >= static_cast<QAbstractItemView*>(facts)->sizeHintForColumn(1));
}

void TstWindowState::aStackWidensNoSmallWindow()
{
    Opened opened({1024, 700});
    opened.show();
    opened.open({examplePath()});
    Drawer& drawer = *opened.window.findChild<Drawer*>();
    for (const int width : {1024, 1100, 1800}) {
        for (const QString& name : AnalysisPage::panelNames()) {
            if (drawer.panel(name) == nullptr || name == QStringLiteral("stack")) {
                continue; // Beside the plot.
            }
            opened.window.resize(width, 700);
            opened.window.showView(name, false);
            Opened::settle();
            QVERIFY2(drawer.panel(name)->isVisible(), qPrintable(name));
            QCOMPARE(opened.window.width(), width);
            opened.window.showView(QStringLiteral("stack"), false);
            Opened::settle();
            QVERIFY2(drawer.panel(QStringLiteral("stack"))->isVisible(), qPrintable(name));
            QCOMPARE(opened.window.width(), width);
            QVERIFY(drawer.panel(name)->isVisible() || width < 1800);
        }
    }
    opened.window.resize(1024, 700);
    opened.window.showView(QStringLiteral("simulate"), false);
    opened.window.showView(QStringLiteral("stack"), false);
    drawer.setPaneVisible(false);
    Opened::settle();
    QVERIFY(drawer.panel(QStringLiteral("simulate"))->isVisible());
}

void TstWindowState::nothingLiesOverAnotherThing()
{
    Opened opened({1400, 850});
    opened.show();
    opened.open({examplePath()});
    AnalysisPage& page = opened.window.analysisPage();
    for (const QSize size :
         {QSize(300, 200), QSize(300, 900), QSize(1024, 200), QSize(1024, 700)}) {
        for (const QString& panel : page.panelNames()) {
            page.showPanel(panel);
            opened.window.resize(size);
            Opened::settle();
            opened.window.resize(size); // A narrow one needs more height.
            Opened::settle();
            QVERIFY(opened.window.width() >= size.width());
            const QList<QWidget*> all = parts(opened.window);
            for (int i = 0; i < all.size(); ++i) {
                const QRect area = areaOf(*all[i], opened.window);
                QVERIFY2(opened.window.rect().contains(area), qPrintable(nameOf(*all[i])));
                for (int k = i + 1; k < all.size(); ++k) {
                    const QRect common = area & areaOf(*all[k], opened.window);
                    QVERIFY2(common.isEmpty(),
                             qPrintable(nameOf(*all[i]) + u" over " + nameOf(*all[k])));
                }
            }
        }
    }
    QCOMPARE(opened.window.size(), QSize(1024, 700)); // The smallest that must do.
}

TIDEMARK_TEST(TstWindowState)

} // namespace tidemark::tst_window_state

#include "tst_window_state.moc"
