# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""`import torch` in a process of its own gives the stand-in, whose CUDA begins when the first tensor is made."""

import sys

import stand_in

_torch = stand_in.install()
_waiting = []
_torch.cuda._lazy_call = _waiting.append


def _begin(allocate):
    def malloc(self, size):
        while _waiting:
            _waiting.pop(0)()
        return allocate(self, size)
    return malloc


stand_in.Allocator.malloc = _begin(stand_in.Allocator.malloc)
globals().update({name: value for name, value in vars(_torch).items() if not name.startswith("__")})
sys.modules["torch"] = _torch
