// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/module_paths.h"
#include "core/label/modules/module_places.h"
#include "core/trace/snapshot_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

namespace tidemark::tst_module_paths {

using namespace tidemark::label;

namespace {

const std::string kTorch = "/x/site-packages/torch/";

/// "forward …/module.py" pairs as `torch.nn.Module.__call__` leaves them.
std::string call()
{
    return "; _call_impl " + kTorch + "nn/modules/module.py:9; _wrapped_call_impl " + kTorch
        + "nn/modules/module.py:5";
}

struct Paths {
    trace::Snapshot snapshot;
    ModulePaths paths;

    explicit Paths(const std::string& stack)
        : snapshot(test::snapshotFromScript("stack s = " + stack + "\na +512 @s\n"))
        , paths(snapshot)
    {
    }
    [[nodiscard]] std::string text() const
    {
        const ModuleId id = paths.of(snapshot.devices[0].events.stack[0]);
        return id.isNone() ? std::string() : paths.path(id).text();
    }
    [[nodiscard]] PathSource source() const
    {
        return paths.path(paths.of(snapshot.devices[0].events.stack[0])).source;
    }
};

} // namespace

class TstModulePaths : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aChainOfForwardsIsReadFromOutsideIn();
    void aHelperBetweenModulesKeepsItsLine();
    void theFunctionTellsWhichNormItIs();
    void librariesWithoutNamesKeepFileAndLine();
    void functionsOfAutogradAreNoModules();
    void whatIsMadeWithAModuleBelongsToIt();
    void withoutAModuleTheUsersLineIsThePlace();
    void framesOfAutogradNameTheNode();
    void noTellingFrameMeansNoModule();
    void forwardFramesGiveTheForwardPath();
    void gradientsFollowTheOneParameterOfTheirSize();
};

void TstModulePaths::aChainOfForwardsIsReadFromOutsideIn()
{
    const Paths p("linear " + kTorch + "nn/functional.py:3; forward " + kTorch
                  + "nn/modules/linear.py:114" + call() + "; forward " + kTorch
                  + "nn/modules/container.py:204" + call() + "; forward /me/model.py:70" + call()
                  + "; forward /me/model.py:120" + call()
                  + "; train_step /me/train.py:42; main /me/train.py:80");
    QCOMPARE(p.text(),
             std::string("train.py:42 train_step › model.py:120 › model.py:70 › "
                         "Sequential › Linear"));
    QVERIFY(p.source() == PathSource::forward);
    QCOMPARE(p.paths.path(ModuleId(0U)).text(2), std::string("model.py:70 › Sequential › Linear"));
}

void TstModulePaths::aHelperBetweenModulesKeepsItsLine()
{
    const Paths p("mm " + kTorch + "nn/functional.py:3; forward " + kTorch
                  + "nn/modules/linear.py:1" + call()
                  + "; inner /me/util.py:4; update /me/model.py:76" + "; forward /me/model.py:31"
                  + call() + "; main /me/train.py:8");
    QCOMPARE(p.text(), std::string("train.py:8 main › model.py:31 › util.py:4 inner › Linear"));
    const Paths own("softmax " + kTorch
                    + "nn/functional.py:3; attend /me/model.py:24; forward "
                      "/me/model.py:30"
                    + call() + "; main /me/train.py:8");
    QCOMPARE(own.text(), std::string("train.py:8 main › model.py:30 › model.py:24 attend"));
}

void TstModulePaths::theFunctionTellsWhichNormItIs()
{
    const std::string tail = call() + "; main /me/train.py:8";
    const std::string norm = "; forward " + kTorch + "nn/modules/normalization.py:1" + tail;
    QCOMPARE(Paths("layer_norm " + kTorch + "nn/functional.py:3" + norm).text(),
             std::string("train.py:8 main › LayerNorm"));
    QCOMPARE(Paths("group_norm " + kTorch + "nn/functional.py:3" + norm).text(),
             std::string("train.py:8 main › GroupNorm"));
    QCOMPARE(Paths("forward " + kTorch + "nn/modules/normalization.py:1" + tail).text(),
             std::string("train.py:8 main › Norm"));
    QCOMPARE(Paths("forward C:\\py\\site-packages\\torch\\nn\\modules\\conv.py:1" + tail).text(),
             std::string("train.py:8 main › Conv"));
}

void TstModulePaths::librariesWithoutNamesKeepFileAndLine()
{
    const Paths p("forward " + kTorch + "nn/modules/linear.py:1" + call()
                  + "; forward /x/site-packages/transformers/models/llama/modeling_llama.py:216"
                  + call() + "; new_forward /x/site-packages/accelerate/hooks.py:166" + call()
                  + "; main /me/train.py:8");
    QCOMPARE(p.text(), std::string("train.py:8 main › modeling_llama.py:216 › Linear"));
}

void TstModulePaths::functionsOfAutogradAreNoModules()
{
    const Paths p("forward /me/ops.py:5; apply " + kTorch
                  + "autograd/function.py:3; forward /me/model.py:30" + call()
                  + "; main /me/train.py:8");
    QCOMPARE(p.text(), std::string("train.py:8 main › model.py:30 › ops.py:5"));
}

void TstModulePaths::whatIsMadeWithAModuleBelongsToIt()
{
    const Paths p("__init__ " + kTorch
                  + "nn/modules/linear.py:96; __init__ /me/model.py:28; "
                    "<genexpr> /me/model.py:34; __init__ "
                  + kTorch
                  + "nn/modules/container.py:266; __init__ /me/model.py:34; main "
                    "/me/train.py:12");
    QCOMPARE(
        p.text(),
        std::string("train.py:12 main › model.py:34 __init__ › model.py:28 __init__ › Linear"));
    QVERIFY(p.source() == PathSource::construction);
}

void TstModulePaths::withoutAModuleTheUsersLineIsThePlace()
{
    const Paths p("cross_entropy " + kTorch
                  + "nn/functional.py:3; loss /me/train.py:87; main "
                    "/me/train.py:99");
    QCOMPARE(p.text(), std::string("train.py:87 loss"));
    QVERIFY(p.source() == PathSource::line);
}

void TstModulePaths::framesOfAutogradNameTheNode()
{
    const Paths p("at::native::mm(at::Tensor) ??:0; torch::autograd::generated::MmBackward0::"
                  "apply(std::vector<at::Tensor>&&) ??:0; torch::autograd::Engine::"
                  "evaluate_function() ??:0; clone ??:0");
    QCOMPARE(p.text(), std::string("MmBackward0"));
    QVERIFY(p.source() == PathSource::autograd);
}

void TstModulePaths::noTellingFrameMeansNoModule()
{
    QCOMPARE(Paths("at::empty(long) ??:0").text(), std::string());
    QCOMPARE(Paths("run /x/site-packages/pkg/run.py:4").text(), std::string());
    const Paths p("run /me/x.py:4");
    QVERIFY(p.paths.of(StackId::none()).isNone());
}

void TstModulePaths::forwardFramesGiveTheForwardPath()
{
    trace::SnapshotBuilder builder;
    const StringId said = builder.strings().intern(
        "  File \"/me/train.py\", line 42, in main\n    loss = model(x)\n"
        "  File \""
        + kTorch
        + "nn/modules/module.py\", line 9, in _call_impl\n"
          "  File \"/me/model.py\", line 70, in forward\n    x = self.proj(x)\n"
          "  File \""
        + kTorch + "nn/modules/linear.py\", line 114, in forward\n    return 1\n");
    trace::EventRecord event;
    event.action = trace::Action::alloc;
    event.address = 4096;
    event.size = {512};
    event.forward_frames = said;
    builder.addEvent(0, event);
    const trace::Snapshot snapshot = std::move(builder).finish().value();
    const ModulePaths paths(snapshot);
    const ModuleId id = paths.ofForward(said);
    QVERIFY(!id.isNone());
    QCOMPARE(paths.path(id).text(), std::string("train.py:42 main › model.py:70 › Linear"));
    QVERIFY(paths.path(id).source == PathSource::forward_frames);
    NoProgress progress;
    const replay::Replay replay = replay::run(snapshot, progress, {}).value();
    DeviceLabels labels;
    const std::size_t count = replay.devices[0].allocations.count();
    labels.bucket.assign(count, Bucket::temporary);
    labels.role.assign(count, Role::none);
    const ModulePlaces places =
        placeModules(snapshot, snapshot.devices[0], replay.devices[0], labels, paths, {});
    QCOMPARE(count, std::size_t{1});
    QVERIFY(places.module[0] == id);
}

void TstModulePaths::gradientsFollowTheOneParameterOfTheirSize()
{
    const std::string init =
        "__init__ " + kTorch + "nn/modules/linear.py:96; __init__ /me/model.py:";
    const trace::Snapshot snapshot =
        test::snapshotFromScript("stack a = " + init + "28\nstack b = " + init
                                 + "31\nstack o = step /me/train.py:9\n"
                                   "p0 +4096 @a\np1 +4096 @a\np2 +8192 @a\np3 +8192 @b\np4 +32 @b\n"
                                   "g0 +4096\ng1 +8192\ng2 +2048\ng3 +32\nm0 +4096 @o\nt0 +4096\n");
    NoProgress progress;
    const replay::Replay replay = replay::run(snapshot, progress, {}).value();
    DeviceLabels labels;
    labels.bucket.assign(5, Bucket::parameter);
    labels.bucket.insert(labels.bucket.end(), 4, Bucket::gradient);
    labels.bucket.push_back(Bucket::optimizer_state);
    labels.bucket.push_back(Bucket::temporary);
    labels.role.assign(labels.bucket.size(), Role::none);
    const ModulePaths paths(snapshot);
    const ModulePlaces places =
        placeModules(snapshot, snapshot.devices[0], replay.devices[0], labels, paths, {});
    const ModuleId first = places.module[0];
    QVERIFY(!first.isNone());
    QVERIFY(places.module[5] == first && places.by_size[5]);
    QVERIFY2(places.module[6].isNone(), "two modules have parameters of that size");
    QVERIFY2(places.module[7].isNone(), "no parameter has that size");
    QVERIFY2(places.module[8].isNone(), "too small to tell from a counter");
    QVERIFY(places.module[9] == first && places.by_size[9]);
    QVERIFY2(places.module[10].isNone(), "a temporary has no parameter's module");
    QVERIFY(!places.by_size[0]);
}

TIDEMARK_TEST(TstModulePaths)

} // namespace tidemark::tst_module_paths

#include "tst_module_paths.moc"
