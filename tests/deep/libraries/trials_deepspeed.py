# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""DeepSpeed's engine and its ZeRO optimizers, which are no torch optimizers and flatten what they are given. What such a
step does before the optimizer inside steps (it copies and scales gradients) is backward for the truth, which hears of
that one alone: hence `phases`. Nor does it know the flat buffers of ZeRO, which hold weights and gradients: with those,
labels are not judged (`share`); warnings, steps, state and files are."""

import os

import torch
from trials import batch_on_device, llama, trial


def library():
    os.environ.update(DS_ACCELERATOR="cpu", RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", MASTER_ADDR="127.0.0.1",
                      MASTER_PORT="29613")
    import deepspeed
    return deepspeed


def configuration(stage):
    """With buckets of the model's size, not of 2 GB."""
    buckets = {"reduce_bucket_size": 20_000, "allgather_bucket_size": 20_000}
    return {"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": stage, **buckets},
            "zero_allow_untested_optimizer": True, "zero_force_ds_cpu_optimizer": False}


def steps_of(t, engine, count=3):
    for _ in range(count):
        rows = batch_on_device(t)
        t.truth.now("forward")
        loss = engine(input_ids=rows, labels=rows).loss
        engine.backward(loss)
        del loss, rows
        engine.step()


def engine_of(t, stage):
    """(DeepSpeed's engine, its optimizer)"""
    model = llama(t, use_cache=False)
    engine, optimizer, _, _ = library().initialize(
        model=model, optimizer=torch.optim.AdamW(model.parameters(), lr=1e-3), config=configuration(stage))
    t.truth.watch(model)
    return engine, optimizer


def train(t, stage, **settings):
    engine, optimizer = engine_of(t, stage)
    with t.capture.record(t.path, model=engine, optimizer=optimizer, **settings):
        steps_of(t, engine)


@trial(steps=3, phases=0.9)
def deepspeed_without_zero(t):
    train(t, 0)


@trial(steps=3, phases=0.7, share=0)
def deepspeed_zero_1(t):
    train(t, 1)


@trial(steps=3, phases=0.7, share=0)
def deepspeed_zero_2(t):
    train(t, 2)


@trial(steps=3, phases=0.7, share=0)
def deepspeed_zero_3(t):
    train(t, 3)


@trial(steps=3, phases=0.7, share=0, reason="window", kinds={"optimizer_end": 1, "backward_begin": 1})
def deepspeed_window(t):
    train(t, 2, steps=(3, 3))
