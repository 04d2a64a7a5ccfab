// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/shapes/families.h"

#include <algorithm>

namespace tidemark::shapes {
namespace {

void readExperts(ConfigReader& reader, const Family& family, walk::ModelShape& shape)
{
    walk::Experts experts;
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
            say("The model's configuration routes each token to more experts than exist."));
    }
    shape.experts = std::move(experts);
}

/// Which layers have no positions: SmolLM3 as no_rope_layers says (1: it has), Cohere 2 where they
/// do not slide.
void readUnturned(ConfigReader& reader, walk::ModelShape& shape)
{
    const std::int64_t count = std::min(shape.layers, kMostLayers);
    if (shape.model_type == "smollm3") {
        const std::vector<std::int64_t> told = reader.list("no_rope_layers");
        const std::int64_t every = reader.size("no_rope_layer_interval", 4);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            shape.unturned.push_back(at < told.size() ? told[at] == 0 : (i + 1) % every == 0);
        }
    } else if (shape.model_type == "cohere2") {
        for (std::int64_t i = 0; i < count; ++i) {
            shape.unturned.push_back(!shape.slides(i));
        }
    }
}

/// Which layers slide: as layer_types says, else as the family's configuration class makes that
/// list.
void readWindow(ConfigReader& reader, const DecoderTraits& traits, walk::ModelShape& shape)
{
    const bool asks = traits.sliding == Sliding::qwen || traits.sliding == Sliding::smollm;
    const bool may_slide =
        traits.sliding != Sliding::never && (!asks || reader.flag("use_sliding_window", false));
    const bool is_by_default = traits.window > 0 && !reader.knows("sliding_window");
    if (!may_slide || (!reader.has("sliding_window") && !is_by_default)) {
        return;
    }
    shape.window = is_by_default ? traits.window : reader.size("sliding_window");
    const std::vector<std::string> types = reader.texts("layer_types");
    constexpr double kQwenFirst = 28;
    const auto first = static_cast<std::int64_t>(
        traits.sliding == Sliding::qwen
            ? std::clamp(reader.number("max_window_layers", kQwenFirst), 0.0, 1e6)
            : 0.0);
    std::int64_t every = 1;
    if (traits.sliding == Sliding::most) {
        every = reader.size("sliding_window_pattern",
                            reader.size("_sliding_window_pattern", traits.full_every));
    }
    for (std::int64_t i = 0; i < std::min(shape.layers, kMostLayers); ++i) {
        const auto at = static_cast<std::size_t>(i);
        bool by_rule = i >= first;
        if (traits.sliding == Sliding::most) {
            by_rule = (i + 1) % every != 0;
        } else if (traits.sliding == Sliding::smollm) {
            by_rule = shape.turns(i);
        }
        shape.sliding.push_back(at < types.size() ? types[at] == "sliding_attention" : by_rule);
    }
}

/// What single families have beside.
void readOwnSettings(ConfigReader& reader, const Family& family, walk::ModelShape& shape)
{
    const std::string_view type = family.model_type;
    const auto drops = [&](std::string_view name) { return reader.number(name, 0) > 0; };
    const auto dropBehindBranches = [&](std::string_view name) {
        shape.drops_hidden = drops(name);
        shape.drops_attended = shape.drops_hidden;
    };
    const auto biasAttention = [&](bool is_biased) {
        shape.has_query_bias = is_biased;
        shape.has_output_bias = is_biased;
    };
    if (type == "phi") {
        shape.has_mlp_bias = true;
        shape.has_output_bias = true;
        shape.has_head_bias = true;
        shape.drops_embedding = drops("embd_pdrop");
        if (reader.flag("qk_layernorm", false)) {
            reader.complain(say("Phi with query and key norms is not supported."));
        }
    }
    if (type == "phi" || type == "phi3") {
        dropBehindBranches("resid_pdrop");
    } else if (type == "gpt_neox") {
        biasAttention(reader.flag("attention_bias", true));
        shape.has_mlp_bias = true;
        dropBehindBranches("hidden_dropout");
        shape.drops_embedding = shape.drops_hidden;
        if (!reader.flag("use_parallel_residual", true)) {
            shape.branches = walk::Branches::sequential;
        }
    } else if (type == "starcoder2") {
        shape.has_mlp_bias = reader.flag("use_bias", true);
        biasAttention(shape.has_mlp_bias);
        dropBehindBranches("residual_dropout");
        shape.drops_embedding = drops("embedding_dropout");
    } else if (type == "stablelm") {
        shape.has_query_bias = reader.flag("use_qkv_bias", false);
        shape.has_output_bias = false;
        shape.drops_hidden = drops("hidden_dropout");
        if (reader.flag("use_parallel_residual", false)) {
            shape.branches = walk::Branches::parallel_shared;
        }
        if (reader.flag("qk_layernorm", false)) {
            reader.complain(say("StableLM with query and key norms is not supported."));
        }
    } else if (type == "cohere") {
        shape.has_head_norms = reader.flag("use_qk_norm", false);
    } else if (type == "granite") {
        shape.scales_embedding = true;
        shape.scales_branches = true;
    } else if (type == "olmo" && reader.has("clip_qkv")) {
        reader.complain(say("OLMo with clip_qkv is not supported."));
    } else if (type == "gemma3_text" && reader.flag("use_bidirectional_attention", false)) {
        reader.complain(say("Gemma 3 with bidirectional attention is not supported."));
    }
    shape.scales_logits = type == "granite" || type.starts_with("cohere");
}

} // namespace

void takeTraits(const DecoderTraits& traits, walk::ModelShape& shape)
{
    shape.norm = traits.norm;
    shape.branches = traits.branches;
    shape.turning = traits.turning;
    shape.joint = traits.joint;
    shape.has_head_norms = traits.has_head_norms;
    shape.has_row_norms = traits.has_row_norms;
    shape.has_opening_norms = traits.has_opening_norms;
    shape.has_closing_norms = traits.has_closing_norms;
    shape.is_gated = traits.is_gated;
    shape.scales_embedding = traits.scales_embedding;
    shape.joins_rotation = traits.joins_rotation;
    shape.names = traits.names;
}

void readDecoder(ConfigReader& reader, const Family& family, walk::ModelShape& shape)
{
    const DecoderTraits& traits = family.decoder;
    takeTraits(traits, shape);
    shape.hidden = reader.size("hidden_size");
    shape.layers = reader.size("num_hidden_layers");
    shape.heads = reader.size("num_attention_heads");
    shape.key_heads = reader.size("num_key_value_heads", shape.heads);
    if (!reader.has("head_dim") && shape.heads > 0 && shape.hidden % shape.heads != 0) {
        reader.complain(
            say("Hidden size is not a multiple of the heads, and 'head_dim' is missing."));
    }
    shape.head_width =
        reader.size("head_dim", std::max<std::int64_t>(1, shape.hidden / shape.heads));
    shape.rotary_width = static_cast<std::int64_t>(
        static_cast<double>(shape.head_width)
        * reader.rotaryShare(reader.number("rotary_pct", traits.rotary_share)));
    shape.feed_forward = reader.size("intermediate_size");
    shape.positions = reader.size("max_position_embeddings", kLargestSize);
    const bool is_biased = reader.flag("attention_bias", false);
    shape.has_query_bias = traits.always_biased || is_biased;
    shape.has_output_bias = is_biased;
    shape.has_mlp_bias = reader.flag("mlp_bias", false);
    shape.drops_attention = reader.number("attention_dropout", 0) > 0;
    const bool is_gemma = family.model_type.starts_with("gemma");
    shape.activation = reader.activation(
        reader.text(is_gemma ? "hidden_activation" : "hidden_act", traits.activation));
    if (family.model_type == "gemma2" || family.model_type == "gemma3_text") {
        const bool has_defaults = family.model_type == "gemma2";
        shape.caps_scores = reader.number("attn_logit_softcapping", has_defaults ? 50 : 0) > 0;
        shape.caps_logits = reader.number("final_logit_softcapping", has_defaults ? 30 : 0) > 0;
    }
    readOwnSettings(reader, family, shape);
    if (!family.expert_count.empty()) {
        readExperts(reader, family, shape);
    }
    if (traits.sliding == Sliding::smollm) {
        readUnturned(reader, shape);
        readWindow(reader, traits, shape);
    } else {
        readWindow(reader, traits, shape);
        readUnturned(reader, shape);
    }
    const bool some_slide = std::ranges::find(shape.sliding, true) != shape.sliding.end();
    const bool some_do_not = std::ranges::find(shape.sliding, false) != shape.sliding.end();
    shape.rotations = traits.turns_by_kind && some_slide && some_do_not ? 2 : 1;
}

} // namespace tidemark::shapes
