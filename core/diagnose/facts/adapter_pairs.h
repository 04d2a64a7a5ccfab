// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace tidemark::diagnose {

struct DeviceRun;

/// LoRA's matrices where no frame of peft names them, bytes → how many: made behind the weights
/// that they adapt, in pairs of r × m and n × r, all of one rank, each for an m × n among the
/// weights (Hu et al., arXiv 2106.09685). None where fewer than two such pairs end the model, or
/// all of it gets gradients.
/// O(allocations + weights · their sizes · log weights); of more than 256 sizes none.
std::map<std::int64_t, std::int64_t> adapterMatrices(const DeviceRun& run);
/// Bytes of all of them.
std::int64_t adapterPairs(const DeviceRun& run);

/// Adapters beside frozen weights, and what follows their rank.
struct LowRank {
    std::int64_t rank = 0;
    std::set<std::int64_t> sizes; ///< Of the matrices, bytes.
    /// Of what a pass makes between the matrices of a pair, bytes: as much smaller than what the
    /// second one makes of it as the rank is smaller than a side of a weight.
    std::set<std::int64_t> between;
};
/// Told by pairs among the weights that are trained while others are frozen, else by
/// `adapterMatrices`. Nothing where no one rank makes most of them pairs.
/// O(allocations + weights · their sizes · log weights).
std::optional<LowRank> lowRank(const DeviceRun& run);

} // namespace tidemark::diagnose
