// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What data-parallel, sharded and pipelined training makes beside the model.
#include "tests/core/label/labelled_script.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>

namespace tidemark::tst_several_ranks {

using namespace tidemark::label;
using test::Labelled;
using test::step;

namespace {

/// Frames of torch 2.13; those of C++ stand where a recording has them.
constexpr std::string_view kDistributed = R"(
stack sync = _sync_params_and_buffers /x/site-packages/torch/distributed/utils.py:330; _sync_module_states /x/site-packages/torch/distributed/utils.py:305; __init__ /x/site-packages/torch/nn/parallel/distributed.py:1066; main /me/train.py:11
stack buckets = _ddp_init_helper /x/site-packages/torch/nn/parallel/distributed.py:1437; __init__ /x/site-packages/torch/nn/parallel/distributed.py:1079; main /me/train.py:11
stack rebuilt = _pre_forward /x/site-packages/torch/nn/parallel/distributed.py:1775; forward /x/site-packages/torch/nn/parallel/distributed.py:1886; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack moved = to_map /x/site-packages/torch/distributed/utils.py:80; _to_kwargs /x/site-packages/torch/distributed/utils.py:150; _pre_forward /x/site-packages/torch/nn/parallel/distributed.py:1792; forward /x/site-packages/torch/nn/parallel/distributed.py:1886; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack native = c10d::Reducer::initialize_buckets ??:0; c10d::Reducer::rebuild_buckets ??:0; _pre_forward /x/site-packages/torch/nn/parallel/distributed.py:1775; forward /x/site-packages/torch/nn/parallel/distributed.py:1886; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack wrapped = embedding /x/site-packages/torch/nn/functional.py:5; forward /me/model.py:3; _call_impl /x/site-packages/torch/nn/modules/module.py:9; _run_ddp_forward /x/site-packages/torch/nn/parallel/distributed.py:1713; forward /x/site-packages/torch/nn/parallel/distributed.py:1887; main /me/train.py:31
stack hook = at::native::to ??:0; _compress_hook /x/site-packages/torch/distributed/algorithms/ddp_comm_hooks/default_hooks.py:60; c10d::Reducer::run_comm_hook ??:0; torch::autograd::Engine::thread_main ??:0
stack shard = _init_sharded_param /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param.py:300; __init__ /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param.py:210; fully_shard /x/site-packages/torch/distributed/fsdp/_fully_shard/_fully_shard.py:242; main /me/train.py:12
stack flat = allocate /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:59; foreach_all_gather /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:300; unshard /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:400; pre_forward /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:500; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack gathered = alloc_storage /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param.py:900; foreach_all_gather_copy_out /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:450; wait_for_unshard /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:430; pre_forward /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:500; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack regathered = alloc_storage /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param.py:900; foreach_all_gather_copy_out /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:450; wait_for_unshard /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:430; pre_backward /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:520; _pre_backward /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_state.py:280
stack reducein = allocate /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:59; foreach_reduce /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:597; post_backward /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:688; backward /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:1100
stack reduceout = allocate /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:59; foreach_reduce /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:612; post_backward /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:688; backward /x/site-packages/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:1100
stack replica = broadcast_coalesced /x/site-packages/torch/nn/parallel/comm.py:65; forward /x/site-packages/torch/nn/parallel/_functions.py:25; _broadcast_coalesced_reshape /x/site-packages/torch/nn/parallel/replicate.py:93; replicate /x/site-packages/torch/nn/parallel/replicate.py:113; forward /x/site-packages/torch/nn/parallel/data_parallel.py:180; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack received = _make_tensor_from_meta /x/site-packages/torch/distributed/pipelining/_utils.py:323; _setup_forward_recv_info /x/site-packages/torch/distributed/pipelining/stage.py:2266; step /x/site-packages/torch/distributed/pipelining/schedules.py:500; main /me/train.py:31
)";

std::string distributed(const std::string& script)
{
    return std::string(kDistributed) + script;
}

/// A step of a sharded model: two groups of 40 000 bytes on two ranks, whose shards are 20 000.
std::string shardedStep(int n, bool first)
{
    return fmt::format(R"(
x{0} +2000 @data
f{0} +40001 @flat
u{0} +40000 @gathered
f{0} -
e{0} +30000 @embed
h{0} +31000 @linear
l{0} +70000 @loss
gl{0} +70000 @-
v{0} +40002 @regathered
gu{0} +40000 @-
gx{0} +30000 @-
i1.{0} +40004 @reducein
gu{0} -
o1.{0} +20004 @reduceout
i2.{0} +40008 @reducein
i1.{0} -
o2.{0} +20008 @reduceout
u{0} -
v{0} -
l{0} -
gl{0} -
h{0} -
gx{0} -
e{0} -
i2.{0} -
{1}
a{0} +20000 @adam
a{0} -
o1.{0} -
o2.{0} -
x{0} -
)",
                       n, first ? "m +20000 @adaminit\n v +20000 @adaminit" : "");
}

} // namespace

class TstSeveralRanks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBucketsOfDataParallelTrainingAreGradients()
    {
        const Labelled run(distributed(
            "w +10000 @load\n s +10001 @sync\n s -\n b +10002 @buckets\n" + step(1, true)
            + "x2 +2000 @data\n c +10003 @rebuilt\n b -\n" + step(3, false) + step(4, false)));
        QCOMPARE(run.bucket(10002), std::string("gradient"));
        QCOMPARE(run.role(10002), std::string("reduction_bucket"));
        QCOMPARE(run.bucket(10003), std::string("gradient"));
        QCOMPARE(run.role(10003), std::string("reduction_bucket"));
        QCOMPARE(run.bucket(10001), std::string("temporary"));
        QCOMPARE(run.role(10000, 0), std::string("trainable"));
        // The wrapper belongs to the set-up, and what it moves to the device is a batch's.
        QVERIFY(run.phases().starts_with("setup/0 input/1 forward/1 backward/1 optimizer/1"));
        const Labelled moved(distributed("w +10000 @load\n b +10002 @buckets\n x +2001 @moved\n"
                                         + step(1, true) + step(2, false)));
        QVERIFY(moved.bucket(2001) != std::string("gradient"));
    }
    void gradientsThatAreViewsOfTheirBucketsHaveNoSizes()
    {
        std::string text = "w +10000 @load\nv +20000 @load\nb +30001 @buckets\n";
        for (int n = 1; n <= 3; ++n) {
            text += fmt::format("x{0} +2000 @data\ne{0} +33000 @embed\nh{0} +44000 @linear\n"
                                "l{0} +70000 @loss\ngl{0} +70000 @-\ng{0} +20000 @-\nl{0} -\n"
                                "gl{0} -\ng{0} -\nh{0} -\nk{0} +10000 @-\n",
                                n);
            text += fmt::format("r{0} +8 @-\nr{0} -\nt{0} +8 @-\nt{0} -\ne{0} -\nk{0} -\n", n);
            text += n == 1 ? "m1 +10000 @adaminit\nm2 +20000 @adaminit\n" : "";
            text += fmt::format("u{0} +10001 @adam\nu{0} -\nx{0} -\n", n);
        }
        const Labelled run(distributed(text));
        QCOMPARE(run.role(30001), std::string("reduction_bucket"));
        QCOMPARE(run.bucket(10000, 1), std::string("temporary"));
        QVERIFY(run.role(20000) != std::string("frozen"));
        QCOMPARE(run.role(10000), run.role(20000));
    }
    void aBucketThatDoesNotFitIsOne()
    {
        const Labelled run(distributed("w +10000 @load\n oom 10240 free=1K @buckets\n"));
        const FailedRequest& failed = run.labels.devices[0].failed.at(0);
        QCOMPARE(failed.bucket, Bucket::gradient);
        QCOMPARE(failed.role, Role::reduction_bucket);
        const Labelled gathers(
            distributed("w +20000 @shard\n x +2000 @data\n oom 40448 free=1K @gathered\n"));
        QCOMPARE(gathers.labels.devices[0].failed.at(0).role, Role::unsharded);
    }
    void bucketsShowInFramesOfCppAsWell()
    {
        const Labelled run(distributed("w +10000 @load\n" + step(1, true) + "c +10003 @native\n"
                                       + step(2, false) + step(3, false)));
        QCOMPARE(run.bucket(10003), std::string("gradient"));
        QCOMPARE(run.role(10003), std::string("reduction_bucket"));
    }
    void whatAHookCompressesIntoGoesWithItsBackward()
    {
        const Labelled run(distributed(
            "w +10000 @load\n b +10002 @buckets\n x +2000 @data\n e +30000 @embed\n"
            "h +40000 @linear\n l +70000 @loss\n gt +40000 @-\n g +10000 @-\n k +5001 @hook\n k -\n"
            "gt -\n l -\n h -\n e -\n m +10000 @adaminit\n u +10000 @adam\n u -\n g -\n x -\n"));
        QCOMPARE(run.bucket(5001), std::string("temporary"));
        QCOMPARE(run.bucket(10000, 1), std::string("gradient"));
    }
    void bucketsFromBeforeTheTraceAddUpToTheGradients()
    {
        const auto begun = [](int bucket, std::string_view through) {
            std::string text = "live w1 10000 load\nlive w2 20000 load\nlive w3 30000 load\n";
            text += fmt::format("live b1 {}\nlive b2 29000\n", bucket);
            for (int n = 1; n <= 3; ++n) {
                text += fmt::format("x{0} +2000 @data\ne{0} +33000 @{1}\nh{0} +44000 @linear\n"
                                    "l{0} +70000 @loss\ngl{0} +70000 @-\n",
                                    n, through);
                for (int i = 3; i >= 1; --i) {
                    text += fmt::format("g{0}.{1} +{2} @-\n", n, i, i * 10000);
                }
                text += fmt::format("l{0} -\ngl{0} -\nh{0} -\ne{0} -\nu{0} +10001 @adam\nu{0} -\n"
                                    "g{0}.1 -\ng{0}.2 -\ng{0}.3 -\nx{0} -\n",
                                    n);
            }
            return through == "wrapped" ? distributed(text) : text;
        };
        const Labelled run(begun(31000, "wrapped"));
        QCOMPARE(run.bucket(31000), std::string("gradient"));
        QCOMPARE(run.role(29000), std::string("reduction_bucket"));
        QCOMPARE(run.bucket(10000), std::string("parameter"));
        // The largest gradient has a bucket of its own.
        QCOMPARE(Labelled(begun(1000, "wrapped")).role(29000), std::string("reduction_bucket"));
        QVERIFY(Labelled(begun(31001, "wrapped")).role(29000) != std::string("reduction_bucket"));
        QVERIFY(Labelled(begun(31000, "embed")).role(29000) != std::string("reduction_bucket"));
    }
    void ofAShardedModelTheReductionLeavesTheGradients()
    {
        const Labelled run(distributed("r +40000 @keep\n w +20000 @shard\n" + shardedStep(1, true)
                                       + shardedStep(2, false)));
        QCOMPARE(run.bucket(40000, 0), std::string("parameter")); // before it was sharded
        QCOMPARE(run.bucket(20000, 0), std::string("parameter"));
        QVERIFY(run.role(20000, 0) != std::string("unsharded"));
        QCOMPARE(run.role(40000, 1), std::string("unsharded"));
        QCOMPARE(run.role(40001), std::string("unsharded"));
        QCOMPARE(run.role(40002), std::string("unsharded"));
        QCOMPARE(run.bucket(40004, 0), std::string("temporary"));
        QCOMPARE(run.bucket(40008, 1), std::string("temporary"));
        for (int n = 0; n < 2; ++n) {
            QCOMPARE(run.bucket(20004, n), std::string("gradient"));
            QCOMPARE(run.bucket(20008, n), std::string("gradient"));
        }
        QCOMPARE(run.bucket(20000, 1), std::string("optimizer_state"));
        // Shards are not told from frozen weights by the sizes of flat gradients.
        QVERIFY(run.role(20000, 0) != std::string("frozen"));
        QCOMPARE(run.phases(),
                 std::string("setup/0 input/1 forward/1 backward/1 optimizer/1 "
                             "input/2 forward/2 backward/2 optimizer/2"));
    }
    void whereTheReductionIsCutOffItsGradientsAreThere()
    {
        const std::string second = shardedStep(2, false);
        const Labelled run(distributed("w +20000 @shard\n" + shardedStep(1, true)
                                       + second.substr(0, second.find("\nu2 -"))
                                       + "\noom 40448 free=1K @reducein\n"));
        QCOMPARE(run.bucket(20004, 1), std::string("gradient"));
        QCOMPARE(run.bucket(20008, 1), std::string("gradient"));
        QCOMPARE(run.bucket(40008, 1), std::string("temporary"));
    }
    void anOptimizerThatMakesNothingLeavesItsGradients()
    {
        std::string steps;
        for (int n = 1; n <= 2; ++n) {
            const std::string whole = shardedStep(n, false);
            const std::size_t adam = whole.find(fmt::format("a{} +20000", n));
            steps +=
                whole.substr(0, adam) + whole.substr(whole.find(fmt::format("o1.{} -", n), adam));
        }
        const Labelled run(distributed("w +20000 @shard\n" + steps));
        for (int n = 0; n < 2; ++n) {
            QCOMPARE(run.bucket(20004, n), std::string("gradient"));
            QCOMPARE(run.bucket(20008, n), std::string("gradient"));
            QCOMPARE(run.bucket(40008, n), std::string("temporary"));
        }
    }
    void whatDataParallelCopiesToACardAreWeights()
    {
        const Labelled run(distributed("x +2000 @data\nr1 +20001 @replica\nr2 +30001 @replica\n"
                                       "e +40000 @embed\nh +41000 @linear\nl +70000 @loss\n"
                                       "gl +70000 @-\ng +20001 @-\nh -\ne -\nl -\ngl -\ng -\n"
                                       "r1 -\nr2 -\nx -\n"));
        QCOMPARE(run.bucket(20001), std::string("parameter"));
        QCOMPARE(run.bucket(30001), std::string("parameter"));
        QCOMPARE(run.bucket(40000), std::string("activation"));
    }
    void whatAStageReceivesIntoIsNoWeight()
    {
        const Labelled run(distributed("w +10000 @load\n r +30009 @received\n" + step(1, true)
                                       + step(2, false) + step(3, false)));
        QCOMPARE(run.bucket(30009), std::string("communication"));
    }
};

TIDEMARK_TEST(TstSeveralRanks)

} // namespace tidemark::tst_several_ranks

#include "tst_several_ranks.moc"
