// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/amount.h"

#include <string_view>

namespace tidemark::diagnose {

/// What an optimizer keeps, as copies of the trainable parameters, and makes in passing.
struct OptimizerKind {
    std::string_view name; ///< As changes have it: "sgd-momentum".
    double copies; ///< Of the parameter's own width.
    double bytes_per_element; ///< Instead of copies, where it does not follow the parameter; 0:
                              ///< copies.
    Amount transients; ///< Of those of another optimizer, as programs differ.
    std::string_view says; ///< One sentence.
};

/// Copies beyond it are wider than the weights: Adam has 2, AMSGrad 3, fp32 Adam of bf16 weights 4.
inline constexpr double kMostOwnWidthCopies = 3.4;

/// By its name in a change, "adam" among them; null: none.
const OptimizerKind* optimizerKind(std::string_view name);

/// What a configuration says beside an optimizer's name.
struct OptimizerArguments {
    double momentum = 0; ///< SGD's, 0 where nothing says.
    bool amsgrad = false; ///< Adam's.
};

/// That a configuration means: "adamw_torch_fused", "torch.optim.SGD", "paged_adamw_8bit". Null:
/// not known here. O(length).
const OptimizerKind* optimizerOfSetting(std::string_view setting, OptimizerArguments arguments);

/// State of a tensor of `bytes` with elements of `width` bytes, per byte of it.
double stateCopies(const OptimizerKind& kind, double bytes, double width);

} // namespace tidemark::diagnose
