// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/check/budget.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_budgets_file {

using check::Budget;
using check::Measure;

std::string file(const std::string& entries)
{
    return R"({"tidemark_budgets": 1, "budgets": [)" + entries + "]}";
}

class TstBudgetsFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void each_limit_is_a_budget()
    {
        const auto read = check::readBudgets(
            file(R"({"peak": "20 GiB", "reserved": 1024, "no_oom": true, "device": 1},
                    {"bucket": "activation", "peak": 5, "name": "mine"},
                    {"growth_per_step": 0, "fragmentation": 0.125, "device": "host"})"));
        QVERIFY(read.has_value());
        const std::vector<Budget>& budgets = read.value();
        QCOMPARE(budgets.size(), std::size_t{6});
        QCOMPARE(budgets[0].measure, Measure::peak);
        QCOMPARE(budgets[0].limit, std::int64_t{20} << 30);
        QCOMPARE(budgets[0].device.value(), 1);
        QCOMPARE(budgets[1].limit, std::int64_t{1024});
        QCOMPARE(budgets[2].measure, Measure::ooms);
        QCOMPARE(budgets[3].bucket.value(), label::Bucket::activation);
        QCOMPARE(QString::fromStdString(budgets[3].name), QStringLiteral("mine"));
        QCOMPARE(budgets[4].measure, Measure::growth);
        QCOMPARE(budgets[5].limit, std::int64_t{125'000});
        QCOMPARE(budgets[5].device.value(), -1);
    }

    void what_is_wrong_is_said_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const std::string& text, const char* words) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(words);
        };
        row("no JSON", "{", "no JSON");
        row("deep", std::string(100'000, '['), "no JSON");
        row("another version", R"({"tidemark_budgets": 2, "budgets": []})", "begin with");
        row("none", file(""), "there are none");
        row("a typo", file(R"({"peek": 1})"), "there is no peek");
        row("nothing limited", file(R"({"device": 0})"), "no limit");
        row("a word", file(R"({"peak": "large"})"), "large");
        row("below 0", file(R"({"peak": -1})"), "20 GiB");
        row("a share of 2", file(R"({"fragmentation": 2})"), "0 to 1");
        row("a bucket's growth", file(R"({"bucket": "gradient", "growth_per_step": 1})"), "peak");
        row("no bucket", file(R"({"bucket": "gradients", "peak": 1})"), "optimizer_state");
        row("no device", file(R"({"device": "gpu", "peak": 1})"), "CUDA index");
    }
    void what_is_wrong_is_said()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, words);
        const auto read = check::readBudgets(text.toStdString());
        QVERIFY(!read.has_value());
        QVERIFY2(QString::fromStdString(read.error().message).contains(words),
                 read.error().message.c_str());
    }
};

} // namespace tidemark::tst_budgets_file

using tidemark::tst_budgets_file::TstBudgetsFile;
TIDEMARK_TEST(TstBudgetsFile)
#include "tst_budgets_file.moc"
