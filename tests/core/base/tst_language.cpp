// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/beside.h"
#include "core/base/format.h"
#include "core/base/language.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <string>
#include <utility>

namespace tidemark::tst_language {

namespace {

/// As JSON, with single quotation marks for double ones.
Result<Catalogue> readTexts(const std::string& texts)
{
    std::string json =
        "{'language': 'xx', 'decimal_mark': ',', 'group_mark': '.', 'texts': " + texts + '}';
    std::ranges::replace(json, '\'', '"');
    return readCatalogue(json);
}

void use(const char* texts)
{
    auto catalogue = readTexts(texts);
    QVERIFY(catalogue.has_value());
    useCatalogue(std::move(catalogue).value());
}

} // namespace

class TstLanguage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup()
    {
        QVERIFY(useLanguage("en").has_value());
    }
    void englishIsTheTemplateItself()
    {
        QCOMPARE(say("{} of {:.2f}", 1, 2.5), std::string("1 of 2.50"));
        QCOMPARE(language().id, std::string("en"));
    }
    void aTranslationPutsTheArgumentsInItsOwnOrder()
    {
        use("{'{} of {}': 'von {1} {0}'}");
        QCOMPARE(say("{} of {}", "a", "b"), std::string("von b a"));
        QCOMPARE(say("{} in {}", "a", "b"), std::string("a in b"));
    }
    void oneAndMoreHaveTemplatesOfTheirOwn()
    {
        use("{'{} block': '{} Block', '{} blocks': '{} Blöcke'}");
        QCOMPARE(sayCounted(1, "{} block", "{} blocks", 1), std::string("1 Block"));
        QCOMPARE(sayCounted(0, "{} block", "{} blocks", 0), std::string("0 Blöcke"));
    }
    void numbersTakeTheLanguagesMarks()
    {
        use("{}");
        QCOMPARE(say("{:.2f} {:.3g}", 1.25, 0.125F), std::string("1,25 0,125"));
        QCOMPARE(formatBytes({1536}), std::string("1,50 KiB"));
        QCOMPARE(formatExactBytes({1073741824}), std::string("1.073.741.824 B"));
    }
    void bytesOfASentenceShareAUnit()
    {
        constexpr Bytes kNeed{102LL << 30};
        constexpr Bytes kCard{157LL << 29};
        QCOMPARE(say("{} of {}", Bare{kNeed}, kCard), std::string("102.0 of 78.5 GiB"));
        QCOMPARE(say("{}, {} free", kCard, std::optional<Bytes>()),
                 std::string("78.5 GiB, unknown free"));
        QCOMPARE(say("{} ({})", kNeed, Signed{kCard - kNeed}),
                 std::string("102.0 GiB (−23.5 GiB)"));
        QCOMPARE(say("{} of {}", Around{{79LL << 30}, {77LL << 30}, kNeed}, Between{kCard, kCard}),
                 std::string("79 GiB (77–102) of 78.5 GiB"));
        use("{'{} of {}': 'von {1} {0}'}");
        QCOMPARE(say("{} of {}", Bare{kNeed}, kCard), std::string("von 78,5 GiB 102,0"));
    }
    void amountsOfATextShareTheUnitOfTheLargest()
    {
        const auto asked = [](std::int64_t mebi) {
            return say("Asked {}, {} free.", Bytes{mebi << 20}, Bytes{211LL << 20});
        };
        const auto compose = [&](std::int64_t mebi) {
            return sayTogether([&] {
                const std::string kept = sayTogether([&] { return asked(mebi); }); // A part of it.
                return kept + say(" It takes {}, {} a step.", Bytes{747LL << 20}, Bytes{9LL << 10})
                    + say(" {} in all.", Bytes{7LL << 30});
            });
        };
        QCOMPARE(compose(625),
                 std::string("Asked 0.61 GiB, 0.21 GiB free. It takes 0.73 GiB, "
                             "9.00 KiB a step. 7.00 GiB in all."));
        // Figures that differ do not read the same.
        QCOMPARE(compose(210),
                 std::string("Asked 210 MiB, 211 MiB free. It takes 0.73 GiB, "
                             "9.00 KiB a step. 7.00 GiB in all."));
        QCOMPARE(asked(625), std::string("Asked 625 MiB, 211 MiB free."));
    }
    void sentencesOfAPageShareTheUnitOfItsLargestFigure()
    {
        const auto blocks = [](std::int64_t kibi, std::int64_t pinned) {
            return say("{} pins {}.", Bytes{kibi << 10}, Bytes{pinned << 20});
        };
        sayBeside({7LL << 30}, [&] {
            QCOMPARE(say("{} of state.", Bytes{759LL << 20}), std::string("0.74 GiB of state."));
            QCOMPARE(say("{}", Bytes{4LL << 30}), std::string("4.00 GiB"));
            QCOMPARE(blocks(306 << 10, 105), std::string("0.30 GiB pins 0.10 GiB."));
            // No two units in a sentence that needs but one.
            QCOMPARE(blocks(65638, 127), std::string("64.1 MiB pins 127.0 MiB."));
            QCOMPARE(blocks(3, 2048), std::string("3.00 KiB pins 2.00 GiB."));
        });
        // Digits are not lost to a larger one.
        sayBeside({120LL << 30},
                  [&] { QCOMPARE(say("{}", Bytes{4LL << 30}), std::string("4.00 GiB")); });
        QCOMPARE(blocks(306 << 10, 105), std::string("306 MiB pins 105 MiB."));
    }
    void aTextOutlivesTheChoiceOfItsLanguage()
    {
        use("{'a': 'b'}");
        const std::string_view text = translated("a");
        QVERIFY(useLanguage("en").has_value());
        QCOMPARE(text, std::string_view("b"));
        QCOMPARE(translated("a"), std::string_view("a"));
    }
    void aCatalogueWithOtherArgumentsIsRefused_data()
    {
        QTest::addColumn<QByteArray>("texts");
        QTest::addColumn<bool>("is_read");
        QTest::newRow("same") << QByteArray("{'{} {:.2f}': '{1:.2f} {0}'}") << true;
        QTest::newRow("one less") << QByteArray("{'{} {}': '{}'}") << false;
        QTest::newRow("one more") << QByteArray("{'{}': '{} {}'}") << false;
        QTest::newRow("another format") << QByteArray("{'{:.2f}': '{}'}") << false;
        QTest::newRow("names") << QByteArray("{'«a» of «b»': '«b» «a»'}") << true;
        QTest::newRow("another name") << QByteArray("{'«a»': '«b»'}") << false;
        QTest::newRow("braces") << QByteArray("{'{{}} {}': '{} {{}}'}") << true;
        QTest::newRow("not closed") << QByteArray("{'{}': '{0'}") << false;
        QTest::newRow("no texts") << QByteArray("3") << false;
    }
    void aCatalogueWithOtherArgumentsIsRefused()
    {
        QFETCH(QByteArray, texts);
        const auto read = readTexts(texts.toStdString());
        QTEST(read.has_value(), "is_read");
    }
    void germanIsBuiltIn()
    {
        QVERIFY(useLanguage("de").has_value());
        QCOMPARE(language().id, std::string("de"));
        QCOMPARE(formatKnown({}), std::string("unbekannt"));
        QVERIFY(!useLanguage("xx").has_value());
        QCOMPARE(language().id, std::string("de"));
    }
};

TIDEMARK_TEST(TstLanguage)

} // namespace tidemark::tst_language

#include "tst_language.moc"
