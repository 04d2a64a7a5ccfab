# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Programs that know nothing of the module: it finds their models and optimizers, as tidemark-run asks for."""

import torch
from trials import batch_on_device, llama, loop, trial
from trials_loops import accelerated, accelerated_loop
from trials_trainer import trainer


@trial(steps=3, settings={"models": "LlamaForCausalLM", "optimizers": "AdamW"})
def program_with_a_loop(t):
    with t.capture.record(t.path, find=True):
        model = llama(t)
        loop(t, model, torch.optim.AdamW(model.parameters(), lr=1e-3))


@trial(steps=3, share=0.95)
def program_that_compiles(t):
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
