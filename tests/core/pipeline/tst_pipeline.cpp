// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/baseline.h"
#include "core/base/format.h"
#include "core/diagnose/diagnosis.h"
#include "core/pipeline/pipeline.h"
#include "core/reader/reader.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <new>

namespace tidemark::tst_pipeline {

namespace {

std::filesystem::path example()
{
    return std::filesystem::path(TIDEMARK_SOURCE_DIR) / "tests/data/cases/gpt_oom_backward.pickle";
}

/// Remembers the stages, and stops at one of them.
class StageWatcher final : public ProgressSink {
public:
    void report(std::string_view stage, double fraction) override
    {
        if (stages.empty() || stages.back() != stage) {
            stages.emplace_back(stage);
        }
        in_range = in_range && fraction >= 0 && fraction <= 1;
        if (stage == stop_at) {
            source.request_stop();
        }
    }
    std::vector<std::string> stages;
    std::string stop_at;
    std::stop_source source;
    bool in_range = true;
};

} // namespace

class TstPipeline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void curvesArePublishedBeforeTheDiagnosisAndEachPartIsShared()
    {
        std::vector<diagnose::Analysis> published;
        StageWatcher watcher;
        const auto result =
            pipeline::analyze(example(), {}, watcher, watcher.source.get_token(),
                              [&](const diagnose::Analysis& a) { published.push_back(a); });
        QVERIFY(result.has_value());
        QCOMPARE(published.size(), 2UL);
        QVERIFY(published[0].curves != nullptr);
        QVERIFY(published[0].diagnosis == nullptr);
        QVERIFY(published[1].diagnosis != nullptr);
        QVERIFY(published[1].curves == published[0].curves);
        QVERIFY(published[1].generation > published[0].generation);
        QVERIFY(watcher.in_range);
        QVERIFY(std::ranges::find(watcher.stages, "replaying") != watcher.stages.end());
    }
    void whatIsNotAskedForIsNotComputed()
    {
        pipeline::Options options;
        options.last = pipeline::Stage::curves;
        StageWatcher watcher;
        int published = 0;
        const auto result = pipeline::analyze(example(), options, watcher, {},
                                              [&](const diagnose::Analysis&) { ++published; });
        QVERIFY(result.value().curves != nullptr);
        QVERIFY(result.value().diagnosis == nullptr);
        QCOMPARE(published, 1);
        QVERIFY(std::ranges::find(watcher.stages, "diagnosing") == watcher.stages.end());
    }
    void theModelsBlockSizesTakeThePlaceOfTheBounds()
    {
        pipeline::Options options;
        options.last = pipeline::Stage::block_sizes;
        std::vector<diagnose::Analysis> published;
        NoProgress progress;
        const auto last =
            pipeline::analyze(example(), options, progress, {}, [&](const diagnose::Analysis& a) {
                published.push_back(a);
            }).value();
        QCOMPARE(published.size(), 2UL);
        QVERIFY(published[0].baselines == nullptr);
        QVERIFY(published[0].baseline(0) == nullptr);
        QVERIFY(last.diagnosis == nullptr);
        QVERIFY(last.baseline(0) != nullptr && last.baseline(0)->agrees());
        QVERIFY(last.baseline(last.deviceCount()) == nullptr);
        QVERIFY(!last.baseline(0)->sizes); // They are in one place only.
        QVERIFY(last.block_sizes != published[0].block_sizes);
        const replay::BlockSizes& bounds = (*published[0].block_sizes)[0];
        const replay::BlockSizes& exact = (*last.block_sizes)[0];
        QCOMPARE(exact.lower.size(), bounds.lower.size());
        for (std::size_t a = 0; a < exact.lower.size(); ++a) {
            QVERIFY(exact.lower[a] == exact.upper[a]);
            QVERIFY(bounds.lower[a] <= exact.lower[a] && exact.upper[a] <= bounds.upper[a]);
        }
    }
    void cancellingEndsInCancelledAtEveryStage_data()
    {
        QTest::addColumn<QString>("stage");
        for (const char* stage :
             {"reading", "replaying", "labelling", "replaying the allocator", "diagnosing"}) {
            QTest::newRow(stage) << QString::fromLatin1(stage);
        }
    }
    void cancellingEndsInCancelledAtEveryStage()
    {
        QFETCH(QString, stage);
        StageWatcher watcher;
        watcher.stop_at = stage.toStdString();
        const auto result = pipeline::analyze(example(), {}, watcher, watcher.source.get_token());
        QVERIFY(!result.has_value());
        QVERIFY(result.error().code == ErrorCode::cancelled);
    }
    void otherInputComputesOnlyTheDiagnosisAgain()
    {
        NoProgress progress;
        const auto first = pipeline::analyze(example(), {}, progress, {}).value();
        diagnose::UserInput larger;
        larger.capacity = Bytes{std::int64_t(80) << 30};
        larger.gpus = 1;
        const auto second = pipeline::withInput(first, larger, progress, {}).value();
        QVERIFY(second.curves == first.curves);
        QVERIFY(second.labels == first.labels);
        QVERIFY(second.diagnosis != first.diagnosis);
        QVERIFY(second.generation > first.generation);
    }
    void whatTakesTooMuchMemoryIsAnError()
    {
        class Full final : public ProgressSink {
        public:
            void report(std::string_view, double) override
            {
                throw std::bad_alloc();
            }
        } full;
        NoProgress progress;
        const auto first = pipeline::analyze(example(), {}, progress, {}).value();
        const auto code = [](const Result<diagnose::Analysis>& result) {
            return result.has_value() ? ErrorCode::internal : result.error().code;
        };
        QCOMPARE(code(pipeline::analyze(example(), {}, full, {})), ErrorCode::outOfMemory);
        QCOMPARE(code(pipeline::withInput(first, {}, full, {})), ErrorCode::outOfMemory);
        QCOMPARE(code(pipeline::withCorrections(first, {}, {}, full, {})), ErrorCode::outOfMemory);
    }
    void partsThatDoNotFitTogetherAreAnError()
    {
        NoProgress progress;
        const auto first = pipeline::analyze(example(), {}, progress, {}).value();
        const auto made = [&](std::size_t missing) {
            const auto labels = [&first, missing](const replay::Replay&) {
                label::Labels some = *first.labels;
                some.devices[0].role.resize(some.devices[0].role.size() - missing);
                return some;
            };
            return pipeline::analyzeMade(
                pipeline::MadeRun{"made", reader::read(example(), {}, progress, {}).value(),
                                  labels},
                {}, progress, {});
        };
        QVERIFY(made(0).has_value());
        QVERIFY(!made(1).has_value());
        QCOMPARE(made(1).error().code, ErrorCode::internal);
    }
    void whatChangesAPlanIsJudgedAgainstTheCapacityAtHand()
    {
        NoProgress progress;
        const auto first = pipeline::analyze(example(), {}, progress, {}).value();
        pipeline::MadeRun made{"made", reader::read(example(), {}, progress, {}).value(),
                               [&first](const replay::Replay&) { return *first.labels; }};
        made.fixes = [](std::optional<Bytes> capacity) {
            diagnose::Fix fix;
            fix.new_need = Bytes{40};
            fix.fits = capacity ? std::optional(fix.new_need < *capacity) : std::nullopt;
            return std::vector{fix};
        };
        pipeline::Options options;
        options.input.capacity = Bytes{30};
        const auto planned = pipeline::analyzeMade(std::move(made), options, progress, {}).value();
        const auto fits = [](const diagnose::Analysis& analysis) {
            return analysis.diagnosis->devices[0].fixes.at(0).fits;
        };
        QCOMPARE(fits(planned), std::optional(false));
        diagnose::UserInput larger;
        larger.capacity = Bytes{50};
        QCOMPARE(fits(pipeline::withInput(planned, larger, progress, {}).value()),
                 std::optional(true));
    }
    void aBrokenCopyIsCalledSoFirst_data()
    {
        QTest::addColumn<int>("bytes");
        QTest::addColumn<QString>("then");
        QTest::newRow("before the history") << 3000 << "segments that arrived.";
        QTest::newRow("in the history") << 300'000 << "Recovered: Peak 10.1 GiB";
    }
    void aBrokenCopyIsCalledSoFirst()
    {
        QFETCH(int, bytes);
        QFETCH(QString, then);
        const QTemporaryDir folder;
        const std::filesystem::path cut = folder.filePath(QStringLiteral("cut")).toStdString();
        std::filesystem::copy_file(example(), cut);
        std::filesystem::resize_file(cut, static_cast<std::uintmax_t>(bytes));
        NoProgress progress;
        const auto analysis = pipeline::analyze(cut, {}, progress, {});
        QVERIFY(analysis.has_value());
        const diagnose::DeviceDiagnosis& d = analysis.value().diagnosis->devices[0];
        QCOMPARE(
            QString::fromStdString(d.headline),
            QStringLiteral("The copy is broken: the file is cut off at byte %1. Copy it again.")
                .arg(QString::fromStdString(formatCount(bytes))));
        QVERIFY2(QString::fromStdString(d.explanation).contains(then), d.explanation.c_str());
        QCOMPARE(d.causes.front().to_be_sure, std::string("Copy the file again."));
        // That nothing was recorded does not follow.
        for (const diagnose::Evidence& evidence : d.causes.front().evidence) {
            QVERIFY(evidence.text.find("no history") == std::string::npos);
        }
        QVERIFY(analysis.value().replay->devices[0].notes.find("no-trace") == nullptr);
        // One whose rest is on its way is not broken.
        pipeline::Options arriving;
        arriving.read.is_arriving = true;
        const auto part = pipeline::analyze(cut, arriving, progress, {});
        QVERIFY(part.value().diagnosis->devices[0].headline.find("broken") == std::string::npos);
        QVERIFY(part.value().snapshot->notes.find("arriving") != nullptr);
    }
    void aMissingFileIsAnError()
    {
        NoProgress progress;
        const auto result = pipeline::analyze("/nowhere/at-all.pickle", {}, progress, {});
        QVERIFY(!result.has_value());
        QVERIFY(result.error().code == ErrorCode::cannotOpen);
    }
    void everyRecordingIsAnalysed()
    {
        for (const auto& file : test::recordings()) {
            NoProgress progress;
            const auto result = pipeline::analyze(file, {}, progress, {});
            QVERIFY2(result.has_value(), file.c_str());
            QCOMPARE(result.value().diagnosis->devices.size(), result.value().deviceCount());
            for (std::size_t d = 0; d < result.value().deviceCount(); ++d) {
                QVERIFY2(!result.value().diagnosis->devices[d].headline.empty(), file.c_str());
            }
        }
    }
};

TIDEMARK_TEST(TstPipeline)

} // namespace tidemark::tst_pipeline

#include "tst_pipeline.moc"
