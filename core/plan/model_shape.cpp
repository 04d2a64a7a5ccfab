// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/model_shape.h"

#include "core/base/json_depth.h"
#include "core/base/language.h"
#include "core/plan/config_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace tidemark::plan {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostLayers = 512;
constexpr std::int64_t kMostHeads = 4'096;
constexpr double kMostParameters = 1e14;

/// One family: what its code is built of, and the defaults of its configuration class. Source:
/// modeling_*.py and configuration_*.py of transformers 5.23.
struct Family {
    std::string_view model_type;
    Architecture architecture = Architecture::decoder;
    bool ties_head = false;
    bool has_query_bias = false; ///< Always; else as attention_bias says.
    bool has_head_norms = false;
    bool has_joint_projections = false;
    bool has_closing_norms = false;
    bool has_shifted_norms = false; ///< And a scaled embedding: Gemma.
    bool has_experts = false;
    std::string_view expert_count{};
    std::string_view expert_width{};
};

constexpr std::array kFamilies{
    Family{.model_type = "llama"},
    Family{.model_type = "mistral"},
    Family{.model_type = "qwen2", .has_query_bias = true},
    Family{.model_type = "qwen3", .has_head_norms = true},
    Family{.model_type = "gemma", .ties_head = true, .has_shifted_norms = true},
    Family{.model_type = "gemma2",
           .ties_head = true,
           .has_closing_norms = true,
           .has_shifted_norms = true},
    Family{.model_type = "phi3", .has_joint_projections = true},
    Family{.model_type = "mixtral",
           .has_experts = true,
           .expert_count = "num_local_experts",
           .expert_width = "intermediate_size"},
    Family{.model_type = "qwen2_moe",
           .has_query_bias = true,
           .has_experts = true,
           .expert_count = "num_experts",
           .expert_width = "moe_intermediate_size"},
    Family{.model_type = "qwen3_moe",
           .has_head_norms = true,
           .has_experts = true,
           .expert_count = "num_experts",
           .expert_width = "moe_intermediate_size"},
    Family{.model_type = "gpt2", .architecture = Architecture::gpt2, .ties_head = true},
    Family{.model_type = "bert", .architecture = Architecture::bert, .ties_head = true},
    Family{.model_type = "t5", .architecture = Architecture::t5, .ties_head = true},
    Family{.model_type = "bart", .architecture = Architecture::bart, .ties_head = true},
    Family{.model_type = "vit", .architecture = Architecture::vit},
};

void readExperts(ConfigReader& reader, const Family& family, ModelShape& shape)
{
    Experts experts;
    // transformers 5 writes num_local_experts for all of them.
    const std::string_view name =
        reader.has(family.expert_count) ? family.expert_count : "num_local_experts";
    experts.count = reader.size(name);
    experts.per_token = reader.size("num_experts_per_tok");
    experts.width = reader.size(family.expert_width);
    if (family.model_type == "qwen2_moe") {
        experts.shared_width = reader.size("shared_expert_intermediate_size");
    }
    experts.every = reader.size("decoder_sparse_step", 1);
    experts.dense_layers = reader.list("mlp_only_layers");
    experts.normalizes = reader.flag("norm_topk_prob", family.model_type == "mixtral");
    if (experts.per_token > experts.count) {
        reader.complain(
            say("The model's configuration gives each token more experts than there are."));
    }
    shape.experts = std::move(experts);
}

/// Which layers slide: as layer_types says, else as the family's configuration class makes that
/// list. Qwen slides only where it is told to.
void readWindow(ConfigReader& reader, ModelShape& shape)
{
    const bool is_qwen = shape.model_type.starts_with("qwen");
    const bool may_slide = is_qwen ? reader.flag("use_sliding_window", false)
                                   : shape.model_type != "llama" && shape.model_type != "gemma";
    if (!may_slide || !reader.has("sliding_window")) {
        return;
    }
    shape.window = reader.size("sliding_window");
    const std::vector<std::string> types = reader.texts("layer_types");
    constexpr double kQwenFirst = 28;
    const auto first = static_cast<std::int64_t>(
        is_qwen ? std::clamp(reader.number("max_window_layers", kQwenFirst), 0.0, 1e6) : 0.0);
    for (std::int64_t i = 0; i < std::min(shape.layers, kMostLayers); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool by_rule = shape.model_type == "gemma2" ? i % 2 == 0 : i >= first;
        shape.sliding.push_back(at < types.size() ? types[at] == "sliding_attention" : by_rule);
    }
}

void readDecoder(ConfigReader& reader, const Family& family, ModelShape& shape)
{
    shape.hidden = reader.size("hidden_size");
    shape.layers = reader.size("num_hidden_layers");
    shape.heads = reader.size("num_attention_heads");
    shape.key_heads = reader.size("num_key_value_heads", shape.heads);
    if (!reader.has("head_dim") && shape.heads > 0 && shape.hidden % shape.heads != 0) {
        reader.complain(
            say("The model's hidden size is no multiple of its heads, and no 'head_dim' is "
                "given."));
    }
    shape.head_width =
        reader.size("head_dim", std::max<std::int64_t>(1, shape.hidden / shape.heads));
    shape.rotary_width =
        static_cast<std::int64_t>(static_cast<double>(shape.head_width) * reader.rotaryShare());
    shape.feed_forward = reader.size("intermediate_size");
    shape.positions = reader.size("max_position_embeddings", kLargestSize);
    const bool biased = reader.flag("attention_bias", false);
    shape.has_query_bias = family.has_query_bias || biased;
    shape.has_output_bias = biased;
    shape.has_mlp_bias = reader.flag("mlp_bias", false);
    shape.has_head_norms = family.has_head_norms;
    shape.has_joint_projections = family.has_joint_projections;
    shape.has_closing_norms = family.has_closing_norms;
    shape.has_shifted_norms = family.has_shifted_norms;
    shape.scales_embedding = family.has_shifted_norms;
    shape.drops_attention = reader.number("attention_dropout", 0) > 0;
    shape.drops_hidden = reader.number("resid_pdrop", 0) > 0 && family.has_joint_projections;
    const bool is_gemma = family.has_shifted_norms;
    shape.activation =
        reader.activation(is_gemma ? reader.text("hidden_activation", "gelu_pytorch_tanh")
                                   : reader.text("hidden_act", "silu"));
    if (family.model_type == "gemma2") {
        shape.caps_scores = reader.number("attn_logit_softcapping", 50) > 0;
        shape.caps_logits = reader.number("final_logit_softcapping", 30) > 0;
    }
    if (family.has_experts) {
        readExperts(reader, family, shape);
    }
    readWindow(reader, shape);
}

/// At least as many as the model has, so that sizes can be multiplied without overflow.
double roughParameters(const ModelShape& shape)
{
    const auto of = [](std::int64_t size) { return static_cast<double>(size); };
    const double experts = shape.experts ? of(shape.experts->count) * of(shape.experts->width)
            + of(shape.experts->shared_width) + of(shape.experts->count)
                                         : 0;
    const double layer = of(shape.hidden)
        * (3 * (of(shape.feed_forward) + experts) + 4 * of(shape.heads) * of(shape.head_width));
    return 2 * of(shape.vocabulary) * of(shape.hidden) + of(shape.layers) * layer;
}

} // namespace

bool ModelShape::hasExperts(std::int64_t layer) const
{
    return experts && (layer + 1) % experts->every == 0
        && std::ranges::find(experts->dense_layers, layer) == experts->dense_layers.end();
}

std::vector<std::string_view> knownModelTypes()
{
    std::vector<std::string_view> types;
    for (const Family& family : kFamilies) {
        types.push_back(family.model_type);
    }
    return types;
}

bool isModelConfig(std::string_view text)
{
    try {
        const Json json = Json::parse(text, limitJsonDepth);
        return json.is_object() && json.contains("model_type");
    } catch (const std::exception&) {
        return false;
    }
}

Result<ModelShape> readModelShape(std::string_view text)
{
    const auto bad = [](std::string sentence) {
        return Error{ErrorCode::badArgument, std::move(sentence), {}};
    };
    Json json;
    try {
        json = Json::parse(text, limitJsonDepth);
    } catch (const std::exception&) {
        return bad(say("The model's configuration is no JSON; give the config.json of a model."));
    }
    if (!json.is_object()) {
        return bad(
            say("The model's configuration is no JSON object; give the config.json of a model."));
    }
    ConfigReader reader(json);
    const std::string type = reader.text("model_type", "");
    const auto family = std::ranges::find(kFamilies, type, &Family::model_type);
    if (family == kFamilies.end()) {
        const std::string known = fmt::format("{}", fmt::join(knownModelTypes(), ", "));
        return bad(type.empty()
                       ? say("The configuration names no 'model_type'; known are {}.", known)
                       : say("This 'model_type' is not known here; known are {}.", known));
    }
    ModelShape shape;
    shape.model_type = type;
    shape.stored_type = reader.text("dtype", reader.text("torch_dtype", ""));
    shape.architecture = family->architecture;
    if (family->architecture != Architecture::vit) {
        shape.vocabulary = reader.size("vocab_size");
    }
    shape.ties_head = reader.flag("tie_word_embeddings", family->ties_head);
    if (family->architecture == Architecture::decoder) {
        readDecoder(reader, *family, shape);
    } else {
        readClassicShape(reader, shape);
    }
    if (reader.has("quantization_config")) {
        reader.complain(
            say("Quantized weights are not planned; give the configuration of the model "
                "before it was quantized."));
    }
    if (shape.heads % shape.key_heads != 0) {
        reader.complain(say("The model's heads are no multiple of those of its keys."));
    }
    if (shape.layers > kMostLayers || shape.heads > kMostHeads
        || roughParameters(shape) > kMostParameters) {
        reader.complain(
            say("The configuration is that of no model: it has too many layers, heads or "
                "parameters."));
    }
    if (!reader.complaint().empty()) {
        return bad(reader.complaint());
    }
    return shape;
}

} // namespace tidemark::plan
