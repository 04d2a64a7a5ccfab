// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/fixes.h"
#include "core/message/texts.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <set>

namespace tidemark::tst_texts {

using namespace tidemark::diagnose;

class TstTexts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyCauseHasATitleAndAHeadline();
    void everyFixHasARuleAndEveryRuleAText();
    void everyFixHasATitleAReasonAndALine();
    void theLadderGoesFromRankOneToTen();
    void namesAreFilledInAndUnknownOnesStay();
    void bytesOfOneTextShareAUnit();
};

void TstTexts::everyCauseHasATitleAndAHeadline()
{
    std::set<std::string_view> ids;
    for (int c = 0; c <= static_cast<int>(Cause::unclear); ++c) {
        const Cause cause = static_cast<Cause>(c);
        QVERIFY(ids.insert(causeId(cause)).second);
        QVERIFY(!causeText(cause).title.empty());
        QVERIFY(!causeText(cause).headline.empty());
        QVERIFY2(!causeText(cause).headline.ends_with('.'), std::string(causeId(cause)).c_str());
        for (const auto& [name, sentence] : causeText(cause).evidence) {
            QVERIFY2(sentence.ends_with('.'), sentence.c_str());
        }
    }
    QCOMPARE(causeId(Cause::activations_sequence), std::string_view("activations-sequence"));
}

void TstTexts::everyFixHasARuleAndEveryRuleAText()
{
    std::set<std::string> ids;
    for (const FixText& text : fixTexts()) {
        const FixRule* rule = fixRule(text.id);
        QVERIFY2(rule != nullptr, text.id.c_str());
        QVERIFY(rule->look != nullptr);
        // Its changes come from one place.
        const bool is_coded = rule->tries != nullptr || rule->effect != nullptr;
        QVERIFY2(text.apply.empty() || !is_coded, text.id.c_str());
        QVERIFY(ids.insert(text.id).second);
    }
    QVERIFY(fixRule("no such fix") == nullptr);
}

void TstTexts::everyFixHasATitleAReasonAndALine()
{
    for (const FixText& text : fixTexts()) {
        QVERIFY2(!text.title.empty() && !text.title.ends_with('.'), text.id.c_str());
        QVERIFY2(text.why.ends_with('.'), text.id.c_str());
        // `changes_science` says it, after the reason.
        QVERIFY2(text.why.find("hanges the experiment") == std::string::npos, text.id.c_str());
        // A figure may be a sentence, or nothing.
        QVERIFY2(text.missing.ends_with('.') || text.missing.ends_with(".«rest»")
                     || text.missing == "«missing»",
                 text.id.c_str());
        QVERIFY2(!text.how.empty(), text.id.c_str());
        for (const auto& [framework, line] : text.how) {
            QVERIFY2(!framework.empty() && !line.empty(), text.id.c_str());
        }
    }
}

void TstTexts::theLadderGoesFromRankOneToTen()
{
    std::set<int> cost_ranks;
    int last = 0;
    for (const FixText& text : fixTexts()) {
        QVERIFY2(text.cost_rank >= last, text.id.c_str());
        last = text.cost_rank;
        cost_ranks.insert(text.cost_rank);
    }
    QCOMPARE(cost_ranks.size(), std::size_t{10});
    QCOMPARE(*cost_ranks.begin(), 1);
    QCOMPARE(*cost_ranks.rbegin(), 10);
}

void TstTexts::namesAreFilledInAndUnknownOnesStay()
{
    const Figures figures{{"a", "1"}, {"b", ""}};
    QCOMPARE(filledIn("x «a» «b»y «c» {\"a\": 2}", figures), std::string("x 1 y «c» {\"a\": 2}"));
    QCOMPARE(filledIn("an « open one", figures), std::string("an « open one"));
}

void TstTexts::bytesOfOneTextShareAUnit()
{
    const Figures figures{{"need", Bytes{102LL << 30}},
                          {"card", Bytes{157LL << 29}},
                          {"other", Bytes{358LL << 20}},
                          {"none", Bytes{}},
                          {"room", Between{kGiB, kGiB}}};
    QCOMPARE(filledIn("«need» of «card»", figures), std::string("102.0 GiB of 78.5 GiB"));
    QCOMPARE(filledIn("«other», «none»", figures), std::string("358 MiB, nothing"));
    QCOMPARE(filledIn("«other» of «room»", figures), std::string("0.35 GiB of 1.00 GiB"));
}

TIDEMARK_TEST(TstTexts)

} // namespace tidemark::tst_texts

#include "tst_texts.moc"
