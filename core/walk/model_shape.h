// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::walk {

enum class Architecture : std::uint8_t {
    decoder, ///< RMS norms, rotary positions, a gated feed-forward.
    gpt2,
    opt,
    bloom,
    bert, ///< And RoBERTa, DistilBERT, ELECTRA.
    modernbert,
    t5,
    bart,
    vit,
};

enum class Activation : std::uint8_t {
    fused, ///< One kernel that saves its input: silu, gelu.
    relu, ///< One that saves its result.
    composed, ///< Written out in Python, as gelu_new.
};

/// What normalises hidden states.
enum class NormKind : std::uint8_t {
    rms, ///< LlamaRMSNorm.
    rms_wide, ///< Olmo2RMSNorm: multiplied with the weight before it is cast back.
    rms_shifted, ///< GemmaRMSNorm: with 1 + weight in 32 bits.
    layer, ///< torch.nn.LayerNorm.
    plain, ///< OlmoLayerNorm: without weights, in 32 bits.
    centered, ///< CohereLayerNorm: written out, without a bias, in 32 bits.
};

/// How attention and feed-forward of a decoder's layer follow each other.
enum class Branches : std::uint8_t {
    sequential,
    parallel, ///< Both read the layer's input, each by a norm of its own.
    parallel_shared, ///< By one norm.
};

/// The angles of rotary positions, and what is done with them.
enum class Turning : std::uint8_t {
    narrow, ///< cos and sin in the type of the hidden states.
    wide_angles, ///< In 32 bits; the result is cast back (OLMo).
    wide_input, ///< Queries and keys are cast to 32 bits and back (Cohere).
};

/// Which matrices are one.
enum class Joint : std::uint8_t {
    none,
    parts, ///< Queries, keys, values behind each other; gate and up, too (Phi-3).
    heads, ///< Those of each head beside each other (GPT-NeoX).
};

/// What a family calls its linear layers where adapters look for them.
struct LinearNames {
    std::string_view joint = "qkv_proj";
    std::string_view out = "o_proj";
    std::string_view up = "up_proj";
    std::string_view down = "down_proj";
};

/// Feed-forwards of which each token uses some.
struct Experts {
    std::int64_t count = 0;
    std::int64_t per_token = 0;
    std::int64_t width = 0; ///< Of one.
    std::int64_t shared_width = 0; ///< Of one that all tokens use; 0: none.
    std::int64_t every = 1; ///< Each so-many-th layer has experts.
    std::vector<std::int64_t> dense_layers; ///< That have none all the same.
    bool normalizes = true; ///< The chosen weights are divided by their sum.
};

/// The second half of an encoder-decoder; what is not here is as in the first.
struct DecoderHalf {
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t feed_forward = 0;
};
/// What a vision transformer reads.
struct Images {
    std::int64_t width = 0; ///< Pixels.
    std::int64_t height = 0;
    std::int64_t patch = 0; ///< Pixels of a side.
    std::int64_t channels = 0;
    std::int64_t labels = 0; ///< Classes.

    [[nodiscard]] std::int64_t pixels() const
    {
        return width * height * channels;
    }
    /// One per patch, and one for the class.
    [[nodiscard]] std::int64_t tokens() const
    {
        return (width / patch) * (height / patch) + 1;
    }
};

/// What a model's configuration says that memory follows. Sizes in elements.
struct ModelShape {
    std::string model_type; ///< As Hugging Face names the family.
    std::string stored_type; ///< Of the checkpoint's weights: "bfloat16"; empty: not said.
    Architecture architecture = Architecture::decoder;
    std::int64_t vocabulary = 0;
    std::int64_t hidden = 0;
    std::int64_t layers = 0; ///< Of both halves.
    std::int64_t heads = 0;
    std::int64_t key_heads = 0;
    std::int64_t head_width = 0;
    std::int64_t rotary_width = 0; ///< Of a head, as far as its position turns it.
    std::int64_t feed_forward = 0;
    std::int64_t positions = 0; ///< Of learned positions; else the longest sequence it is made for.
    std::int64_t position_offset = 0; ///< Rows of their table that come before the first.
    std::int64_t embedding_width = 0; ///< Of words, where it is not the hidden size; else 0.
    std::int64_t token_types = 0;
    std::int64_t window = 0; ///< Of sliding attention; 0: none.
    std::vector<bool> sliding; ///< Which layers have it; as many as there are layers, or none.
    std::optional<Experts> experts;
    std::optional<DecoderHalf> decoder; ///< Of encoder-decoders.
    std::optional<Images> images;
    std::int64_t distance_buckets = 0; ///< Of T5's relative positions.
    bool is_gated = true; ///< The feed-forward, of T5 and decoders.
    bool scales_head = false; ///< T5 scales what the head reads.
    bool drops_inner = false; ///< Dropout within the feed-forward.
    bool scales_queries = false; ///< Before attention, not within (OPT).
    bool closes_branches = false; ///< OPT's norms come behind the additions.
    bool counts_positions = false; ///< Positions follow from the tokens, sample by sample.
    Activation activation = Activation::fused;
    bool has_query_bias = false; ///< Of queries, keys and values.
    bool has_output_bias = false;
    bool has_mlp_bias = false;
    bool has_head_norms = false; ///< Queries and keys are normalised per head.
    bool has_row_norms = false; ///< Queries and keys are normalised over all heads together.
    bool has_opening_norms = true; ///< A norm in front of attention and feed-forward.
    bool has_closing_norms = false; ///< Another norm behind attention and feed-forward.
    Joint joint = Joint::none;
    NormKind norm = NormKind::rms; ///< Of decoders.
    Branches branches = Branches::sequential;
    Turning turning = Turning::narrow;
    bool joins_rotation = false; ///< What is turned and what is not are put together again.
    std::vector<bool> unturned; ///< Layers without positions; as many as there are, or none.
    LinearNames names; ///< Of decoders.
    std::int64_t rotations = 1; ///< Sets of angles: one for each kind of layer where they differ.
    bool scales_embedding = false;
    bool scales_branches = false; ///< What attention and feed-forward add (Granite).
    bool scales_logits = false;
    bool has_head_bias = false;
    bool has_norm_bias = true; ///< Of ModernBERT's norms.
    bool caps_scores = false; ///< Soft cap of the attention scores, which fused kernels lack.
    bool caps_logits = false;
    bool ties_head = false;
    bool drops_attention = false; ///< Dropout with a probability above 0.
    bool drops_hidden = false;
    bool drops_attended = false; ///< Behind attention; drops_hidden: behind the feed-forward.
    bool drops_embedding = false;

    /// Loss of the next token, of which transformers makes the logits 32 bits wide.
    [[nodiscard]] bool isCausal() const
    {
        return architecture == Architecture::decoder || architecture == Architecture::gpt2
            || architecture == Architecture::opt || architecture == Architecture::bloom;
    }
    /// The loss makes the logits 32 bits wide (loss/loss_utils.py).
    [[nodiscard]] bool widensLogits() const
    {
        return isCausal() || architecture == Architecture::modernbert;
    }
    /// Its code makes the scores of attention, whatever kernels there are.
    [[nodiscard]] bool needsScores() const
    {
        return caps_scores || architecture == Architecture::bloom;
    }
    /// Of the table of words, and of the head.
    [[nodiscard]] std::int64_t wordWidth() const
    {
        return embedding_width > 0 ? embedding_width : hidden;
    }
    [[nodiscard]] std::int64_t encoderLayers() const
    {
        return layers - (decoder ? decoder->layers : 0);
    }
    [[nodiscard]] std::int64_t queryWidth() const
    {
        return heads * head_width;
    }
    [[nodiscard]] std::int64_t keyWidth() const
    {
        return key_heads * head_width;
    }
    [[nodiscard]] bool hasExperts(std::int64_t layer) const
    {
        return experts && (layer + 1) % experts->every == 0
            && std::ranges::find(experts->dense_layers, layer) == experts->dense_layers.end();
    }
    [[nodiscard]] bool turns(std::int64_t layer) const
    {
        return unturned.empty() || !unturned[static_cast<std::size_t>(layer)];
    }
    /// Whether it is built of what plans of divided models know.
    [[nodiscard]] bool isLlamaKind() const
    {
        return architecture == Architecture::decoder && branches == Branches::sequential && is_gated
            && !has_row_norms && !has_head_bias
            && (norm == NormKind::rms || norm == NormKind::rms_shifted);
    }
    [[nodiscard]] bool slides(std::int64_t layer) const
    {
        return !sliding.empty() && sliding[static_cast<std::size_t>(layer)];
    }
};

} // namespace tidemark::walk
