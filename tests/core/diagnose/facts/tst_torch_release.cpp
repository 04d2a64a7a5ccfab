// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/label/stacks/torch_release.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>

namespace tidemark::tst_torch_release {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Role;
using test::kM;

class TstTorchRelease : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void framesTellIt_data();
    void framesTellIt();
    void adamMadeTwoListsUpTo2_0();
    void linesAreInTheBackendsWords();
};

void TstTorchRelease::framesTellIt_data()
{
    QTest::addColumn<QString>("frame");
    QTest::addColumn<int>("release");
    const auto row = [](const char* name, const char* frame, label::TorchRelease release) {
        QTest::newRow(name) << frame << static_cast<int>(release);
    };
    row("1.13", "_use_grad /x/torch/optim/optimizer.py:23", label::TorchRelease::before_2_0);
    row("2.0", "_use_grad /x/torch/optim/optimizer.py:33", label::TorchRelease::v2_0);
    row("2.1", "_use_grad /x/torch/optim/optimizer.py:76", label::TorchRelease::after_2_0);
    row("2.1 of Windows", "_use_grad C:\\x\\torch\\optim\\optimizer.py:76",
        label::TorchRelease::after_2_0);
    row("1.12", "decorate_context /x/torch/autograd/grad_mode.py:27",
        label::TorchRelease::before_2_0);
    row("2.4", "decorate_context /x/torch/utils/_contextlib.py:116",
        label::TorchRelease::after_2_0);
    row("no line", "_use_grad /x/torch/optim/optimizer.py:0", label::TorchRelease::unknown);
    row("someone's own", "_use_grad /home/me/optimizer.py:23", label::TorchRelease::unknown);
    row("nothing of torch", "train /home/me/train.py:23", label::TorchRelease::unknown);
}

void TstTorchRelease::framesTellIt()
{
    QFETCH(QString, frame);
    QFETCH(int, release);
    test::HandRun run(16 * kM);
    run.alloc(kM, Bucket::parameter, Role::none, frame.toStdString());
    QCOMPARE(static_cast<int>(label::torchRelease(*run.finish().snapshot)), release);
}

void TstTorchRelease::adamMadeTwoListsUpTo2_0()
{
    // The first list of an optimizer step fails at its second tensor; four weights of 8 MiB.
    const auto need = [](const char* line, bool first_is_whole) {
        test::HandRun run(400 * kM);
        test::beginSecondOptimizerStep(run);
        const auto stack = [&](int of_adam) {
            return "_multi_tensor_adamw /x/torch/optim/adamw.py:" + std::to_string(of_adam)
                + "; adamw /x/torch/optim/adamw.py:300; _use_grad /x/torch/optim/optimizer.py:"
                + line;
        };
        for (int i = 0; first_is_whole && i < 4; ++i) {
            run.alloc(8 * kM, Bucket::temporary, Role::optimizer_transient, stack(500));
        }
        run.alloc(8 * kM, Bucket::temporary, Role::optimizer_transient,
                  stack(first_is_whole ? 502 : 500));
        run.oom(8 * kM, 0, Bucket::temporary, Role::optimizer_transient,
                stack(first_is_whole ? 502 : 500));
        return predict(run.finish(), 0, {}).before_need.value;
    };
    QCOMPARE(need("23", false), need("76", false) + 4 * 8 * kM);
    QCOMPARE(need("33", false), need("23", false));
    QCOMPARE(need("23", true), need("23", false)); // the second one was begun
}

void TstTorchRelease::linesAreInTheBackendsWords()
{
    const auto line = [](const char* frame) {
        test::HandRun run(16 * kM);
        run.alloc(kM, Bucket::parameter, Role::none, frame);
        const auto fix = test::fixOf(run.finish(), "expandable-segments");
        return fix.how.at(0).second.substr(0, fix.how.at(0).second.find('='));
    };
    QCOMPARE(line("empty_cache /x/torch_npu/npu/memory.py:158"),
             std::string("PYTORCH_NPU_ALLOC_CONF"));
    QCOMPARE(line("memory_stats C:\\x\\torch\\xpu\\memory.py:55"),
             std::string("PYTORCH_ALLOC_CONF"));
    QCOMPARE(line("empty_cache /x/torch/cuda/memory.py:170"),
             std::string("PYTORCH_CUDA_ALLOC_CONF"));
    QCOMPARE(line("train /home/me/torch_npu.py:3"), std::string("PYTORCH_CUDA_ALLOC_CONF"));
}

TIDEMARK_TEST(TstTorchRelease)

} // namespace tidemark::tst_torch_release

#include "tst_torch_release.moc"
