# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What all trials share: `TRIALS` by name, filled by the modules beside this one. A trial gets the run's `Trial` and trains;
what it must come to is written before it."""

import dataclasses
import logging
import os
import warnings

os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false", TRANSFORMERS_VERBOSITY="error",
                  ACCELERATE_USE_CPU="true")

import torch  # noqa: E402
from device import host  # noqa: E402

BATCH, LENGTH, VOCABULARY = 4, 48, 512


@dataclasses.dataclass
class Trial:
    """What a trial has at hand."""

    device: object
    truth: object
    capture: object
    path: str


@dataclasses.dataclass
class Expected:
    """What a trial must come to: `steps` of the optimizer (None: torch alone recorded), whether its `state` is seen, the
    `files`, of which the last one is judged (it was taken with the `shot`th snapshot of the run), its `reason` and the
    `error`'s type, how many moments of which `kinds`, `settings` in the file, and the `share` of bytes that carry their
    true bucket, and of events that lie in their true phase (`phases`)."""

    steps: int
    state: bool = True
    files: tuple = ("run.pickle",)
    reason: str = "end"
    error: str = ""
    capacity: int = 8 << 30
    kinds: dict = dataclasses.field(default_factory=dict)
    settings: dict = dataclasses.field(default_factory=dict)
    share: float = 0.99
    shot: int = -1
    phases: float = 0.95


TRIALS = {}


def trial(**expected):
    def put(run):
        TRIALS[run.__name__] = (run, Expected(**expected))
        return run
    return put


class Tokens(torch.utils.data.Dataset):
    def __init__(self, count, length=LENGTH):
        self.rows = [torch.randint(VOCABULARY, (length,)) for _ in range(count)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": self.rows[i], "labels": self.rows[i]}


def llama(t, layers=2, width=64, **settings):
    import transformers
    config = transformers.LlamaConfig(
        hidden_size=width, intermediate_size=2 * width, num_hidden_layers=layers, num_attention_heads=4,
        num_key_value_heads=2, vocab_size=VOCABULARY, max_position_embeddings=512, **settings)
    model = transformers.LlamaForCausalLM(config)
    t.truth.watch(model)
    return model


def tokens(t, *arguments, **settings):
    with host(t.device):
        return Tokens(*arguments, **settings)


def batch_on_device(t):
    t.truth.now("input")
    rows = torch.randint(VOCABULARY, (BATCH, LENGTH))
    t.truth.mark("input", rows)
    return rows


def loop(t, model, optimizer, steps=3, run=None):
    for _ in range(steps):
        rows = batch_on_device(t)
        t.truth.now("forward")
        loss = (model if run is None else run)(input_ids=rows, labels=rows).loss
        loss.backward()
        del loss, rows
        optimizer.step()
        optimizer.zero_grad()


def quiet():
    """Libraries' own warnings are not the module's."""
    warnings.filterwarnings("ignore")
    warnings.filterwarnings("always", message="tidemark_capture")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    logging.getLogger("accelerate").setLevel(logging.ERROR)
