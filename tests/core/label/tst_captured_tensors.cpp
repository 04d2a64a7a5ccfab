// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/captured/captured_tensors.h"
#include "core/label/modules/details.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

#include <string>
#include <vector>

namespace tidemark::tst_captured_tensors {

using namespace tidemark::label;

namespace {

constexpr std::int64_t kWeight = std::int64_t{768} * 768 * 4;

/// Two weights, their gradients, a moment of the first, and one tensor whose size is another than
/// the capture says.
struct Captured {
    trace::Snapshot snapshot = test::snapshotFromScript(
        "stack s = make /me/train.py:4\n"
        "p0 +2359296 @s\np1 +2359296 @s\ng0 +2359296\ng1 +2359296\nm0 +2359296\no +4096 @s\n");
    replay::Replay replay;
    Labels labels;

    Captured()
    {
        trace::Capture capture;
        capture.moments.kind.push_back(trace::MomentKind::dump);
        capture.moments.name.emplace_back();
        capture.moments.step.push_back(1);
        capture.moments.time_us.push_back(0);
        capture.moments.marker_bytes.push_back(0);
        capture.clocks.push_back({0, {6}, {0}});
        trace::CaptureDevice at_dump;
        at_dump.operations = 6;
        capture.devices.push_back(at_dump);
        const auto tensor = [&](std::size_t event, std::string bucket, std::string name,
                                std::int64_t bytes) {
            capture.things.push_back(
                {std::move(bucket), "", std::move(name), "768x768", "float32"});
            capture.tensors.moment.push_back(0);
            capture.tensors.thing.push_back(static_cast<std::uint32_t>(capture.things.size() - 1));
            capture.tensors.device.push_back(0);
            capture.tensors.address.push_back(snapshot.devices[0].events.address[event]);
            capture.tensors.bytes.push_back(Bytes{bytes});
        };
        tensor(0, "parameter", "layers.0.attn.qkv.weight", kWeight);
        tensor(1, "parameter", "layers.1.attn.qkv.weight", kWeight);
        tensor(2, "gradient", "layers.0.attn.qkv.weight", kWeight);
        tensor(3, "parameter", "head.weight", kWeight); // it is labelled as something else
        tensor(5, "output", "layers.0.kept", kWeight); // nothing of that size is there
        snapshot.capture = std::move(capture);
        NoProgress progress;
        replay = replay::run(snapshot, progress, {}).value();
        labels.devices.resize(1);
        DeviceLabels& device = labels.devices[0];
        device.bucket = {Bucket::parameter, Bucket::parameter,       Bucket::gradient,
                         Bucket::gradient,  Bucket::optimizer_state, Bucket::output};
        device.role.assign(6, Role::none);
    }
};

} // namespace

class TstCapturedTensors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTensorIsTakenWhereItsSizeAndItsLabelAgree()
    {
        const Captured c;
        const auto things = capturedThings(c.snapshot, c.snapshot.devices[0], c.replay.devices[0],
                                           c.labels.devices[0]);
        QVERIFY(things == (std::vector<std::uint32_t>{1, 2, 3, 0, 0, 0}));
    }
    void namesGiveModulesAndLayers()
    {
        const Captured c;
        const Details details = findDetails(c.snapshot, c.replay, c.labels, nullptr);
        const ModulePlaces& places = details.devices[0].modules;
        const auto text = [&](std::size_t i) { return details.moduleText(0, AllocationId(i)); };
        QCOMPARE(text(0), std::string("layers.*.attn.qkv"));
        QCOMPARE(places.layer[0], std::uint16_t{1});
        QVERIFY(places.module[1] == places.module[0]);
        QCOMPARE(places.layer[1], std::uint16_t{2});
        QVERIFY(places.module[2] == places.module[0]);
        QVERIFY2(places.module[3] == places.module[0] && places.by_size[3],
                 "its size is that of this module's weights alone");
        QVERIFY(places.module[4] == places.module[0] && places.by_size[4]);
        QCOMPARE(text(5), std::string("train.py:4 make"));
    }
    void statedShapesAreExact()
    {
        const Captured c;
        const Details details = findDetails(c.snapshot, c.replay, c.labels, nullptr);
        const TensorGuess* const weight = details.devices[0].tensors.of(AllocationId(0U));
        QVERIFY(weight != nullptr && weight->is_exact);
        QCOMPARE(weight->shape, (std::vector<std::int64_t>{768, 768}));
        QCOMPARE(weight->dtype, std::string("float32"));
        const TensorGuess* const other = details.devices[0].tensors.of(AllocationId(3U));
        QVERIFY(other == nullptr || !other->is_exact);
    }
    void namesWithoutAModuleAreLeftOut()
    {
        QVERIFY(moduleOfName("weight").name.empty());
        QVERIFY(moduleOfName("").name.empty());
        QCOMPARE(moduleOfName("head.bias").name, std::string("head"));
        QCOMPARE(moduleOfName("head.bias").layer, 0U);
        QCOMPARE(moduleOfName("blocks.11.mlp.0.weight").name, std::string("blocks.*.mlp.*"));
        QCOMPARE(moduleOfName("blocks.11.mlp.0.weight").layer, 0U);
        QCOMPARE(moduleOfName("blocks.11.mlp.fc.weight").layer, 12U);
    }
    void withoutACaptureThereIsNothing()
    {
        Captured c;
        c.snapshot.capture.reset();
        QVERIFY(capturedThings(c.snapshot, c.snapshot.devices[0], c.replay.devices[0],
                               c.labels.devices[0])
                    .empty());
    }
};

TIDEMARK_TEST(TstCapturedTensors)

} // namespace tidemark::tst_captured_tensors

#include "tst_captured_tensors.moc"
