// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/settings.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_settings {

using allocator::parseSettings;
using allocator::Settings;

namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

} // namespace

class TstSettings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsEveryOption()
    {
        const Settings s = parseSettings("expandable_segments:True, max_split_size_mb:128,"
                                         "max_non_split_rounding_mb:40,large_segment_size_mb:32,"
                                         "garbage_collection_threshold:0.8,"
                                         "per_process_memory_fraction:0.5,"
                                         "throw_on_cudamalloc_oom:True,backend:native,"
                                         "pinned_num_register_threads:8")
                               .value();
        QVERIFY(s.expandable_segments && s.throws_on_refusal);
        QCOMPARE(s.max_split, 128 * kMebi);
        QCOMPARE(s.max_non_split_rounding, 40 * kMebi);
        QCOMPARE(s.large_segment, 32 * kMebi);
        QCOMPARE(s.gc_threshold, 0.8);
        QCOMPARE(s.memory_fraction, 0.5);
        QVERIFY(placeAlike(parseSettings("").value(), Settings()));
        QVERIFY(!placeAlike(s, Settings()));
    }

    void readsDivisionsAsTheAllocatorDoes()
    {
        const auto of = [](const char* text) {
            return parseSettings(text).value().roundup_divisions;
        };
        QVERIFY(std::ranges::all_of(of("roundup_power2_divisions:4"),
                                    [](std::int64_t d) { return d == 4; }));
        const auto list = of("roundup_power2_divisions:[256:1,512:2,2048:4,>:8]");
        for (std::size_t k = 0; k <= 8; ++k) {
            QCOMPARE(list[k], std::int64_t{1}); // the first fills what lies below it
        }
        QCOMPARE(list[9], std::int64_t{2});
        QCOMPARE(list[10], std::int64_t{0}); // between two boundaries: off
        QCOMPARE(list[11], std::int64_t{4});
        QCOMPARE(list[12], std::int64_t{8});
        QCOMPARE(list[15], std::int64_t{8});
    }

    void roundsByTheDivisions()
    {
        const replay::Rounding rule =
            parseSettings("roundup_power2_divisions:4").value().rounding();
        QCOMPARE(rule({1200 * kMebi}).value, 1280 * kMebi);
        QCOMPARE(rule({1024 * kMebi}).value, 1024 * kMebi);
        QCOMPARE(rule({700}).value, std::int64_t{1024});
    }

    void refusesWhatPyTorchRefuses_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"max_split_size_mb:19",
                                 "max_split_size_mb:-1",
                                 "max_split_size_mb:x",
                                 "max_split_size_mb",
                                 "expandable_segments:true",
                                 "expandable_segments:1",
                                 "garbage_collection_threshold:0",
                                 "garbage_collection_threshold:1",
                                 "garbage_collection_threshold:0.5x",
                                 "per_process_memory_fraction:1.5",
                                 "roundup_power2_divisions:3",
                                 "roundup_power2_divisions:0",
                                 "roundup_power2_divisions:[3:1]",
                                 "roundup_power2_divisions:[4:3]",
                                 "large_segment_size_mb:10",
                                 "max_non_split_rounding_mb:5",
                                 "large_segment_size_mb:64,max_split_size_mb:32",
                                 "backend:cudaMallocAsync",
                                 "expandable:True",
                                 ":True",
                                 "max_split_size_mb:99999999999999"}) {
            QTest::newRow(text) << text;
        }
    }
    void refusesWhatPyTorchRefuses()
    {
        QFETCH(const QString, text);
        const auto parsed = parseSettings(text.toStdString());
        QVERIFY(!parsed.has_value());
        QCOMPARE(parsed.error().code, ErrorCode::badArgument);
        QVERIFY(parsed.error().message.ends_with('.'));
    }

    void takesTheStatedValuesBeforeTheText()
    {
        trace::AllocatorSettings stated;
        stated.conf = "expandable_segments:True,max_split_size_mb:64,large_segment_size_mb:32";
        stated.expandable_segments = false; // torch 2.9.1 ignored the text
        stated.max_split_size_bytes = -1;
        stated.roundup_power2_divisions = {{"1", 0}, {"2", 8}, {"32768", 4}, {"65536", 4}};
        const Settings s = allocator::recordedSettings(stated, {});
        QVERIFY(!s.expandable_segments);
        QCOMPARE(s.max_split, Settings::kUnlimited);
        QCOMPARE(s.large_segment, 32 * kMebi);
        QCOMPARE(s.roundup_divisions[1], std::int64_t{8});
        QCOMPARE(s.roundup_divisions[15], std::int64_t{4});
        const auto again = parseSettings(s.text);
        QVERIFY(again.has_value() && placeAlike(again.value(), s));
        QVERIFY(allocator::recordedSettings({}, {}).text.empty());
    }
};

TIDEMARK_TEST(TstSettings)

} // namespace tidemark::tst_settings

#include "tst_settings.moc"
