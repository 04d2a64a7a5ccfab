// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>

namespace tidemark::diagnose {

struct Facts;

/// Bytes of LoRA's matrices where no frame of peft names them: made behind the weights that they
/// adapt, in pairs of r × m and n × r, all of one rank, each for an m × n among the weights (Hu et
/// al., arXiv 2106.09685). 0 where fewer than two such pairs end the model.
/// O(allocations + weights · their sizes · log weights); of more than 256 sizes 0.
std::int64_t adapterPairs(const Facts& facts);

} // namespace tidemark::diagnose
