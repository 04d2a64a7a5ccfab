// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <map>

namespace tidemark::diagnose {

struct Facts;

/// LoRA's matrices where no frame of peft names them, bytes → how many: made behind the weights
/// that they adapt, in pairs of r × m and n × r, all of one rank, each for an m × n among the
/// weights (Hu et al., arXiv 2106.09685). None where fewer than two such pairs end the model.
/// O(allocations + weights · their sizes · log weights); of more than 256 sizes none.
std::map<std::int64_t, std::int64_t> adapterMatrices(const Facts& facts);
/// Bytes of all of them.
std::int64_t adapterPairs(const Facts& facts);

} // namespace tidemark::diagnose
