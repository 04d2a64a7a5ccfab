// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/difference.h"
#include "core/compare/units.h"
#include "tests/core/compare/decoder_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_matched_moments {

using compare::MatchedMoment;
using test::DecoderOptions;
using test::decoderRun;

namespace {

std::vector<MatchedMoment> momentsOf(const diagnose::Analysis& a, const diagnose::Analysis& b)
{
    compare::DifferenceOptions options = compare::mainDevices(a, b);
    options.lists_moments = true;
    return compare::findDifference(a, b, options).moments;
}

bool rises(const std::vector<MatchedMoment>& moments)
{
    return std::ranges::is_sorted(moments, {}, &MatchedMoment::a)
        && std::ranges::is_sorted(moments, {}, &MatchedMoment::b);
}

std::vector<label::Pass> passesOf(const diagnose::Analysis& analysis)
{
    return compare::Units({analysis, 0, analysis.program(0), {}}).passes();
}

} // namespace

class TstMatchedMoments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noneAreListedUnlessAskedFor()
    {
        const auto a = decoderRun();
        QVERIFY(compare::findDifference(a, a, compare::mainDevices(a, a)).moments.empty());
    }
    void aRunBesideItselfStandsBesideItself()
    {
        const auto a = decoderRun();
        const std::vector<MatchedMoment> moments = momentsOf(a, a);
        QVERIFY(moments.size() > 100);
        for (const MatchedMoment& moment : moments) {
            QCOMPARE(moment.a.value, moment.b.value);
        }
    }
    void boundariesOfPassesCoincideAndMomentsRise()
    {
        // B casts weights on the way, so it has more events in the same passes.
        const auto a = decoderRun();
        const auto b = decoderRun(DecoderOptions{.sequence = 256, .is_autocast = true});
        const std::vector<MatchedMoment> moments = momentsOf(a, b);
        QVERIFY(rises(moments));
        const std::vector<label::Pass> of_a = passesOf(a);
        const std::vector<label::Pass> of_b = passesOf(b);
        QCOMPARE(of_a.size(), of_b.size());
        QVERIFY(!of_a.empty());
        for (std::size_t i = 0; i < of_a.size(); ++i) {
            for (const auto& [x, y] : {std::pair(of_a[i].forward.begin, of_b[i].forward.begin),
                                       std::pair(of_a[i].backward.begin, of_b[i].backward.begin)}) {
                QVERIFY(std::ranges::find(moments, MatchedMoment{x, y}) != moments.end());
            }
        }
    }
    void stepsThatOneRunHasAloneHaveNoMoments()
    {
        const auto a = decoderRun(DecoderOptions{.steps = 1});
        const auto b = decoderRun(DecoderOptions{.steps = 3});
        const std::vector<MatchedMoment> moments = momentsOf(a, b);
        QVERIFY(rises(moments));
        // A's only pass is one of B's, that of the larger peak; the others have no counterpart.
        int matched_passes = 0;
        for (const label::Pass& pass : passesOf(b)) {
            const auto inside = std::ranges::count_if(moments, [&](const MatchedMoment& moment) {
                return moment.b > pass.forward.begin && moment.b < pass.end();
            });
            QVERIFY(inside == 0 || inside > 20);
            matched_passes += inside > 0 ? 1 : 0;
        }
        QCOMPARE(matched_passes, 1);
    }
    void aStopEndsIt()
    {
        const auto a = decoderRun();
        std::stop_source source;
        source.request_stop();
        compare::DifferenceOptions options = compare::mainDevices(a, a);
        options.stop = source.get_token();
        QVERIFY(compare::findDifference(a, a, options).sentences.empty());
    }
    void sentencesCallRunsByTheirLetters()
    {
        const auto a = decoderRun();
        const auto b = decoderRun(DecoderOptions{.sequence = 256});
        compare::DifferenceOptions options = compare::mainDevices(a, b);
        options.letter_a = "C";
        options.letter_b = "A";
        const compare::Difference d = compare::findDifference(a, b, options);
        QVERIFY(d.sentences.front().text.starts_with("A peaks at "));
        QVERIFY(d.sentences.front().text.find(", C ") != std::string::npos);
        for (const compare::Sentence& sentence : d.sentences) {
            QVERIFY2(sentence.text.find(" B ") == std::string::npos, sentence.text.c_str());
        }
    }
    void settingsThatDifferComeFirst()
    {
        const auto a = decoderRun();
        const auto b = decoderRun(DecoderOptions{.sequence = 256, .more = "max_split_size_mb:64"});
        const auto settings = compare::findDifference(a, b, compare::mainDevices(a, b)).settings;
        const auto differs = [](const compare::Setting& setting) { return setting.differs(); };
        QVERIFY(std::ranges::is_partitioned(settings, differs));
        QVERIFY(std::ranges::any_of(settings, differs));
        const auto sequence = std::ranges::find(settings, "sequence", &compare::Setting::name);
        QVERIFY(sequence != settings.end());
        QCOMPARE(sequence->a, std::string("128"));
        QCOMPARE(sequence->b, std::string("256"));
    }
    void whatIsSetByHandWins()
    {
        using compare::MatchedMoment;
        const auto moment = [](std::uint32_t a, std::uint32_t b) {
            return MatchedMoment{{a}, {b}};
        };
        const std::vector<MatchedMoment> found{moment(1, 1), moment(5, 6), moment(9, 12),
                                               moment(20, 30)};
        QVERIFY(compare::withMomentsByHand(found, {}) == found);
        // 5 lies beside 14: what would cross it goes.
        const std::vector<MatchedMoment> one{moment(5, 14)};
        const std::vector<MatchedMoment> kept = compare::withMomentsByHand(found, one);
        QVERIFY((kept == std::vector{moment(1, 1), moment(5, 14), moment(20, 30)}));
        // A later pair wins over an earlier one that it contradicts.
        const std::vector<MatchedMoment> two{moment(5, 14), moment(7, 3)};
        QVERIFY((compare::withMomentsByHand(found, two)
                 == std::vector{moment(1, 1), moment(7, 3), moment(20, 30)}));
    }
};

TIDEMARK_TEST(TstMatchedMoments)

} // namespace tidemark::tst_matched_moments

#include "tst_matched_moments.moc"
