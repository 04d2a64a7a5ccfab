// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "core/plan/capacity_text.h"
#include "core/replay/peaks.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/fixes_model.h"
#include "ui/models/text.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/main_window.h"

#include <QtCore/QFile>
#include <QtCore/QMimeData>
#include <QtCore/QTemporaryDir>
#include <QtCore/QUrl>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QDropEvent>
#include <QtGui/QGuiApplication>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListView>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace tidemark::tst_main_window {

using namespace tidemark::ui;
using tidemark::test::examplePath;

namespace {

constexpr int kPatience = 60000; ///< Milliseconds; far above what reading takes.

/// Path of a snapshot in JSON.
QString written(const QTemporaryDir& folder, const char* json)
{
    const QString path = folder.filePath(QStringLiteral("snapshot.json"));
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(json) > 0 ? path : QString();
}

} // namespace

class TstMainWindow : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<Preferences> m_preferences;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<MainWindow> m_window;
    std::vector<std::size_t> m_reports; ///< Analyses per report that was asked for.
    ReportWish m_wish; ///< Of the last one.

    void openExampleAndWait()
    {
        m_window->openExample();
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->isLoading(), kPatience);
        QTRY_VERIFY(m_window->viewState().hasDevice());
    }
    /// A second file with the example's bytes.
    static QString copyOfExample(const QTemporaryDir& folder)
    {
        const QString path = folder.filePath(QStringLiteral("second.pickle"));
        QFile::copy(examplePath(), path);
        return path;
    }
    template <class T>
    T* child(const char* name)
    {
        return m_window->findChild<T*>(QString::fromLatin1(name));
    }

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        m_preferences = std::make_unique<Preferences>();
        m_session = std::make_unique<Session>();
        m_reports.clear();
        WindowServices services;
        services.write_report = [this](const QString& path,
                                       std::span<const diagnose::Analysis> analyses,
                                       const QStringList& /*letters*/, const ReportWish& wish,
                                       const std::stop_token& /*stop*/) {
            m_wish = wish;
            m_reports.push_back(analyses.size());
            QFile file(path);
            if (!file.open(QIODevice::WriteOnly)) {
                return Result<Done>(
                    Error{ErrorCode::cannotWrite, "The file cannot be written.", {}});
            }
            file.write("%PDF-");
            return Result<Done>(Done{});
        };
        services.example_path = examplePath();
        m_window = std::make_unique<MainWindow>(*m_session, *m_preferences, std::move(services));
        m_window->resize(1400, 850);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup()
    {
        m_window.reset();
        m_session.reset();
        UiTest::cleanup();
    }

    void itBeginsWithAPlaceToDropAFile()
    {
        QVERIFY(child<QWidget>("startPage")->isVisible());
        QVERIFY(child<QPushButton>("exampleButton")->isEnabled());
        QTest::mouseClick(child<QToolButton>("copyRecording"), Qt::LeftButton);
        QVERIFY(QGuiApplication::clipboard()->text().contains(
            QStringLiteral("_record_memory_history(max_entries=")));
        QVERIFY(QGuiApplication::clipboard()->text().contains(
            QStringLiteral("tidemark_capture.record(")));
        QVERIFY(!m_window->showView(QStringLiteral("fixes"), false));
        QVERIFY(!m_window->showView(QStringLiteral("no such view"), false));
    }

    void theCaptureModuleIsSavedFromTheStartPage()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("tidemark_capture.py"));
        QVERIFY(m_window->saveModule(path));
        QFile saved(path);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        QFile source(QStringLiteral(TIDEMARK_SOURCE_DIR "/resources/capture/tidemark_capture.py"));
        QVERIFY(source.open(QIODevice::ReadOnly));
        QCOMPARE(saved.readAll(), source.readAll());
        QVERIFY(!m_window->saveModule(folder.filePath(QStringLiteral("no such folder/a.py"))));
    }

    void aDroppedFileIsShownWithItsAnswer()
    {
        QVERIFY(test::dropFiles(*m_window, {examplePath()}));
        QVERIFY(child<QWidget>("loadingStrip")->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->isLoading(), kPatience);
        QVERIFY(m_window->analysisPage().isVisible());
        QVERIFY(!child<QWidget>("loadingStrip")->isVisible());
        const diagnose::DeviceDiagnosis& diagnosis = *m_window->viewState().diagnosis();
        QCOMPARE(child<QLabel>("headline")->text(), text(diagnosis.headline));
        QVERIFY(!child<QLabel>("headline")->text().isEmpty());
        // Only what is uncertain bears the mark of an inference.
        QCOMPARE(child<QLabel>("checks")->text().contains(QStringLiteral("≈ inferred")),
                 diagnosis.causes.front().score < 0.75);
        QVERIFY(!child<QLabel>("fixHeadline")->text().isEmpty());
        QCOMPARE(m_preferences->recentFiles(), QStringList{examplePath()});
        QVERIFY(m_window->windowTitle().startsWith(QStringLiteral("gpt_oom_backward.pickle")));
        QVERIFY(child<QListView>("largestAlive")->model()->rowCount() > 0);
    }

    void twoDroppedFilesAreCompared()
    {
        const QTemporaryDir folder;
        QVERIFY(test::dropFiles(*m_window, {examplePath(), copyOfExample(folder)}));
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->isLoading(), kPatience);
        QVERIFY(m_window->isComparing());
        QVERIFY(m_window->comparePage().isVisible());
        // A chip shows its file alone; closing one ends the comparison.
        m_window->showFile(m_session->files()[1].id);
        QVERIFY(!m_window->isComparing());
        m_window->setComparing(true);
        QVERIFY(m_window->isComparing());
        m_session->remove(m_session->files()[0].id);
        QVERIFY(!m_window->isComparing());
        QVERIFY(m_window->analysisPage().isVisible());
    }

    void longNamesAreShortenedNotCut()
    {
        const QTemporaryDir folder;
        const QString path =
            folder.filePath(QStringLiteral("a_run_with_quite_a_long_name_of_its_own.pickle"));
        QVERIFY(QFile::copy(examplePath(), path));
        m_window->openFiles({path});
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->isLoading(), kPatience);
        const auto is_whole = [this] { // Chips are made anew when their room changes.
            const auto buttons = child<QWidget>("fileChip_A")->findChildren<QToolButton*>();
            return std::ranges::all_of(buttons, [](const QToolButton* button) {
                return button->width() >= button->sizeHint().width();
            });
        };
        for (const int width : {900, 1100, 1250, 1500}) {
            m_window->resize(width, 700);
            QCoreApplication::processEvents();
            QTRY_VERIFY2(is_whole(), qPrintable(QString::number(width)));
        }
    }

    void aSecondDropJoinsTheFirst()
    {
        openExampleAndWait();
        const QTemporaryDir folder;
        QVERIFY(test::dropFiles(*m_window, {copyOfExample(folder)}));
        QTRY_VERIFY_WITH_TIMEOUT(m_session->files().size() == 2 && !m_session->isLoading(),
                                 kPatience);
        QVERIFY(m_window->isComparing());
        QCOMPARE(child<QToolButton>("compareToggle")->isChecked(), true);
        QTest::mouseClick(child<QToolButton>("compareToggle"), Qt::LeftButton);
        QVERIFY(!m_window->isComparing());
    }

    void whatIsNoFileIsNotTaken()
    {
        QMimeData data;
        data.setUrls({QUrl(QStringLiteral("https://example.org/snapshot.pickle"))});
        QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton,
                              Qt::NoModifier);
        enter.ignore();
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(!enter.isAccepted());
        QVERIFY(m_session->files().empty());
    }

    void aDroppedTextIsExplained()
    {
        QMimeData data;
        data.setText(QStringLiteral("Tried to allocate 3.91 GiB. GPU has 3.8 GiB free"));
        QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton,
                              Qt::NoModifier);
        enter.ignore();
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &drop);
        QCOMPARE(child<QPlainTextEdit>("explainText")->toPlainText(), data.text());
        QVERIFY(m_session->files().empty());
    }

    void aBadFileIsNamedAndBlocksNothing()
    {
        const QTemporaryDir folder;
        const QString bad = folder.filePath(QStringLiteral("notes.bin"));
        QFile file(bad);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("nothing of interest\n");
        file.close();
        QVERIFY(test::dropFiles(*m_window, {bad, examplePath()}));
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->isLoading(), kPatience);
        QVERIFY(m_window->analysisPage().isVisible());
        auto* failure = child<QFrame>("failure");
        QVERIFY(failure != nullptr && failure->isVisible());
        const QString words = failure->findChild<QLabel*>()->text();
        QVERIFY(words.startsWith(QStringLiteral("notes.bin: ")));
        QTest::mouseClick(failure->findChild<QToolButton*>(), Qt::LeftButton);
        QTRY_VERIFY(m_session->failures().empty());
        QVERIFY(!child<QWidget>("noticeStrip")->isVisible());
    }

    void cancelReturnsToTheStart()
    {
        m_window->openExample();
        QVERIFY(child<QLabel>("waitingPage")->isVisible());
        QTest::mouseClick(child<QPushButton>("cancelLoading"), Qt::LeftButton);
        QVERIFY(m_session->files().empty());
        QVERIFY(child<QWidget>("startPage")->isVisible());
        openExampleAndWait();
        QVERIFY(m_window->analysisPage().isVisible());
    }

    void theWindowClosesWhileReading()
    {
        m_window->openExample();
        m_window.reset();
        m_session.reset();
    }

    void everyViewCanBeShown()
    {
        openExampleAndWait();
        for (const QString& name : MainWindow::viewNames()) {
            const bool needs_more =
                name == QStringLiteral("compare") || name == QStringLiteral("job");
            QCOMPARE(m_window->showView(name, false), !needs_more);
            QVERIFY(!m_window->grab().isNull());
        }
        for (const QString& name : m_window->analysisPage().panelNames()) {
            QVERIFY(m_window->showView(name, true));
            QCoreApplication::processEvents();
            const QWidget& part =
                *child<QWidget>(name == QStringLiteral("cursor") ? "cursorCard" : "drawer");
            QVERIFY(part.isVisible());
            const int below =
                m_window->height() - part.mapTo(m_window.get(), QPoint()).y() - part.height();
            QVERIFY2(below <= 12, qPrintable(name + QStringLiteral(" leaves %1 px").arg(below)));
        }
    }

    void theAxisIsSwitchedInTheBarAndByKey()
    {
        openExampleAndWait();
        ViewState& state = m_window->viewState();
        QTest::mouseClick(child<QToolButton>("axisTime"), Qt::LeftButton);
        QCOMPARE(state.axis(), projection::Axis::time);
        QTest::keyClick(&m_window->analysisPage().timeline().plot(), Qt::Key_T);
        QTRY_COMPARE(state.axis(), projection::Axis::event);
        QVERIFY(child<QToolButton>("axisEvents")->isChecked());
    }

    void keysLeadToThePeakAndToTheFailure()
    {
        openExampleAndWait();
        ViewState& state = m_window->viewState();
        TimelinePlot& plot = m_window->analysisPage().timeline().plot();
        // The highest first, no higher one is left out; then from the beginning.
        std::vector<replay::Peak> peaks = replay::highestPeaks(state.replay().active, 3);
        QVERIFY(peaks.size() > 1);
        QCOMPARE(peaks.front().state.value, state.replay().peak.value);
        QVERIFY(std::ranges::is_sorted(peaks, std::greater<>(), &replay::Peak::bytes));
        peaks.push_back(peaks.front());
        for (const replay::Peak& peak : peaks) {
            QTest::keyClick(&plot, Qt::Key_P);
            QTRY_COMPARE(state.cursor().value, peak.state.value);
        }
        QTest::keyClick(&plot, Qt::Key_O);
        QTRY_COMPARE(state.cursor().value, StateId::before(state.replay().ooms[0]).value);
        QVERIFY(child<QLabel>("cursorTitle")->text().contains(QStringLiteral("At the OOM")));
    }

    void aChosenFixShowsItsCurveAndItsLines()
    {
        openExampleAndWait();
        auto* table = child<QTableView>("fixes");
        QVERIFY(table->model()->rowCount() >= 2);
        auto* model = static_cast<FixesModel*>(table->model());
        const int row = model->recommendedRow();
        QVERIFY(row >= 0);
        table->setCurrentIndex(table->model()->index(row, 0));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->viewState().ghost() != nullptr, kPatience);
        QCOMPARE(m_window->viewState().ghost()->prediction.after_peak.value,
                 model->fixAt(row)->new_peak.value);
        QVERIFY(child<QPlainTextEdit>("fixLine") != nullptr);
        auto* copy = child<QToolButton>("copyLines");
        QVERIFY(copy->menu()->actions().size() >= 1);
        copy->menu()->actions().first()->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), text(model->fixAt(row)->how[0].second));
        QTest::keyClick(table, Qt::Key_Escape);
        QVERIFY(m_window->viewState().ghost() == nullptr);
        const int before = model->rowCount();
        QTest::mouseClick(child<QToolButton>("showAllFixes"), Qt::LeftButton);
        QVERIFY(model->rowCount() > before);
        QCOMPARE(model->hiddenCount(), 0);
    }

    void aChosenAllocationShowsItsStack()
    {
        openExampleAndWait();
        auto* list = child<QListView>("largestAlive");
        QGuiApplication::clipboard()->setText(QStringLiteral("kept"));
        list->setCurrentIndex({});
        QTest::keySequence(list, QKeySequence::Copy); // Of no row: neither a warning nor a loss.
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("kept"));
        const QRect first = list->visualRect(list->model()->index(0, 0));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, first.center());
        QVERIFY(!m_window->viewState().selected().isNone());
        QTRY_VERIFY(child<QTableView>("stackFrames")->isVisible());
        QVERIFY(child<QTableView>("stackFrames")->model()->rowCount() > 0);
    }

    void allocationsAreFilteredAndSorted()
    {
        openExampleAndWait();
        m_window->showView(QStringLiteral("allocations"), false);
        auto* table = child<QTableView>("allocations");
        QTRY_VERIFY(table->model()->rowCount() > 0);
        const int all = table->model()->rowCount();
        child<QLineEdit>("allocationFilter")->setText(QStringLiteral("softmax"));
        QTRY_VERIFY(table->model()->rowCount() < all);
        QVERIFY(table->model()->rowCount() > 0);
        child<QLineEdit>("allocationFilter")->clear();
        QTRY_COMPARE(table->model()->rowCount(), all);
    }

    void aCapacityGivenByHandCounts()
    {
        openExampleAndWait();
        ViewState& state = m_window->viewState();
        const std::optional<Bytes> own = state.diagnosis()->capacity;
        auto* field = child<QLineEdit>("capacity");
        QCOMPARE(field->placeholderText(), QStringLiteral("capacity ") % bytesText(*own));
        const auto type = [&](const char* words) {
            field->setFocus();
            field->clear();
            QTest::keyClicks(field, QString::fromLatin1(words));
            QTest::keyClick(field, Qt::Key_Escape, Qt::NoModifier); // Closes the completion.
            field->setText(QString::fromLatin1(words));
            QTest::keyClick(field, Qt::Key_Return);
        };
        type("40 GiB");
        QTRY_VERIFY_WITH_TIMEOUT(state.diagnosis()->capacity == Bytes{40 * kGiB.value}, kPatience);
        // All views follow: the line of the timeline, the fixes and what is tried.
        const TimelineScene& scene = m_window->analysisPage().timeline().plot().scene();
        QTRY_VERIFY(scene.marks().capacity == state.diagnosis()->capacity);
        QVERIFY(child<QTableView>("fixes")
                    ->model()
                    ->headerData(FixesModel::Against, Qt::Horizontal)
                    .toString()
                    .contains(QStringLiteral("40.")));
        // What it cannot take stays, marked, beside the value in use.
        type("nothing");
        auto* answer = child<QFrame>("capacityAnswer");
        QVERIFY(answer != nullptr && answer->isVisible());
        QVERIFY(field->property("refused").toBool());
        QCOMPARE(field->text(), QStringLiteral("nothing"));
        QVERIFY(answer->findChild<QLabel*>(QStringLiteral("capacityInUse"))
                    ->text()
                    .contains(QStringLiteral("40")));
        QTest::keyClick(field, Qt::Key_Escape);
        QCOMPARE(field->text(), QStringLiteral("40 GiB"));
        QVERIFY(!field->property("refused").toBool());
        QCOMPARE(state.diagnosis()->capacity, Bytes{40 * kGiB.value});
        // A number alone may be a GPU or an amount: a click says which.
        type("4090");
        QCOMPARE(state.diagnosis()->capacity, Bytes{40 * kGiB.value});
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        const auto readings = child<QFrame>("capacityAnswer")
                                  ->findChildren<QToolButton*>(QStringLiteral("capacityReading"));
        QCOMPARE(readings.size(), 2);
        QTest::mouseClick(readings.front(), Qt::LeftButton);
        const Bytes on_card = plan::parseCapacity("RTX-4090").value().bytes;
        QTRY_VERIFY_WITH_TIMEOUT(state.diagnosis()->capacity == on_card, kPatience);
        QCOMPARE(field->text(), QStringLiteral("RTX-4090"));
        QVERIFY(field->toolTip().contains(QStringLiteral("context")));
        type("h100 80gb");
        const Bytes on_h100 = plan::parseCapacity("H100-80GB").value().bytes;
        QTRY_VERIFY_WITH_TIMEOUT(state.diagnosis()->capacity == on_h100, kPatience);
        QCOMPARE(field->text(), QStringLiteral("h100 80gb")); // In the person's words.
        type("");
        QTRY_VERIFY_WITH_TIMEOUT(state.diagnosis()->capacity == own, kPatience);
    }

    void reportsAreWrittenInTheBackground()
    {
        openExampleAndWait();
        const QTemporaryDir folder;
        QSignalSpy written(m_window.get(), &MainWindow::reportWritten);
        m_window->exportReport(folder.filePath(QStringLiteral("r.pdf")));
        QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, kPatience);
        QVERIFY(written[0][1].toBool());
        QCOMPARE(m_reports, std::vector<std::size_t>{1});
        child<QAction>("redacts")->trigger();
        QTRY_VERIFY(child<QFrame>("notice")->isVisible());
        m_window->exportReport(QStringLiteral("/nowhere/at/all/r.pdf"));
        QTRY_COMPARE_WITH_TIMEOUT(written.count(), 2, kPatience);
        QVERIFY(!written[1][1].toBool() && m_wish.redacts);
        QTRY_VERIFY(child<QFrame>("failure")->isVisible());
        QVERIFY(m_window->exportPicture(folder.filePath(QStringLiteral("t.png"))));
        QVERIFY(!m_window->exportPicture(QStringLiteral("/nowhere/at/all/t.png")));
    }

    void devicesAreSwitched()
    {
        const QTemporaryDir folder;
        m_window->openFiles({written(folder, R"({"segments": [], "device_traces": [
            [{"action": "alloc", "addr": 512, "size": 512, "stream": 0, "frames": []}],
            [{"action": "alloc", "addr": 512, "size": 1024, "stream": 0, "frames": []}]]})")});
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->isLoading(), kPatience);
        auto* picker = child<QComboBox>("devicePicker");
        QVERIFY(picker->isVisible());
        QVERIFY(picker->count() >= 2);
        const std::size_t first = m_window->viewState().device();
        const int other = picker->currentIndex() == 0 ? 1 : 0;
        picker->setCurrentIndex(other);
        Q_EMIT picker->activated(other);
        QVERIFY(m_window->viewState().device() != first);
    }

    void anEmptySnapshotIsExplained()
    {
        const QTemporaryDir folder;
        m_window->openFiles(
            {written(folder, R"({"segments": [], "device_traces": [[], [], [], []]})")});
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->isLoading(), kPatience);
        QVERIFY(child<QLabel>("emptyTitle")->isVisible());
        QVERIFY(child<QLabel>("emptyWords")->text().contains(QStringLiteral("4 devices")));
        QVERIFY(!m_window->showView(QStringLiteral("fixes"), false));
    }
};

TIDEMARK_TEST(TstMainWindow)

} // namespace tidemark::tst_main_window

#include "tst_main_window.moc"
