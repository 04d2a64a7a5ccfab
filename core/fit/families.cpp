// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/fit/families.h"

#include <algorithm>

namespace tidemark::fit {
namespace {

constexpr std::array<std::string_view, 3> kBertDropouts{"hidden_dropout_prob",
                                                        "attention_probs_dropout_prob"};

constexpr std::array kFamilies{
    Family{.file = "llama", .is_gated = true},
    Family{.file = "mistral", .is_gated = true, .window = 4096},
    Family{.file = "qwen2", .is_gated = true},
    Family{.file = "qwen3", .is_gated = true},
    Family{.file = "gemma", .is_gated = true},
    Family{.file = "gemma2", .is_gated = true, .window = 4096},
    Family{.file = "gemma3", .model_type = "gemma3_text", .is_gated = true},
    Family{.file = "phi", .turned = 0.5},
    Family{.file = "phi3", .is_gated = true},
    Family{.file = "olmo", .is_gated = true},
    Family{.file = "olmo2", .is_gated = true},
    Family{.file = "olmo3", .is_gated = true},
    Family{.file = "smollm3", .is_gated = true},
    Family{.file = "granite", .is_gated = true},
    Family{.file = "cohere", .is_gated = true},
    Family{.file = "cohere2", .is_gated = true},
    Family{.file = "stablelm", .is_gated = true, .turned = 0.25},
    Family{.file = "starcoder2"},
    Family{.file = "gpt_neox", .is_joint = true, .turned = 0.25},
    Family{.file = "mixtral", .is_gated = true},
    Family{.file = "gpt2",
           .is_joint = true,
           .learned = 0,
           .dropouts = {"attn_pdrop", "resid_pdrop", "embd_pdrop"},
           .heads = "n_head"},
    Family{.file = "opt", .learned = 2, .dropouts = {"dropout"}},
    Family{.file = "bloom", .is_joint = true},
    Family{.file = "bert", .learned = 0, .dropouts = kBertDropouts},
    Family{.file = "roberta", .learned = 0, .dropouts = kBertDropouts},
    Family{.file = "xlm_roberta",
           .model_type = "xlm-roberta",
           .learned = 0,
           .dropouts = kBertDropouts},
    Family{.file = "camembert", .learned = 0, .dropouts = kBertDropouts},
    Family{.file = "distilbert",
           .learned = 0,
           .dropouts = {"dropout", "attention_dropout"},
           .heads = "n_heads"},
    Family{.file = "t5", .dropouts = {"dropout_rate"}, .heads = {}},
    Family{
        .file = "bart", .learned = 2, .dropouts = {"dropout"}, .heads = "encoder_attention_heads"},
    Family{.file = "vit", .dropouts = kBertDropouts},
};

} // namespace

const Family* familyOf(std::string_view file)
{
    const auto* const found = std::ranges::find(kFamilies, file, &Family::file);
    return found == kFamilies.end() ? nullptr : found;
}

} // namespace tidemark::fit
