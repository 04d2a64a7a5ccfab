// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/texts.h"
#include "core/report/check_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_check_run {

using namespace tidemark::report;

namespace {

diagnose::Fix fixOf(const std::string& id,
                    diagnose::FixStatus status = diagnose::FixStatus::would_help)
{
    diagnose::Fix fix;
    fix.id = id;
    fix.status = status;
    return fix;
}

using Names = std::vector<std::string>;

} // namespace

class TstCheckRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFixHasARunThatShowsIt()
    {
        for (const diagnose::FixText& text : diagnose::fixTexts()) {
            const CheckRun run = checkRunOf(fixOf(text.id), {});
            QVERIFY2(run.what.find("torch.cuda.") != std::string::npos, text.id.c_str());
            QVERIFY(run.what.ends_with('.') && run.line.empty());
        }
    }
    void theLineIsOfTheFirstFrameworkThatHasOne()
    {
        const Names frameworks{"DeepSpeed", "veRL", "HF Trainer"};
        const CheckRun run = checkRunOf(fixOf("zero-2"), frameworks);
        QCOMPARE(run.framework, std::string("veRL"));
        QVERIFY(run.line.find("total_training_steps=3") != std::string::npos);
    }
    void whatGrowsNeedsMoreStepsAndEvaluationItself()
    {
        const Names trainer{"HF Trainer"};
        QVERIFY(checkRunOf(fixOf("leak"), trainer).line.find("max_steps=50") != std::string::npos);
        QVERIFY(checkRunOf(fixOf("evaluation-batch"), trainer).line.find("eval_steps=1")
                != std::string::npos);
        QVERIFY(checkRunOf(fixOf("kv-cache-limit"), trainer).line.empty()); // No training.
    }
    void eachKindOfRunIsSaidOnceAndOnlyOfWhatMayHelp()
    {
        const std::vector<diagnose::Fix> fixes{
            fixOf("micro-batch", diagnose::FixStatus::recommended), fixOf("checkpointing-full"),
            fixOf("leak", diagnose::FixStatus::not_applicable), fixOf("longest-batch")};
        const std::vector<CheckRun> runs = checkRunsOf(fixes, Names{"Megatron"});
        QCOMPARE(runs.size(), std::size_t{2});
        QCOMPARE(runs[0].line, std::string("--train-iters 3 --eval-iters 0"));
        QVERIFY(runs[1].what.find("longest samples first") != std::string::npos);
    }
};

TIDEMARK_TEST(TstCheckRun)

} // namespace tidemark::tst_check_run

#include "tst_check_run.moc"
