// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "core/pipeline/saved_rules.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/allocations_model.h"
#include "ui/models/corrections_model.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/relabel_dialog.h"
#include "ui/views/panels/corrections_panel.h"
#include "ui/views/panels/stack_panel.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/main_window.h"
#include "ui/views/window/relabel_actions.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtGui/QAction>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListView>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QRadioButton>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

#include <memory>

namespace tidemark::tst_relabel {

using namespace tidemark::ui;

namespace {

constexpr int kPatience = 60000; ///< Milliseconds; far above what anything here takes.

} // namespace

class TstRelabel : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Preferences> m_preferences;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<MainWindow> m_window;

    [[nodiscard]] QString path(const char* name) const
    {
        return m_folder->filePath(QString::fromLatin1(name));
    }
    [[nodiscard]] QString savedPath() const
    {
        return path("run.pickle.tidemark-rules.json");
    }
    /// A window with the copied example, as a person finds it who opens the program again.
    void openWindow()
    {
        m_window.reset();
        m_session = std::make_unique<Session>();
        pipeline::RuleOptions rules;
        rules.use_saved = true;
        rules.folder = pathFrom(path("data/rules"));
        m_session->setRuleOptions(rules);
        m_window = std::make_unique<MainWindow>(*m_session, *m_preferences, WindowServices{});
        m_window->resize(1400, 850);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        m_window->openFiles({path("run.pickle")});
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->isLoading(), kPatience);
        QTRY_VERIFY(state().hasDevice() && state().diagnosis() != nullptr);
    }
    [[nodiscard]] ViewState& state() const
    {
        return m_window->viewState();
    }
    [[nodiscard]] const diagnose::Analysis& analysis() const
    {
        return m_session->files().front().analysis;
    }
    /// The analysis is that of the corrections that are wanted, and complete.
    [[nodiscard]] bool isSettled(const std::shared_ptr<const diagnose::Diagnosis>& before) const
    {
        const auto applied = analysis().corrections ? analysis().corrections->rules
                                                    : std::vector<label::Correction>();
        return applied == m_session->files().front().rules && analysis().diagnosis != before;
    }
    template <class T>
    [[nodiscard]] T* child(const char* name) const
    {
        return m_window->findChild<T*>(QString::fromLatin1(name));
    }
    void trigger(const char* name) const
    {
        child<QAction>(name)->trigger();
    }
    /// Selects the largest allocation at the peak that has a stack.
    AllocationId selectLargest() const
    {
        for (const AllocationId id : replay::liveAt(state().replay(), state().replay().peak)) {
            const StackId stack = state().replay().allocations.stack[id.index()];
            if (!analysis().snapshot->stacks.frames(stack).empty()) {
                state().select(id);
                return id;
            }
        }
        return AllocationId::none();
    }
    RelabelDialog* openDialog() const
    {
        trigger("relabel");
        return m_window->findChild<RelabelDialog*>();
    }
    static void choose(const QDialog* dialog, const char* name, int value)
    {
        auto* box = dialog->findChild<QComboBox*>(QString::fromLatin1(name));
        box->setCurrentIndex(box->findData(value));
    }
    static void accept(const QDialog* dialog)
    {
        dialog->findChild<QPushButton*>(QStringLiteral("relabelAccept"))->click();
    }
    /// Relabels everything from the largest allocation's stack, and waits for it.
    void relabelStack(label::Bucket bucket)
    {
        const auto before = analysis().diagnosis;
        QVERIFY(!selectLargest().isNone());
        RelabelDialog* dialog = openDialog();
        QVERIFY(dialog != nullptr);
        dialog->findChild<QRadioButton*>(QStringLiteral("scopeStack"))->click();
        choose(dialog, "relabelBucket", static_cast<int>(bucket));
        accept(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(isSettled(before), kPatience);
    }
    [[nodiscard]] QString notices() const
    {
        QStringList words;
        for (const QLabel* label : m_window->findChildren<QLabel*>(QStringLiteral("noticeText"))) {
            words << label->text();
        }
        return words.join(u'\n');
    }

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        m_folder = std::make_unique<QTemporaryDir>();
        m_preferences = std::make_unique<Preferences>();
        QVERIFY(QFile::copy(test::examplePath(), path("run.pickle")));
        openWindow();
    }
    void cleanup()
    {
        m_window.reset();
        m_session.reset();
        m_preferences.reset();
        m_folder.reset();
        UiTest::cleanup();
    }

    void aStackIsRelabelledAtOnceAndTheViewStays()
    {
        state().zoomAround(state().axisMap().toX(state().cursor()), 0.5);
        state().setCursor(state().replay().peak);
        const AllocationId chosen = selectLargest();
        const Interval<double> range = state().range();
        const diagnose::Analysis before = analysis();
        relabelStack(label::Bucket::output);
        const diagnose::Analysis& after = analysis();
        const auto& stacks = state().replay().allocations.stack;
        std::int64_t count = 0;
        for (std::size_t i = 0; i < stacks.size(); ++i) {
            const bool is_meant = stacks[i] == stacks[chosen.index()];
            count += is_meant ? 1 : 0;
            QCOMPARE(after.labels->devices[0].bucket[i],
                     is_meant ? label::Bucket::output : before.labels->devices[0].bucket[i]);
        }
        QCOMPARE(after.corrections->effects[0].allocations, count);
        QVERIFY(after.snapshot == before.snapshot && after.replay == before.replay);
        QVERIFY(after.curves != before.curves);
        QVERIFY(state().range() == range);
        QVERIFY(state().cursor() == state().replay().peak);
        QVERIFY(state().selected() == chosen);
        // Every view shows it.
        QVERIFY(child<QToolButton>("legend_output") != nullptr);
        QVERIFY(child<QLabel>("stackTitle")->text().contains(QStringLiteral("Outputs")));
        QVERIFY(!child<QLabel>("stackTitle")->text().contains(QStringLiteral("≈")));
        QVERIFY(child<QLabel>("stackDetail")
                    ->text()
                    .contains(QStringLiteral("uncorrected: Activations")));
        QCOMPARE(m_window->analysisPage().panel<CorrectionsPanel>().model().rowCount(), 1);
        QVERIFY(QFile::exists(savedPath()));
    }

    void whatRestsOnACorrectionSaysSo()
    {
        auto* badge = child<QToolButton>("verdictCorrected");
        QVERIFY(!badge->isVisible());
        relabelStack(label::Bucket::output);
        QVERIFY(badge->isVisible());
        m_window->showView(QStringLiteral("allocations"), false);
        auto* table = child<QTableView>("allocations");
        const auto marked = [table] {
            int count = 0;
            for (int row = 0; row < table->model()->rowCount(); ++row) {
                count += table->model()
                             ->index(row, AllocationsModel::Bucket)
                             .data()
                             .toString()
                             .startsWith(QStringLiteral("✎ Output"))
                    ? 1
                    : 0;
            }
            return count;
        };
        QTRY_VERIFY(marked() > 0);
        QVERIFY(marked() < table->model()->rowCount());
        QTest::mouseClick(badge, Qt::LeftButton);
        QVERIFY(m_window->analysisPage().panel<CorrectionsPanel>().isVisible());
        const auto before = analysis().diagnosis;
        trigger("undo");
        QTRY_VERIFY_WITH_TIMEOUT(isSettled(before), kPatience);
        QVERIFY(!badge->isVisible());
    }

    void whatChangesNothingCannotBeAccepted()
    {
        QVERIFY(!selectLargest().isNone());
        RelabelDialog* dialog = openDialog();
        QSignalSpy previewed(dialog, &RelabelDialog::previewed);
        auto* accept = dialog->findChild<QPushButton*>(QStringLiteral("relabelAccept"));
        auto* bucket = dialog->findChild<QComboBox*>(QStringLiteral("relabelBucket"));
        QVERIFY(!accept->isEnabled());
        const int own = bucket->currentIndex();
        choose(dialog, "relabelBucket", static_cast<int>(label::Bucket::output));
        QVERIFY(accept->isEnabled());
        bucket->setCurrentIndex(own);
        auto* role = dialog->findChild<QComboBox*>(QStringLiteral("relabelRole"));
        role->setCurrentIndex(role->count() - 1);
        const bool is_other_role = state().labels().role[state().selected().index()]
            != static_cast<label::Role>(role->currentData().toInt());
        QCOMPARE(accept->isEnabled(), is_other_role);
        role->setCurrentIndex(
            role->findData(static_cast<int>(state().labels().role[state().selected().index()])));
        QVERIFY(!accept->isEnabled());
        // Nor where all of the stack have the label: that is known once they were looked at.
        dialog->findChild<QRadioButton*>(QStringLiteral("scopeStack"))->click();
        QTRY_VERIFY_WITH_TIMEOUT(previewed.count() > 0, kPatience);
        bool all_same = true;
        const auto& stacks = state().replay().allocations.stack;
        const std::size_t chosen = state().selected().index();
        for (std::size_t i = 0; i < stacks.size(); ++i) {
            all_same = all_same
                && (stacks[i] != stacks[chosen]
                    || (state().labels().bucket[i] == state().labels().bucket[chosen]
                        && state().labels().role[i] == state().labels().role[chosen]));
        }
        QTRY_COMPARE(accept->isEnabled(), !all_same);
        dialog->reject();
    }

    void undoAndRedoGoThroughEveryStateAndSaveIt()
    {
        QVERIFY(!child<QAction>("undo")->isEnabled());
        const auto plain = analysis().labels->devices[0].bucket;
        relabelStack(label::Bucket::output);
        const auto once = analysis().labels->devices[0].bucket;
        relabelStack(label::Bucket::input);
        const auto twice = analysis().labels->devices[0].bucket;
        QVERIFY(plain != once && once != twice);
        const auto step = [this](const char* action) {
            const auto before = analysis().diagnosis;
            trigger(action);
            QTRY_VERIFY_WITH_TIMEOUT(isSettled(before), kPatience);
        };
        step("undo");
        QVERIFY(analysis().labels->devices[0].bucket == once);
        step("undo");
        QVERIFY(analysis().labels->devices[0].bucket == plain);
        QVERIFY(analysis().corrections == nullptr);
        QVERIFY(!QFile::exists(savedPath()));
        step("redo");
        step("redo");
        QVERIFY(analysis().labels->devices[0].bucket == twice);
        QCOMPARE(pipeline::readRulesFile(pathFrom(savedPath())).value().size(), 2UL);
    }

    void manyStepsAtOnceEndInTheLastOne()
    {
        relabelStack(label::Bucket::output);
        const auto corrected = analysis().labels->devices[0].bucket;
        const auto before = analysis().diagnosis;
        for (int i = 0; i < 20; ++i) {
            trigger("undo");
            trigger("redo");
        }
        diagnose::UserInput input;
        input.gpus = 4; // A wish that must not get lost beside the others.
        m_session->setUserInput(m_window->currentFile(), input);
        QTRY_VERIFY_WITH_TIMEOUT(isSettled(before) && analysis().input.gpus == 4, kPatience);
        QVERIFY(analysis().labels->devices[0].bucket == corrected);
    }

    void whatWasSavedIsThereAgainAndSaidSo()
    {
        relabelStack(label::Bucket::output);
        const auto corrected = analysis().labels->devices[0].bucket;
        openWindow();
        QVERIFY(analysis().labels->devices[0].bucket == corrected);
        QCOMPARE(m_window->analysisPage().panel<CorrectionsPanel>().model().rowCount(), 1);
        QVERIFY(notices().contains(
            QStringLiteral("Labels include the corrections saved beside the snapshot")));
        // Taking it away goes back to what the program finds.
        const auto before = analysis().diagnosis;
        child<QTableView>("corrections")->selectRow(0);
        child<QToolButton>("removeCorrection")->click();
        QTRY_VERIFY_WITH_TIMEOUT(isSettled(before), kPatience);
        QVERIFY(analysis().corrections == nullptr);
        QVERIFY(!QFile::exists(savedPath()));
    }

    void whatAnotherWindowSavedMeanwhileIsKept()
    {
        relabelStack(label::Bucket::output);
        label::Correction theirs;
        theirs.match.min_bytes = Bytes{std::int64_t{1} << 40}; // Meets nothing.
        theirs.bucket = label::Bucket::input;
        auto list = pipeline::readRulesFile(pathFrom(savedPath())).value();
        list.push_back(theirs);
        QVERIFY(pipeline::writeRulesFile(pathFrom(savedPath()), list).has_value());
        QVERIFY(!notices().contains(QStringLiteral("another window")));
        relabelStack(label::Bucket::workspace);
        QVERIFY(notices().contains(QStringLiteral("corrections saved from another window")));
        const auto saved = pipeline::readRulesFile(pathFrom(savedPath())).value();
        QCOMPARE(saved.size(), 3UL);
        QVERIFY(saved.front().match == theirs.match);
        QTRY_COMPARE(m_window->analysisPage().panel<CorrectionsPanel>().model().rowCount(), 3);
        // Taking one out takes out that one.
        child<QTableView>("corrections")->selectRow(0);
        const auto before = analysis().diagnosis;
        child<QToolButton>("removeCorrection")->click();
        QTRY_VERIFY_WITH_TIMEOUT(isSettled(before), kPatience);
        QCOMPARE(pipeline::readRulesFile(pathFrom(savedPath())).value().size(), 2UL);
    }

    void aFolderThatCannotBeWrittenToIsSaidOnceAndTheUsersOwnTaken()
    {
        // Stops root as well.
        QVERIFY(QFile::link(QStringLiteral("/no such folder/at all"), savedPath()));
        relabelStack(label::Bucket::output);
        QVERIFY(notices().contains(QStringLiteral("is read-only")));
        QVERIFY(!QFile::exists(savedPath()));
        QCOMPARE(QDir(path("data/rules")).entryList(QDir::Files).size(), 1);
        const auto corrected = analysis().labels->devices[0].bucket;
        openWindow();
        QVERIFY(analysis().labels->devices[0].bucket == corrected);
    }

    void aDamagedFileBesideTheSnapshotIsANotice()
    {
        QFile file(savedPath());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"tidemark_rules\": 1, \"rules\": 7}");
        file.close();
        openWindow();
        QVERIFY(m_session->failures().empty());
        QVERIFY(analysis().labels->devices[0].bucket == analysis().inferred->devices[0].bucket);
        QVERIFY(notices().contains(QStringLiteral("ignored")));
        relabelStack(label::Bucket::output);
        QVERIFY(QFile::exists(savedPath() + QStringLiteral(".damaged")));
    }

    void theMenuOfAnAllocationRelabelsWithoutADialog()
    {
        m_window->showView(QStringLiteral("allocations"), false);
        auto* table = child<QTableView>("allocations");
        QTRY_VERIFY(table->model()->rowCount() > 0);
        const QRect row = table->visualRect(table->model()->index(0, 0));
        Q_EMIT table->customContextMenuRequested(row.center());
        auto* menu = child<QMenu>("allocationMenu");
        QVERIFY(menu != nullptr);
        const AllocationId chosen = state().selected();
        QVERIFY(!chosen.isNone());
        const auto before = analysis().diagnosis;
        QMenu* buckets = menu->actions().front()->menu();
        buckets->actions()[static_cast<int>(label::Bucket::kv_cache)]->trigger();
        menu->close();
        QTRY_VERIFY_WITH_TIMEOUT(isSettled(before), kPatience);
        QCOMPARE(analysis().corrections->effects[0].allocations, 1);
        QCOMPARE(analysis().labels->devices[0].bucket[chosen.index()], label::Bucket::kv_cache);
        QTRY_VERIFY(table->model()->rowCount() > 0);
        QVERIFY(state().selected() == chosen);
    }

    void conditionsAreCountedBeforehandAndMistakesNamed()
    {
        QVERIFY(!selectLargest().isNone());
        RelabelDialog* dialog = openDialog();
        QSignalSpy previewed(dialog, &RelabelDialog::previewed);
        const auto field = [dialog](const char* name) {
            return dialog->findChild<QLineEdit*>(QString::fromLatin1(name));
        };
        auto* words = dialog->findChild<QLabel*>(QStringLiteral("relabelPreview"));
        auto* accept = dialog->findChild<QPushButton*>(QStringLiteral("relabelAccept"));
        dialog->findChild<QRadioButton*>(QStringLiteral("scopeConditions"))->click();
        field("matchFunction")->clear();
        field("matchFile")->clear();
        choose(dialog, "matchBucket", -1);
        QVERIFY(!accept->isEnabled());
        QCOMPARE(words->text(), QStringLiteral("Set at least one condition."));
        field("matchLeast")->setText(QStringLiteral("many"));
        QVERIFY(!accept->isEnabled());
        QVERIFY(words->text().contains(QStringLiteral("“many” is not a size")));
        field("matchLeast")->setText(QStringLiteral("1 MiB"));
        QVERIFY(accept->isEnabled());
        previewed.clear();
        QTRY_VERIFY_WITH_TIMEOUT(previewed.count() > 0, kPatience);
        label::CorrectionEffect expected;
        const replay::Allocations& all = state().replay().allocations;
        for (std::size_t i = 0; i < all.count(); ++i) {
            if (all.requested[i] >= kMiB) {
                ++expected.allocations;
                expected.bytes += all.requested[i];
                expected.peak_bytes +=
                    all.isLive(AllocationId(i), state().replay().peak) ? all.requested[i] : Bytes{};
            }
        }
        QCOMPARE(words->text(), effectText(expected));
        dialog->reject();
        QVERIFY(m_session->files().front().rules.empty());
    }

    void aStackThatBelongsToNoSingleAllocationCanBeRelabelled()
    {
        const StackId stack = state().replay().allocations.stack[selectLargest().index()];
        state().select(AllocationId::none());
        m_window->showView(QStringLiteral("stack"), false);
        child<StackPanel>("stackPanel")->showStack(QStringLiteral("A stack"), stack);
        child<QToolButton>("relabelStack")->click();
        auto* dialog = m_window->findChild<RelabelDialog*>();
        QVERIFY(dialog != nullptr);
        QVERIFY(!dialog->findChild<QRadioButton*>(QStringLiteral("scopeThis"))->isEnabled());
        const auto rule = dialog->correction();
        QVERIFY(rule.has_value());
        QVERIFY(rule->match == label::matchOfStack(*analysis().snapshot, stack));
        dialog->reject();
    }

    void aCorrectionCanBeEditedAndNoted()
    {
        relabelStack(label::Bucket::output);
        const auto before = analysis().diagnosis;
        child<QTableView>("corrections")->selectRow(0);
        child<QToolButton>("editCorrection")->click();
        auto* dialog = m_window->findChild<RelabelDialog*>();
        QVERIFY(dialog != nullptr);
        const label::CorrectionMatch match = analysis().corrections->rules[0].match;
        choose(dialog, "relabelBucket", static_cast<int>(label::Bucket::parameter));
        choose(dialog, "relabelRole", static_cast<int>(label::Role::frozen));
        dialog->findChild<QLineEdit*>(QStringLiteral("relabelNote"))
            ->setText(QStringLiteral("the teacher"));
        accept(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(isSettled(before), kPatience);
        const label::Correction& rule = analysis().corrections->rules[0];
        QVERIFY(rule.match == match);
        QCOMPARE(rule.bucket, label::Bucket::parameter);
        QVERIFY(rule.role == label::Role::frozen);
        QCOMPARE(rule.note, std::string("the teacher"));
    }

    void aRulesFileThatIsOpenedIsAddedAndOneCanBeWritten()
    {
        relabelStack(label::Bucket::output);
        m_window->relabelActions().saveRules(path("mine.tidemark-rules.json"));
        const auto before = analysis().diagnosis;
        m_window->openFiles({path("mine.tidemark-rules.json")});
        QTRY_VERIFY_WITH_TIMEOUT(isSettled(before), kPatience);
        QCOMPARE(analysis().corrections->rules.size(), 2UL);
        QVERIFY(analysis().corrections->rules[0].match == analysis().corrections->rules[1].match);
        QCOMPARE(m_session->files().size(), 1UL);
        m_window->relabelActions().loadRules(path("nowhere.json"));
        QVERIFY(notices().contains(QStringLiteral("Cannot read the rules file")));
    }
};

TIDEMARK_TEST(TstRelabel)

} // namespace tidemark::tst_relabel

#include "tst_relabel.moc"
