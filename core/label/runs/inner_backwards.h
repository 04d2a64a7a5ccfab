// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/runs/stretches.h"

#include <span>
#include <vector>

namespace tidemark::label {

/// Which backward stretches make gradients for a graph and not for an optimizer:
/// `torch.autograd.grad(…, create_graph=True)` of gradient penalties, of inner steps of a meta
/// learner, of products with second derivatives. A stretch is one if `autograd.grad` began it, the
/// graph that it went through stays, and more of what it leaves goes away inside a later backward
/// (or is there where the trace ends before an optimizer's step) than is there in that step. One
/// entry per stretch. O(allocations of such stretches and before them + stretches). On a GPU the
/// frames show only where autograd.grad made the gradient to start from itself, not where
/// grad_outputs were given.
std::vector<bool> findInnerBackwards(const trace::Events& events,
                                     const replay::DeviceReplay& replay, const StackKinds& kinds,
                                     const Stretches& cut);

} // namespace tidemark::label
