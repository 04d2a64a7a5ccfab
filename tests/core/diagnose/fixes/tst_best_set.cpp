// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/message/texts.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <map>
#include <numeric>

namespace tidemark::tst_best_set {

using namespace tidemark::diagnose;
using test::kM;

namespace {

UserInput withCapacity(std::int64_t bytes, int gpus = 1)
{
    UserInput input;
    input.capacity = Bytes{bytes};
    input.gpus = gpus;
    return input;
}

/// The strongest change of each remedy that changes sizes, as the ladder knows them.
const std::map<std::string, std::string> kStrongest{
    {"micro-batch", "micro-batch=0.0625,accumulation=16"},
    {"bf16", "precision=bf16"},
    {"checkpointing-selective", "checkpointing=selective"},
    {"checkpointing-full", "checkpointing=full"},
    {"fused-optimizer", "fused=on"},
    {"foreach-off", "foreach=off"},
    {"attention-flash", "attention=flash"},
    {"fused-loss", "fused-loss=on"},
    {"sequence", "sequence=0.25"},
    {"optimizer-8bit", "optimizer=adamw8bit"},
    {"offload-optimizer", "offload=optimizer"},
    {"lora", "lora=16"},
};

const FixText& textOf(const std::string& id)
{
    return *std::ranges::find(fixTexts(), id, &FixText::id);
}

int costOf(const std::string& id)
{
    return textOf(id).cost_rank + (textOf(id).changes_science ? 10 : 0);
}

std::string joined(const std::vector<std::string>& ids)
{
    std::string apply;
    for (const std::string& id : ids) {
        apply += (apply.empty() ? "" : ",") + kStrongest.at(id);
    }
    return apply;
}

bool goTogether(const std::vector<std::string>& ids)
{
    std::vector<std::string> groups;
    for (const std::string& id : ids) {
        if (!textOf(id).group.empty()) {
            groups.push_back(textOf(id).group);
        }
    }
    std::ranges::sort(groups);
    return std::adjacent_find(groups.begin(), groups.end()) == groups.end();
}

struct Found {
    int cost = 1000;
    std::string apply;
};

/// The lowest cost of any set of up to three offered remedies that fits; every set is tried.
Found lowestCostByTryingAll(const Analysis& a, const DeviceDiagnosis& d)
{
    std::vector<std::string> ids;
    for (const Fix& fix : d.fixes) {
        const bool is_offered =
            fix.status != FixStatus::not_applicable && fix.status != FixStatus::already_on;
        if (is_offered && kStrongest.contains(fix.id)) {
            ids.push_back(fix.id);
        }
    }
    Found found;
    const auto look = [&](const std::vector<std::string>& set) {
        const int cost =
            std::accumulate(set.begin(), set.end(), 0,
                            [](int sum, const std::string& id) { return sum + costOf(id); });
        if (cost < found.cost && goTogether(set)
            && test::predictionOf(a, joined(set)).fits == std::optional(true)) {
            found = {cost, joined(set)};
        }
    };
    for (std::size_t i = 0; i < ids.size(); ++i) {
        look({ids[i]});
        for (std::size_t j = i + 1; j < ids.size(); ++j) {
            look({ids[i], ids[j]});
            for (std::size_t k = j + 1; k < ids.size(); ++k) {
                look({ids[i], ids[j], ids[k]});
            }
        }
    }
    return found;
}

const Fix& memberOf(const DeviceDiagnosis& d, const std::string& id)
{
    return *std::ranges::find(d.fixes, id, &Fix::id);
}

} // namespace

class TstBestSet : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void noSetThatFitsIsCheaper_data();
    void noSetThatFitsIsCheaper();
    void membersBearTheWholeAndTheirOwn();
    void nothingCanBeLeftOut();
    void aLeakIsCuredTogetherWithAChange();
    void whereAllIsNotEnoughItSaysWhatIsMissing();
    void aRunThatFitsNeedsNothing();
    void aLargerGpuNeedsNoFix();
    void withoutACapacityNothingIsPromised();
    void theEffectiveBatchIsHeld();
    void whatTheConfigurationHasOnIsNoMember();
};

void TstBestSet::noSetThatFitsIsCheaper_data()
{
    QTest::addColumn<int>("capacity");
    QTest::addColumn<bool>("has_set"); // of three fixes at most
    // The run needs 394 MiB and 128 of them are weights, gradients and states.
    for (const int capacity : {300, 200, 180, 160, 150, 140, 130, 120, 110, 100}) {
        QTest::newRow(qPrintable(QString::number(capacity))) << capacity << (capacity >= 100);
    }
}

void TstBestSet::noSetThatFitsIsCheaper()
{
    QFETCH(int, capacity);
    QFETCH(bool, has_set);
    const Analysis a = test::diesInBackward(withCapacity(capacity * kM));
    const auto d = test::deviceDiagnosisOf(a);
    QVERIFY(d.answer.has_value());
    const Found lowest = lowestCostByTryingAll(a, d);
    QCOMPARE(!lowest.apply.empty(), has_set);
    if (!has_set) {
        return; // more than three are needed, or nothing is enough
    }
    QCOMPARE(d.answer->fits, std::optional(true));
    int cost = 0;
    for (const std::string& id : d.answer->fixes) {
        cost += costOf(id);
    }
    QVERIFY2(cost <= lowest.cost, (d.answer->apply + " instead of " + lowest.apply).c_str());
    // What was found can be repeated, but for an allocator setting, which is no change of sizes.
    const bool has_setting = std::ranges::any_of(d.answer->fixes, [&](const std::string& id) {
        return memberOf(d, id).alone.apply.empty();
    });
    if (!has_setting) {
        QCOMPARE(test::predictionOf(a, d.answer->apply).fits, std::optional(true));
    }
    QCOMPARE(test::predictionOf(a, d.answer->apply).after_need, d.answer->new_need);
}

void TstBestSet::membersBearTheWholeAndTheirOwn()
{
    const Analysis a = test::diesInBackward(withCapacity(130 * kM));
    const auto d = test::deviceDiagnosisOf(a);
    QVERIFY(d.answer && d.answer->fits == std::optional(true));
    QVERIFY2(d.answer->fixes.size() >= 2, d.answer->sentence.c_str());
    QCOMPARE(std::ranges::count(d.fixes, FixStatus::recommended, &Fix::status),
             static_cast<std::ptrdiff_t>(d.answer->fixes.size()));
    for (const std::string& id : d.answer->fixes) {
        const Fix& fix = memberOf(d, id);
        QCOMPARE(fix.status, FixStatus::recommended);
        QCOMPARE(fix.fits, std::optional(true));
        QCOMPARE(fix.apply, d.answer->apply);
        QCOMPARE(fix.new_need, d.answer->new_need);
        const Prediction own = test::predictionOf(a, fix.alone.apply);
        QCOMPARE(fix.alone.new_need, own.after_need);
        QVERIFY(own.fits != std::optional<bool>(true));
        QVERIFY(d.answer->apply.find(fix.alone.apply) != std::string::npos);
        QVERIFY2(fix.why.find("together") != std::string::npos, fix.why.c_str());
    }
    const Prediction whole = test::predictionOf(a, d.answer->apply);
    QCOMPARE(d.answer->margin, std::optional(Bytes{130 * kM} - whole.after_reserved_high));
}

void TstBestSet::nothingCanBeLeftOut()
{
    for (const int capacity : {150, 140, 130, 120}) {
        const Analysis a = test::diesInBackward(withCapacity(capacity * kM));
        const auto d = test::deviceDiagnosisOf(a);
        QVERIFY(d.answer.has_value());
        const auto& ids = d.answer->fixes;
        for (std::size_t left_out = 0; ids.size() > 1 && left_out < ids.size(); ++left_out) {
            std::string rest;
            for (std::size_t i = 0; i < ids.size(); ++i) {
                const std::string& apply = memberOf(d, ids[i]).alone.apply;
                rest += i == left_out ? "" : (rest.empty() ? "" : ",") + apply;
            }
            QVERIFY2(test::predictionOf(a, rest).fits != std::optional<bool>(true), rest.c_str());
        }
    }
}

void TstBestSet::aLeakIsCuredTogetherWithAChange()
{
    // Without the leak's 192 MiB the run still asks for 200 MiB beyond what it holds.
    const auto d = test::deviceDiagnosisOf(test::diesOfLeak());
    QVERIFY(d.answer.has_value());
    const bool has_leak =
        std::ranges::find(d.answer->fixes, std::string("leak")) != d.answer->fixes.end();
    QVERIFY2(has_leak || d.answer->fits != std::optional<bool>(true), d.answer->sentence.c_str());
}

void TstBestSet::whereAllIsNotEnoughItSaysWhatIsMissing()
{
    const auto d = test::deviceDiagnosisOf(test::diesOfHoles(withCapacity(20 * kM)));
    QVERIFY(d.answer.has_value());
    QCOMPARE(d.answer->fits, std::optional(false));
    QVERIFY(!d.answer->fixes.empty());
    QVERIFY(std::ranges::none_of(
        d.fixes, [](const Fix& fix) { return fix.status == FixStatus::recommended; }));
    QVERIFY2(d.answer->sentence.find("still ") != std::string::npos, d.answer->sentence.c_str());
    QVERIFY(d.answer->margin->value < 0);
    QCOMPARE(d.fix_headline, std::string("All fixes together are not enough"));
}

void TstBestSet::aRunThatFitsNeedsNothing()
{
    const auto d = test::deviceDiagnosisOf(test::fineRun(withCapacity(8192 * kM)));
    QVERIFY(d.answer.has_value());
    QVERIFY(d.answer->fixes.empty() && d.answer->apply.empty());
    QCOMPARE(d.answer->fits, std::optional(true));
    // It reserved 1024 MiB, so at least 7 GiB stay free.
    QVERIFY(d.answer->margin->value >= 7168 * kM);
}

void TstBestSet::aLargerGpuNeedsNoFix()
{
    const auto isNeeded = [](const DeviceDiagnosis& d) {
        return std::ranges::any_of(d.fixes, [](const Fix& fix) {
            return fix.status == FixStatus::recommended || fix.status == FixStatus::would_help
                || fix.status == FixStatus::not_enough;
        });
    };
    const auto died = test::deviceDiagnosisOf(test::diesInBackward());
    const auto larger = test::deviceDiagnosisOf(test::diesInBackward(withCapacity(4096 * kM)));
    QVERIFY(isNeeded(died) && !isNeeded(larger));
    QCOMPARE(larger.fix_headline, std::string("Fits in 4.00 GiB as recorded: no fix needed"));
    QVERIFY(larger.answer->fits == true && larger.answer->fixes.empty());
    // Why it died does not depend on that GPU.
    QCOMPARE(larger.headline, died.headline);
    QCOMPARE(larger.causes.size(), died.causes.size());
    // One as large as that on which it died is none: there is enough, but in holes.
    const auto holes = test::deviceDiagnosisOf(test::diesOfHoles());
    const auto same =
        test::deviceDiagnosisOf(test::diesOfHoles(withCapacity(holes.capacity->value)));
    QVERIFY(isNeeded(holes) && isNeeded(same));
}

void TstBestSet::withoutACapacityNothingIsPromised()
{
    QVERIFY(!test::deviceDiagnosisOf(test::fineRun()).answer.has_value());
}

void TstBestSet::theEffectiveBatchIsHeld()
{
    UserInput input;
    input.config =
        config::readRunConfig("torchrun --nproc_per_node 2 train.py "
                              "--per_device_train_batch_size 8 --gradient_accumulation_steps 3")
            .value();
    const Analysis a = test::diesInBackward(input);
    const auto d = test::deviceDiagnosisOf(a);
    QCOMPARE(d.answer->fixes, std::vector<std::string>{"micro-batch"});
    // 8 · 3 · 2 = 4 · 6 · 2 = 48
    QCOMPARE(memberOf(d, "micro-batch").title,
             std::string("Micro-batch 8 → 4, accumulation 3 → 6"));
    QVERIFY2(d.answer->sentence.find("48 sequences per step, unchanged") != std::string::npos,
             d.answer->sentence.c_str());
    QCOMPARE(d.answer->batch, std::string("48 sequences per step, unchanged"));
    const auto& how = memberOf(d, "micro-batch").how;
    const auto trainer =
        std::ranges::find(how, "HF Trainer", &std::pair<std::string, std::string>::first);
    QVERIFY2(trainer->second.find("gradient_accumulation_steps=6") != std::string::npos,
             trainer->second.c_str());
    // A batch of three has one smaller divisor.
    input.config = config::readRunConfig("train_micro_batch_size_per_gpu=3").value();
    const auto odd = test::deviceDiagnosisOf(test::diesInBackward(input));
    QCOMPARE(memberOf(odd, "micro-batch").alone.apply,
             std::string("micro-batch=0.333333,accumulation=3"));
    input.config = config::readRunConfig("train_micro_batch_size_per_gpu=1").value();
    const auto least = test::deviceDiagnosisOf(test::diesInBackward(input));
    QCOMPARE(memberOf(least, "micro-batch").status, FixStatus::not_applicable);
}

void TstBestSet::whatTheConfigurationHasOnIsNoMember()
{
    UserInput input;
    input.config =
        config::readRunConfig("{\"gradient_checkpointing\": true, \"bf16\": {\"enabled\": true}}")
            .value();
    const auto d = test::deviceDiagnosisOf(test::diesInBackward(input));
    for (const char* id : {"checkpointing-full", "checkpointing-selective", "bf16"}) {
        QCOMPARE(memberOf(d, id).status, FixStatus::already_on);
        QCOMPARE(std::ranges::count(d.answer->fixes, std::string(id)), std::ptrdiff_t{0});
    }
    QVERIFY2(memberOf(d, "bf16").why.find("bf16.enabled=true") != std::string::npos,
             memberOf(d, "bf16").why.c_str());
}

TIDEMARK_TEST(TstBestSet)

} // namespace tidemark::tst_best_set

#include "tst_best_set.moc"
