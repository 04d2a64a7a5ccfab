// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/diagnose/analysis.h"
#include "core/plan/catalog.h"

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::plan {

/// What CUDA's context with PyTorch's kernels takes of a GPU, outside of all that PyTorch counts:
/// reports name 0.3 to 1 GiB.
struct ContextBytes {
    Bytes low{307LL << 20};
    Bytes expected{512LL << 20};
    Bytes high{1024LL << 20};
};
inline constexpr ContextBytes kContextBytes{};

/// A capacity as a person gave it. Plan counts CUDA's context to the need and holds it against
/// `gpu`; a recording counts what PyTorch reserves, and holds that against `bytes`: both say the
/// same of a GPU by name.
struct GivenCapacity {
    Bytes gpu; ///< As torch reports the GPU's memory, at least; an amount is what it is.
    Bytes bytes; ///< What PyTorch may reserve of it, at least.
    Bytes unsure; ///< How much more that may be.
    const KnownCard* card = nullptr; ///< By name.
    std::string words; ///< As the person wrote it.
    std::string source; ///< A sentence: where that comes from; empty: an amount.

    void giveTo(diagnose::UserInput& input) const
    {
        input.capacity = bytes;
        input.capacity_unsure = unsure;
        input.capacity_source = source;
        input.capacity_words = words;
    }
};

/// Of a GPU of so much memory, less CUDA's context.
GivenCapacity capacityOfGpu(Between gpu, const KnownCard* card = nullptr);

/// What a person says that a process can get, for the window and the command line alike: a GPU
/// however its name is written (`findCard`), the size GPUs are sold with ("24GB", "80 GB"), an
/// amount ("23.65 GiB", "1,5g", "24217 MiB") or bytes ("25394806784", from 1 MiB on). A smaller
/// number alone is refused, since it may be a GPU or an amount. Errors: badArgument, a sentence
/// with the text in it, which is not escaped.
Result<GivenCapacity> parseCapacity(std::string_view text);

/// An amount that is no process's capacity, such as a limit: as `parseCapacity`, but "20 GB" are
/// 20 GiB with nothing taken off. A GPU's name means what PyTorch may reserve of it.
Result<Bytes> parseBytes(std::string_view text);

/// What a number alone may be: "RTX-4090", "24GB", "24GiB". Empty for any other text.
std::vector<std::string> capacityReadings(std::string_view text);

/// The known GPUs whose names begin like this, with commas between them; all where none does.
std::string cardsLike(std::string_view text);

} // namespace tidemark::plan
