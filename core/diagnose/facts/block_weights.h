// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/device_run.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace tidemark::diagnose {

/// Of a layer, so that a vector is none; of a convolution with its kernel.
inline constexpr std::int64_t kFewestInputs = 8;

/// The weights that live at the moment, as a model of repeated blocks.
struct BlockWeights {
    /// Bytes → how many; flags and counters left out. Of a frozen model beside the trained one only
    /// what that has not.
    std::map<std::int64_t, std::int64_t> sizes;
    std::int64_t blocks = 0; ///< 0: the weights show none.
    std::set<std::int64_t> of_blocks; ///< Sizes that every block has.
    std::int64_t vector = 0; ///< Bytes of one row of the hidden state: a norm's weight. 0 without.
    double width = 0; ///< Bytes of an element. 0 without.
    /// Of the larger of two weights that hold all experts of a layer, gates beside what goes up and
    /// what comes down: parameters of transformers 5 and no linear layers, which adapters and 4
    /// bits look for. 0: no layer has a router.
    std::int64_t of_experts = 0;

    [[nodiscard]] bool isOfBlocks(std::int64_t bytes) const
    {
        return of_blocks.contains(bytes);
    }
    /// How many of a size each block has.
    [[nodiscard]] std::int64_t perBlock(std::int64_t bytes) const
    {
        const auto found = sizes.find(bytes);
        return blocks > 0 && found != sizes.end() ? found->second / blocks : 0;
    }
    [[nodiscard]] bool holdsExperts(std::int64_t bytes) const
    {
        return of_experts > 0 && (bytes == of_experts || 2 * bytes == of_experts);
    }
    /// Of those, a matrix: rows of the hidden state's length. Its other side in bytes of a vector,
    /// 0 for all else.
    [[nodiscard]] double otherSide(std::int64_t bytes) const;
    /// Whether keys and values are narrower than queries, as in decoders whose query heads share
    /// them.
    [[nodiscard]] bool groupsQueries() const;
    /// Whether each block has a gated MLP and no vectors but those of two norms, as Llama's, and
    /// perhaps of norms of its heads, as Qwen3's.
    [[nodiscard]] bool isGatedWithoutBiases() const;
    /// Of both kinds of decoders peft adapts queries and values by default, whichever it knows.
    [[nodiscard]] bool adaptsQueriesAndValues() const
    {
        return groupsQueries() || isGatedWithoutBiases();
    }
    /// How many of the matrices of that size get an adapter, as a share. If not only queries and
    /// values, those that read a norm's result: in each block two do not, the square projection
    /// after attention, and the last of the MLP, one of the largest.
    [[nodiscard]] double shareWithAdapter(std::int64_t bytes) const;
};

/// O(weights + sizes²).
BlockWeights blockWeights(const DeviceRun& run);

/// A weight, and the vectors that were made after it: its bias, those of a norm on its result.
struct LayerWeight {
    std::int64_t bytes = 0;
    std::int64_t vector = 0; ///< Bytes of one number per output; 0: none.
    int vectors = 0;
    bool is_frozen = false;
    bool is_used = false; ///< By a call.
};
/// In the order in which they were made. `width`: bytes of an element. O(weights).
std::vector<LayerWeight> layerWeights(const DeviceRun& run, std::span<const AllocationId> weights,
                                      std::int64_t width);

/// The size that the blocks of a pass save most often, rows of the hidden state's length: the
/// hidden state's. Of a single block what the pass saves most often. 0 without one. O(n log n) in
/// what the pass made.
std::int64_t hiddenStateBytes(const DeviceRun& run, const BlockWeights& weights,
                              std::uint32_t pass);

} // namespace tidemark::diagnose
