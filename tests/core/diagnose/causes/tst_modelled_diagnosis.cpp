// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/reader/reader.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/labelled.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace tidemark::tst_modelled_diagnosis {

using namespace tidemark::diagnose;

namespace {

nlohmann::json beside(const std::filesystem::path& file, const char* ending)
{
    std::ifstream in(test::beside(file, ending));
    return in ? nlohmann::json::parse(in) : nlohmann::json();
}

Analysis analysisOf(const std::filesystem::path& file)
{
    NoProgress progress;
    auto snapshot = reader::read(file, {}, progress, {});
    if (!snapshot.has_value()) {
        qFatal("%s", snapshot.error().message.c_str());
    }
    Analysis analysis = test::labelledAnalysis(std::move(snapshot).value());
    analysis.file = file;
    return analysis;
}

} // namespace

class TstModelledDiagnosis : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theFirstCauseIsAnAcceptedOne();
    void aRunThatDiedDoesNotFitAsItWas();
    void theTrueCapacityIsFound();
    void predictionsOfOneChangeMeetTheTruth();
    void atLeastEightFixesAreComputed();
    void everyRecordingGetsASentence();
};

void TstModelledDiagnosis::theFirstCauseIsAnAcceptedOne()
{
    int right = 0;
    int all = 0;
    for (const auto& file : test::modelledFiles()) {
        const auto truth = beside(file, ".truth.json");
        if (truth.is_null()) {
            continue;
        }
        const auto diagnosis = test::diagnosisOf(analysisOf(file));
        const std::string first(causeId(diagnosis.devices.at(0).causes.at(0).cause));
        const auto accepted = truth.at("accepted_causes").get<std::vector<std::string>>();
        const bool is_right = std::ranges::find(accepted, first) != accepted.end();
        if (!is_right) {
            qWarning("%s: %s", file.filename().c_str(), first.c_str());
        }
        right += is_right ? 1 : 0;
        ++all;
    }
    QVERIFY(all >= 10);
    QCOMPARE(right, all);
}

void TstModelledDiagnosis::aRunThatDiedDoesNotFitAsItWas()
{
    int died = 0;
    for (const auto& file : test::modelledFiles()) {
        const auto truth = beside(file, ".truth.json");
        if (truth.is_null() || truth.at("oom").is_null()) {
            continue;
        }
        ++died;
        const Analysis analysis = analysisOf(file);
        const Prediction p = predict(analysis, 0, {});
        QVERIFY2(p.fits == false, file.filename().c_str());
        QCOMPARE(p.after_need.value, p.before_need.value);
        QCOMPARE(p.after_peak.value, truth.at("requested_peak").get<std::int64_t>());
        for (const Fix& fix : test::deviceDiagnosisOf(analysis).fixes) {
            const bool without_effect = fix.status == FixStatus::not_applicable;
            QVERIFY2(!without_effect || fix.fits != true, fix.id.c_str());
        }
    }
    QVERIFY(died >= 5);
}

void TstModelledDiagnosis::theTrueCapacityIsFound()
{
    for (const auto& file : test::modelledFiles()) {
        const auto truth = beside(file, ".truth.json");
        if (truth.is_null() || truth.at("oom").is_null()) {
            continue;
        }
        const auto d = test::deviceDiagnosisOf(analysisOf(file));
        QVERIFY(d.capacity.has_value());
        QCOMPARE(d.capacity->value, truth.at("capacity").get<std::int64_t>());
        QCOMPARE(d.moment.reserved.value, truth.at("oom").at("reserved").get<std::int64_t>());
    }
}

void TstModelledDiagnosis::predictionsOfOneChangeMeetTheTruth()
{
    int pairs = 0;
    for (const auto& file : test::modelledFiles()) {
        const auto pair = beside(file, ".pair.json");
        if (pair.is_null()) {
            continue;
        }
        ++pairs;
        const auto p = test::predictionOf(analysisOf(file), pair.at("apply").get<std::string>());
        QCOMPARE(p.before_peak.value, pair.at("peak_requested_before").get<std::int64_t>());
        const auto truth = pair.at("peak_requested_after").get<std::int64_t>();
        const double error =
            static_cast<double>(p.after_peak.value) / static_cast<double>(truth) - 1;
        QVERIFY2(std::abs(error) < 0.02, file.filename().c_str());
        QVERIFY2(p.after_low.value <= truth && truth <= p.after_high.value,
                 file.filename().c_str());
    }
    QVERIFY(pairs >= 3);
}

void TstModelledDiagnosis::atLeastEightFixesAreComputed()
{
    const auto file = test::modelledFile("gpt_oom_backward");
    const auto d = test::deviceDiagnosisOf(analysisOf(file));
    int computed = 0;
    for (const Fix& fix : d.fixes) {
        computed += fix.saves.value > 0 && fix.new_need < d.need ? 1 : 0;
    }
    QVERIFY(computed >= 8);
    QCOMPARE(std::ranges::count(d.fixes, FixStatus::recommended, &Fix::status), 1);
}

void TstModelledDiagnosis::everyRecordingGetsASentence()
{
    int files = 0;
    for (const auto& file : test::recordings()) {
        NoProgress progress;
        if (!reader::read(file, {}, progress, {}).has_value()) {
            continue; // damaged and foreign files are the reader's subject
        }
        ++files;
        const auto diagnosis = test::diagnosisOf(analysisOf(file));
        for (const DeviceDiagnosis& d : diagnosis.devices) {
            QVERIFY2(!d.headline.empty() && !d.explanation.empty(), file.filename().c_str());
            QVERIFY2(!d.causes.empty(), file.filename().c_str());
            const std::string text =
                d.headline + d.explanation + d.fix_headline + d.fix_explanation;
            QVERIFY2(text.find("«") == std::string::npos, text.c_str());
        }
    }
    QVERIFY(files > 0);
}

TIDEMARK_TEST(TstModelledDiagnosis)

} // namespace tidemark::tst_modelled_diagnosis

#include "tst_modelled_diagnosis.moc"
