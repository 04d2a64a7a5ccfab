// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/catalog.h"
#include "core/plan/training.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <set>

using namespace tidemark;
using namespace tidemark::plan;

class TstCatalog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyModelHasItsPublishedNumberOfParameters_data()
    {
        QTest::addColumn<int>("index");
        for (int i = 0; i < static_cast<int>(knownModels().size()); ++i) {
            QTest::newRow(knownModels()[static_cast<std::size_t>(i)].name.c_str()) << i;
        }
    }
    void everyModelHasItsPublishedNumberOfParameters()
    {
        QFETCH(const int, index);
        const KnownModel& model = knownModels()[static_cast<std::size_t>(index)];
        RunShape run;
        run.sequence = 8;
        run.mode = Mode::inference;
        QCOMPARE(planRun(model.shape, run).parameters, model.parameters);
        QVERIFY(model.source.starts_with("https://huggingface.co/" + model.name + "/"));
    }
    void modelsAreFoundByEitherName()
    {
        QCOMPARE(findModel("Qwen/Qwen2.5-7B"), findModel("qwen2.5-7b"));
        QVERIFY(findModel("gpt2") != nullptr);
        QVERIFY(findModel("gpt3") == nullptr);
        QVERIFY(findModel("") == nullptr);
        QVERIFY(similarModels("qwen3-9b").find("Qwen/Qwen3-") == 0);
        QVERIFY(looksLikeModelName("org/name-1.5"));
        QVERIFY(!looksLikeModelName("batch_size=4"));
    }
    void namesAreUnique()
    {
        std::set<std::string> names;
        for (const KnownModel& model : knownModels()) {
            QVERIFY(names.insert(model.name).second);
        }
        for (const KnownCard& card : knownCards()) {
            QVERIFY(names.insert(card.name).second);
            QVERIFY(card.source.starts_with("https://"));
            QVERIFY(card.total > kGiB && card.total.value < (200LL << 30));
        }
    }
    void cardsAreFoundHoweverTheyAreWritten()
    {
        QVERIFY(findCard("a100 80gb") != nullptr);
        QCOMPARE(findCard("RTX4090"), findCard("rtx-4090"));
        QVERIFY(findCard("80GiB") == nullptr);
        QVERIFY(findCard("H100")->workspace > findCard("T4")->workspace);
    }
};

TIDEMARK_TEST(TstCatalog)
#include "tst_catalog.moc"
