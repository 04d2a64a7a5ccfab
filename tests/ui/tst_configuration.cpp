// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/config_file.h"
#include "ui/models/text.h"
#include "ui/views/window/main_window.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>

#include <memory>

namespace tidemark::tst_configuration {

using namespace tidemark::ui;
using tidemark::test::dropFiles;
using tidemark::test::examplePath;

namespace {

constexpr int kPatience = 60000; ///< Milliseconds; far above what reading takes.

} // namespace

class TstConfiguration : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Preferences> m_preferences;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<MainWindow> m_window;

    [[nodiscard]] QString write(const char* name, const char* words) const
    {
        QFile file(m_folder->filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(words) < 0) {
            qFatal("cannot write %s", name);
        }
        return file.fileName();
    }
    [[nodiscard]] QString deepspeed() const
    {
        return write("ds_config.json",
                     R"({"train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 2,
                         "bf16": {"enabled": true}, "wall_clock_breakdown": false})");
    }
    /// Micro-batch 8, two of them, four GPUs: 64 sequences per step.
    [[nodiscard]] QString launchLine() const
    {
        return write("train.sh",
                     "torchrun --nproc_per_node 4 train.py --per_device_train_batch_size 8 "
                     "--gradient_accumulation_steps 2 --bf16 True --no_such_thing 3\n");
    }
    [[nodiscard]] const diagnose::Analysis& analysis() const
    {
        return m_session->find(m_window->currentFile())->analysis;
    }
    [[nodiscard]] bool isDiagnosedWith(const char* name) const
    {
        const OpenFile* file = m_session->find(m_window->currentFile());
        return file != nullptr && !file->is_loading && file->analysis.diagnosis != nullptr
            && file->analysis.input.config_name == name;
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
        m_folder = std::make_unique<QTemporaryDir>();
        m_preferences = std::make_unique<Preferences>();
        m_session = std::make_unique<Session>();
        m_window = std::make_unique<MainWindow>(*m_session, *m_preferences, WindowServices{});
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

    void configurationsAreToldFromSnapshots();
    void oneDroppedAloneIsUsedForTheRunThatIsShown();
    void oneDroppedWithItsSnapshotIsUsedAtOnce();
    void oneDroppedFirstWaitsForTheSnapshot();
    void oneDroppedWhileReadingIsNotLost();
    void whatIsNoneIsSaidInOneSentence();
    void aMessageGivenMeanwhileLosesNothing();
    void severalOfOneRunAreReadTogether();
};

void TstConfiguration::configurationsAreToldFromSnapshots()
{
    const QString script = write("train.sh", "torchrun --nproc_per_node 4 train.py --bf16\n");
    const QString yaml = write("accelerate.yaml", "mixed_precision: bf16\n");
    const QString other = write("numbers.json", R"({"apples": 3})");
    const QString named = write("my_config.json", "{ broken");
    const QString snapshot =
        write("run.json", R"({"segments": [], "device_traces": [], "bf16": {"enabled": true}})");
    const QString log = write("train.log", "bf16: true\n");
    QCOMPARE(configsAmong({script, yaml, deepspeed(), other, named, snapshot, log, examplePath()}),
             (QStringList{script, yaml, deepspeed(), named}));
}

void TstConfiguration::oneDroppedAloneIsUsedForTheRunThatIsShown()
{
    m_window->openFiles({examplePath()});
    QTRY_VERIFY_WITH_TIMEOUT(isDiagnosedWith(""), kPatience);
    QVERIFY(!child<QWidget>("configStrip")->isVisible());
    QVERIFY(dropFiles(*m_window, {launchLine()}));
    QCOMPARE(m_session->files().size(), std::size_t{1});
    QTRY_VERIFY_WITH_TIMEOUT(isDiagnosedWith("train.sh"), kPatience);
    QCOMPARE(analysis().input.gpusThere(), 4);
    const auto& answer = analysis().diagnosis->devices[analysis().mainDevice()].answer;
    QVERIFY2(answer->batch == "64 sequences per step, unchanged", answer->batch.c_str());
    auto* words = child<QLabel>("configWords");
    QVERIFY(words->isVisible());
    QVERIFY(words->text().contains(QStringLiteral("train.sh")));
    QVERIFY(words->text().contains(
        QStringLiteral("Effective batch 64: micro-batch 8 × accumulation 2 × 4 GPUs.")));
    QVERIFY(words->text().contains(QStringLiteral("bf16=True")));
    QVERIFY(words->text().contains(QStringLiteral("1 setting ignored.")));
    QVERIFY(words->toolTip().contains(QStringLiteral("no_such_thing")));
    const auto* facts = child<QLabel>("fixExplanation");
    QVERIFY(facts->text().contains(QStringLiteral("64 sequences per step, unchanged")));

    QTest::keyClick(child<QToolButton>("removeConfig"), Qt::Key_Space);
    QVERIFY(!words->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(isDiagnosedWith(""), kPatience);
    QVERIFY(!analysis().input.config);
}

void TstConfiguration::oneDroppedWithItsSnapshotIsUsedAtOnce()
{
    QVERIFY(dropFiles(*m_window, {examplePath(), deepspeed()}));
    QCOMPARE(m_session->files().size(), std::size_t{1});
    QTRY_VERIFY_WITH_TIMEOUT(isDiagnosedWith("ds_config.json"), kPatience);
    // Once more with another one: it is the newer that counts.
    QVERIFY(
        dropFiles(*m_window, {write("run.sh", "python train.py --batch_size 4\n"), examplePath()}));
    QTRY_VERIFY_WITH_TIMEOUT(isDiagnosedWith("run.sh"), kPatience);
    QVERIFY(m_session->failures().empty());
}

void TstConfiguration::oneDroppedFirstWaitsForTheSnapshot()
{
    QVERIFY(dropFiles(*m_window, {deepspeed()}));
    QVERIFY(m_session->files().empty());
    QVERIFY(child<QLabel>("configWords")->text().contains(QStringLiteral("next snapshot")));
    m_window->openFiles({examplePath()});
    QTRY_VERIFY_WITH_TIMEOUT(isDiagnosedWith("ds_config.json"), kPatience);
    QVERIFY(!child<QLabel>("configWords")->text().contains(QStringLiteral("next snapshot")));
    // It is that run's, not that of others.
    const QString second = m_folder->filePath(QStringLiteral("second.pickle"));
    QVERIFY(QFile::copy(examplePath(), second));
    m_window->openFiles({second});
    QCOMPARE(m_session->files().back().input.config_name, std::string());
}

void TstConfiguration::oneDroppedWhileReadingIsNotLost()
{
    m_window->openFiles({examplePath()});
    QVERIFY(m_session->isLoading());
    QVERIFY(dropFiles(*m_window, {deepspeed()}));
    QTRY_VERIFY_WITH_TIMEOUT(isDiagnosedWith("ds_config.json"), kPatience);
}

void TstConfiguration::aMessageGivenMeanwhileLosesNothing()
{
    m_window->openFiles({examplePath()});
    QTRY_VERIFY_WITH_TIMEOUT(isDiagnosedWith(""), kPatience);
    QVERIFY(dropFiles(*m_window, {deepspeed()}));
    // Before the diagnosis with the configuration is there.
    child<QPlainTextEdit>("oomMessage")->setPlainText(QStringLiteral("CUDA out of memory."));
    child<QPushButton>("diagnoseAgain")->click();
    QTRY_VERIFY_WITH_TIMEOUT(isDiagnosedWith("ds_config.json"), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(analysis().input.message, std::string("CUDA out of memory."),
                              kPatience);
}

void TstConfiguration::whatIsNoneIsSaidInOneSentence()
{
    const auto failures = [this] {
        QStringList sentences;
        for (const QWidget* entry : m_window->findChildren<QWidget*>(QStringLiteral("failure"))) {
            sentences << entry->findChild<QLabel*>()->text();
        }
        return sentences;
    };
    QVERIFY(dropFiles(*m_window, {write("shopping.yaml", "milk: 2\nbread: 1\n")}));
    QCOMPARE(failures().size(), 1);
    QVERIFY(failures().front().startsWith(
        QStringLiteral("shopping.yaml: The configuration has no known setting")));
    const QByteArray long_text = QByteArray("bf16: true\n").repeated(30000);
    QVERIFY(dropFiles(*m_window, {write("long.yaml", long_text.constData())}));
    QVERIFY(failures().join(u'\n').contains(QStringLiteral("Too large for a configuration")));
    QVERIFY(!child<QWidget>("configStrip")->isVisible());
}

void TstConfiguration::severalOfOneRunAreReadTogether()
{
    QVERIFY(dropFiles(*m_window, {examplePath(), deepspeed(), launchLine()}));
    QTRY_VERIFY_WITH_TIMEOUT(isDiagnosedWith("ds_config.json + train.sh"), kPatience);
}

TIDEMARK_TEST(TstConfiguration)

} // namespace tidemark::tst_configuration

#include "tst_configuration.moc"
