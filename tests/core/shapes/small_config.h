// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tidemark::test {

/// A configuration that is read as any known type: small, with each family's own names.
inline std::string smallConfig(std::string_view type)
{
    std::string json = "{'model_type':'" + std::string(type)
        + "','hidden_size':64,'intermediate_size':96,'num_hidden_layers':2,"
          "'num_attention_heads':4,'vocab_size':100,'num_experts':4,'num_local_experts':4,"
          "'num_experts_per_tok':2,'moe_intermediate_size':32,"
          "'shared_expert_intermediate_size':32,'max_position_embeddings':128,"
          "'n_embd':64,'n_layer':2,'n_head':4,'n_positions':128,"
          "'d_model':64,'d_kv':16,'d_ff':96,'num_layers':2,'num_heads':4,"
          "'ffn_dim':96,'hidden_dim':96,"
          "'encoder_layers':2,'decoder_layers':2,'encoder_attention_heads':4,"
          "'decoder_attention_heads':4,'encoder_ffn_dim':96,'decoder_ffn_dim':96}";
    std::ranges::replace(json, '\'', '"');
    return json;
}

} // namespace tidemark::test
