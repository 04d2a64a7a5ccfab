# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Inside Lightning."""

import contextlib

import torch
from device import MIB
from trials import BATCH, llama, tokens, trial


def lightning(t, steps=3, callbacks=None, **settings):
    import lightning as pl
    model = llama(t)

    class Module(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = model

        def training_step(self, batch, _):
            t.truth.mark("input", *batch.values())
            return self.model(**batch).loss

        def validation_step(self, batch, _):
            self.model(**batch)

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), 1e-3)

    loader = lambda count: torch.utils.data.DataLoader(tokens(t, count), batch_size=BATCH)
    made = pl.Trainer(
        max_steps=steps, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, callbacks=callbacks or [t.capture.LightningCallback(t.path)], **settings)
    made.fit(Module(), loader(BATCH * 4), loader(2 * BATCH))


@trial(steps=3)
def lightning_plain(t):
    lightning(t)


@trial(steps=4, kinds={"backward_begin": 8})
def lightning_accumulates_and_clips(t):
    lightning(t, steps=4, accumulate_grad_batches=2, gradient_clip_val=1.0)


@trial(steps=0, state=False, capacity=6 * MIB, files=("run.oom.pickle", "run.pickle"), reason="exception",
       error="OutOfMemoryError")
def lightning_out_of_memory(t):
    with contextlib.suppress(torch.OutOfMemoryError):
        lightning(t)
