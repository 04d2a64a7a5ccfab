// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/code_places.h"
#include "ui/models/frames_model.h"
#include "ui/models/selection.h"
#include "ui/models/source_places.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/panels/stack_panel.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QTemporaryDir>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QMenu>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

namespace tidemark::tst_code_links {

using namespace tidemark::ui;
using tidemark::test::analysisOf;

namespace {

const char* const kScript =
    "stack a = linear /x/site-packages/torch/nn/functional.py:5; forward /me/model.py:10; "
    "main /me/train.py:4\n"
    "stack b = relu /x/site-packages/torch/nn/functional.py:7; forward /me/model.py:11; "
    "main /me/train.py:4\n"
    "stack c = empty /x/site-packages/torch/a.py:3\n"
    "a +6M @a\nb +2M @b\nb -\nc +1M @c\n";

/// An editor that writes down what it is called with, and a folder with the code.
class Editor {
public:
    explicit Editor(SourcePlaces& places, const QString& recorded_folder, const QString& name)
        : m_former(qgetenv("PATH"))
    {
        write(m_folder.filePath(QStringLiteral("bin/code")),
              "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + told().toUtf8() + "'\n");
        QFile::setPermissions(m_folder.filePath(QStringLiteral("bin/code")),
                              QFile::ReadOwner | QFile::ExeOwner);
        QByteArray lines;
        for (int i = 1; i <= 200; ++i) {
            lines += "    y = line_" + QByteArray::number(i) + "(x)\n";
        }
        write(m_folder.filePath(QStringLiteral("src/") + name), lines);
        places.setEditor(SourcePlaces::Editor::vscode);
        places.add({recorded_folder, m_folder.filePath(QStringLiteral("src"))});
        qputenv("PATH", m_folder.filePath(QStringLiteral("bin")).toUtf8() + ":/usr/bin:/bin");
    }
    ~Editor()
    {
        qputenv("PATH", m_former);
    }
    Editor(const Editor&) = delete;
    Editor& operator=(const Editor&) = delete;

    /// What it was called with, once it was.
    [[nodiscard]] QString calledWith() const
    {
        QFile file(told());
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    [[nodiscard]] QString wanted(const QString& name, int line) const
    {
        return QStringLiteral("-g\n%1:%2\n")
            .arg(m_folder.filePath(QStringLiteral("src/") + name))
            .arg(line);
    }

private:
    [[nodiscard]] QString told() const
    {
        return m_folder.filePath(QStringLiteral("told"));
    }
    static void write(const QString& path, const QByteArray& bytes)
    {
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

    QTemporaryDir m_folder;
    QByteArray m_former;
};

} // namespace

class TstCodeLinks : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void onlyLinesOfTheRunAreLinks()
    {
        const diagnose::Analysis analysis = analysisOf(kScript);
        const auto places = placesIn(
            QStringLiteral("relu (model.py:11) 2 MiB; model.py:99, other.py:10 and model.py:10. "
                           "Again model.py:11; <b>model.py:10</b>"),
            *analysis.snapshot);
        QCOMPARE(places.size(), 2UL);
        QCOMPARE(places[0].words, QStringLiteral("model.py:11"));
        QCOMPARE(places[0].file, QStringLiteral("/me/model.py"));
        QCOMPARE(places[0].line, 11);
        QCOMPARE(places[1].words, QStringLiteral("model.py:10"));
        const auto& all = analysis.replay->devices[0].allocations;
        QCOMPARE(allocationsAt(places[0].frames, *analysis.snapshot, all, {}),
                 std::vector{AllocationId(1U)});
        // Lines that a sentence adds up are one link, to the bytes that it speaks of.
        const auto both = placesIn(QStringLiteral("model.py:10–11 f: 3 MiB"), *analysis.snapshot);
        QCOMPARE(both.size(), 1UL);
        QCOMPARE(both[0].words, QStringLiteral("model.py:10–11"));
        QCOMPARE(both[0].line, 10);
        QCOMPARE(allocationsAt(both[0].frames, *analysis.snapshot, all, {}).size(), 2UL);
        // No table names anything by the line of main, which both lead through.
        const auto main = placesIn(QStringLiteral("train.py:4"), *analysis.snapshot);
        QCOMPARE(allocationsAt(main.at(0).frames, *analysis.snapshot, all, {}).size(), 2UL);
    }

    void aLineOfTheVerdictSelectsItsBytesAndOpensTheirStack()
    {
        test::Opened opened(QSize(1400, 900));
        opened.show();
        opened.open({test::examplePath()});
        auto* link = opened.child<QToolButton>("lineLink");
        QVERIFY(link != nullptr && link->isVisible());
        const auto places = placesIn(link->text(), *opened.window.viewState().analysis().snapshot);
        QCOMPARE(places.size(), 1UL);
        QTest::mouseClick(link, Qt::LeftButton);
        const ViewState& state = opened.window.viewState();
        QTRY_VERIFY(state.selector().selection() != nullptr);
        QCOMPARE(state.selector().selection()->name, link->text());
        QVERIFY(opened.window.findChild<StackPanel*>()->isVisible());
        QVERIFY(!state.selected().isNone());

        AnalysisPage& page = opened.window.analysisPage();
        const QString folder = places[0].file.section(u'/', 0, -2);
        const QString name = places[0].file.section(u'/', -1);
        const Editor editor(page.sourcePlaces(), folder, name);
        const auto* source = opened.child<ElidedLabel>("lineSource");
        QVERIFY(source->isVisible());
        QCOMPARE(source->words(), QStringLiteral("y = line_%1(x)").arg(places[0].line));
        QTest::mouseClick(opened.child<QToolButton>("lineLink"), Qt::LeftButton,
                          Qt::ControlModifier);
        QTRY_COMPARE(editor.calledWith(), editor.wanted(name, places[0].line));
    }

    void aStackThatLostItsRoomComesBackWithIt()
    {
        test::Opened opened(QSize(1400, 900));
        opened.show();
        opened.open({test::examplePath()});
        opened.window.showView(QStringLiteral("stack"), false);
        opened.window.showView(QStringLiteral("allocations"), false);
        test::Opened::settle();
        const auto* stack = opened.window.findChild<StackPanel*>();
        QVERIFY(stack->isVisible());
        opened.window.resize(opened.window.minimumSizeHint().width(), 700);
        test::Opened::settle();
        QVERIFY(!stack->isVisible()); // The list was asked for last.
        opened.window.resize(1400, 900);
        test::Opened::settle();
        QVERIFY(stack->isVisible());
        auto* list = opened.child<QWidget>("allocationsPanel");
        QVERIFY(list->isVisible());
    }

    void aLineInATableOpensTheEditor()
    {
        test::Opened opened(QSize(1400, 900));
        opened.show();
        opened.open({test::examplePath()});
        opened.window.showView(QStringLiteral("allocations"), false);
        auto* table = opened.child<QTableView>("allocations");
        QTRY_VERIFY(table->model()->rowCount() > 0);
        int row = 0;
        QString line;
        for (; row < table->model()->rowCount() && !line.startsWith(QStringLiteral("scenes.py:"));
             ++row) {
            line = table->model()->index(row, AllocationsModel::Line).data().toString();
        }
        const QModelIndex cell = table->model()->index(row - 1, AllocationsModel::Line);
        const auto place = placesIn(line, *opened.window.viewState().analysis().snapshot).at(0);
        const Editor editor(opened.window.analysisPage().sourcePlaces(),
                            place.file.section(u'/', 0, -2), QStringLiteral("scenes.py"));
        table->scrollTo(cell);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier,
                          table->visualRect(cell).center());
        QTRY_COMPARE(editor.calledWith(), editor.wanted(QStringLiteral("scenes.py"), place.line));
        QVERIFY(!table->selectionModel()->isSelected(cell)); // It chose nothing on the way.
    }

    void theStackHasTheUsersFramesAndThoseOfLibrariesOnDemand()
    {
        ViewState state;
        SourcePlaces places;
        StackPanel panel(state, places);
        panel.resize(900, 300);
        panel.show();
        state.show(analysisOf(kScript), 0);
        state.select(AllocationId(0U));
        auto* frames = panel.findChild<QTableView*>(QStringLiteral("stackFrames"));
        auto* libraries = panel.findChild<QToolButton*>(QStringLiteral("stackLibraries"));
        QCOMPARE(frames->model()->rowCount(), 2);
        QCOMPARE(libraries->text(), QStringLiteral("1 library frame"));
        QTest::mouseClick(libraries, Qt::LeftButton);
        QCOMPARE(frames->model()->rowCount(), 3);
        QCOMPARE(frames->model()->index(2, 0).data().toString(), QStringLiteral("linear"));
        // A frame selects all that was allocated through it; this one stays in front.
        const QModelIndex main = frames->model()->index(1, 0);
        QTest::mouseClick(frames->viewport(), Qt::LeftButton, {},
                          frames->visualRect(main).center());
        QTRY_COMPARE(state.selector().selection()->ids.size(), 2UL);
        QCOMPARE(state.selected(), AllocationId(0U));
        QCOMPARE(frames->model()->rowCount(), 3);
        QCOMPARE(frames->currentIndex().row(), 1); // And its source stays.
        // Where the user has none, libraries are all there is.
        state.select(AllocationId(2U));
        QCOMPARE(frames->model()->rowCount(), 1);
        QVERIFY(!libraries->isVisible());
    }

    void oneKeyLeadsFromPartToPart()
    {
        test::Opened opened(QSize(1600, 900));
        opened.show();
        opened.open({test::examplePath()});
        opened.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&opened.window));
        opened.window.showView(QStringLiteral("stack"), false);
        opened.window.showView(QStringLiteral("allocations"), false);
        QTRY_VERIFY(opened.child<QTableView>("allocations")->model()->rowCount() > 0);
        opened.window.analysisPage().timeline().plot().setFocus();
        QStringList way;
        const auto press = [&way](Qt::KeyboardModifiers modifiers) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, modifiers);
            way << QApplication::focusWidget()->objectName();
        };
        for (int i = 0; i < 5; ++i) {
            press(Qt::NoModifier);
        }
        const QStringList lists{QStringLiteral("largestAlive"), QStringLiteral("allocations"),
                                QStringLiteral("stackFrames")};
        QCOMPARE(way.first(3), lists);
        QVERIFY(opened.child<QWidget>("answerCard")->findChild<QWidget*>(way[3]) != nullptr);
        QCOMPARE(way[4], QStringLiteral("timelinePlot"));
        press(Qt::ShiftModifier);
        press(Qt::ShiftModifier);
        QCOMPARE(way.last(), QStringLiteral("stackFrames"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape); // Nothing is selected,
        QVERIFY(!opened.child<QTableView>("stackFrames")->isVisible()); // so the room is free.
    }

    void aNarrowStackHasItsActionsInAMenu()
    {
        ViewState state;
        SourcePlaces places;
        StackPanel panel(state, places);
        auto* more = panel.findChild<QToolButton*>(QStringLiteral("stackMore"));
        panel.show();
        state.show(analysisOf(kScript), 0);
        state.select(AllocationId(0U));
        for (const int width : {1200, 400, 300}) {
            panel.resize(width, 300);
            QCoreApplication::processEvents();
            for (const auto* button : panel.findChildren<QToolButton*>()) {
                QVERIFY2(!button->isVisible() || button->width() >= button->sizeHint().width(),
                         qPrintable(button->text()));
            }
            QCOMPARE(more->isVisible(), width < 1200);
        }
        QSignalSpy relabels(&panel, &StackPanel::relabelRequested);
        Q_EMIT more->menu()->aboutToShow();
        QCOMPARE(more->menu()->actions().size(), 4);
        more->menu()->actions().front()->trigger();
        QCOMPARE(relabels.size(), 1);
    }
};

TIDEMARK_TEST(TstCodeLinks)

} // namespace tidemark::tst_code_links

#include "tst_code_links.moc"
