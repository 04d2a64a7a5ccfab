# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Programs that know nothing of the module: it finds their models and optimizers, as tidemark-run asks for."""

import contextlib

import torch
from device import MIB
from trials import batch_on_device, llama, loop, trial
from trials_deepspeed import engine_of, steps_of
from trials_lightning import QUIET, parts
from trials_loops import accelerated, accelerated_loop
from trials_ranks import FILES, sharded, two_ranks
from trials_trainer import trainer
from trials_trl import TEXT, common, tokenizer


@trial(steps=3, settings={"models": "LlamaForCausalLM", "optimizers": "AdamW"})
def program_with_a_loop(t):
    with t.capture.record(t.path, find=True):
        model = llama(t)
        loop(t, model, torch.optim.AdamW(model.parameters(), lr=1e-3))


@trial(steps=3, share=0.94)
def program_that_compiles(t):
    """Dynamo keeps what the first pass saved, which the labels take for buffers."""
    with t.capture.record(t.path, find=True):
        model = llama(t)
        compiled = torch.compile(model, backend="eager")
        loop(t, model, torch.optim.AdamW(model.parameters(), lr=1e-3), run=compiled)


@trial(steps=2, kinds={"backward_begin": 4, "optimizer_begin": 2})
def program_with_accelerate(t):
    with t.capture.record(t.path, find=True):
        accelerator, (model, optimizer, loader, scheduler) = accelerated(t)
        accelerated_loop(t, accelerator, model, optimizer, loader, scheduler)


@trial(steps=3)
def program_with_a_trainer(t):
    with t.capture.record(t.path, find=True):
        trainer(t, callbacks=[]).train()


@trial(steps=3)
def program_with_a_trainer_and_lora(t):
    import peft
    with t.capture.record(t.path, find=True):
        model = peft.get_peft_model(llama(t), peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"]))
        t.truth.watch(model)
        trainer(t, model, callbacks=[]).train()


@trial(steps=0, state=False, kinds={"forward_begin": 3})
def program_that_infers(t):
    with t.capture.record(t.path, find=True):
        model = llama(t).eval()
        with torch.inference_mode():
            for _ in range(3):
                rows = batch_on_device(t)
                t.truth.now("inference")
                model(input_ids=rows)
                del rows


@trial(steps=3)
def program_with_lightning(t):
    import lightning
    t.truth.trained = True  # it looks at two batches for evaluation first
    with t.capture.record(t.path, find=True):
        lightning.Trainer(max_steps=3, **QUIET).fit(*parts(t))


@trial(steps=0, state=False, capacity=4 * MIB, files=("run.oom.pickle", "run.pickle"), reason="exception",
       error="OutOfMemoryError")
def program_that_dies(t):
    with contextlib.suppress(torch.OutOfMemoryError), t.capture.record(t.path, find=True):
        model = llama(t)
        loop(t, model, torch.optim.AdamW(model.parameters(), lr=1e-3))


@trial(steps=3)
def program_with_trl(t):
    import datasets
    import trl
    arguments = trl.SFTConfig(per_device_train_batch_size=4, **common(t, 3))
    with t.capture.record(t.path, find=True):
        trl.SFTTrainer(llama(t), args=arguments, train_dataset=datasets.Dataset.from_dict({"text": [TEXT] * 16}),
                       processing_class=tokenizer()).train()


@trial(steps=2)
def program_with_trl_that_generates(t):
    import datasets
    import trl
    t.truth.trained = True
    arguments = trl.GRPOConfig(per_device_train_batch_size=4, num_generations=4, max_completion_length=6, beta=0.0,
                               **common(t, 2))
    with t.capture.record(t.path, find=True):
        trl.GRPOTrainer(llama(t), reward_funcs=lambda completions, **_: [float(len(c)) for c in completions], args=arguments,
                        train_dataset=datasets.Dataset.from_dict({"prompt": [TEXT] * 16}),
                        processing_class=tokenizer()).train()


def with_deepspeed(t, stage):
    with t.capture.record(t.path, find=True):
        engine, optimizer = engine_of(t, stage)  # which lives as long
        steps_of(t, engine)


@trial(steps=3, phases=0.9)
def program_with_deepspeed(t):
    with_deepspeed(t, 0)


@trial(steps=3, phases=0.7, share=0)
def program_with_deepspeed_zero_2(t):
    with_deepspeed(t, 2)


@trial(steps=2, files=FILES, share=0.89)
def program_on_two_ranks(t):
    """The truth does not know DDP's buckets, which hold gradients."""
    with two_ranks(t), t.capture.record(t.path, find=True):
        inner = llama(t, use_cache=False)
        model = torch.nn.parallel.DistributedDataParallel(inner)
        loop(t, model, torch.optim.AdamW(model.parameters(), lr=1e-3), steps=2)


@trial(steps=2, files=FILES, share=0.92)
def program_sharded_on_two_ranks(t):
    with two_ranks(t), t.capture.record(t.path, find=True):
        model = llama(t, use_cache=False)
        sharded(t, model)
        loop(t, model, torch.optim.AdamW(model.parameters(), lr=1e-3), steps=2)
