# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Inside Lightning."""

import contextlib

import torch
from device import MIB
from trials import BATCH, batch_on_device, llama, tokens, trial


QUIET = {"accelerator": "cpu", "logger": False, "enable_checkpointing": False, "enable_progress_bar": False,
         "enable_model_summary": False}


def parts(t, training_step=None, automatic=True):
    """(a LightningModule, the batches to train on, those to evaluate)"""
    import lightning as pl
    model = llama(t)

    class Module(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.model, self.automatic_optimization = model, automatic

        def training_step(self, batch, _):
            t.truth.mark("input", *batch.values())
            return self.model(**batch).loss

        def validation_step(self, batch, _):
            self.model(**batch)

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), 1e-3)

    if training_step:
        Module.training_step = training_step
    loader = lambda count: torch.utils.data.DataLoader(tokens(t, count), batch_size=BATCH)
    return Module(), loader(BATCH * 4), loader(2 * BATCH)


def lightning(t, steps=3, callbacks=None, training_step=None, automatic=True, **settings):
    import lightning as pl
    made = pl.Trainer(max_steps=steps, callbacks=callbacks or [t.capture.LightningCallback(t.path)], **QUIET, **settings)
    made.fit(*parts(t, training_step, automatic))


@trial(steps=3)
def lightning_plain(t):
    lightning(t)


@trial(steps=4, kinds={"backward_begin": 8})
def lightning_accumulates_and_clips(t):
    lightning(t, steps=4, accumulate_grad_batches=2, gradient_clip_val=1.0)


@trial(steps=0, state=False, capacity=4 * MIB, files=("run.oom.pickle", "run.pickle"), reason="exception",
       error="OutOfMemoryError")
def lightning_out_of_memory(t):
    with contextlib.suppress(torch.OutOfMemoryError):
        lightning(t)


@trial(steps=3)
def lightning_by_hand(t):
    """Manual optimization: Lightning hands out wrappers of its optimizers, which step with a closure that does nothing."""
    t.truth.closures_do_nothing = True

    def training_step(self, batch, _):
        t.truth.mark("input", *batch.values())
        optimizer = self.optimizers()
        optimizer.zero_grad()
        t.truth.now("forward")
        self.manual_backward(self.model(**batch).loss)
        optimizer.step()

    lightning(t, training_step=training_step, automatic=False)


@trial(steps=2, kinds={"forward_begin": 2})
def fabric_loop(t):
    from lightning.fabric import Fabric
    fabric, model = Fabric(accelerator="cpu", devices=1), llama(t)
    model, optimizer = fabric.setup(model, torch.optim.AdamW(model.parameters(), lr=1e-3))
    with t.capture.record(t.path, model=model, optimizer=optimizer):
        for _ in range(2):
            rows = batch_on_device(t)
            loss = model(input_ids=rows, labels=rows).loss
            fabric.backward(loss)
            del loss
            optimizer.step()
            optimizer.zero_grad()
