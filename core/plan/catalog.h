// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/walk/model_shape.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::plan {

/// An open model that is known by name: resources/models.json.
struct KnownModel {
    std::string name; ///< As on the Hugging Face Hub: "meta-llama/Llama-3.1-8B".
    std::string source; ///< Where its configuration stands.
    std::int64_t parameters = 0; ///< As published.
    walk::ModelShape shape;
};
/// Parsed once; thread-safe.
std::span<const KnownModel> knownModels();
/// By its whole name or what stands behind the slash, in any case; a decoder also by the name of a
/// copy or of one trained further: "org/Llama-3.1-8B-Instruct". Null: none.
const KnownModel* findModel(std::string_view name);
/// Whether a text could be meant as a model's name: no path, no setting.
bool looksLikeModelName(std::string_view text);
/// Up to three names that are nearly it, or the first ones; for a message.
std::string similarModels(std::string_view name);

/// A card that is known by name: resources/cards.json.
struct KnownCard {
    std::string name; ///< "A100-80GB"
    Bytes total; ///< As torch reports it, at least: less than the size it is sold with.
    Bytes most; ///< At most; the same where it is known.
    std::int64_t sold_gb = 0; ///< The size that it is sold with.
    std::vector<std::string> also; ///< Other names of the driver.
    Bytes workspace; ///< That cuBLAS asks for per thread that uses it.
    std::string source;
    bool is_cuda = true; ///< Else ROCm's, whose kernels no plan knows.
};
std::span<const KnownCard> knownCards();
/// In any case, with or without separators, also as the driver names it: "a100 80gb",
/// "NVIDIA A100-SXM4-80GB", "a100 80". Null: none.
const KnownCard* findCard(std::string_view name);
/// What names of one card have in common: "a10080", "4090".
std::string plainCardName(std::string_view name);

} // namespace tidemark::plan
