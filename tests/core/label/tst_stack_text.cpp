// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/frame_tests.h"
#include "core/label/stacks/stack_text.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

namespace tidemark::tst_stack_text {

using namespace tidemark::label;

class TstStackText : public QObject {
    Q_OBJECT

    trace::Snapshot m_snapshot = test::snapshotFromScript(R"(
stack model = torch::unwind::unwind() ??:0; at::native::gelu(at::Tensor) ??:0; softmax /x/site-packages/torch/nn/functional.py:8; forward /home/me/model.py:7; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /home/me/train.py:31
stack library = forward /x/dist-packages/torch/nn/modules/linear.py:3; run /x/site-packages/pkg/run.py:5
stack native = torch::unwind::unwind() ??:0; at::native::empty_cuda(long) ??:0
stack windows = f C:\me\run.py:3; g C:\py\Lib\site-packages\torch\nn\functional.py:4
a +1 @model
b +1 @library
c +1 @native
d +1 @windows
e +1
)");
    FrameId own(std::size_t i) const
    {
        return ownFrame(m_snapshot.stacks.frames(stack(i)),
                        [this](FrameId f) { return frameOrigin(m_snapshot, f); });
    }
    StackId stack(std::size_t i) const
    {
        return m_snapshot.devices[0].events.stack[i];
    }

private Q_SLOTS:
    void theUsersOwnFrameTellsWhereItWas()
    {
        QCOMPARE(frameText(m_snapshot, own(0)), std::string("model.py:7 forward"));
        QCOMPARE(frameText(m_snapshot, own(1)), std::string("linear.py:3 forward"));
        QCOMPARE(frameText(m_snapshot, own(2)), std::string("at::native::empty_cuda"));
        QCOMPARE(frameText(m_snapshot, own(3)), std::string("run.py:3 f"));
        QVERIFY(own(4).isNone());
    }
    void theOperationIsNamedByTheLibrary()
    {
        QCOMPARE(operationText(m_snapshot, stack(0)), std::string("softmax"));
        QCOMPARE(operationText(m_snapshot, stack(1)), std::string("linear"));
        QCOMPARE(operationText(m_snapshot, stack(2)), std::string("empty_cuda"));
        QCOMPARE(operationText(m_snapshot, stack(4)), std::string(""));
    }
    void whatOnlyPassesCallsOnIsNoOperation()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript(
            "stack layer = forward /x/site-packages/torch/nn/modules/linear.py:134; inner "
            "/x/site-packages/torch/nn/modules/module.py:1832; forward "
            "/x/site-packages/transformers/models/llama/modeling_llama.py:164; main /me/t.py:1\n"
            "stack product = forward /x/site-packages/transformers/models/llama/"
            "modeling_llama.py:164; new_forward /x/site-packages/accelerate/hooks.py:166; main "
            "/me/t.py:1\n"
            "stack function = forward /x/site-packages/bitsandbytes/autograd/_functions.py:509; "
            "apply /x/site-packages/torch/autograd/function.py:539; matmul_4bit "
            "/x/site-packages/bitsandbytes/autograd/_functions.py:579; main /me/t.py:1\n"
            "a +512 @layer\nb +512 @product\nc +512 @function\n");
        const auto operation = [&](std::size_t i) {
            return operationText(snapshot, snapshot.devices[0].events.stack[i]);
        };
        QCOMPARE(operation(0), std::string("linear"));
        QCOMPARE(operation(1), std::string("forward"));
        QCOMPARE(operation(2), std::string("matmul_4bit"));
    }
    void peopleSeeTheirOwnFramesFirstAndNoNoise()
    {
        const auto frames = framesForPeople(m_snapshot, stack(0));
        QCOMPARE(frames.size(), 5UL);
        QCOMPARE(frameText(m_snapshot, frames[0]), std::string("model.py:7 forward"));
        QCOMPARE(frameText(m_snapshot, frames[1]), std::string("train.py:31 main"));
    }
    void filesOfWindowsAreFoundAsAllOthers()
    {
        constexpr std::string_view kEnding = "torch/nn/modules/linear.py";
        QVERIFY(isFile("/x/site-packages/torch/nn/modules/linear.py", kEnding));
        QVERIFY(isFile("C:\\x\\torch\\nn\\modules\\linear.py", kEnding));
        QVERIFY(!isFile("/x/torch/nn/modules/linear.pyc", kEnding));
        QVERIFY(!isFile("linear.py", kEnding));
        QVERIFY(isFileIn("C:\\x\\peft\\tuners\\lora\\layer.py", "/peft/tuners/"));
        QVERIFY(!isFileIn("C:\\x\\peft\\tuners.py", "/peft/tuners/"));
    }
    void anyFrameOfAStackIsAsked()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript(
            "stack made = linear /x/functional.py:7; main /me/train.py:9\nw +1000 @made\n");
        const StackId stack = snapshot.devices[0].events.stack[0];
        const auto isMain = [](std::string_view name, std::string_view file) {
            return name == "main" && isFile(file, "train.py");
        };
        QVERIFY(anyFrame(snapshot, stack, isMain) && anyFrame(snapshot, isMain));
        const auto isNone = [](std::string_view, std::string_view) { return false; };
        QVERIFY(!anyFrame(snapshot, stack, isNone) && !anyFrame(snapshot, isNone));
        QVERIFY(!anyFrame(snapshot, StackId::none(), isMain));
    }
};

TIDEMARK_TEST(TstStackText)

} // namespace tidemark::tst_stack_text

#include "tst_stack_text.moc"
