// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/trace/snapshot_builder.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/labelled.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_sentences {

using namespace tidemark::diagnose;
using test::HandRun;
using test::kM;

namespace {

bool contains(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

Analysis withoutEvents(bool with_segment)
{
    trace::SnapshotBuilder builder;
    builder.ensureDevice(0);
    if (with_segment) {
        trace::BlockRecord block;
        block.address = 0x1000000;
        block.size = {8 * kM};
        block.requested = Bytes{8 * kM};
        block.state = trace::BlockState::active_allocated;
        builder.addSegment({0, 0x1000000, {8 * kM}, 0, false, false, {}, {}}, std::span(&block, 1));
    }
    return test::labelledAnalysis(std::move(builder).finish().value());
}

} // namespace

class TstSentences : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anOutOfMemoryErrorIsToldWithPhaseAndStep();
    void theRequestIsHeldAgainstFreeAndCached();
    void theStepsThatTheDriverIsAskedInAreSaid();
    void aLimitOfTheProcessIsNamedWhereTheGpuHadRoom();
    void theUsersOwnLineIsNamed();
    void aPeakIsToldWithItsEvent();
    void anEmptyDeviceSaysSo();
    void aStateWithoutHistorySaysSo();
    void theRecommendedChangeIsTheHeadlineOfTheFix();
    void theSumAddsUpToWhatIsReserved();
    void theSumNamesWhatACaptureSaw();
    void theRecipeIsReadOffTheStates_data();
    void theRecipeIsReadOffTheStates();
    void noRecipeIsReadOffAStateThatNoOptimizerKeeps();
    void aReferenceBesideIsNoPartialFineTuning();
    void aSumWhoseRoundedPartsDoNotAddUpSaysSo();
    void theMainDeviceIsTheOneThatDied();
    void aFileOfPinnedMemoryAloneIsAboutIt();
    void aStoppedDiagnosisIsCancelled();
};

void TstSentences::anOutOfMemoryErrorIsToldWithPhaseAndStep()
{
    const auto d = test::deviceDiagnosisOf(test::diesInBackward());
    QCOMPARE(d.headline,
             std::string("Out of memory in backward of step 2: activations take 70 % of the GPU"));
    QVERIFY(d.moment.is_oom);
    QCOMPARE(d.moment.requested.value, 24 * kM);
}

void TstSentences::theRequestIsHeldAgainstFreeAndCached()
{
    const std::string said = test::deviceDiagnosisOf(test::diesInBackward()).explanation;
    QVERIFY2(contains(said,
                      "Tried to allocate 24.0 MiB with 4.0 MiB free and 17.9 MiB cached: no "
                      "allocator setting could have helped."),
             said.c_str());
    QVERIFY(contains(test::deviceDiagnosisOf(test::diesOfHoles()).explanation,
                     "the largest free block was"));
}

void TstSentences::theStepsThatTheDriverIsAskedInAreSaid()
{
    // 25 MiB are asked for as a segment of 26, and 25.5 were free.
    HandRun run(100 * kM);
    run.phase(label::Phase::forward, 1);
    run.alloc(90 * kM, label::Bucket::activation);
    run.oom(25 * kM, 25 * kM + kM / 2, label::Bucket::activation);
    const auto d = test::deviceDiagnosisOf(run.finish());
    QVERIFY2(contains(d.explanation, "whole segment, 26.00 MiB: 0.50 MiB short."),
             d.explanation.c_str());
    QVERIFY2(contains(d.explanation, "Tried to allocate 25.00 MiB with 25.50 MiB free"),
             d.explanation.c_str());
}

void TstSentences::aLimitOfTheProcessIsNamedWhereTheGpuHadRoom()
{
    HandRun run(100 * kM);
    run.phase(label::Phase::forward, 1);
    run.alloc(90 * kM, label::Bucket::activation);
    run.oom(24 * kM, 5000 * kM, label::Bucket::activation);
    const auto d = test::deviceDiagnosisOf(run.finish());
    const std::string& said = d.explanation;
    QVERIFY2(!contains(said, "a lack of memory is not the reason"), said.c_str());
    // Once: where that is the cause, its sentence says what was asked, too.
    QCOMPARE(contains(said, "Tried to allocate 24.0 MiB"),
             d.causes.front().cause != Cause::memory_fraction);
    QVERIFY2(contains(said, "this process"), said.c_str());
}

void TstSentences::theUsersOwnLineIsNamed()
{
    QVERIFY(contains(test::deviceDiagnosisOf(test::diesInBackward()).explanation,
                     "model.py:30–31 forward"));
}

void TstSentences::aPeakIsToldWithItsEvent()
{
    const auto d = test::deviceDiagnosisOf(test::fineRun());
    QVERIFY2(contains(d.headline, "Peak 400 MiB at event "), d.headline.c_str());
    QVERIFY2(contains(d.headline, "in backward of step 2: activations take 70 %"),
             d.headline.c_str());
    QCOMPARE(d.fix_headline, std::string("No OOM in this recording"));
    QCOMPARE(d.need, d.moment.active);
}

void TstSentences::anEmptyDeviceSaysSo()
{
    const auto d = test::deviceDiagnosisOf(withoutEvents(false));
    QCOMPARE(d.headline, std::string("No memory was recorded on this device"));
    QVERIFY(d.fixes.empty());
    QVERIFY(d.causes.front().cause == Cause::none);
}

void TstSentences::aStateWithoutHistorySaysSo()
{
    const auto d = test::deviceDiagnosisOf(withoutEvents(true));
    QCOMPARE(d.headline,
             std::string("8.00 MiB allocated in 8.00 MiB reserved; no history to show an OOM"));
    QVERIFY(contains(d.explanation, "_record_memory_history"));
    QCOMPARE(d.fix_headline, std::string("No history recorded, so an OOM can't be seen"));
    QVERIFY(d.causes.front().cause == Cause::unclear);
}

void TstSentences::theRecommendedChangeIsTheHeadlineOfTheFix()
{
    const auto d = test::deviceDiagnosisOf(test::diesInBackward());
    QCOMPARE(d.fix_headline, std::string("Cheapest fix: Micro-batch 1/2, accumulation 2"));
    // One figure of what the run then takes, with its interval.
    QVERIFY2(contains(d.fix_explanation, "Needs 293 MiB (282–311) of 398 MiB"),
             d.fix_explanation.c_str());
    QVERIFY(!contains(d.fix_explanation, "stay free"));
}

void TstSentences::theSumAddsUpToWhatIsReserved()
{
    const std::string sum = test::diagnosisOf(test::diesInBackward()).sum_check;
    QVERIFY2(sum
                 == "Parameters 32.0 + Optimizer state 64.0 + Inputs 0.1 + Activations 280.0 + "
                    "cached 17.9 = 394.0 MiB reserved; memory outside PyTorch is not recorded",
             sum.c_str());
    UserInput input;
    input.message = "CUDA out of memory. Tried to allocate 24.00 MiB. GPU 0 has a total capacity "
                    "of 1.00 GiB of "
                    "which 4.00 MiB is free.";
    QVERIFY(contains(test::diagnosisOf(test::diesInBackward(input)).sum_check,
                     "outside PyTorch 0.61 GiB of the GPU's 1.00 GiB; 1.00 GiB used in all"));
    input.message += " Process 7 has 200.00 MiB memory in use. Including non-PyTorch memory, this "
                     "process has 700.00 MiB memory in use. Of the allocated memory 380.00 MiB is "
                     "allocated by PyTorch, and 14.00 MiB is reserved by PyTorch but unallocated.";
    // 1024 − 4 − 394 = 626 MiB; the message's process has 700 − 394 = 306 of them, the other 200.
    const std::string named = test::diagnosisOf(test::diesInBackward(input)).sum_check;
    QVERIFY2(contains(named,
                      "outside PyTorch 0.61 GiB (this process 0.30 GiB, other processes 0.20 GiB, "
                      "unattributed 0.12 GiB) of the GPU's 1.00 GiB"),
             named.c_str());
    // 306 and 500 are more than the 626 that are in use.
    UserInput twice = input;
    twice.message.replace(twice.message.find("200.00 MiB memory"), 6, "500.00");
    QVERIFY(contains(test::diagnosisOf(test::diesInBackward(twice)).sum_check,
                     "outside PyTorch 0.61 GiB (but the processes report 0.79 GiB, 0.18 "
                     "GiB more)"));
    input.message.replace(input.message.find("4.00 MiB is free"), 4, "9.00");
    QVERIFY(
        contains(test::diagnosisOf(test::diesInBackward(input)).sum_check,
                 "outside PyTorch 0.61 GiB (unattributed: the message is from another moment: it "
                 "has 9.00 MiB free, this one 4.00 MiB) of the GPU's 1.00 GiB"));
}

void TstSentences::theSumNamesWhatACaptureSaw()
{
    // 100 MiB reserved, 60 of them in use; the card has 1024.
    const auto sumOf = [](const std::optional<trace::CaptureOom>& oom) {
        test::HandRun run(100 * kM);
        run.alloc(60 * kM, label::Bucket::parameter);
        run.oom(200 * kM, 24 * kM, label::Bucket::activation);
        trace::CaptureDevice device;
        device.index = 0;
        device.total = Bytes{1024 * kM};
        device.free = Bytes{500 * kM}; // At the dump, after the error let go of things.
        device.reserved = Bytes{100 * kM};
        run.capture().emplace();
        run.capture()->devices = {device};
        run.capture()->oom = oom;
        return test::diagnosisOf(run.finish()).sum_check;
    };
    // 1024 − 500 in use, less 100.
    QVERIFY(contains(sumOf(std::nullopt),
                     "; outside PyTorch 0.41 GiB of the GPU's 1.00 GiB at the dump"));
    // The allocator's own word at the error is better: 1024 − 24 in use, less 100.
    QVERIFY(contains(sumOf(trace::CaptureOom{0, Bytes{200 * kM}, Bytes{1024 * kM}, Bytes{24 * kM}}),
                     "; outside PyTorch 0.88 GiB of the GPU's 1.00 GiB, unattributed; 0.98 "
                     "GiB used in all, as nvidia-smi shows"));
}

void TstSentences::theRecipeIsReadOffTheStates_data()
{
    QTest::addColumn<double>("copies");
    QTest::addColumn<QString>("text");
    QTest::newRow("Adam") << 2.0 << "fp32 weights + Adam: 16 B × 8.4 M parameters (dtype assumed)";
    QTest::newRow("momentum") << 1.0
                              << "fp32 weights + one state (SGD with momentum, Lion): 12 B × 8.4 M "
                                 "parameters (dtype assumed)";
    QTest::newRow("none")
        << 0.0 << "fp32 weights + no optimizer state: 8 B × 8.4 M parameters (dtype assumed)";
    QTest::newRow("8 bit")
        << 0.5 << "fp32 weights + Adam in 8 bits: 10 B × 8.4 M parameters (dtype assumed)";
    QTest::newRow("fp32 states") << 4.0
                                 << "16-bit weights + Adam in 32 bits: 12 B × 16.8 M parameters";
}

void TstSentences::theRecipeIsReadOffTheStates()
{
    QFETCH(double, copies);
    QFETCH(QString, text);
    test::ModelShape shape;
    shape.state_copies = copies;
    const auto recipe = test::deviceDiagnosisOf(test::fineRun({}, shape)).recipe;
    QCOMPARE(QString::fromStdString(recipe.text), text);
    QCOMPARE(recipe.state_bytes, copies * recipe.weight_bytes);
    QCOMPARE(recipe.gradient_bytes, recipe.weight_bytes);
}

void TstSentences::noRecipeIsReadOffAStateThatNoOptimizerKeeps()
{
    test::ModelShape shape;
    shape.state_copies = 7.5;
    const auto d = test::deviceDiagnosisOf(test::fineRun({}, shape));
    QCOMPARE(d.recipe.text, std::string());
    QCOMPARE(d.recipe.parameters, 0);
    for (const char* id : {"lora", "qlora", "bf16-pure"}) {
        const auto fix = std::ranges::find(d.fixes, id, &Fix::id);
        QVERIFY2(fix->status == FixStatus::not_applicable, id);
    }
}

void TstSentences::aReferenceBesideIsNoPartialFineTuning()
{
    HandRun run(600 * kM);
    run.phase(label::Phase::setup, 0);
    run.alloc(96 * kM, label::Bucket::parameter, label::Role::frozen, "load /home/me/dpo.py:3");
    test::HandTraining training(run, {});
    training.step();
    training.step();
    const auto recipe = test::deviceDiagnosisOf(run.finish()).recipe;
    QVERIFY2(recipe.excluded.starts_with("Not all weights are trained: only "),
             recipe.excluded.c_str());
}

void TstSentences::aSumWhoseRoundedPartsDoNotAddUpSaysSo()
{
    // 10.006 MiB and 10.006 MiB and what is cached of 32.
    HandRun run(32 * kM);
    run.phase(label::Phase::forward, 1);
    run.alloc(10 * kM + 6144, label::Bucket::activation);
    run.alloc(10 * kM + 6144, label::Bucket::temporary);
    const std::string sum = test::diagnosisOf(run.finish()).sum_check;
    QVERIFY2(
        contains(sum, "Activations 10.01 + Temporaries 10.01 + cached 11.99 ≈ 32.00 MiB reserved"),
        sum.c_str());
}

void TstSentences::theMainDeviceIsTheOneThatDied()
{
    NoProgress progress;
    trace::SnapshotBuilder builder;
    for (int i = 0; i < 5; ++i) {
        trace::EventRecord e;
        e.action = i == 2 ? trace::Action::oom : trace::Action::other;
        builder.addEvent(i == 2 ? 1 : 0, e);
    }
    builder.ensureDevice(2);
    Analysis a;
    a.snapshot = std::make_shared<const trace::Snapshot>(std::move(builder).finish().value());
    a.replay =
        std::make_shared<const replay::Replay>(replay::run(*a.snapshot, progress, {}).value());
    QCOMPARE(a.mainDevice(), std::size_t{1});
}

/// As record_cuda=False leaves it: the traces of all GPUs are empty, with more of them than of the
/// host.
void TstSentences::aFileOfPinnedMemoryAloneIsAboutIt()
{
    trace::SnapshotBuilder builder;
    builder.ensureDevice(0);
    builder.ensureDevice(1);
    builder.ensureDevice(trace::SnapshotBuilder::kHostDevice, trace::DeviceKind::host);
    trace::EventRecord e;
    e.action = trace::Action::alloc;
    e.address = 0x1000;
    e.size = {kM};
    builder.addEvent(trace::SnapshotBuilder::kHostDevice, e);
    const Analysis a = test::labelledAnalysis(std::move(builder).finish().value());
    QCOMPARE(a.mainDevice(), std::size_t{2});
    QVERIFY(a.snapshot->notes.find("host-only") != nullptr);
    NoProgress progress;
    const Diagnosis diagnosis = run(a, progress, {}).value();
    QVERIFY2(diagnosis.devices[2].headline.find("No memory was recorded") == std::string::npos,
             diagnosis.devices[2].headline.c_str());
    QVERIFY(contains(diagnosis.devices[0].headline, "No memory was recorded"));
}

void TstSentences::aStoppedDiagnosisIsCancelled()
{
    NoProgress progress;
    std::stop_source stop;
    stop.request_stop();
    const auto result = run(test::diesInBackward(), progress, stop.get_token());
    QVERIFY(!result.has_value());
    QVERIFY(result.error().code == ErrorCode::cancelled);
}

TIDEMARK_TEST(TstSentences)

} // namespace tidemark::tst_sentences

#include "tst_sentences.moc"
