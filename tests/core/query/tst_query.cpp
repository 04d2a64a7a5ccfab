// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/ascii.h"
#include "core/label/bucket.h"
#include "core/query/keys.h"
#include "core/query/query.h"
#include "core/query/words.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <bit>
#include <limits>

namespace tidemark::tst_query {

using namespace tidemark::query;

namespace {

constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeastBytes = std::numeric_limits<std::int64_t>::min();

Condition only(std::string_view text)
{
    const Result<Query> query = parse(text);
    if (!query.has_value() || query.value().conditions.size() != 1) {
        qFatal("not one condition: %s", std::string(text).c_str());
    }
    return query.value().conditions.front();
}

Range rangeOf(std::string_view text)
{
    return only(text).ranges.at(0);
}

std::string errorOf(std::string_view text)
{
    const Result<Query> query = parse(text);
    return query.has_value() ? "none" : query.error().message;
}

bool contains(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TstQuery : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingAsksForEverything()
    {
        QCOMPARE(parse("").value().conditions.size(), 0UL);
        QCOMPARE(parse(" \t ").value().conditions.size(), 0UL);
    }

    void theExampleOfEveryKeyIsUnderstood()
    {
        for (const KeyInfo& info : keyTable()) {
            const Condition condition = only(info.example);
            QVERIFY2(condition.key == info.key, std::string(info.example).c_str());
            QVERIFY(!condition.is_negated);
        }
    }

    void everyChoiceIsUnderstoodAndCountsOnce()
    {
        for (const Key key : {Key::bucket, Key::role, Key::phase}) {
            std::uint32_t all = 0;
            for (const std::string_view id : choicesOf(key)) {
                const std::uint32_t one =
                    only(std::string(infoOf(key).name) + ":" + std::string(id)).choices;
                QCOMPARE(std::popcount(one), 1);
                QVERIFY((all & one) == 0);
                all |= one;
            }
        }
        QCOMPARE(only("bucket:parameter").choices, 1U << label::indexOf(label::Bucket::parameter));
        QCOMPARE(only("role:logits").choices, 1U << static_cast<unsigned>(label::Role::logits));
        QCOMPARE(only("phase:backward").choices,
                 1U << static_cast<unsigned>(label::Phase::backward));
    }

    void comparisonsLeaveOutTheirLimitOrNot()
    {
        QVERIFY((rangeOf("size>100MiB") == Range{(100 << 20) + 1, kMostBytes}));
        QVERIFY((rangeOf("size>=100MiB") == Range{100 << 20, kMostBytes}));
        QVERIFY((rangeOf("size<1KiB") == Range{kLeastBytes, 1023}));
        QVERIFY((rangeOf("size<=1KiB") == Range{kLeastBytes, 1024}));
        QVERIFY((rangeOf("size:512") == Range{512, 512}));
        QVERIFY((rangeOf("SIZE=2gib") == Range{2LL << 30, 2LL << 30}));
        QVERIFY((rangeOf("size:1KiB..2KiB") == Range{1024, 2048}));
        QVERIFY((rangeOf("size:1KiB..") == Range{1024, kMostBytes}));
        QVERIFY((rangeOf("step:3..5") == Range{3, 5}));
        QVERIFY((rangeOf(">100MiB") == rangeOf("size>100MiB")));
    }

    void aFigureWithDecimalsStandsForAllThatIsShownSo()
    {
        const Range range = rangeOf("size:1.37GiB");
        QVERIFY(range.contains(std::int64_t{1'471'026'299}) && range.least < range.most);
        QVERIFY(range.least >= std::int64_t(1.365 * 1073741824)
                && range.most <= std::int64_t(1.375 * 1073741824) + 1);
        // As it stands in a list, in two words.
        QVERIFY((rangeOf("size:358.00 MiB") == rangeOf("size:358.00MiB")));
        // As a table writes it: all that has these three digits; as a limit it is exact.
        QVERIFY(rangeOf("size:358MiB").least < 358LL << 20);
        QVERIFY(rangeOf("size:358MiB").most > 358LL << 20);
        QVERIFY((rangeOf("size>=358MiB").least == 358LL << 20));
        QVERIFY((rangeOf("size:2MiB") == Range{2LL << 20, 2LL << 20}));
        QVERIFY((rangeOf("size:358.00MiB").contains(358 << 20)));
    }

    void durationsAreNanosecondsOrEvents()
    {
        QVERIFY((rangeOf("life<1ms") == Range{kLeastBytes, 999'999}));
        QVERIFY((rangeOf("life>2s") == Range{2'000'000'001, kMostBytes}));
        QVERIFY((rangeOf("life:5us") == Range{5000, 5000}));
        QVERIFY((rangeOf("life:5µs") == Range{5000, 5000}));
        const Condition events = only("life<200events");
        QVERIFY(events.counts_events && (events.ranges[0] == Range{kLeastBytes, 199}));
        QVERIFY(!only("life<1ms").counts_events);
        QVERIFY(contains(errorOf("life:1ms,5events"), "mixes"));
    }

    void alternativesStandBehindOneKey()
    {
        const Condition buckets = only("bucket:activation,gradient");
        QCOMPARE(std::popcount(buckets.choices), 2);
        QCOMPARE(only("step:1,3").ranges.size(), 2UL);
        QCOMPARE(only("addr:0x10,0xffffffffffffffff").addresses.at(1), ~Address{0});
        // The beginning of only one is enough.
        QCOMPARE(only("bucket:act").choices, only("bucket:activation").choices);
    }

    void wordsAreTurnedAround()
    {
        QVERIFY(only("-stack:attention").is_negated);
        QVERIFY(only("not stack:attention").is_negated);
        QVERIFY(only("-kept").is_negated && only("-kept").key == Key::kept);
        QVERIFY(!only("not -softmax").is_negated);
        QVERIFY(only("NOT").key == Key::text); // A word to look for: only "not" turns around.
        QVERIFY(contains(errorOf("size>1 not"), "Nothing follows"));
    }

    void placesAndNamesOfCodeAreWords()
    {
        for (const std::string_view word :
             {"model.py:41", "at::native::empty", "std::vector<float>", "user@host", "/a/b=c",
              "operator==", "a-b", "function::name", "<module>", "<lambda>"}) {
            const Condition condition = only(word);
            QVERIFY2(condition.key == Key::text, std::string(word).c_str());
            QCOMPARE(condition.texts.at(0), lowered(word));
        }
        QCOMPARE(only("\"size>1 GiB of\"").texts.at(0), std::string("size>1 gib of"));
        QCOMPARE(only("stack:\"two words\"").texts.at(0), std::string("two words"));
        QVERIFY(only("stack:\"two words\"").key == Key::stack);
        QVERIFY(only("line=\"model.py:41 forward\"").is_whole);
        QVERIFY(!only("line:model.py").is_whole);
        QVERIFY(only(quoted("kept")).key == Key::text);
    }

    void momentsAreWordsOrEvents()
    {
        QVERIFY(only("live@oom").moment == LiveMoment::oom);
        QVERIFY(only("live:peak").moment == LiveMoment::peak);
        const Condition event = only("live@12345");
        QVERIFY(event.moment == LiveMoment::event && event.event == 12345);
        QVERIFY(contains(errorOf("live@noon"), "live@noon"));
        QVERIFY(contains(errorOf("live@99999999999"), "not a moment"));
    }

    void errorsNameTheWordAndWhatIsPossible()
    {
        QVERIFY(contains(errorOf("foo:bar"), "“foo” is not a key; choose from bucket, size, life"));
        QVERIFY(contains(errorOf("sze>100MiB"), "“sze” is not a key"));
        QVERIFY(contains(errorOf("bucket:weights"), "choose from parameter, optimizer_state"));
        QVERIFY(contains(errorOf("bucket:"), "bucket:activation"));
        QVERIFY(contains(errorOf("phase>forward"), "cannot be compared"));
        QVERIFY(contains(errorOf("size>10MB"), "KiB, MiB"));
        QVERIFY(contains(errorOf("size>99999999999GiB"), "is not a size"));
        QVERIFY(contains(errorOf("life<5parsecs"), "is not a duration"));
        QVERIFY(contains(errorOf("kept:yes"), "takes no value"));
        QVERIFY(contains(errorOf("addr:zzz"), "is not an address"));
        QVERIFY(contains(errorOf("a \"b"), "not closed"));
        QCOMPARE(*parse("softmax  foo:bar").error().where, 9ULL);
    }

    void noTextMakesItFail()
    {
        // Every end of a long query, and every character in its middle.
        const std::string query =
            "-bucket:act,grad size>=1.5MiB not life<3ev \"a b\" live@7 addr:0x1";
        for (std::size_t length = 0; length <= query.size(); ++length) {
            (void)parse(query.substr(0, length)).has_value();
        }
        for (int c = 0; c < 256; ++c) {
            std::string other = query;
            other[20] = static_cast<char>(c);
            const Result<Query> read = parse(other);
            QVERIFY(read.has_value() || !read.error().message.empty());
        }
    }
};

TIDEMARK_TEST(TstQuery)

} // namespace tidemark::tst_query

#include "tst_query.moc"
