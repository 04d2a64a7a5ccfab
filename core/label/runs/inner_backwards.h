// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/runs/stack_intervals.h"

#include <span>
#include <vector>

namespace tidemark::label {

/// Which backward intervals make gradients for a graph and not for an optimizer:
/// `torch.autograd.grad(…, create_graph=True)` of gradient penalties, of inner steps of a meta
/// learner, of products with second derivatives. An interval is one if `autograd.grad` began it,
/// the graph that it went through stays, and more of what it leaves goes away inside a later
/// backward (or is there where the trace ends before an optimizer's step) than is there in that
/// step. One entry per interval. O(allocations of such intervals and before them + intervals). On a
/// GPU the frames show only where autograd.grad made the gradient to start from itself, not where
/// grad_outputs were given.
std::vector<bool> findInnerBackwards(const trace::Events& events,
                                     const replay::DeviceReplay& replay, const StackKinds& kinds,
                                     const StackIntervals& cut);

} // namespace tidemark::label
