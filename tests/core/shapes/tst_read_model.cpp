// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/shapes/read_model.h"
#include "tests/core/shapes/small_config.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <string>

namespace tidemark::tst_read_model {

using namespace tidemark::shapes;
using namespace tidemark::walk;

namespace {

/// JSON written with single quotes.
Result<ModelShape> read(std::string json)
{
    std::ranges::replace(json, '\'', '"');
    return readModelShape(json);
}

std::string messageOf(const std::string& json)
{
    const auto shape = read(json);
    return shape.has_value() ? "" : shape.error().message;
}

const std::string kLlama =
    "{'model_type':'llama','hidden_size':64,'intermediate_size':96,'num_hidden_layers':2,"
    "'num_attention_heads':4,'vocab_size':100";

} // namespace

class TstReadModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsLeftOutHasTheDefaultOfItsFamily()
    {
        const auto llama = read(kLlama + "}").value();
        QCOMPARE(llama.key_heads, 4);
        QCOMPARE(llama.head_width, 16);
        QVERIFY(!llama.ties_head);
        QVERIFY(!llama.has_query_bias);
        std::string gemma = kLlama;
        gemma.replace(gemma.find("llama"), 5, "gemma");
        QVERIFY(read(gemma + "}").value().ties_head);
        std::string qwen = kLlama;
        qwen.replace(qwen.find("llama"), 5, "qwen2");
        QVERIFY(read(qwen + "}").value().has_query_bias);
    }
    void everyKnownTypeIsRead()
    {
        QCOMPARE(knownModelTypes().size(), std::size_t{35});
        for (const std::string_view type : knownModelTypes()) {
            const std::string json = test::smallConfig(type);
            QVERIFY2(read(json).has_value(), messageOf(json).c_str());
        }
    }
    void whatIsWrongIsSaid_data()
    {
        QTest::addColumn<std::string>("json");
        QTest::addColumn<std::string>("part");
        const std::string& llama = kLlama;
        const auto row = [](const char* name, const std::string& json, const std::string& part) {
            QTest::newRow(name) << json << part;
        };
        row("no JSON", "hidden_size: 4", "Not JSON");
        row("a list", "[1]", "Not a JSON object");
        row("no type", "{}", "has no 'model_type'");
        row("unknown", "{'model_type':'mamba'}", "supported: llama, mistral");
        row("missing", "{'model_type':'llama','vocab_size':5}", "has no 'hidden_size'");
        row("negative", llama + ",'num_key_value_heads':-1}", "'num_key_value_heads'");
        row("huge", llama + ",'head_dim':99999999999}", "'head_dim'");
        row("a text", llama + ",'tie_word_embeddings':'yes'}", "'tie_word_embeddings'");
        row("heads", llama + ",'num_key_value_heads':3}", "not a multiple of key-value heads");
        row("layers",
            "{'model_type':'llama','hidden_size':64,'intermediate_size':96,'num_hidden_layers':"
            "9999,'num_attention_heads':4,'vocab_size':100}",
            "Not a real model");
        row("activation", llama + ",'hidden_act':'relu6'}", "activation function");
        row("norms of Phi",
            "{'model_type':'phi','hidden_size':64,'intermediate_size':96,'num_hidden_layers':2,"
            "'num_attention_heads':4,'vocab_size':100,'qk_layernorm':true}",
            "query and key norms is not supported");
        row("quantized", llama + ",'quantization_config':{}}",
            "Quantized checkpoints are not supported");
    }
    void whatIsWrongIsSaid()
    {
        QFETCH(const std::string, json);
        QFETCH(const std::string, part);
        const std::string message = messageOf(json);
        QVERIFY2(message.find(part) != std::string::npos, message.c_str());
        QVERIFY(message.ends_with('.'));
    }
    void layersSlideAsTheirFamilySays()
    {
        const auto slidingOf = [](const std::string& type, const std::string& more) {
            const std::string json = "{'model_type':'" + type
                + "','hidden_size':64,'intermediate_size':96,'num_hidden_layers':4,"
                  "'num_attention_heads':4,'vocab_size':100"
                + more + "}";
            return read(json).value().sliding;
        };
        using Layers = std::vector<bool>;
        const Layers most{true, true, true, false};
        QCOMPARE(slidingOf("olmo3", ""), most); // A window is the class's default,
        QCOMPARE(slidingOf("olmo3", ",'sliding_window':null"), Layers()); // and null is none.
        QCOMPARE(slidingOf("gemma2", ",'sliding_window':8"), Layers({true, false, true, false}));
        QCOMPARE(slidingOf("gemma3_text", ",'sliding_window_pattern':2"),
                 Layers({true, false, true, false}));
        QCOMPARE(slidingOf("starcoder2", ",'sliding_window':8"), Layers(4, true));
        QCOMPARE(slidingOf("smollm3", ",'sliding_window':8,'use_sliding_window':true"), most);
        QCOMPARE(slidingOf("llama", ",'sliding_window':8"), Layers());
    }
    void positionsFollowTheFamily()
    {
        const std::string sizes = "'hidden_size':64,'num_hidden_layers':4,'num_attention_heads':4,"
                                  "'intermediate_size':96,'ffn_dim':96,'vocab_size':100,"
                                  "'max_position_embeddings':130}";
        const ModelShape smol = read("{'model_type':'smollm3'," + sizes).value();
        QVERIFY(smol.turns(2) && !smol.turns(3));
        const ModelShape cohere = read("{'model_type':'cohere2'," + sizes).value();
        QVERIFY(cohere.turns(2) && !cohere.turns(3)); // What does not slide has none.
        const ModelShape neox = read("{'model_type':'gpt_neox'," + sizes).value();
        QCOMPARE(neox.rotary_width, 4); // A quarter of 16.
        QCOMPARE(read("{'model_type':'gpt_neox','rotary_pct':0.5," + sizes).value().rotary_width,
                 8);
        const ModelShape roberta = read("{'model_type':'roberta'," + sizes).value();
        QCOMPARE(roberta.positions, 128); // Two rows of the table are for padding.
        const ModelShape opt = read("{'model_type':'opt'," + sizes).value();
        QCOMPARE(opt.positions, 130);
        QCOMPARE(opt.position_offset, 2);
    }
    void deepJsonIsRefused()
    {
        QVERIFY(!messageOf(std::string(100'000, '[')).empty());
    }
    void anEncoderDecoderHasBothHalves()
    {
        const std::string t5 = "{'model_type':'t5','d_model':64,'d_kv':24,'d_ff':96,'num_layers':3,"
                               "'num_heads':4,'vocab_size':100";
        const ModelShape even = read(t5 + "}").value();
        QCOMPARE(even.layers, 6);
        QCOMPARE(even.decoder->layers, 3);
        QCOMPARE(even.queryWidth(), 96); // d_kv, not the hidden size.
        QVERIFY(even.scales_head && !even.is_gated && even.activation == Activation::relu);
        const ModelShape newer = read(t5
                                      + ",'num_decoder_layers':1,'feed_forward_proj':'gated-gelu',"
                                        "'tie_word_embeddings':false}")
                                     .value();
        QCOMPARE(newer.encoderLayers(), 3);
        QCOMPARE(newer.layers, 4);
        QVERIFY(!newer.scales_head && newer.is_gated && newer.activation == Activation::composed);
        QVERIFY(messageOf(t5 + ",'feed_forward_proj':'gated-mish'}").find("activation function")
                != std::string::npos);
        QVERIFY(messageOf("{'model_type':'bart','vocab_size':100}").find("'d_model'")
                != std::string::npos);
    }
    void anImageIsSoManyTokens()
    {
        const std::string vit = "{'model_type':'vit','hidden_size':64,'num_hidden_layers':2,"
                                "'num_attention_heads':4,'intermediate_size':96";
        const ModelShape model =
            read(vit + ",'image_size':64,'patch_size':16,'id2label':{'0':'a','1':'b','2':'c'}}")
                .value();
        QCOMPARE(model.images->tokens(), 17);
        QCOMPARE(model.images->labels, 3);
        QVERIFY(messageOf(vit + ",'image_size':8,'patch_size':16}").find("give no patches")
                != std::string::npos);
    }
    void layersWithExpertsFollowTheirStep()
    {
        ModelShape model;
        QVERIFY(!model.hasExperts(0));
        model.experts = Experts{.count = 4, .every = 2, .dense_layers = {3}};
        QVERIFY(!model.hasExperts(0));
        QVERIFY(model.hasExperts(1));
        QVERIFY(!model.hasExperts(3));
    }
    void windowsAreReadWhereTheFamilySlides()
    {
        const auto with = [](std::string type, const std::string& more) {
            std::string json = kLlama;
            json.replace(json.find("llama"), 5, type);
            return read(json + ",'sliding_window':32" + more + "}").value();
        };
        QCOMPARE(with("mistral", "").window, 32);
        QVERIFY(with("mistral", "").slides(1));
        QCOMPARE(with("qwen2", "").window, 0);
        QCOMPARE(with("qwen2", ",'use_sliding_window':true").window, 32);
        QVERIFY(!with("qwen2", ",'use_sliding_window':true").slides(1)); // Behind layer 28 only.
        const ModelShape listed =
            with("mistral", ",'layer_types':['full_attention','sliding_attention']");
        QVERIFY(!listed.slides(0) && listed.slides(1));
        QVERIFY(with("gemma2", "").slides(0) && !with("gemma2", "").slides(1));
    }
};

TIDEMARK_TEST(TstReadModel)

} // namespace tidemark::tst_read_model

#include "tst_read_model.moc"
