// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/shapes/config_reader.h"
#include "core/walk/model_shape.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tidemark::shapes {

inline constexpr std::int64_t kMostLayers = 512;

/// Which layers of a family see a window only, unless layer_types says it.
enum class Sliding : std::uint8_t {
    never,
    all, ///< Where the configuration has a window.
    qwen, ///< Where it is told to, from a layer on.
    smollm, ///< Where it is told to, those with positions.
    most, ///< All but each so-many-th.
};

/// What a decoder's configuration does not say, for its class says it.
struct DecoderTraits {
    walk::NormKind norm = walk::NormKind::rms;
    walk::Branches branches = walk::Branches::sequential;
    walk::Turning turning = walk::Turning::narrow;
    walk::Joint joint = walk::Joint::none;
    Sliding sliding = Sliding::never;
    std::int64_t full_every = 0; ///< Of Sliding::most.
    std::int64_t window = 0; ///< Where the configuration says nothing of one; 0: none.
    double rotary_share = 1;
    bool has_head_norms = false;
    bool has_row_norms = false;
    bool has_opening_norms = true;
    bool has_closing_norms = false;
    bool is_gated = true;
    bool always_biased = false; ///< Queries, keys and values: else as the configuration says.
    bool scales_embedding = false;
    bool joins_rotation = false;
    bool turns_by_kind = false; ///< Angles of their own for layers that slide.
    walk::LinearNames names{};
    std::string_view activation = "silu";
};

/// One family: what its code is built of, and the defaults of its configuration class. Source:
/// modeling_*.py and configuration_*.py of transformers 5.24.
struct Family {
    std::string_view model_type;
    walk::Architecture architecture = walk::Architecture::decoder;
    bool ties_head = false;
    std::string_view expert_count{}; ///< None: no experts.
    std::string_view expert_width{};
    DecoderTraits decoder{};
};

/// In the order in which they are listed for people.
std::span<const Family> families();

/// What all decoders of a family have in common.
void takeTraits(const DecoderTraits& traits, walk::ModelShape& shape);
/// The shape of a decoder of the llama kind. Requires the model type.
void readDecoder(ConfigReader& reader, const Family& family, walk::ModelShape& shape);

} // namespace tidemark::shapes
