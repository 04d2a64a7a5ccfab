// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/captured/label_captured.h"
#include "core/label/label_rules.h"
#include "core/label/labels.h"
#include "core/label/runs/captured_moments.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <random>
#include <string>
#include <vector>

namespace tidemark::tst_label_captured {

using namespace tidemark::label;
using trace::MomentKind;

namespace {

/// A script with moments in it: "! forward_begin training" marks one, "! forward_begin training g"
/// names the gradient that lies at the address of allocation g there. Other lines are the script's.
struct Marked {
    trace::Snapshot snapshot;
    replay::Replay replay;
    Labels labels;

    /// The recording is of device 0.
    void label()
    {
        NoProgress progress;
        replay = replay::run(snapshot, progress, {}).value();
        labels = apply(snapshot, replay, progress, {}).value();
    }
    [[nodiscard]] std::string bucket(std::int64_t size) const
    {
        const replay::Allocations& a = replay.devices[0].allocations;
        for (std::size_t i = 0; i < a.count(); ++i) {
            if (a.requested[i].value == size) {
                const DeviceLabels& l = labels.devices[0];
                return fmt::format("{} {} by {}", bucketId(l.bucket[i]), roleId(l.role[i]),
                                   l.reasonOf(AllocationId(i)).rule);
            }
        }
        return "none";
    }
    [[nodiscard]] std::string phases() const
    {
        std::string text;
        for (const PhaseSpan& p : labels.devices[0].phases) {
            text += fmt::format("{}{}/{}@{}", text.empty() ? "" : " ", phaseId(p.phase), p.step,
                                p.first.value);
        }
        return text;
    }
};

bool isCounted(trace::Action action)
{
    return action == trace::Action::alloc || action == trace::Action::free_requested;
}

/// The capture of a trace with moments before the events of these numbers (counted operations as
/// the allocator would have had them, from `before` on).
trace::Capture captureOf(const trace::Device& device,
                         const std::vector<std::pair<std::size_t, MomentKind>>& moments,
                         std::int64_t before = 1000)
{
    trace::Capture capture;
    trace::CaptureClock clock;
    std::int64_t count = before;
    std::size_t e = 0;
    const auto countTo = [&](std::size_t end) {
        for (; e < end; ++e) {
            count += isCounted(device.events.action[e]) ? 1 : 0;
        }
    };
    for (const auto& [event, kind] : moments) {
        countTo(event);
        capture.moments.kind.push_back(kind);
        capture.moments.name.emplace_back(kind == MomentKind::forward_begin ? "training" : "");
        capture.moments.step.push_back(0);
        capture.moments.time_us.push_back(0);
        capture.moments.marker_bytes.push_back(0);
        clock.operations.push_back(count);
        clock.epoch.push_back(0);
    }
    countTo(device.events.count());
    trace::CaptureDevice at_dump;
    at_dump.operations = count;
    capture.devices.push_back(at_dump);
    capture.clocks.push_back(clock);
    return capture;
}

void name(trace::Capture& capture, std::uint32_t moment, std::string bucket, std::string role,
          Address address, std::int64_t bytes)
{
    capture.things.push_back({std::move(bucket), std::move(role), "t", "2x2", "float32"});
    capture.tensors.moment.push_back(moment);
    capture.tensors.thing.push_back(static_cast<std::uint32_t>(capture.things.size() - 1));
    capture.tensors.device.push_back(0);
    capture.tensors.address.push_back(address);
    capture.tensors.bytes.push_back(Bytes{bytes});
}

Address addressOf(const trace::Device& device, std::int64_t size)
{
    for (std::size_t e = 0; e < device.events.count(); ++e) {
        if (device.events.size[e].value == size) {
            return device.events.address[e];
        }
    }
    qFatal("no event of that size");
}

/// Two steps without any stack: input, two activations (one only in flight), a gradient and a
/// transient, state made in the first step. Sizes name what they are. Event numbers on the right.
constexpr std::string_view kTwoSteps = R"(
x1 +1001
a1 +2001
f1 +2002
f1 -
t1 +3001
g1 +4001
a1 -
t1 -
x1 -
m1 +5001
o1 +5002
o1 -
g1 -
x2 +1003
a2 +2003
g2 +4003
a2 -
x2 -
g2 -
)";

Marked twoSteps()
{
    Marked run{test::snapshotFromScript(kTwoSteps), {}, {}};
    const trace::Device& device = run.snapshot.devices[0];
    trace::Capture capture = captureOf(device,
                                       {{1, MomentKind::forward_begin},
                                        {5, MomentKind::backward_begin},
                                        {13, MomentKind::backward_end},
                                        {13, MomentKind::optimizer_begin},
                                        {17, MomentKind::optimizer_end},
                                        {20, MomentKind::forward_begin},
                                        {21, MomentKind::backward_begin},
                                        {26, MomentKind::backward_end}});
    name(capture, 2, "gradient", "", addressOf(device, 4001), 4001);
    name(capture, 4, "optimizer_state", "", addressOf(device, 5001), 5001);
    run.snapshot.capture = std::move(capture);
    return run;
}

} // namespace

class TstLabelCaptured : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void marksAndAddressesTellWithoutAnyStack()
    {
        Marked run = twoSteps();
        run.label();
        QCOMPARE(run.bucket(2001), std::string("activation  by captured-phase"));
        QCOMPARE(run.bucket(2002), std::string("temporary  by captured-phase"));
        QCOMPARE(run.bucket(4001), std::string("gradient  by captured"));
        QCOMPARE(run.bucket(5001), std::string("optimizer_state  by captured"));
        QCOMPARE(run.labels.devices[0].steps.size(), std::size_t{1});
        QVERIFY(run.phases().find("forward/1@1 backward/1@5 optimizer/1@13 input/2@19 forward/2@20")
                != std::string::npos);
        QVERIFY(run.labels.devices[0].notes.all().empty());
        const DeviceLabels& labels = run.labels.devices[0];
        for (std::size_t a = 0; a < labels.reason.size(); ++a) {
            const Reason& reason = labels.reasonOf(AllocationId(a));
            if (reason.rule == infoOf(Rule::captured).id) {
                QCOMPARE(int{labels.confidence[a]}, 100);
                QVERIFY(reason.evidence.find("t, 2x2 of float32") != std::string::npos);
            }
        }
    }

    void withoutACaptureNothingChanges()
    {
        Marked run = twoSteps();
        run.snapshot.capture.reset();
        run.label();
        for (const Reason& reason : run.labels.devices[0].reasons) {
            QVERIFY(reason.rule != infoOf(Rule::captured).id
                    && reason.rule != infoOf(Rule::captured_phase).id);
        }
    }

    void countersOfAnotherEpochAreNotUsed()
    {
        Marked run = twoSteps();
        run.snapshot.capture->devices[0].epoch = 1;
        run.label();
        QCOMPARE(run.labels.devices[0].notes.find("capture-moments-unplaced")->count,
                 std::int64_t{8});
        QVERIFY(run.bucket(4001).find("captured") == std::string::npos);
    }

    void aMomentWhoseAddressesDisagreeIsLeftOut()
    {
        Marked run = twoSteps();
        for (int i = 0; i < 5; ++i) {
            name(*run.snapshot.capture, 2, "gradient", "", addressOf(run.snapshot.devices[0], 4001),
                 90'000 + i * 1024);
        }
        run.label();
        QCOMPARE(run.labels.devices[0].notes.find("capture-moments-doubtful")->count,
                 std::int64_t{1});
        QVERIFY(run.bucket(4001) != "gradient  by captured");
    }

    void whatAReplayedGraphWroteContradictsNoMoment()
    {
        Marked run = twoSteps();
        constexpr Address kPool = 0x7700000000;
        trace::Segment segment;
        segment.address = kPool;
        segment.total_size = Bytes{2 << 20};
        segment.pool = {0, 1};
        run.snapshot.devices[0].segments.push_back(segment);
        for (int i = 0; i < 5; ++i) {
            name(*run.snapshot.capture, 2, "gradient", "", kPool + 4096 * static_cast<Address>(i),
                 4096);
        }
        run.label();
        QVERIFY(run.labels.devices[0].notes.find("capture-moments-doubtful") == nullptr);
    }

    void aTensorOfAnotherSizeIsNotTheAllocation()
    {
        Marked run = twoSteps();
        run.snapshot.capture->tensors.bytes[0] = Bytes{9001};
        run.label();
        QVERIFY(run.bucket(4001).find("by captured-phase") != std::string::npos
                || run.bucket(4001).find("captured") == std::string::npos);
    }

    void whatCountsMoreWins()
    {
        Marked run = twoSteps();
        trace::Capture& capture = *run.snapshot.capture;
        const Address at = addressOf(run.snapshot.devices[0], 4001);
        name(capture, 2, "parameter", "frozen", at, 4001);
        name(capture, 3, "input", "", at, 4001);
        name(capture, 3, "nonsense", "", at, 4001);
        run.label();
        QCOMPARE(run.bucket(4001), std::string("parameter frozen by captured"));
    }

    void marksOfTheProgramGoBeforeThoseOfHooks()
    {
        Marked run = twoSteps();
        run.snapshot.capture = captureOf(run.snapshot.devices[0],
                                         {{0, MomentKind::phase},
                                          {5, MomentKind::backward_begin},
                                          {9, MomentKind::step},
                                          {17, MomentKind::phase_end}});
        run.snapshot.capture->moments.name[0] = "evaluation";
        run.label();
        QVERIFY(run.phases().starts_with("evaluation/1@0 evaluation/2@9 backward/2@17"));
        QCOMPARE(run.labels.devices[0].steps.size(), std::size_t{1});
        QVERIFY(run.labels.devices[0].steps[0].last_event == EventId(8U));
    }

    void aReferenceModelsPassLiesInsideOfTheTrainedOne()
    {
        for (const bool trains : {true, false}) {
            Marked run{test::snapshotFromScript(
                           "x1 +1001\na1 +2001\nr1 +2002\nr1 -\nl1 +2003\ng1 +4001\na1 -\nl1 -\n"),
                       {},
                       {}};
            run.snapshot.capture = captureOf(run.snapshot.devices[0],
                                             {{1, MomentKind::forward_begin},
                                              {2, MomentKind::forward_end},
                                              {2, MomentKind::forward_begin},
                                              {5, MomentKind::forward_end},
                                              {6, MomentKind::backward_begin}});
            run.snapshot.capture->moments.name[0] = trains ? "training" : "evaluation";
            run.snapshot.capture->moments.name[2] = "evaluation";
            run.label();
            const char* const expected = trains
                ? "forward/1@1 evaluation/1@2 forward/1@5 backward/1@6"
                : "evaluation/0@1 backward/1@6";
            QVERIFY2(run.phases().find(expected) != std::string::npos, run.phases().c_str());
        }
    }

    void whatADeadTryHadSavedWasKeptForBackward()
    {
        // One pass fails and unwinds, the next try on half of the batch succeeds.
        Marked run{test::snapshotFromScript(R"(
a1 +2001
f1 +2002
f1 -
a2 +2003
oom 9000 free=0
a1 -
a2 -
b1 +1001
h1 +1002
h1 -
t1 +1003
b1 -
t1 -
)"),
                   {},
                   {}};
        const trace::Device& device = run.snapshot.devices[0];
        run.snapshot.capture = captureOf(device,
                                         {{0, MomentKind::forward_begin},
                                          {10, MomentKind::forward_begin},
                                          {14, MomentKind::forward_end},
                                          {14, MomentKind::backward_begin},
                                          {19, MomentKind::backward_end}});
        run.label();
        for (const std::int64_t saved : {2001, 2003, 1001}) {
            QVERIFY2(run.bucket(saved).starts_with("activation"), run.bucket(saved).c_str());
        }
        for (const std::int64_t gone : {2002, 1002}) {
            QVERIFY2(run.bucket(gone).starts_with("temporary"), run.bucket(gone).c_str());
        }
    }

    void aMarkerShowsThePlaceWhereCountersAreMissing()
    {
        Marked run{test::snapshotFromScript("a +1000\nq +700003\nq -\nb +2000\n"), {}, {}};
        trace::Capture capture =
            captureOf(run.snapshot.devices[0], {{1, MomentKind::optimizer_begin}});
        capture.clocks.clear();
        capture.moments.marker_bytes[0] = 700'003;
        const auto places = placeMoments(capture, run.snapshot.devices[0]);
        QVERIFY(places[0] && places[0]->state == StateId::before(EventId(1U)));
    }

    /// Random traces of which the front is lost: every moment lies where it was taken.
    void placesAreExactWhateverTheRingBufferLost()
    {
        for (unsigned seed = 0; seed < 200; ++seed) {
            std::mt19937 random(seed);
            std::string script;
            std::vector<int> live;
            int next = 0;
            for (int i = 0; i < 60; ++i) {
                if (live.empty() || random() % 3 != 0) {
                    script += fmt::format("n{} +{}\n", next, 1000 + next * 512);
                    live.push_back(next++);
                } else {
                    const std::size_t which = random() % live.size();
                    script += fmt::format("n{} -\n", live[which]);
                    live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
                }
            }
            trace::Snapshot snapshot = test::snapshotFromScript(script);
            trace::Device& device = snapshot.devices[0];
            // Calls end before an allocation, a request to free, or at the end.
            std::vector<std::pair<std::size_t, MomentKind>> moments;
            for (std::size_t e = 0; e <= device.events.count(); ++e) {
                const bool between = e == device.events.count()
                    || device.events.action[e] != trace::Action::free_completed;
                if (between && random() % 3 == 0) {
                    moments.emplace_back(e, MomentKind::note);
                }
            }
            const trace::Capture capture = captureOf(device, moments);
            const std::size_t lost = random() % device.events.count();
            const auto cut = static_cast<std::ptrdiff_t>(lost);
            trace::Events& events = device.events;
            events.action.erase(events.action.begin(), events.action.begin() + cut);
            events.address.erase(events.address.begin(), events.address.begin() + cut);
            events.size.erase(events.size.begin(), events.size.begin() + cut);
            const auto places = placeMoments(capture, device);
            for (std::size_t m = 0; m < moments.size(); ++m) {
                QVERIFY(places[m]);
                const std::size_t event = moments[m].first;
                if (event >= lost + 2) { // Half a pair may be left at the front.
                    QCOMPARE(places[m]->state.index(), event - lost);
                    QVERIFY(!places[m]->is_earlier);
                } else if (event + 2 <= lost) {
                    QVERIFY(places[m]->state == StateId::start());
                }
            }
        }
    }
};

TIDEMARK_TEST(TstLabelCaptured)

} // namespace tidemark::tst_label_captured

#include "tst_label_captured.moc"
