# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""In loops of one's own, with Accelerate, compilers and wrappers."""

import contextlib
import gc
import os

import torch
from device import MIB
from trials import BATCH, VOCABULARY, batch_on_device, llama, loop, tokens, trial


def accelerated(t, accumulation=2, **settings):
    import accelerate
    accelerator = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=accumulation)
    model = llama(t, **settings)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer)
    loader = torch.utils.data.DataLoader(tokens(t, 4 * BATCH), batch_size=BATCH)
    return accelerator, accelerator.prepare(model, optimizer, loader, scheduler)


def accelerated_loop(t, accelerator, model, optimizer, loader, scheduler):
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(**batch).loss
            accelerator.backward(loss)
            del loss
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()


@trial(steps=2, kinds={"backward_begin": 4, "optimizer_begin": 2})
def accelerate_loop(t):
    accelerator, (model, optimizer, loader, scheduler) = accelerated(t)
    with t.capture.record(t.path, model=model, optimizer=optimizer):
        accelerated_loop(t, accelerator, model, optimizer, loader, scheduler)


@trial(steps=4, kinds={"optimizer_begin": 4})
def accelerate_by_the_scheduler_alone(t):
    """What was named leads to the optimizer that does the work; keys and values of training are no cache."""
    accelerator, (model, optimizer, loader, scheduler) = accelerated(t, accumulation=1, use_cache=True)
    with t.capture.record(t.path, model=model, optimizer=scheduler):
        accelerated_loop(t, accelerator, model, optimizer, loader, scheduler)


@trial(steps=3)
def loop_plain(t):
    model = llama(t)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model=model, optimizer=optimizer):
        loop(t, model, optimizer)


@trial(steps=3)
def loop_started_and_stopped(t):
    model = llama(t)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=False, foreach=False)
    recorder = t.capture.record(t.path, model=model)
    recorder.start()
    loop(t, model, optimizer)
    recorder.stop()


@trial(steps=4)
def loop_with_optimizers_made_inside(t):
    """One is made late, and another takes its place."""
    model = llama(t)
    with t.capture.record(t.path, model=model):
        for _ in range(2):
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            loop(t, model, optimizer, steps=2)
            del optimizer


@trial(steps=2, share=0.9)
def loop_with_a_closure(t):
    model = llama(t)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def closure():
        optimizer.zero_grad()
        loss = model(input_ids=rows, labels=rows).loss
        loss.backward()
        return loss.detach()

    with t.capture.record(t.path, model=model, optimizer=optimizer):
        for _ in range(2):
            rows = batch_on_device(t)
            t.truth.now("forward")
            optimizer.step(closure)


def graphs():
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


@trial(steps=2, kinds={"forward_begin": 2})
def loop_compiled(t):
    """Recording begins after the first step, as people do to leave out what compiling allocates; nothing is compiled
    again for it."""
    model = llama(t, use_cache=False)
    t.truth.hears_modules = False
    compiled = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loop(t, model, optimizer, steps=1, run=compiled)
    before = graphs()
    with t.capture.record(t.path, model=compiled, optimizer=optimizer):
        loop(t, model, optimizer, steps=2, run=compiled)
    assert before == graphs() > 0


@trial(steps=3, kinds={"forward_begin": 0})
def loop_compiled_in_place(t):
    model = llama(t, use_cache=False)
    t.truth.hears_modules = False
    model.compile(backend="aot_eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model=model, optimizer=optimizer):
        loop(t, model, optimizer)


@trial(steps=2, kinds={"forward_begin": 0}, share=0.98)
def loop_compiled_after_it_was_hooked(t):
    """A compiler that reads the hooks sees nothing in them that would break its graph. Garbage as in trainer_compiled."""
    model = llama(t, use_cache=False)
    t.truth.hears_modules = False
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model=model, optimizer=optimizer, hooks=True):
        loop(t, model, optimizer, steps=2, run=torch.compile(model, backend="aot_eager"))


@trial(steps=0, state=False, kinds={"inference": 9, "backward_begin": 0})
def generates(t):
    model = llama(t).eval()
    with t.capture.record(t.path, model=model):
        t.truth.now("input")
        rows = torch.randint(VOCABULARY, (2, 16))
        t.truth.mark("input", rows)
        model.generate(input_ids=rows, max_new_tokens=9, do_sample=False, pad_token_id=0)


@trial(steps=0, state=False, kinds={"inference": 5}, share=0.96)
def generates_from_an_encoder(t):
    """The cache is one of two: for the decoder's own tokens and for the encoder's."""
    import transformers
    config = transformers.T5Config(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, vocab_size=VOCABULARY,
                                   decoder_start_token_id=0, pad_token_id=0, eos_token_id=1)
    model = transformers.T5ForConditionalGeneration(config).eval()
    t.truth.watch(model)
    with t.capture.record(t.path, model=model):
        t.truth.now("input")
        rows = torch.randint(2, VOCABULARY, (2, 64))
        t.truth.mark("input", rows)
        model.generate(input_ids=rows, max_new_tokens=5, min_new_tokens=5, do_sample=False)


@trial(steps=2, share=0.97)
def loop_fully_sharded(t):
    """Parameters, gradients and state are DTensors; what the recorder knows is this rank's shard of them."""
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    model = llama(t, use_cache=False)
    mesh = init_device_mesh("cpu", (1,))
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    t.truth.watch(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model=model, optimizer=optimizer):
        loop(t, model, optimizer, steps=2)
    dist.destroy_process_group()


@trial(steps=2)
def loop_two_models(t):
    model, teacher = llama(t), llama(t, layers=1).requires_grad_(False).eval()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model={"": model, "teacher": teacher}, optimizer=optimizer):
        for _ in range(2):
            rows = batch_on_device(t)
            with torch.no_grad():
                t.truth.trained = True
                wanted = teacher(input_ids=rows).logits
                t.truth.mark("activation", wanted)  # the loss saves it
            loss = torch.nn.functional.mse_loss(model(input_ids=rows).logits, wanted)
            loss.backward()
            del loss, wanted, rows
            optimizer.step()
            optimizer.zero_grad()


@trial(steps=2)
def loop_zero_redundancy(t):
    """A wrapper that is an optimizer itself: its step and the one inside are one."""
    import torch.distributed as dist
    from torch.distributed.optim import ZeroRedundancyOptimizer
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    model = llama(t)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=1e-3)
    with t.capture.record(t.path, model=model, optimizer=optimizer):
        loop(t, model, optimizer, steps=2)
    dist.destroy_process_group()


@trial(steps=1, files=("manual.pickle", "run.pickle"), kinds={"phase": 1, "note": 1, "step": 1})
def loop_marked_by_hand(t):
    model = llama(t)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path) as recorder:
        recorder.attach(model, optimizer)
        loop(t, model, optimizer, steps=2)
        recorder.step()
        with recorder.phase("evaluation"), torch.no_grad():
            t.truth.now("evaluation")
            recorder.note("output", model(input_ids=batch_on_device(t)).logits, "logits")
        recorder.dump(os.path.join(os.path.dirname(t.path), "manual.pickle"))


@trial(steps=2)
def loop_distributed(t):
    import torch.distributed as dist
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    model = torch.nn.parallel.DistributedDataParallel(llama(t))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model=model, optimizer=optimizer):
        loop(t, model, optimizer, steps=2)
    dist.destroy_process_group()


@trial(steps=2)
def loop_scaled(t):
    model, scaler = llama(t), torch.amp.GradScaler("cpu")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model=model, optimizer=optimizer):
        for _ in range(2):
            rows = batch_on_device(t)
            t.truth.now("forward")
            loss = model(input_ids=rows, labels=rows).loss
            scaler.scale(loss).backward()
            del loss
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()


@trial(steps=0, state=False, capacity=4 * MIB, files=("run.rank1-of-2.oom.pickle", "run.rank1-of-2.pickle"),
       reason="exception", error="OutOfMemoryError")
def loop_out_of_memory_on_one_rank(t):
    os.environ.update(RANK="1", WORLD_SIZE="2", LOCAL_RANK="1")
    model = llama(t, layers=1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with contextlib.suppress(torch.OutOfMemoryError):
        with t.capture.record(t.path, model=model, optimizer=optimizer):
            rows = batch_on_device(t).repeat(40, 1)
            t.truth.mark("input", rows)
            model(input_ids=rows).logits.sum().backward()


@trial(steps=2, share=0.97)
def loop_with_averaged_weights(t):
    import copy
    model = llama(t)
    ema = copy.deepcopy(model).requires_grad_(False)
    t.truth.watch(ema)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model={"model": model, "ema": ema}, optimizer=optimizer):
        for _ in range(2):
            loop(t, model, optimizer, steps=1)
            for mean, p in zip(ema.parameters(), model.parameters()):
                mean.lerp_(p.detach(), 0.1)


@trial(steps=2)
def loop_that_ended_is_let_go(t):
    recorder = t.capture.record(t.path)

    def run():
        model = llama(t)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        recorder.attach(model, optimizer)
        recorder.start()
        loop(t, model, optimizer, steps=2)
        t.truth.optimizers.clear()
        recorder.stop()

    run()
    gc.collect()
    assert not t.device.live, t.device.live
