# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Autocast to bf16 as a GPU has it: a CPU leaves in 16 bits some of what CUDA runs in 32, the softmax among it."""

import contextlib
import functools

import torch
import torch.nn.functional as F

# Of PyTorch's "CUDA Ops that can autocast to float32" those that the runs here use.
IN_32_BITS = ("softmax", "log_softmax", "cross_entropy", "nll_loss", "layer_norm", "group_norm", "mse_loss", "softplus")


def in_32_bits(function):
    @functools.wraps(function)
    def run(*args, **options):
        if not torch.is_autocast_cpu_enabled():
            return function(*args, **options)
        with torch.autocast("cpu", enabled=False):
            return function(*(a.float() if torch.is_tensor(a) and a.dtype == torch.bfloat16 else a for a in args), **options)
    return run


@contextlib.contextmanager
def autocast(enabled=True):
    usual = {name: getattr(F, name) for name in IN_32_BITS}
    for name, function in usual.items():
        setattr(F, name, in_32_bits(function) if enabled else function)
    try:
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            yield
    finally:
        for name, function in usual.items():
            setattr(F, name, function)
