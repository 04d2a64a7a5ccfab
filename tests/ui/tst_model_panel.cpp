// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/corrections_model.h"
#include "ui/models/model_tree_model.h"
#include "ui/models/roles.h"
#include "ui/views/panels/corrections_panel.h"
#include "ui/views/panels/dimension_line.h"
#include "ui/views/panels/model_panel.h"
#include "ui/views/window/analysis_page.h"

#include <QtCore/QTemporaryDir>
#include <QtGui/QAction>
#include <QtGui/QContextMenuEvent>
#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialog>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>

#include <filesystem>
#include <memory>

namespace tidemark::tst_model_panel {

using namespace tidemark::ui;
using tidemark::test::analysisOf;
using tidemark::test::Opened;
using tidemark::test::smallRun;

namespace {

constexpr int kPatience = 60000; ///< Milliseconds; far above what anything here takes.
constexpr QSize kWindow(1400, 900);

/// A panel that shows a run.
struct Shown {
    ViewState state;
    ModelPanel panel{state};

    explicit Shown(const diagnose::Analysis& analysis)
    {
        panel.resize(900, 300);
        panel.show();
        show(analysis);
    }
    void show(const diagnose::Analysis& analysis)
    {
        QSignalSpy shown(&panel, &ModelPanel::rowsShown);
        state.show(analysis, 0);
        QVERIFY(shown.wait());
    }
    [[nodiscard]] QTreeView& tree() const
    {
        return *panel.findChild<QTreeView*>(QStringLiteral("model"));
    }
    [[nodiscard]] const QAbstractItemModel& model() const
    {
        return *tree().model();
    }
};

qint64 bytesIn(const QModelIndex& row, int column)
{
    return row.siblingAtColumn(column).data(BytesRole).toLongLong();
}

/// Every row holds what the rows below it hold together, and what its columns hold.
void compareSums(const QAbstractItemModel& model, const QModelIndex& parent, qint64 whole)
{
    qint64 sum = 0;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        const qint64 total = bytesIn(index, ModelTreeModel::Total);
        qint64 columns = 0;
        for (int c = ModelTreeModel::Parameters; c <= ModelTreeModel::Others; ++c) {
            columns += bytesIn(index, c);
        }
        QCOMPARE(columns, total);
        if (model.rowCount(index) > 0) {
            compareSums(model, index, total);
        }
        sum += total;
    }
    QCOMPARE(sum, whole);
}

DimensionChip* chip(const QWidget& widget, const char* name)
{
    // What was replaced goes with the next event.
    for (auto* each : widget.findChildren<DimensionChip*>(QString::fromLatin1(name))) {
        if (!each->isHidden()) {
            return each;
        }
    }
    return nullptr;
}

QDialog* openDialog()
{
    for (QWidget* widget : QApplication::topLevelWidgets()) {
        if (widget->objectName() == QStringLiteral("dimensionDialog") && widget->isVisible()) {
            return qobject_cast<QDialog*>(widget);
        }
    }
    return nullptr;
}

QMenu* openMenu()
{
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    return menu != nullptr && menu->objectName() == QStringLiteral("dimensionMenu") ? menu
                                                                                    : nullptr;
}

/// Empty while it is replaced.
QString textOf(const QWidget& widget, const char* name)
{
    const DimensionChip* const found = chip(widget, name);
    return found == nullptr ? QString() : found->text();
}

void chooseIn(QMenu& menu, const QString& words)
{
    for (QAction* action : menu.actions()) {
        if (action->text() == words) {
            menu.setActiveAction(action);
            QTest::keyClick(&menu, Qt::Key_Return);
            return;
        }
    }
    QStringList all;
    for (const QAction* action : menu.actions()) {
        all << action->text();
    }
    QFAIL(qPrintable(words + QStringLiteral(" is not among ") + all.join(u'|')));
}

/// A copy, since corrections are saved beside a file.
QString copyOfRecording(const QTemporaryDir& folder)
{
    const auto recording = test::ownData() / "gpu/pairs/own_attention_fp32.pickle.xz";
    const QString copy = folder.filePath(QStringLiteral("run.pickle.xz"));
    std::filesystem::copy_file(recording, copy.toStdString());
    return copy;
}

/// A recording that shows all dimensions but the heads in a window, with the panel in front.
struct Example : Opened {
    QTemporaryDir folder;

    Example()
        : Opened(kWindow)
    {
        show();
        open({copyOfRecording(folder)});
        auto& page = *window.findChild<AnalysisPage*>();
        QVERIFY(page.showPanel(QStringLiteral("model")));
        QTRY_VERIFY_WITH_TIMEOUT(chip(window, "dimension_hidden") != nullptr, kPatience);
    }
    [[nodiscard]] std::int64_t stated(program::DimensionName name)
    {
        const diagnose::Analysis& analysis = window.viewState().analysis();
        const program::Dimension* const d = analysis.program(0).find(name);
        return d == nullptr ? 0 : d->value;
    }
    /// Through the button that says one of all.
    void say(const QString& name, const QString& value)
    {
        QTest::mouseClick(child<QToolButton>("correctDimension"), Qt::LeftButton);
        QTRY_VERIFY(openMenu() != nullptr);
        chooseIn(*openMenu(), name + QStringLiteral("…"));
        answer(value);
    }
    static void answer(const QString& value)
    {
        QTRY_VERIFY(openDialog() != nullptr);
        auto* edit = openDialog()->findChild<QLineEdit*>(QStringLiteral("dimensionValue"));
        QTest::keyClick(edit, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(edit, value);
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_VERIFY(openDialog() == nullptr);
    }
};

} // namespace

class TstModelPanel : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void aColumnKeepsTheWidthThatAPersonGaveIt()
    {
        Shown shown(analysisOf(smallRun()));
        QHeaderView* const header = shown.tree().header();
        header->resizeSection(0, 333);
        header->resizeSection(1, 111);
        shown.panel.resize(1100, 300);
        Opened::settle();
        QCOMPARE(header->sectionSize(0), 333);
        QCOMPARE(header->sectionSize(1), 111);
    }
    void partsAddUp()
    {
        const Shown shown(analysisOf(smallRun()));
        const auto& replay = shown.state.replay();
        compareSums(shown.model(), {}, replay.activeAt(replay.peak).value);
        QCOMPARE(shown.model()
                     .match(shown.model().index(0, 0), Qt::DisplayRole,
                            QStringLiteral("model.py:10"), -1,
                            Qt::MatchContains | Qt::MatchRecursive)
                     .size(),
                 1);
    }
    void theTreeIsAWellFormedModel()
    {
        const Shown shown(analysisOf(smallRun()));
        const QAbstractItemModelTester tester(
            shown.tree().model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        shown.tree().expandAll();
    }
    void withoutFramesBucketsStandOnTop()
    {
        const Shown shown(analysisOf("a +4M\nb +3M\nb -\nc +3M\n"));
        QVERIFY(shown.model().rowCount() > 0);
        const auto* title = shown.panel.findChild<QLabel*>(QStringLiteral("modelTitle"));
        QVERIFY(title->text().contains(QStringLiteral("no stacks recorded")));
    }
    void itFollowsTheCursor()
    {
        Shown shown(analysisOf(smallRun()));
        const auto* title = shown.panel.findChild<QLabel*>(QStringLiteral("modelTitle"));
        const QString at_peak = title->text();
        QTest::mouseClick(shown.panel.findChild<QToolButton*>(QStringLiteral("modelAtCursor")),
                          Qt::LeftButton);
        shown.state.setCursor(StateId::start());
        QTRY_VERIFY(title->text() != at_peak && title->text().contains(QStringLiteral("start")));
        QCOMPARE(shown.model().rowCount(), 1);
    }
    void newLabelsGiveNewColumns()
    {
        diagnose::Analysis analysis = analysisOf(smallRun());
        Shown shown(analysis);
        auto labels = *analysis.labels;
        std::ranges::fill(labels.devices[0].bucket, label::Bucket::gradient);
        analysis.labels = std::make_shared<const label::Labels>(std::move(labels));
        shown.show(analysis);
        const QModelIndex first = shown.model().index(0, 0);
        QCOMPARE(bytesIn(first, ModelTreeModel::Gradients), bytesIn(first, ModelTreeModel::Total));
        QVERIFY(shown.tree().isColumnHidden(ModelTreeModel::Parameters));
    }
    void shapesComeWithTheProgram()
    {
        diagnose::Analysis analysis = analysisOf(smallRun());
        auto programs = *analysis.programs;
        for (program::SizeUse& use : programs[0].sizes) {
            use.expressions = {{{program::Factor::number}, use.bytes / 4, 4}};
        }
        analysis.programs = nullptr;
        Shown shown(analysis);
        QVERIFY(shown.tree().isColumnHidden(ModelTreeModel::Shape));
        analysis.programs =
            std::make_shared<const std::vector<program::Program>>(std::move(programs));
        shown.show(analysis);
        QVERIFY2(!shown.tree().isColumnHidden(ModelTreeModel::Shape), "the labels are the same");
    }
    void aRowLeadsToItsLargestAllocation()
    {
        Shown shown(analysisOf(smallRun()));
        const QSignalSpy requested(&shown.panel, &ModelPanel::stackRequested);
        shown.tree().setCurrentIndex(shown.model().index(0, 0));
        QTest::keyClick(&shown.tree(), Qt::Key_Return);
        QCOMPARE(requested.count(), 1);
        const auto& replay = shown.state.replay();
        QVERIFY(replay.allocations.isLive(shown.state.selected(), replay.peak));
    }
    void theSelectedAllocationIsFound()
    {
        Shown shown(analysisOf(smallRun()));
        const auto& replay = shown.state.replay();
        shown.state.setCursor(replay.peak);
        const AllocationId last = replay::livingAt(replay, replay.peak).back();
        shown.state.select(last);
        QSignalSpy rows(&shown.panel, &ModelPanel::rowsShown);
        shown.panel.showSelected();
        QVERIFY(rows.wait());
        QVERIFY(shown.tree().currentIndex().isValid());
        QVERIFY(bytesIn(shown.tree().currentIndex(), ModelTreeModel::Total)
                >= replay.allocations.requested[last.index()].value);
    }
    void withoutADeviceThereIsNothing()
    {
        Shown shown(analysisOf(smallRun()));
        shown.state.clear();
        QCOMPARE(shown.model().rowCount(), 0);
        QVERIFY(shown.panel.findChild<DimensionLine*>()->isHidden());
    }
    void nothingOfTheOldDeviceIsChosenUntilTheNewTreeIsThere()
    {
        Shown shown(analysisOf(smallRun()));
        QVERIFY(shown.model().rowCount() > 0);
        QSignalSpy again(&shown.panel, &ModelPanel::rowsShown);
        shown.state.show(analysisOf("live w 1M\n"), 0);
        QCOMPARE(shown.model().rowCount(), 0);
        QVERIFY(again.wait());
        QVERIFY(shown.model().rowCount() > 0);
    }
    void whatIsNotKnownIsSaid()
    {
        const Shown shown(analysisOf(smallRun()));
        const auto* why = shown.panel.findChild<QLabel*>(QStringLiteral("dimensionsWhy"));
        QVERIFY(why->isVisible());
        QCOMPARE(why->text(),
                 QString::fromStdString(shown.state.analysis().program(0).unidentified));
        QVERIFY(shown.panel.findChildren<DimensionChip*>().isEmpty());
    }
    void evidenceIsTheToolTip()
    {
        Example example;
        const DimensionChip* const layers = chip(example.window, "dimension_layers");
        QCOMPARE(layers->text(), QStringLiteral("6 layers"));
        QVERIFY(layers->toolTip().contains(QStringLiteral("the weights repeat 6 times")));
        QVERIFY(example.child<QToolButton>("resetDimensions")->isHidden());
    }
    void aDimensionIsSaidAndTakenBack()
    {
        using program::DimensionName;
        Example example;
        QCOMPARE(example.stated(DimensionName::heads), 0);
        example.say(QStringLiteral("heads"), QStringLiteral("12"));
        QTRY_COMPARE_WITH_TIMEOUT(example.stated(DimensionName::heads), 12, kPatience);
        QTRY_VERIFY(chip(example.window, "dimension_heads") != nullptr);
        QTRY_COMPARE(textOf(example.window, "dimension_heads"), QStringLiteral("12 heads"));
        QVERIFY(chip(example.window, "dimension_heads")->font().bold());
        const CorrectionsModel& list = example.window.findChild<CorrectionsPanel*>()->model();
        QCOMPARE(list.rowCount(), 1);
        QCOMPARE(list.index(0, CorrectionsModel::What).data().toString(),
                 QStringLiteral("the dimension heads"));
        QCOMPARE(list.index(0, CorrectionsModel::Becomes).data().toString(), QStringLiteral("12"));
        // What is said again takes its place.
        QTest::mouseDClick(chip(example.window, "dimension_heads"), Qt::LeftButton);
        Example::answer(QStringLiteral("6"));
        QTRY_COMPARE_WITH_TIMEOUT(example.stated(DimensionName::heads), 6, kPatience);
        QCOMPARE(list.rowCount(), 1);
        // Two steps back, and forth again.
        auto* undo = example.child<QAction>("undo");
        undo->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(example.stated(DimensionName::heads), 12, kPatience);
        undo->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(example.stated(DimensionName::heads), 0, kPatience);
        example.child<QAction>("redo")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(example.stated(DimensionName::heads), 12, kPatience);
        auto* reset = example.child<QToolButton>("resetDimensions");
        QTRY_VERIFY(reset->isVisible());
        QTest::mouseClick(reset, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(example.stated(DimensionName::heads), 0, kPatience);
        QTRY_COMPARE(list.rowCount(), 0);
        QTRY_VERIFY(reset->isHidden());
    }
    void keysAloneDoIt()
    {
        using program::DimensionName;
        Example example;
        DimensionChip* const layers = chip(example.window, "dimension_layers");
        layers->setFocus(Qt::TabFocusReason);
        QTest::keyClick(layers, Qt::Key_F2);
        Example::answer(QStringLiteral("3"));
        QTRY_COMPARE_WITH_TIMEOUT(example.stated(DimensionName::layers), 3, kPatience);
        QTRY_COMPARE(textOf(example.window, "dimension_layers"), QStringLiteral("3 layers"));
        QContextMenuEvent key(QContextMenuEvent::Keyboard, QPoint(), QPoint());
        QApplication::sendEvent(chip(example.window, "dimension_layers"), &key);
        QTRY_VERIFY(openMenu() != nullptr);
        chooseIn(*openMenu(), QStringLiteral("Reset layers"));
        QTRY_COMPARE_WITH_TIMEOUT(example.stated(DimensionName::layers), 6, kPatience);
    }
    void whatAgreesWithNothingSaysSoAndIsResetThere()
    {
        using program::DimensionName;
        Example example;
        example.say(QStringLiteral("batch"), QStringLiteral("7"));
        const auto* why = example.child<QLabel>("dimensionsWhy");
        QTRY_COMPARE_WITH_TIMEOUT(
            why->text(),
            QStringLiteral("No dimensions fit batch 7, as a correction says, so none are "
                           "given."),
            kPatience);
        QTest::mouseClick(example.child<QToolButton>("resetDimensions"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(example.stated(DimensionName::layers), 6, kPatience);
    }
    void noNumberIsNoAnswer()
    {
        Example example;
        QTest::mouseDClick(chip(example.window, "dimension_hidden"), Qt::LeftButton);
        QTRY_VERIFY(openDialog() != nullptr);
        auto* edit = openDialog()->findChild<QLineEdit*>(QStringLiteral("dimensionValue"));
        auto* buttons = openDialog()->findChild<QDialogButtonBox*>();
        QCOMPARE(edit->text(), QStringLiteral("768"));
        for (const char* words : {"", "0", "-3", "3.5", "many", "99999999999999"}) {
            edit->setText(QString::fromLatin1(words));
            QVERIFY(!buttons->button(QDialogButtonBox::Ok)->isEnabled());
        }
        edit->setText(QStringLiteral("1,024"));
        QVERIFY(buttons->button(QDialogButtonBox::Ok)->isEnabled());
        // Another dimension has another value, or none.
        auto* name = openDialog()->findChild<QComboBox*>(QStringLiteral("dimensionName"));
        name->setCurrentIndex(static_cast<int>(program::DimensionName::layers));
        QCOMPARE(edit->text(), QStringLiteral("6"));
        name->setCurrentIndex(static_cast<int>(program::DimensionName::heads));
        QCOMPARE(edit->text(), QString());
        openDialog()->reject();
    }
};

TIDEMARK_TEST(TstModelPanel)

} // namespace tidemark::tst_model_panel

#include "tst_model_panel.moc"
