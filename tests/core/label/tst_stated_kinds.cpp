// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/attached_texts.h"
#include "core/label/stacks/stated_kinds.h"
#include "tests/core/label/labelled_script.h"
#include "tests/support/replayed.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <random>

namespace tidemark::tst_stated_kinds {

using namespace tidemark::label;

namespace {

/// Times of scripts begin at 1 s and count 10 µs per event.
TimePoint timeOf(int event)
{
    return TimePoint(std::chrono::microseconds(1'000'000 + 10 * event));
}

void annotate(trace::Snapshot& snapshot, const char* name, int first, int end)
{
    const StringId id = snapshot.strings.intern(name);
    snapshot.annotations.push_back({id, true, 0, timeOf(first) - std::chrono::microseconds(1)});
    snapshot.annotations.push_back({id, false, 0, timeOf(end) - std::chrono::microseconds(1)});
}

} // namespace

class TstStatedKinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesTell_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("kind");
        const auto row = [](const char* name, StackKind kind) {
            QTest::newRow(name) << QString::fromLatin1(name) << static_cast<int>(kind);
        };
        row("Optimizer.step#AdamW.step", StackKind::optimizer);
        row("## forward ##", StackKind::forward);
        row("Backward Pass", StackKind::backward);
        row("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", StackKind::data);
        row("Optimizer.zero_grad#AdamW.zero_grad", StackKind::none);
        row("ProfilerStep#3", StackKind::none);
        row("forward_hook", StackKind::none);
        row("##  ##", StackKind::none);
    }
    void namesTell()
    {
        QFETCH(QString, name);
        QFETCH(int, kind);
        const auto found = kindOfAnnotation(name.toStdString());
        QCOMPARE(static_cast<int>(found.value_or(StackKind::none)), kind);
    }
    void textsNameBuckets()
    {
        QCOMPARE(bucketOfMetadata("KV_cache layer 3"), std::optional(Bucket::kv_cache));
        QCOMPARE(bucketOfMetadata("exp_avg_sq of w1"), std::optional(Bucket::optimizer_state));
        QCOMPARE(bucketOfMetadata("my tensor"), std::optional<Bucket>());
    }
    void attachedDictionariesAreReadAsKeysAndValues()
    {
        QCOMPARE(attachedWords(R"({"phase":"forward","layer":3,"at":[1,2]})"),
                 std::string("phase: forward, layer: 3, at: [1,2]"));
        QCOMPARE(attachedWords("my tensor"), std::string("my tensor"));
        QCOMPARE(attachedWords("{layer 3}"), std::string("{layer 3}"));
        const std::string deep = "{" + std::string(3000, '[');
        QCOMPARE(attachedWords(deep), deep);
    }
    void whatAProgramAttachedIsFoundByAllocation()
    {
        trace::Snapshot snapshot = test::snapshotFromScript("a +1\nb +1\na -\nc +1\n");
        trace::Events& events = snapshot.devices[0].events;
        const auto text = [&](const char* words) { return snapshot.strings.intern(words); };
        events.user_metadata.assign(events.count(), StringId::none());
        events.user_metadata[0] = text(R"({"layer":3})");
        events.user_metadata[1] = text("tidemark:forward:1"); // Becomes a label.
        events.action[2] = trace::Action::annotate; // Of a, while it lives.
        events.user_metadata[2] = text("packed");
        const test::Replayed run(std::move(snapshot));
        const trace::Snapshot& read = run.snapshot;
        const replay::DeviceReplay& replay = run.replay.devices[0];
        const AttachedTexts attached(read, read.devices[0], replay);
        const auto wordsAt = [&](std::size_t event) {
            return attached.wordsOf(replay.event_allocation[event], read);
        };
        QCOMPARE(wordsAt(0), std::string("layer: 3; packed"));
        QVERIFY(wordsAt(1).empty());
        QVERIFY(AttachedTexts().of(AllocationId(0U)).empty());
    }
    void theInnermostTellingScopeDecides()
    {
        trace::Snapshot snapshot =
            test::snapshotFromScript("a +1\nb +1\nc +1\nd +1\ne +1\nf +1\ng +1\n");
        annotate(snapshot, "forward", 1, 6);
        annotate(snapshot, "Optimizer.step#SGD.step", 2, 4);
        annotate(snapshot, "layer 7", 3, 5); // Says nothing.
        snapshot.annotations.push_back({snapshot.strings.intern("backward"), false, 0, timeOf(2)});
        const StatedTimes times(snapshot);
        const StatedKinds kinds(snapshot, snapshot.devices[0], times);
        const std::vector<StackKind> expected{
            StackKind::none,    StackKind::forward, StackKind::optimizer, StackKind::optimizer,
            StackKind::forward, StackKind::forward, StackKind::none};
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(static_cast<int>(kinds.at(EventId(i))), static_cast<int>(expected[i]));
        }
    }
    void randomScopesAgreeWithASearchOfAllOfThem()
    {
        std::mt19937 random(3);
        for (int round = 0; round < 50; ++round) {
            std::string text;
            for (int i = 0; i < 40; ++i) {
                text += fmt::format("a{} +1\n", i);
            }
            trace::Snapshot snapshot = test::snapshotFromScript(text);
            struct Scope {
                int first;
                int end;
                StackKind kind;
            };
            std::vector<Scope> scopes; // Nested: each inside the one before or after it.
            int first = 0;
            int end = 40;
            while (end - first > 4) {
                const bool is_forward = random() % 2 == 0;
                annotate(snapshot, is_forward ? "fwd" : "bwd", first, end);
                scopes.push_back(
                    {first, end, is_forward ? StackKind::forward : StackKind::backward});
                first += 1 + static_cast<int>(random() % 4);
                end -= 1 + static_cast<int>(random() % 4);
            }
            const StatedTimes times(snapshot);
            const StatedKinds kinds(snapshot, snapshot.devices[0], times);
            for (int i = 0; i < 40; ++i) {
                StackKind expected = StackKind::none;
                for (const Scope& s : scopes) {
                    expected = s.first <= i && i < s.end ? s.kind : expected;
                }
                QCOMPARE(static_cast<int>(kinds.at(EventId(static_cast<std::size_t>(i)))),
                         static_cast<int>(expected));
            }
        }
    }
    void aStatedScopePutsPlainCodeWhereItBelongs()
    {
        // A step by plain code that looks like the feeding of the next pass, were it not named.
        trace::Snapshot snapshot = test::snapshotFromScript(
            std::string(test::kStacks)
            + "w +4000 @load\nx +100 @data\na +500 @linear\nb +600 @linear\n"
              "g +4000 @-\nb -\na -\ns +1234 @keep\nu +1234 @keep\nu -\ng -\nx -\n"
              "y +100 @data\nc +500 @linear\nd +600 @linear\n");
        const auto at = [&](const trace::Snapshot& of) {
            NoProgress progress;
            const auto replay = replay::run(of, progress, {}).value();
            const auto labels = apply(of, replay, progress, {}).value();
            const PhaseSpan* span = labels.devices[0].phaseAt(EventId(std::size_t{9})); // s
            return span->phase;
        };
        QVERIFY(at(snapshot) != Phase::optimizer);
        annotate(snapshot, "optimizer_step", 9, 12);
        QCOMPARE(static_cast<int>(at(snapshot)), static_cast<int>(Phase::optimizer));
    }
    void anAttachedTextOutweighsWhatIsInferred()
    {
        trace::Snapshot snapshot = test::snapshotFromScript(std::string(test::kStacks)
                                                            + "w +4000 @load\na +500 @linear\n");
        trace::Events& events = snapshot.devices[0].events;
        events.user_metadata.assign(events.count(), StringId::none());
        events.user_metadata[0] = snapshot.strings.intern("my kv_cache");
        NoProgress progress;
        const auto replay = replay::run(snapshot, progress, {}).value();
        const auto labels = apply(snapshot, replay, progress, {}).value();
        const AllocationId w = replay.devices[0].event_allocation[0];
        QCOMPARE(static_cast<int>(labels.devices[0].bucket[w.index()]),
                 static_cast<int>(Bucket::kv_cache));
        QCOMPARE(QString::fromStdString(labels.devices[0].reasonOf(w).rule),
                 QStringLiteral("named-by-program"));
    }
    /// As torch.cuda._memory_viz.profile_plot writes it into each event.
    void theProfilersCategoryDecides()
    {
        trace::Snapshot snapshot = test::snapshotFromScript(
            std::string(test::kStacks) + "w +4000 @load\na +500 @linear\nb +600 @linear\n");
        trace::Events& events = snapshot.devices[0].events;
        events.category = {snapshot.strings.intern("optimizer_state"),
                           snapshot.strings.intern("autograd_detail"), StringId::none()};
        NoProgress progress;
        const auto replay = replay::run(snapshot, progress, {}).value();
        const auto labels = apply(snapshot, replay, progress, {}).value();
        const AllocationId w = replay.devices[0].event_allocation[0];
        QCOMPARE(static_cast<int>(labels.devices[0].bucket[w.index()]),
                 static_cast<int>(Bucket::optimizer_state));
        QCOMPARE(QString::fromStdString(labels.devices[0].reasonOf(w).rule),
                 QStringLiteral("profiler-category"));
        for (const std::size_t event : {1UL, 2UL}) { // No bucket's name, and none.
            const AllocationId a = replay.devices[0].event_allocation[event];
            QVERIFY(labels.devices[0].reasonOf(a).rule != "profiler-category");
        }
    }
};

TIDEMARK_TEST(TstStatedKinds)

} // namespace tidemark::tst_stated_kinds

#include "tst_stated_kinds.moc"
