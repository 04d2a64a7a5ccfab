# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""How a scene says what is what."""

import torch


class Truth:
    """Writes down what is what; allocates nothing."""

    def __init__(self, rec):
        self.rec = rec

    def now(self, phase):
        self.rec.set_phase(phase)

    def mark(self, bucket, *tensors):
        for t in tensors:
            if t is not None:
                self.rec.mark(t.data, bucket)

    def weights(self, *models):
        for m in models:
            self.mark("parameter", *m.parameters(), *m.buffers())

    def grads(self, *models):
        for m in models:
            self.mark("gradient", *(p.grad for p in m.parameters()))

    def states(self, *optimizers):
        for o in optimizers:
            for state in o.state.values():
                self.mark("optimizer_state", *(v for v in state.values() if torch.is_tensor(v)))

    def backward_begins(self):
        self.rec.mark_live("forward", "activation")
        self.now("backward")

    def dump(self):
        """As scripts do before they end; scenes without it show how all is freed, too."""
        self.rec.dumped = self.rec.snapshot()

    def optimizer_begins(self, *models):
        self.grads(*models)
        self.now("optimizer")
        self.rec.steps += self.rec.on
