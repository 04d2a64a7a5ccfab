// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/diagnose/amount.h"
#include "core/label/bucket.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::diagnose {

struct DeviceRun;

/// What of a pass programs compute in 32 bits although their weights have 16: casts that a run in
/// 32 bits does not show, since they make nothing there.
struct Fp32Site {
    enum class Kind : std::uint8_t {
        none,
        norm, ///< Rows of a norm that is written out.
        logits, ///< What the model's head made for a loss.
        loss, ///< What a loss made of it.
        softmax, ///< Of attention.
    };
    Kind kind = Kind::none;
    /// By a library that is known to cast there; else programs do it or not.
    bool is_surely = false;

    friend bool operator==(const Fp32Site&, const Fp32Site&) = default;
};

/// Of what has that role, from its stack alone. O(frames).
Fp32Site fp32SiteOf(const DeviceRun& run, StackId stack, label::Role role);

/// What 16 bits leave of what the largest loss makes, and of its gradients: all of it where the
/// loss casts the logits to 32 bits. Where that is not known, older models of transformers do, all
/// but a few, and others do not: cross_entropy keeps the precision of its input (ATen's LossNLL.cpp
/// hands it to log_softmax). O(allocations + frames of a stack).
Amount lossWidth(const DeviceRun& run, std::span<const Fp32Site> parts);

/// Per allocation of forward passes: `run.fp32_sites`. Roles, phases and passes are read.
///
/// transformers 5.24: all of its losses over a vocabulary begin with `logits.float()`
/// (loss/loss_utils.py), its norms without a torch function with `.to(torch.float32)`. Of its
/// attention in Python 7 in 10 models have `softmax(…, dtype=torch.float32)`, the others have not.
/// O(allocations + frames of all stacks).
std::vector<Fp32Site> fp32Sites(const DeviceRun& run);

} // namespace tidemark::diagnose
