// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/corrections.h"
#include "core/label/label_rules.h"
#include "core/label/stacks/stack_text.h"
#include "tests/core/label/labelled_script.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <random>

namespace tidemark::tst_corrections {

using namespace tidemark::label;

namespace {

constexpr std::string_view kStacks = R"(
stack cache = torch::unwind::unwind() ??:0; at::native::empty_cuda(long) ??:0; update_cache /me/model.py:12; forward /me/model.py:30; main /me/train.py:9
stack forward = linear /x/site-packages/torch/nn/functional.py:7; forward /me/model.py:4; main /me/train.py:9
stack again = linear /x/site-packages/torch/nn/functional.py:7; forward /me/model.py:5; main /me/train.py:9
stack noise = torch::unwind::unwind() ??:0
stack outer = main /me/train.py:9
)";

struct Labelled : test::Labelled {
    explicit Labelled(const std::string& script)
        : test::Labelled(std::string(kStacks) + script)
    {
    }
    [[nodiscard]] Corrected corrected(const std::vector<Correction>& rules) const
    {
        return correct(snapshot, replay, labels, rules, {}).value();
    }
};

/// A correction as the oracle reads it: from the words alone, one allocation at a time.
class Oracle {
public:
    explicit Oracle(const Labelled& run)
        : m_run(run)
        , m_labels(run.labels)
    {
    }

    void apply(const Correction& rule)
    {
        CorrectionEffect effect;
        for (std::size_t d = 0; d < m_labels.devices.size(); ++d) {
            for (std::size_t a = 0; a < m_labels.devices[d].bucket.size(); ++a) {
                applyTo(d, a, rule, effect);
            }
            for (FailedRequest& request : m_labels.devices[d].failed) {
                const auto& events = m_run.snapshot.devices[d].events;
                const std::size_t e = request.event.index();
                const CorrectionMatch& m = rule.match;
                if (!m.alloc_event && !m.address && m.rule.empty()
                    && holds(d, rule.match, request.event, events.size[e], events.stack[e],
                             request.bucket)) {
                    request.role =
                        rule.role.value_or(request.bucket == rule.bucket ? request.role : Role{});
                    request.bucket = rule.bucket;
                }
            }
        }
        m_effects.push_back(effect);
    }
    void compare(const Corrected& corrected) const
    {
        QVERIFY(corrected.effects == m_effects);
        for (std::size_t d = 0; d < m_labels.devices.size(); ++d) {
            const DeviceLabels& mine = m_labels.devices[d];
            const DeviceLabels& theirs = corrected.labels.devices[d];
            QVERIFY(mine.bucket == theirs.bucket);
            QVERIFY(mine.role == theirs.role);
            QVERIFY(mine.confidence == theirs.confidence);
            for (std::size_t a = 0; a < mine.bucket.size(); ++a) {
                QCOMPARE(theirs.reasonOf(AllocationId(a)).rule,
                         mine.reasonOf(AllocationId(a)).rule);
            }
            for (std::size_t i = 0; i < mine.failed.size(); ++i) {
                QCOMPARE(theirs.failed[i].bucket, mine.failed[i].bucket);
                QCOMPARE(theirs.failed[i].role, mine.failed[i].role);
            }
        }
    }

private:
    void applyTo(std::size_t d, std::size_t a, const Correction& rule, CorrectionEffect& effect)
    {
        const replay::DeviceReplay& replay = m_run.replay.devices[d];
        const replay::Allocations& all = replay.allocations;
        DeviceLabels& labels = m_labels.devices[d];
        const CorrectionMatch& m = rule.match;
        const EventId made = all.alloc_event[a];
        const bool is_meant = holds(d, m, made, all.requested[a], all.stack[a], labels.bucket[a])
            && (!m.alloc_event || *m.alloc_event == (made.isNone() ? -1 : int64_t{made.value}))
            && (!m.address || *m.address == all.address[a])
            && (m.rule.empty() || m.rule == labels.reasons[labels.reason[a]].rule);
        if (!is_meant) {
            return;
        }
        labels.role[a] =
            rule.role.value_or(labels.bucket[a] == rule.bucket ? labels.role[a] : Role{});
        labels.bucket[a] = rule.bucket;
        labels.confidence[a] = 100;
        labels.reasons.push_back({rule.id.empty() ? "corrected" : rule.id, {}});
        labels.reason[a] = static_cast<std::uint32_t>(labels.reasons.size() - 1);
        ++effect.allocations;
        effect.bytes += all.requested[a];
        effect.peak_bytes += all.isLive(AllocationId(a), replay.peak) ? all.requested[a] : Bytes{};
    }
    [[nodiscard]] bool holds(std::size_t d, const CorrectionMatch& m, EventId made, Bytes size,
                             StackId stack, Bucket bucket) const
    {
        const PhaseSpan* span = made.isNone() ? nullptr : m_labels.devices[d].phaseAt(made);
        return (!m.device || *m.device == m_run.snapshot.devices[d].index)
            && (!m.bytes || *m.bytes == size) && (!m.min_bytes || *m.min_bytes <= size)
            && (!m.max_bytes || *m.max_bytes >= size) && (!m.bucket || *m.bucket == bucket)
            && (!m.phase || (span != nullptr && span->phase == *m.phase)) && stackHolds(m, stack);
    }
    [[nodiscard]] bool stackHolds(const CorrectionMatch& m, StackId stack) const
    {
        std::vector<FrameText> words;
        bool has_text = m.function.empty() && m.file.empty();
        for (const FrameId id : m_run.snapshot.stacks.frames(stack)) {
            const Frame& frame = m_run.snapshot.stacks.frame(id);
            const FrameText text{std::string(m_run.snapshot.text(frame.name)),
                                 std::string(m_run.snapshot.text(frame.filename)), frame.line};
            has_text = has_text
                || (text.name.find(m.function) != std::string::npos
                    && text.filename.find(m.file) != std::string::npos);
            if (text.name != "torch::unwind::unwind()") {
                words.push_back(text);
            }
        }
        return has_text && (m.stack.empty() || words == m.stack);
    }

    const Labelled& m_run;
    Labels m_labels;
    std::vector<CorrectionEffect> m_effects;
};

std::string randomScript(std::mt19937& random)
{
    const auto upTo = [&random](int n) {
        return static_cast<int>(random() % static_cast<unsigned>(n));
    };
    static constexpr std::array kNames{"@cache", "@forward", "@again", "@outer", "@-", ""};
    std::string script = "live w 4096 @forward\nlive v 8192\n";
    std::vector<int> living;
    for (int i = 0; i < 60; ++i) {
        if (!living.empty() && upTo(3) == 0) {
            const std::size_t which =
                static_cast<std::size_t>(upTo(static_cast<int>(living.size())));
            script += fmt::format("a{} -\n", living[which]);
            living.erase(living.begin() + static_cast<std::ptrdiff_t>(which));
        } else {
            script += fmt::format("a{} +{} {}\n", i, 512 * (1 + upTo(4)),
                                  kNames[static_cast<std::size_t>(upTo(6))]);
            living.push_back(i);
        }
    }
    return script + "oom 1024 free=512 @cache\n";
}

Correction randomRule(std::mt19937& random, const Labelled& run)
{
    const auto chance = [&random](unsigned one_of) { return random() % one_of == 0; };
    const replay::Allocations& all = run.replay.devices[0].allocations;
    const AllocationId some(std::size_t{random() % all.count()});
    Correction rule;
    rule.bucket = bucketAt(random() % kBucketCount);
    rule.id = chance(3) ? "mine" : "";
    if (chance(2)) {
        rule.role = chance(2) ? Role::none : Role::logits;
    }
    CorrectionMatch& match = rule.match;
    if (chance(4)) {
        match = matchOfAllocation(run.snapshot, run.replay, 0, some);
    } else if (chance(3)) {
        match = matchOfStack(run.snapshot, all.stack[some.index()]).value_or(CorrectionMatch{});
    }
    if (chance(5)) {
        match.function = chance(2) ? "forward" : "update";
    }
    if (chance(5)) {
        match.file = chance(2) ? "model.py" : "train";
    }
    if (chance(5)) {
        match.min_bytes = Bytes{1024};
    }
    if (chance(5)) {
        match.max_bytes = Bytes{1024};
    }
    if (chance(5)) {
        match.bucket = run.labels.devices[0].bucket[some.index()];
    }
    if (chance(5)) {
        match.phase = chance(2) ? Phase::forward : Phase::setup;
    }
    if (chance(6)) {
        match.rule = chance(2) ? "mine" : run.labels.devices[0].reasonOf(some).rule;
    }
    if (chance(8)) {
        match.device = chance(3) ? 1 : 0;
    }
    return rule;
}

} // namespace

class TstCorrections : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomRulesDoWhatReadingEveryAllocationByItselfSays()
    {
        std::mt19937 random(5);
        std::int64_t meant = 0;
        for (int round = 0; round < 200; ++round) {
            const Labelled run(randomScript(random));
            Oracle oracle(run);
            std::vector<Correction> rules;
            const int count =
                round % 4 == 0 ? 120 : 6; // A long list is looked up, a short one is not.
            for (int i = 0; i < count; ++i) {
                rules.push_back(randomRule(random, run));
                oracle.apply(rules.back());
            }
            const Corrected corrected = run.corrected(rules);
            oracle.compare(corrected);
            meant += std::ranges::count_if(corrected.effects, [](const CorrectionEffect& effect) {
                return effect.allocations > 0;
            });
        }
        QVERIFY(meant > 400); // Or the rules of this test would say nothing.
    }
    void oneAllocationIsOneAllocation()
    {
        const Labelled run("live w 4096\na +512 @forward\na -\nb +512 @forward at a\n");
        const AllocationId second(std::size_t{2});
        const Correction rule{{},
                              matchOfAllocation(run.snapshot, run.replay, 0, second),
                              Bucket::kv_cache,
                              {},
                              "by hand"};
        const Corrected corrected = run.corrected({rule});
        QCOMPARE(corrected.effects[0].allocations, 1);
        const DeviceLabels& labels = corrected.labels.devices[0];
        QCOMPARE(labels.bucket[2], Bucket::kv_cache);
        QVERIFY(labels.bucket[1] != Bucket::kv_cache);
        QCOMPARE(labels.confidence[2], std::uint8_t{100});
        QCOMPARE(labels.reasonOf(second).rule, std::string(infoOf(Rule::corrected).id));
        QCOMPARE(labels.reasonOf(second).evidence,
                 std::string("Corrected manually (the allocation of event 3, on GPU 0): by hand"));
    }
    void aStackHoldsForAnotherRunOfTheProgramAndForAnotherFolder()
    {
        const Labelled recorded("a +512 @cache\n");
        const auto match =
            matchOfStack(recorded.snapshot, recorded.replay.devices[0].allocations.stack[0]);
        QVERIFY(match.has_value());
        Correction rule{{}, *match, Bucket::kv_cache, {}, {}};
        const Labelled other("z +2048 @outer\nx +1024 @cache\ny +512 @forward\n");
        QCOMPARE(other.corrected({rule}).effects[0].bytes.value, 1024);
        for (FrameText& frame : rule.match.stack) {
            frame.filename = frame.filename.substr(frame.filename.rfind('/') + 1);
            frame.line = 0;
        }
        QCOMPARE(other.corrected({rule}).effects[0].bytes.value, 1024);
        rule.match.stack.pop_back();
        QCOMPARE(other.corrected({rule}).effects[0].bytes.value, 0);
    }
    void endsOfPathsMatchAtSeparatorsOnly()
    {
        const Labelled run("a +512 @outer\n");
        for (const auto& [file, count] : {std::pair("train.py", 1),
                                          {"me/train.py", 1},
                                          {"/me/train.py", 1},
                                          {"rain.py", 0},
                                          {"", 0}}) {
            Correction rule;
            rule.match.stack = {{"main", file, 9}};
            QCOMPARE(run.corrected({rule}).effects[0].allocations, count);
        }
    }
    void aStackOfNothingButNoiseIsAStackToo()
    {
        const Labelled run("a +512 @noise\nb +1024 @cache\nc +2048 @-\n");
        const auto& stacks = run.replay.devices[0].allocations.stack;
        const Correction rule{
            {}, matchOfStack(run.snapshot, stacks[0]).value(), Bucket::output, {}, {}};
        QCOMPARE(run.corrected({rule}).effects[0].bytes.value, 512);
        QVERIFY(!matchOfStack(run.snapshot, stacks[2]).has_value());
        QVERIFY(!matchOfStack(run.snapshot, StackId::none()).has_value());
    }
    void phasesStepsAndWhatIsNotMeantStay()
    {
        const Labelled run("a +512 @forward\nb +1024 @cache\noom 1M free=5K @cache\n");
        Correction rule;
        rule.match.function = "update_cache";
        rule.bucket = Bucket::kv_cache;
        const Corrected corrected = run.corrected({rule});
        const DeviceLabels& before = run.labels.devices[0];
        const DeviceLabels& after = corrected.labels.devices[0];
        QCOMPARE(after.phases.size(), before.phases.size());
        QCOMPARE(after.bucket[0], before.bucket[0]);
        QCOMPARE(after.reason[0], before.reason[0]);
        QCOMPARE(after.failed[0].bucket, Bucket::kv_cache);
    }
    void aPreviewCountsWhatTheRuleWouldChange()
    {
        std::mt19937 random(7);
        for (int round = 0; round < 50; ++round) {
            const Labelled run(randomScript(random));
            const Correction rule = randomRule(random, run);
            const auto effect = effectOf(run.snapshot, run.replay, run.labels, rule, {});
            QVERIFY(effect.value() == run.corrected({rule}).effects[0]);
        }
    }
    void rulesThatMeanNothingAreNamedInOneNote()
    {
        const Labelled run("a +512 @forward\n");
        Correction idle;
        idle.match.file = "nowhere.py";
        Correction used;
        used.match.min_bytes = Bytes{1};
        const std::vector<Correction> rules{idle, used, idle};
        const Corrected corrected = run.corrected(rules);
        const trace::InputNotes notes = notesOn(rules, corrected.effects);
        QCOMPARE(notes.all().size(), 1UL);
        QCOMPARE(notes.all()[0].count, 2);
        QCOMPARE(notes.all()[0].text,
                 std::string("Corrections 1 (file has 'nowhere.py'); 3 (file has 'nowhere.py') "
                             "match no allocation of this file."));
        const std::vector<Correction> many(1000, idle);
        const std::string said = notesOn(many, run.corrected(many).effects).all()[0].text;
        QVERIFY(said.ends_with("; 10 (file has 'nowhere.py') and 990 more match no allocation of "
                               "this file."));
        QVERIFY(notesOn(std::span(rules).subspan(1, 1), std::span(corrected.effects).subspan(1, 1))
                    .all()
                    .empty());
    }
    void dimensionsRelabelNothing()
    {
        const Labelled run("a +512 @forward\ndevice 1\nb +512 @forward\n");
        Correction heads;
        heads.dimension = program::SaidDimension{program::DimensionName::heads, 16};
        Correction batch = heads;
        batch.dimension = program::SaidDimension{program::DimensionName::batch, 4};
        batch.match.device = 1;
        Correction nowhere = batch;
        nowhere.match.device = 7;
        const std::vector<Correction> rules{heads, batch, nowhere};
        const Corrected corrected = run.corrected(rules);
        for (std::size_t d = 0; d < run.labels.devices.size(); ++d) {
            QVERIFY(corrected.labels.devices[d].bucket == run.labels.devices[d].bucket);
            QVERIFY(corrected.labels.devices[d].confidence == run.labels.devices[d].confidence);
        }
        QCOMPARE(corrected.effects[0].devices, 2);
        QCOMPARE(corrected.effects[1].devices, 1);
        QCOMPARE(corrected.effects[1].allocations, 0);
        const trace::InputNotes notes = notesOn(rules, corrected.effects);
        QCOMPARE(notes.all().size(), 1UL);
        QCOMPARE(notes.all().front().text,
                 std::string("Correction 3 (the dimension batch on GPU 7) matches no device of "
                             "this file."));
        QCOMPARE(saidDimensions(rules, 0).size(), 1UL);
        QCOMPARE(saidDimensions(rules, 1).size(), 2UL);
        QCOMPARE(describeTarget(heads), std::string("16"));
    }
    void stoppingEndsInCancelled()
    {
        const Labelled run("a +512 @forward\n");
        std::stop_source source;
        source.request_stop();
        const std::vector<Correction> rules(1);
        const auto result =
            correct(run.snapshot, run.replay, run.labels, rules, source.get_token());
        QVERIFY(result.error().code == ErrorCode::cancelled);
    }
};

TIDEMARK_TEST(TstCorrections)

} // namespace tidemark::tst_corrections

#include "tst_corrections.moc"
