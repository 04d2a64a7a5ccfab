// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/shapes/config_reader.h"

#include <algorithm>

namespace tidemark::shapes {
namespace {

/// Under the names that most encoders have for them.
void readSizes(ConfigReader& reader, walk::ModelShape& shape)
{
    shape.hidden = reader.size("hidden_size");
    shape.layers = reader.size("num_hidden_layers");
    shape.heads = reader.size("num_attention_heads");
    shape.feed_forward = reader.size("intermediate_size");
}

void readGpt2(ConfigReader& reader, walk::ModelShape& shape)
{
    shape.hidden = reader.size("n_embd");
    shape.layers = reader.size("n_layer");
    shape.heads = reader.size("n_head");
    shape.feed_forward = reader.size("n_inner", 4 * shape.hidden);
    shape.positions = reader.size("n_positions");
    shape.activation = reader.activation(reader.text("activation_function", "gelu_new"));
    shape.drops_attention = reader.number("attn_pdrop", 0.1) > 0;
    shape.drops_hidden = reader.number("resid_pdrop", 0.1) > 0;
    shape.drops_embedding = reader.number("embd_pdrop", 0.1) > 0;
    if (reader.flag("add_cross_attention", false)
        || reader.flag("reorder_and_upcast_attn", false)) {
        reader.complain(say("GPT-2 with cross or upcast attention is not supported."));
    }
}

void readDistilBert(ConfigReader& reader, walk::ModelShape& shape)
{
    shape.hidden = reader.size(reader.firstOf({"hidden_size", "dim"}));
    shape.layers = reader.size(reader.firstOf({"num_hidden_layers", "n_layers"}));
    shape.heads = reader.size(reader.firstOf({"num_attention_heads", "n_heads"}));
    shape.feed_forward = reader.size("hidden_dim");
    shape.positions = reader.size("max_position_embeddings");
    shape.activation = reader.activation(reader.text("activation", "gelu"));
    shape.drops_attention = reader.number("attention_dropout", 0.1) > 0;
    shape.drops_hidden = reader.number("dropout", 0.1) > 0;
    shape.drops_embedding = shape.drops_hidden;
}

void readOpt(ConfigReader& reader, walk::ModelShape& shape)
{
    shape.hidden = reader.size("hidden_size");
    shape.layers = reader.size("num_hidden_layers");
    shape.heads = reader.size("num_attention_heads");
    shape.feed_forward = reader.size("ffn_dim");
    shape.positions = reader.size("max_position_embeddings");
    shape.position_offset = 2; // OPTLearnedPositionalEmbedding
    const std::int64_t width = reader.size("word_embed_proj_dim", shape.hidden);
    shape.embedding_width = width == shape.hidden ? 0 : width;
    shape.scales_queries = true;
    shape.closes_branches = !reader.flag("do_layer_norm_before", true);
    shape.has_query_bias = reader.flag("enable_bias", true);
    shape.activation = reader.activation(reader.text("activation_function", "relu"));
    shape.drops_attention = reader.number("attention_dropout", 0) > 0;
    shape.drops_hidden = reader.number("dropout", 0.1) > 0;
    if (reader.number("layerdrop", 0) > 0) {
        reader.complain(say("layerdrop is not supported."));
    }
    if (!reader.flag("layer_norm_elementwise_affine", true)
        || reader.flag("_remove_final_layer_norm", false)) {
        reader.complain(say("OPT without norm weights, or without norms, is not supported."));
    }
}

void readBloom(ConfigReader& reader, walk::ModelShape& shape)
{
    shape.hidden = reader.size(reader.firstOf({"n_embed", "hidden_size"}));
    shape.layers = reader.size(reader.firstOf({"num_hidden_layers", "n_layer"}));
    shape.heads = reader.size(reader.firstOf({"num_attention_heads", "n_head"}));
    shape.feed_forward = 4 * shape.hidden;
    shape.positions = kLargestSize;
    shape.closes_branches = reader.flag("apply_residual_connection_post_layernorm", false);
    shape.drops_attention = reader.number("attention_dropout", 0) > 0;
    shape.drops_hidden = reader.number("hidden_dropout", 0) > 0;
    if (reader.flag("slow_but_exact", false)) {
        reader.complain(say("BLOOM with slow_but_exact is not supported."));
    }
}

void readModernBert(ConfigReader& reader, walk::ModelShape& shape)
{
    readSizes(reader, shape);
    shape.positions = reader.size("max_position_embeddings", 8192);
    shape.activation = reader.activation(reader.text("hidden_activation", "gelu"));
    shape.turning = walk::Turning::wide_input;
    shape.has_norm_bias = reader.flag("norm_bias", false);
    shape.has_query_bias = reader.flag("attention_bias", false);
    shape.has_mlp_bias = reader.flag("mlp_bias", false);
    shape.has_output_bias = reader.flag("classifier_bias", false);
    shape.has_head_bias = reader.flag("decoder_bias", true);
    shape.drops_attention = reader.number("attention_dropout", 0) > 0;
    shape.drops_inner = reader.number("mlp_dropout", 0) > 0;
    shape.drops_embedding = reader.number("embedding_dropout", 0) > 0;
    shape.window = std::max<std::int64_t>(1, reader.size("local_attention", 128) / 2);
    const std::vector<std::string> types = reader.texts("layer_types");
    const std::int64_t every = reader.size("global_attn_every_n_layers", 3);
    for (std::int64_t i = 0; i < std::min<std::int64_t>(shape.layers, 512); ++i) {
        const auto at = static_cast<std::size_t>(i);
        shape.sliding.push_back(at < types.size() ? types[at] == "sliding_attention"
                                                  : i % every != 0);
    }
    if (reader.flag("sparse_prediction", false)) {
        reader.complain(say("ModernBERT with sparse_prediction is not supported."));
    }
}

void readBert(ConfigReader& reader, walk::ModelShape& shape)
{
    if (shape.model_type == "distilbert") {
        readDistilBert(reader, shape);
        return;
    }
    readSizes(reader, shape);
    shape.positions = reader.size("max_position_embeddings");
    shape.token_types = reader.size("type_vocab_size", 2);
    shape.activation = reader.activation(reader.text("hidden_act", "gelu"));
    shape.drops_attention = reader.number("attention_probs_dropout_prob", 0.1) > 0;
    shape.drops_hidden = reader.number("hidden_dropout_prob", 0.1) > 0;
    shape.drops_attended = shape.drops_hidden;
    shape.drops_embedding = shape.drops_hidden;
    if (shape.model_type == "electra") {
        const std::int64_t width = reader.size("embedding_size", 128);
        shape.embedding_width = width == shape.hidden ? 0 : width;
    } else if (shape.model_type != "bert") {
        // RoBERTa and its kin begin behind the row of padding (create_position_ids_from_input_ids).
        shape.counts_positions = true;
        shape.position_offset = std::min<std::int64_t>(2, shape.positions - 1);
        shape.positions -= shape.position_offset;
    }
    if (reader.flag("is_decoder", false) || reader.flag("add_cross_attention", false)) {
        reader.complain(say("BERT as a decoder is not supported."));
    }
}

void readT5(ConfigReader& reader, walk::ModelShape& shape)
{
    shape.hidden = reader.size("d_model");
    walk::DecoderHalf& decoder = shape.decoder.emplace();
    const std::int64_t encoder_layers = reader.size("num_layers");
    decoder.layers = reader.size("num_decoder_layers", encoder_layers);
    shape.layers = encoder_layers + decoder.layers;
    shape.heads = reader.size("num_heads");
    decoder.heads = shape.heads;
    shape.head_width = reader.size("d_kv");
    shape.feed_forward = reader.size("d_ff");
    decoder.feed_forward = shape.feed_forward;
    shape.positions = kLargestSize;
    shape.distance_buckets = reader.size("relative_attention_num_buckets", 32);
    const std::string projection = reader.text("feed_forward_proj", "relu");
    shape.is_gated = projection.starts_with("gated-");
    const std::string function = projection.substr(shape.is_gated ? 6 : 0);
    // The first T5 of this name used the one that is written out (configuration_t5.py).
    shape.activation = reader.activation(projection == "gated-gelu" ? "gelu_new" : function);
    const bool drops = reader.number("dropout_rate", 0.1) > 0;
    shape.drops_attention = drops;
    shape.drops_hidden = drops;
    shape.drops_inner = drops;
    // Files of 1.1 say that the head is not tied, and mean that its input is not scaled; newer ones
    // say that by name.
    const bool is_tied = reader.flag("tie_word_embeddings", true);
    shape.scales_head = reader.flag("scale_decoder_outputs", is_tied);
    shape.ties_head = true;
}

void readBart(ConfigReader& reader, walk::ModelShape& shape)
{
    shape.hidden = reader.size("d_model");
    walk::DecoderHalf& decoder = shape.decoder.emplace();
    const std::int64_t encoder_layers = reader.size("encoder_layers");
    decoder.layers = reader.size("decoder_layers");
    shape.layers = encoder_layers + decoder.layers;
    shape.heads = reader.size("encoder_attention_heads");
    decoder.heads = reader.size("decoder_attention_heads");
    shape.feed_forward = reader.size("encoder_ffn_dim");
    decoder.feed_forward = reader.size("decoder_ffn_dim");
    shape.positions = reader.size("max_position_embeddings", 1024);
    shape.activation = reader.activation(reader.text("activation_function", "gelu"));
    shape.drops_attention = reader.number("attention_dropout", 0) > 0;
    shape.drops_inner = reader.number("activation_dropout", 0) > 0;
    shape.drops_hidden = reader.number("dropout", 0.1) > 0;
    shape.drops_embedding = shape.drops_hidden;
    if (shape.hidden % decoder.heads != 0) {
        reader.complain(say("Hidden size is not a multiple of the decoder's heads."));
    }
    if (reader.number("encoder_layerdrop", 0) > 0 || reader.number("decoder_layerdrop", 0) > 0) {
        reader.complain(say("layerdrop is not supported."));
    }
}

void readVit(ConfigReader& reader, walk::ModelShape& shape)
{
    readSizes(reader, shape);
    shape.has_query_bias = reader.flag("qkv_bias", true);
    shape.activation = reader.activation(reader.text("hidden_act", "gelu"));
    shape.drops_attention = reader.number("attention_probs_dropout_prob", 0) > 0;
    shape.drops_hidden = reader.number("hidden_dropout_prob", 0) > 0;
    walk::Images& images = shape.images.emplace();
    images.height = reader.size("image_size", 224);
    images.width = images.height;
    images.patch = reader.size("patch_size", 16);
    images.channels = reader.size("num_channels", 3);
    // config.json lists the classes; `num_labels` stands for them where they are left out.
    images.labels = reader.entries("id2label", reader.size("num_labels", 2));
    if (images.patch > images.width || images.width > 16'384) {
        reader.complain(
            say("'image_size' and 'patch_size' in the model's configuration give no patches."));
        images.patch = images.width;
    }
    shape.positions = images.tokens();
}

} // namespace

void readClassicShape(ConfigReader& reader, walk::ModelShape& shape)
{
    switch (shape.architecture) {
    case walk::Architecture::decoder:
        break;
    case walk::Architecture::gpt2:
        readGpt2(reader, shape);
        break;
    case walk::Architecture::opt:
        readOpt(reader, shape);
        break;
    case walk::Architecture::bloom:
        readBloom(reader, shape);
        break;
    case walk::Architecture::modernbert:
        readModernBert(reader, shape);
        break;
    case walk::Architecture::bert:
        readBert(reader, shape);
        break;
    case walk::Architecture::t5:
        readT5(reader, shape);
        break;
    case walk::Architecture::bart:
        readBart(reader, shape);
        break;
    case walk::Architecture::vit:
        readVit(reader, shape);
        break;
    }
    shape.key_heads = shape.heads;
    if (shape.head_width == 0) {
        shape.head_width =
            std::max<std::int64_t>(1, shape.hidden / std::max<std::int64_t>(1, shape.heads));
        if (shape.heads > 0 && shape.hidden % shape.heads != 0) {
            reader.complain(say("Hidden size is not a multiple of the heads."));
        }
    }
    if (shape.architecture == walk::Architecture::modernbert) {
        shape.rotary_width = shape.head_width;
    }
}

} // namespace tidemark::shapes
