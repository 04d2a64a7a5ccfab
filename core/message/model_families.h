// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::diagnose {

/// A family of models as logs name it, and how wide its logits may be: the configuration's
/// `vocab_size`, and the tokenizer's length where people cut the embedding to it.
struct ModelFamily {
    std::string word; ///< Squeezed: "qwen3".
    std::string name; ///< "Qwen 3"
    std::vector<std::int64_t> vocabularies;
};
/// From resources/models.json, parsed once; thread-safe.
std::span<const ModelFamily> modelFamilies();

} // namespace tidemark::diagnose
