// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/shapes/linear_names.h"
#include "core/shapes/read_model.h"
#include "tests/core/shapes/small_config.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QtTest/QTest>

#include <algorithm>
#include <string>

namespace tidemark::tst_linear_names {

using namespace tidemark::shapes;

namespace {

walk::ModelShape shapeOf(std::string_view type)
{
    return readModelShape(test::smallConfig(type)).value();
}

} // namespace

class TstLinearNames : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING of PEFT 0.21.2; below the line what PEFT
    /// has no row of.
    void unnamedTheLayersArePefts_data()
    {
        QTest::addColumn<std::string>("layers");
        const auto row = [](const char* type, const char* layers) {
            QTest::newRow(type) << std::string(layers);
        };
        for (const char* type : {"llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2",
                                 "gemma3_text", "stablelm", "mixtral", "opt", "bart"}) {
            row(type, "q_proj,v_proj");
        }
        row("phi", "q_proj,v_proj,fc1,fc2");
        row("gpt_neox", "query_key_value");
        row("bloom", "query_key_value");
        row("gpt2", "c_attn");
        row("t5", "q,v");
        for (const char* type : {"bert", "roberta", "xlm-roberta", "electra"}) {
            row(type, "query,value");
        }
        // ----
        row("phi3", "qkv_proj");
        row("modernbert", "Wqkv");
        row("distilbert", "q_lin,v_lin");
        row("vit", "q_proj,v_proj");
        row("olmo2", "q_proj,v_proj");
        row("qwen3_moe", "q_proj,v_proj");
    }
    void unnamedTheLayersArePefts()
    {
        QFETCH(const std::string, layers);
        const walk::ModelShape model = shapeOf(QTest::currentDataTag());
        QCOMPARE(fmt::format("{}", fmt::join(usualTargets(model), ",")), layers);
    }
    void everyUsualLayerIsOfTheModel()
    {
        for (const std::string_view type : knownModelTypes()) {
            const walk::ModelShape model = shapeOf(type);
            const std::vector<std::string> all = linearNames(model);
            for (const std::string& name : usualTargets(model)) {
                QVERIFY2(std::ranges::find(all, name) != all.end(), name.c_str());
            }
            QCOMPARE(targetsOf(model, {"all-linear"}), all);
        }
    }
    void aTypeAloneNamesTheLayersOfItsModels()
    {
        for (const std::string_view type : knownModelTypes()) {
            QCOMPARE(
                QString::fromStdString(objectionTo(linearNames(shapeOf(type)), linearNames(type))),
                QString());
        }
        QVERIFY(linearNames("unheard-of").empty());
    }
};

TIDEMARK_TEST(TstLinearNames)

} // namespace tidemark::tst_linear_names

#include "tst_linear_names.moc"
