// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

using namespace tidemark;

namespace {

Catalogue catalogue(std::string_view texts)
{
    const auto read =
        readCatalogue(R"({"language": "xx", "decimal_mark": ",", "group_mark": ".", "texts": )"
                      + std::string(texts) + '}');
    return read.has_value() ? read.value() : Catalogue{};
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
        useCatalogue(catalogue(R"({"{} of {}": "von {1} {0}"})"));
        QCOMPARE(say("{} of {}", "a", "b"), std::string("von b a"));
        QCOMPARE(say("{} in {}", "a", "b"), std::string("a in b"));
    }
    void oneAndMoreHaveTemplatesOfTheirOwn()
    {
        useCatalogue(catalogue(R"({"{} block": "{} Block", "{} blocks": "{} Blöcke"})"));
        QCOMPARE(sayCounted(1, "{} block", "{} blocks", 1), std::string("1 Block"));
        QCOMPARE(sayCounted(0, "{} block", "{} blocks", 0), std::string("0 Blöcke"));
    }
    void numbersTakeTheLanguagesMarks()
    {
        useCatalogue(catalogue("{}"));
        QCOMPARE(say("{:.2f} {:.3g}", 1.25, 0.125F), std::string("1,25 0,125"));
        QCOMPARE(formatBytes({1536}), std::string("1,50 KiB"));
        QCOMPARE(formatExactBytes({1073741824}), std::string("1.073.741.824 B"));
    }
    void aTextOutlivesTheChoiceOfItsLanguage()
    {
        useCatalogue(catalogue(R"({"a": "b"})"));
        const std::string_view text = translated("a");
        QVERIFY(useLanguage("en").has_value());
        QCOMPARE(text, std::string_view("b"));
        QCOMPARE(translated("a"), std::string_view("a"));
    }
    void aCatalogueWithOtherArgumentsIsRefused_data()
    {
        QTest::addColumn<QByteArray>("texts");
        QTest::addColumn<bool>("is_read");
        QTest::newRow("same") << QByteArray(R"({"{} {:.2f}": "{1:.2f} {0}"})") << true;
        QTest::newRow("one less") << QByteArray(R"({"{} {}": "{}"})") << false;
        QTest::newRow("one more") << QByteArray(R"({"{}": "{} {}"})") << false;
        QTest::newRow("another format") << QByteArray(R"({"{:.2f}": "{}"})") << false;
        QTest::newRow("names") << QByteArray(R"({"«a» of «b»": "«b» «a»"})") << true;
        QTest::newRow("another name") << QByteArray(R"({"«a»": "«b»"})") << false;
        QTest::newRow("braces") << QByteArray(R"({"{{}} {}": "{} {{}}"})") << true;
        QTest::newRow("not closed") << QByteArray(R"({"{}": "{0"})") << false;
        QTest::newRow("no texts") << QByteArray("3") << false;
    }
    void aCatalogueWithOtherArgumentsIsRefused()
    {
        QFETCH(QByteArray, texts);
        const auto read =
            readCatalogue(R"({"language": "xx", "texts": )" + texts.toStdString() + '}');
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
#include "tst_language.moc"
