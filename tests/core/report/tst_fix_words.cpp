// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "core/report/documents.h"
#include "core/report/fix_words.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_fix_words {

using namespace tidemark::report;

namespace {

diagnose::Fix fixNamed(const std::string& title,
                       std::vector<std::pair<std::string, std::string>> how)
{
    diagnose::Fix fix;
    fix.id = title;
    fix.title = title;
    fix.status = diagnose::FixStatus::recommended;
    fix.how = std::move(how);
    return fix;
}

using Lines = std::vector<std::pair<std::string, std::string>>;

} // namespace

class TstFixWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void linesOfOneFixStayAsTheyAre()
    {
        const diagnose::Fix fix = fixNamed("A", {{"TRL", "t"}, {"PyTorch", "p\nq"}});
        QVERIFY(linesToPaste({&fix}) == fix.how);
        QVERIFY(linesToPaste({}).empty());
    }
    void linesOfASetComeTogether()
    {
        const diagnose::Fix a = fixNamed("A", {{"PyTorch", "pa"}, {"TRL", "ta"}});
        const diagnose::Fix b = fixNamed("B", {{"vLLM", "vb"}, {"PyTorch", "pb"}});
        const diagnose::Fix c = fixNamed("C", {{"Megatron", "mc"}});
        const diagnose::Fix none = fixNamed("D", {});
        QVERIFY(linesToPaste({&a, &b, &c, &none})
                == (Lines{{"PyTorch", "# A\npa\n\n# B\npb\n\n# C (Megatron)\nmc"},
                          {"TRL", "# A\nta\n\n# B (PyTorch)\npb\n\n# C (Megatron)\nmc"},
                          {"vLLM", "# A (PyTorch)\npa\n\n# B\nvb\n\n# C (Megatron)\nmc"},
                          {"Megatron", "# A (PyTorch)\npa\n\n# B (PyTorch)\npb\n\n# C\nmc"}}));
    }
    void onlyOneOfSeveralSaysWhatItDoesAlone()
    {
        diagnose::Fix fix = fixNamed("A", {});
        fix.apply = "fused=on";
        fix.new_need = {5 << 20};
        fix.alone = {"fused=on", {1 << 20}, {5 << 20}, {}};
        QCOMPARE(aloneText(fix), std::string());
        fix.apply = "fused=on,set-to-none=on";
        QCOMPARE(aloneText(fix),
                 std::string("Saves 1.00 MiB; the run then needs 5.00 MiB, which may not fit."));
        fix.alone.short_by = {2 << 20};
        QCOMPARE(aloneText(fix),
                 std::string("Saves 1.00 MiB; the run then needs 5.00 MiB: 2.00 MiB short."));
        fix.status = diagnose::FixStatus::would_help;
        QCOMPARE(aloneText(fix), std::string());
    }
    void thePeakThatSeveralFixesLeaveIsSaidOnce()
    {
        diagnose::Analysis analysis = test::handMadeDeath();
        label::Labels labels = *analysis.labels;
        labels.devices[0].phases = {{EventId(0U), EventId(4U), label::Phase::backward, 1},
                                    {EventId(4U), EventId(8U), label::Phase::optimizer, 1}};
        analysis.labels = std::make_shared<const label::Labels>(std::move(labels));
        diagnose::Diagnosis diagnosis = *analysis.diagnosis;
        diagnose::DeviceDiagnosis& device = diagnosis.devices[0];
        device.moment.state = StateId{3U};
        diagnose::Fix fix = fixNamed("A", {});
        fix.status = diagnose::FixStatus::not_enough;
        fix.apply = "micro-batch=0.5";
        fix.saves = {1 << 20};
        fix.new_peak = fix.new_need = {100 << 20};
        fix.new_peak_state = StateId{6U};
        diagnose::Fix higher = fix;
        higher.new_peak = higher.new_need = {102 << 20};
        const auto said = [&](std::vector<diagnose::Fix> fixes) {
            device.fixes = std::move(fixes);
            analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(diagnosis);
            return nextPeakText(analysis, 0);
        };
        const std::string sentence = "3 fixes leave about the same peak: 100 MiB at "
                                     "event 5, optimizer of step 1.";
        QCOMPARE(said({higher, fix, higher}), sentence);
        const std::string report = toMarkdown(reportDocument(analysis, nullptr));
        QVERIFY(report.find(sentence) != std::string::npos);
        QCOMPARE(said({fix, higher}), std::string()); // Two are no pattern.
        diagnose::Fix other = fix;
        other.new_peak = other.new_need = {110 << 20}; // Another peak,
        QCOMPARE(said({fix, higher, other}), std::string());
        other = fix;
        other.fits = true; // no wall for it,
        QCOMPARE(said({fix, higher, other}), std::string());
        other = fix;
        other.status = diagnose::FixStatus::not_applicable; // not offered,
        QCOMPARE(said({fix, higher, other}), std::string());
        other = fix;
        other.new_need = {200 << 20}; // a need after the last event,
        QCOMPARE(said({fix, higher, other}), std::string());
        device.moment.state = StateId{7U}; // the same phase as before.
        QCOMPARE(said({fix, higher, fix}), std::string());
    }
    void knobsAreSaidInTheWordsOfTheConfiguration()
    {
        diagnose::Limits limits;
        limits.micro_batch = diagnose::SizeLimit{0.875, 7, {}};
        limits.sequence = diagnose::SizeLimit{0.5, std::nullopt, {}};
        limits.gpus = {{1, std::nullopt}, {3, 4}};
        QVERIFY(limitLines(limits)
                == (std::vector<std::string>{"Micro-batch: at most 7 (0.875 of the recorded size).",
                                             "Sequence: at most 0.5 of the recorded size.",
                                             "ZeRO stage 3: at least 4 GPUs."}));
    }
    void aConfigurationIsSaidInFewLines()
    {
        const auto config =
            config::readRunConfig("torchrun --nproc_per_node 4 train.py --bf16 "
                                  "--per_device_train_batch_size 8 --no_such_thing 3")
                .value();
        const std::vector<std::string> lines = configLines(config);
        QVERIFY(!lines.empty());
        QCOMPARE(lines.front(),
                 std::string("Effective batch 32: micro-batch 8 × accumulation 1 × 4 GPUs."));
        QVERIFY2(lines.back().starts_with("Not checked:")
                     && lines.back().find("no_such_thing") != std::string::npos,
                 lines.back().c_str());
    }
    void aConfiguredOptimizerIsSaidWithItsArguments()
    {
        const auto said = [](std::string_view text) {
            return configLines(config::readRunConfig(text).value()).front();
        };
        QCOMPARE(said("optim: adamw_torch"), std::string("Also: optimizer adamw_torch."));
        QCOMPARE(said("optimizer: sgd\nmomentum: 0.9"),
                 std::string("Also: optimizer sgd with momentum 0.9."));
        QCOMPARE(said("optimizer: adamw\namsgrad: true"),
                 std::string("Also: optimizer adamw with amsgrad."));
    }
    void linesAreThoseOfTheFrameworkInUse()
    {
        const auto inUse = [](const std::string& path) {
            return frameworkInUse(
                test::handMadeAnalysis("stack s = f " + path + ":1\n a +1K @s\n", {}));
        };
        QCOMPARE(inUse("/home/me/train.py"), std::string_view());
        QCOMPARE(inUse("/site-packages/transformers/trainer.py"), std::string_view("HF Trainer"));
        QCOMPARE(inUse("/site-packages/transformers/modeling.py"), std::string_view());
        diagnose::Analysis analysis = test::handMadeAnalysis(
            "stack s = f /site-packages/deepspeed/engine.py:1\n a +1K @s\n", {});
        QCOMPARE(frameworkInUse(analysis), std::string_view("DeepSpeed"));
        analysis.input.config = config::readRunConfig("--tensor-model-parallel-size 2").value();
        QCOMPARE(frameworkInUse(analysis), std::string_view("Megatron")); // what a person says
    }
    void onlyAFewFixesAreToldWithTheirLines()
    {
        diagnose::Analysis analysis = test::handMadeDeath();
        diagnose::Diagnosis diagnosis = *analysis.diagnosis;
        auto& fixes = diagnosis.devices[0].fixes;
        fixes.clear();
        for (int i = 0; i < 9; ++i) {
            diagnose::Fix fix = fixNamed("Fix " + std::to_string(i),
                                         {{"PyTorch", "line " + std::to_string(i)},
                                          {"DeepSpeed", "other " + std::to_string(i)}});
            fix.status =
                i == 8 ? diagnose::FixStatus::recommended : diagnose::FixStatus::would_help;
            fix.fits = i % 2 == 1;
            fixes.push_back(std::move(fix));
        }
        analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
        const std::string report = toMarkdown(reportDocument(analysis, nullptr));
        std::string lines;
        for (int i = 0; i < 9; ++i) {
            lines += report.find("    line " + std::to_string(i)) == std::string::npos ? '-' : '+';
            QVERIFY(report.find("| Fix " + std::to_string(i) + " |") != std::string::npos);
        }
        QCOMPARE(lines, std::string("-+-+-+--+")); // The recommended one, then those that fit.
        QVERIFY(report.find("other ") == report.find("other fixes"));
        QVERIFY(report.find("The JSON has the lines of 5 other fixes.") != std::string::npos);
    }
    void theReportHasTheBudgetOfTheAnswer()
    {
        diagnose::Analysis analysis = test::handMadeDeath();
        const std::string title = "The budget before and after";
        QVERIFY(toMarkdown(reportDocument(analysis, nullptr)).find(title) == std::string::npos);
        diagnose::Diagnosis diagnosis = *analysis.diagnosis;
        diagnose::Answer answer;
        answer.apply = "micro-batch=0.5";
        answer.sentence = "The need falls.";
        diagnosis.devices[0].answer = answer;
        analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(diagnosis);
        const std::string report = toMarkdown(reportDocument(analysis, nullptr));
        const std::size_t place = report.find(title);
        QVERIFY(place != std::string::npos);
        QVERIFY(report.find("Total needed", place) != std::string::npos);
        QVERIFY(toHtml(reportDocument(analysis, nullptr)).find(title) != std::string::npos);
    }
};

TIDEMARK_TEST(TstFixWords)

} // namespace tidemark::tst_fix_words

#include "tst_fix_words.moc"
