// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/code_lines.h"
#include "core/label/stacks/forward_lines.h"
#include "core/label/stacks/stack_kinds.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

#include <string>

namespace tidemark::tst_code_lines {

using namespace tidemark::label;

namespace {

/// Frames of one stack, innermost first; `SP` stands for where packages are installed.
struct Said {
    std::string model;
    std::string user;
    std::string shown;
};

/// Every "SP" of a text replaced.
std::string installed(std::string text, const std::string& packages)
{
    for (std::size_t at = 0; (at = text.find("SP/", at)) != std::string::npos;) {
        text.replace(at, 2, packages);
        at += packages.size();
    }
    return text;
}

Said said(const std::string& frames)
{
    const trace::Snapshot snapshot =
        test::snapshotFromScript("stack one = " + frames + "\na +512 @one\n");
    const StackId stack = snapshot.devices[0].events.stack[0];
    const CodeLines lines = LineFinder(snapshot).of(snapshot, stack);
    const CodeLines looked_up = StackKinds(snapshot).lines(stack);
    QTest::qVerify(looked_up.shown == lines.shown && looked_up.model == lines.model,
                   "looked up as found", "", __FILE__, __LINE__);
    return {frameText(snapshot, lines.model), frameText(snapshot, lines.user),
            frameText(snapshot, lines.shown)};
}

const std::string kCall = "; _call_impl SP/torch/nn/modules/module.py:1520";
const std::string kLinear = "forward SP/torch/nn/modules/linear.py:114" + kCall;
const std::string kLlama = "; forward SP/transformers/models/llama/modeling_llama.py:164" + kCall
    + "; forward SP/transformers/models/llama/modeling_llama.py:456" + kCall;
const std::string kTrainer = "; compute_loss SP/transformers/trainer.py:2164; train "
                             "SP/transformers/trainer.py:1576";
const std::string kNotebook = "; <module> /tmp/ipykernel_114/3105878423.py:21; run_code "
                              "SP/IPython/core/interactiveshell.py:3577";

} // namespace

class TstCodeLines : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theModelAndTheUserHaveEachTheirLine_data()
    {
        QTest::addColumn<QString>("frames");
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* name, const std::string& frames, const std::string& model,
                            const std::string& user, const std::string& shown) {
            QTest::newRow(name) << QString::fromStdString(frames) << QString::fromStdString(model)
                                << QString::fromStdString(user) << QString::fromStdString(shown);
        };
        const std::string llama = "modeling_llama.py:164 forward";
        const std::string cell = "3105878423.py:21 <module>";
        row("a library's model under a trainer in a notebook",
            kLinear + kLlama + kTrainer + kNotebook, llama, cell, llama);
        row("adapters and hooks are no model's",
            kLinear + "; forward SP/peft/tuners/lora/layer.py:774" + kCall
                + "; new_forward SP/accelerate/hooks.py:166" + kLlama
                + "; forward SP/peft/peft_model.py:1430" + kCall + kNotebook,
            llama, cell, llama);
        row("a helper in a model's file",
            "apply_rotary_pos_emb SP/transformers/models/llama/modeling_llama.py:147" + kLlama
                + kTrainer + "; main /me/train.py:4",
            "modeling_llama.py:147 apply_rotary_pos_emb", "train.py:4 main",
            "modeling_llama.py:147 apply_rotary_pos_emb");
        row("a helper in another file of the library",
            "sdpa_attention_forward SP/transformers/integrations/sdpa_attention.py:193" + kLlama
                + kTrainer + "; main /me/train.py:4",
            llama, "train.py:4 main", llama);
        row("a loss that the model calls",
            "cross_entropy SP/torch/nn/functional.py:3555; ForCausalLMLoss "
            "SP/transformers/loss/loss_utils.py:72"
                + kLlama + kTrainer + "; main /me/train.py:4",
            llama, "train.py:4 main", llama);
        row("one's own model is both",
            kLinear + "; forward /me/model.py:41" + kCall + "; step /me/train.py:88",
            "model.py:41 forward", "model.py:41 forward", "model.py:41 forward");
        row("one's own module inside a library's model",
            "attend /me/attention.py:9" + kLlama + kTrainer + "; main /me/train.py:4",
            "attention.py:9 attend", "attention.py:9 attend", "attention.py:9 attend");
        row("a library's model called by one's own loop",
            kLinear + "; forward SP/timm/models/vision_transformer.py:93" + kCall
                + "; step /me/train.py:88",
            "vision_transformer.py:93 forward", "train.py:88 step",
            "vision_transformer.py:93 forward");
        row("only torch's modules, called by one's own loop", kLinear + "; step /me/train.py:88",
            "", "train.py:88 step", "train.py:88 step");
        row("a loss of one's own loop",
            "cross_entropy SP/torch/nn/functional.py:3555; step /me/train.py:89", "",
            "train.py:89 step", "train.py:89 step");
        row("an optimizer that a trainer steps",
            "_init_group SP/torch/optim/adam.py:178; step SP/torch/optim/adam.py:238; step "
            "SP/accelerate/optimizer.py:186; _run_epoch SP/transformers/trainer.py:1935; train "
            "SP/transformers/trainer.py:1576; main /me/train.py:4",
            "", "train.py:4 main", "trainer.py:1935 _run_epoch");
        row("an optimizer that one steps oneself",
            "_init_group SP/torch/optim/adam.py:178; step SP/torch/optim/adam.py:238; step "
            "SP/accelerate/optimizer.py:186; main /me/train.py:90",
            "", "train.py:90 main", "train.py:90 main");
        row("one's own step in a library's loop",
            "cross_entropy SP/torch/nn/functional.py:3555; training_step /me/lit.py:19; advance "
            "SP/lightning/pytorch/loops/fit_loop.py:469; main /me/train.py:4",
            "", "lit.py:19 training_step", "lit.py:19 training_step");
        row("a model that is loaded",
            "convert SP/torch/nn/modules/module.py:1369; _apply "
            "SP/torch/nn/modules/module.py:964; to SP/transformers/modeling_utils.py:3780; main "
            "/me/train.py:4",
            "", "train.py:4 main", "train.py:4 main");
        row("an autograd function is no module",
            "forward /me/ops.py:12; apply SP/torch/autograd/function.py:539; loss /me/ops.py:40; "
            "main /me/train.py:4",
            "", "ops.py:12 forward", "ops.py:12 forward");
        row("a library's autograd function inside a model",
            "forward SP/mamba_ssm/ops/scan.py:12; apply SP/torch/autograd/function.py:539; scan "
            "/me/model.py:40; forward /me/model.py:41"
                + kCall + "; main /me/train.py:4",
            "model.py:40 scan", "model.py:40 scan", "model.py:40 scan");
        row("compiled code",
            "call /tmp/torchinductor_me/yn/cyn.py:324; __call__ "
            "SP/torch/_inductor/output_code.py:763; forward "
            "SP/transformers/models/llama/modeling_llama.py:434; _fn "
            "SP/torch/_dynamo/eval_frame.py:832"
                + kCall + "; main /me/train.py:4",
            "modeling_llama.py:434 forward", "train.py:4 main", "modeling_llama.py:434 forward");
        row("compiled backward",
            "call /tmp/torchinductor_me/yn/cyn.py:324; __call__ "
            "SP/torch/_inductor/output_code.py:763",
            "", "", "cyn.py:324 call");
        row("code of a hub beside the installed packages",
            "forward /root/.cache/huggingface/modules/transformers_modules/org/m/"
            "modeling_m.py:88"
                + kCall + kTrainer + "; main /me/train.py:4",
            "modeling_m.py:88 forward", "train.py:4 main", "modeling_m.py:88 forward");
        row("a working copy of the library",
            kLinear
                + "; forward /src/transformers/src/transformers/models/llama/modeling_llama.py:9"
                + kCall
                + "; train /src/transformers/src/transformers/trainer.py:7; main "
                  "/me/train.py:4",
            "modeling_llama.py:9 forward", "train.py:4 main", "modeling_llama.py:9 forward");
        row("a working copy of Megatron",
            "forward /me/Megatron-LM/megatron/core/tensor_parallel/layers.py:900" + kCall
                + "; forward /me/Megatron-LM/megatron/core/transformer/mlp.py:190" + kCall
                + "; forward_step /me/Megatron-LM/pretrain_gpt.py:200",
            "mlp.py:190 forward", "layers.py:900 forward", "mlp.py:190 forward");
        row("torchtitan",
            kLinear + "; forward /me/torchtitan/torchtitan/models/llama3/model.py:230" + kCall
                + "; train_step /me/torchtitan/torchtitan/train.py:480",
            "model.py:230 forward", "model.py:230 forward", "model.py:230 forward");
        row("generated functions are nobody's", "__init__ <string>:3; main /me/train.py:4", "",
            "train.py:4 main", "train.py:4 main");
        row("a cell of an old notebook", kLinear + kLlama + "; <module> <ipython-input-3-ab12cd>:1",
            llama, "<ipython-input-3-ab12cd>:1 <module>", llama);
        row("only C++", "at::native::mm(long) ??:0", "", "", "at::native::mm");
        row("what makes a tensor for an operation",
            "at::detail::_empty_generic<long>(long) ??:0; create_out(long) ??:0; "
            "at::native::mm(long) ??:0",
            "", "", "at::native::mm");
        row("what lets go of one", "c10::intrusive_ptr<c10::StorageImpl>::reset_() ??:0", "", "",
            "");
    }
    void theModelAndTheUserHaveEachTheirLine()
    {
        QFETCH(QString, frames);
        for (const char* packages :
             {"/opt/conda/lib/python3.10/site-packages", "/usr/lib/python3/dist-packages",
              "/me/project/.venv/lib/python3.12/site-packages",
              "C:\\Users\\me\\anaconda3\\Lib\\site-packages"}) {
            const Said lines = said(installed(frames.toStdString(), packages));
            QTEST(QString::fromStdString(lines.model), "model");
            QTEST(QString::fromStdString(lines.user), "user");
            QTEST(QString::fromStdString(lines.shown), "shown");
        }
    }
    void pathsOfWindowsAreReadAsAllOthers()
    {
        const Said lines = said(
            "forward C:\\py\\Lib\\site-packages\\torch\\nn\\modules\\linear.py:114; "
            "_call_impl C:\\py\\Lib\\site-packages\\torch\\nn\\modules\\module.py:1520; "
            "forward C:\\py\\Lib\\site-packages\\transformers\\models\\opt\\modeling_opt.py:30; "
            "_call_impl C:\\py\\Lib\\site-packages\\torch\\nn\\modules\\module.py:1520; "
            "main C:\\me\\train.py:4; run C:\\py\\Lib\\threading.py:982");
        QCOMPARE(lines.model, std::string("modeling_opt.py:30 forward"));
        QCOMPARE(lines.user, std::string("train.py:4 main"));
    }
    void nothingIsSaidOfNoStack()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript("a +512\nb +512 @-\n");
        const LineFinder finder(snapshot);
        QVERIFY(finder.of(snapshot, StackId::none()).shown.isNone());
        QVERIFY(finder.of(snapshot, snapshot.devices[0].events.stack[1]).shown.isNone());
        QVERIFY(linesText(snapshot, {}).empty());
    }
    void whatTheFileSaysOfForwardNamesTheLine()
    {
        trace::SnapshotBuilder builder;
        trace::EventRecord event;
        event.action = trace::Action::alloc;
        event.address = 0x1000;
        event.size = {512};
        event.stack = builder.stacks().internStack({});
        event.forward_frames = builder.strings().intern(
            "  File \"/me/train.py\", line 42, in main\n    loss = model(x)\n"
            "  File \"/x/site-packages/torch/nn/modules/module.py\", line 1520, in _call_impl\n"
            "  File \"/x/site-packages/transformers/models/opt/modeling_opt.py\", line 30, in "
            "forward\n    y = self.fc(x)\n"
            "  File \"/x/site-packages/torch/nn/modules/module.py\", line 1520, in _call_impl\n"
            "  File \"/x/site-packages/torch/nn/modules/linear.py\", line 114, in forward\n");
        builder.addEvent(0, event);
        event.address = 0x2000;
        event.forward_frames = StringId::none();
        builder.addEvent(0, event);
        const trace::Snapshot snapshot = std::move(builder).finish().value();
        NoProgress progress;
        const replay::Replay replay = replay::run(snapshot, progress, {}).value();
        const replay::Allocations& all = replay.devices[0].allocations;
        const auto text = [&](std::size_t a) {
            return forwardLineText(
                snapshot.text(forwardFramesOf(snapshot.devices[0], all, AllocationId(a))));
        };
        QCOMPARE(text(0), std::string("modeling_opt.py:30 forward"));
        QCOMPARE(text(1), std::string());
    }
    void theTextNamesTheCallerWhereItIsAnotherLine()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript(
            "stack own = forward /me/model.py:41; _call_impl "
            "/x/site-packages/torch/nn/modules/module.py:9; step /me/train.py:88\n"
            "stack other = forward /x/site-packages/timm/models/vit.py:93; _call_impl "
            "/x/site-packages/torch/nn/modules/module.py:9; step /me/train.py:88\n"
            "a +512 @own\nb +512 @other\n");
        const LineFinder finder(snapshot);
        const auto text = [&](std::size_t event) {
            return linesText(snapshot,
                             finder.of(snapshot, snapshot.devices[0].events.stack[event]));
        };
        QCOMPARE(text(0), std::string("model.py:41 forward"));
        QCOMPARE(text(1), std::string("vit.py:93 forward, called at train.py:88 step"));
    }
};

TIDEMARK_TEST(TstCodeLines)

} // namespace tidemark::tst_code_lines

#include "tst_code_lines.moc"
