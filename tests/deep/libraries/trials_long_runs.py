# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Long runs and live servers: windows of steps, files that are asked for from outside, cheap files at each step."""

import os
import signal
import time

import torch
from device import MIB
from trials import batch_on_device, llama, loop, trial
from trials_lightning import lightning
from trials_loops import accelerated, accelerated_loop
from trials_trainer import trainer

WINDOW = {"forward_begin": 2, "backward_end": 2, "optimizer_end": 2, "record_begin": 1}


@trial(steps=3, reason="window", kinds=WINDOW, settings={"steps": "2 to 3"})
def trainer_window(t):
    trainer(t, steps=5, callbacks=[t.capture.HuggingFaceCallback(t.path, steps=(2, 3))]).train()


@trial(steps=3, reason="window", kinds={**WINDOW, "forward_begin": 4, "backward_end": 4})
def trainer_window_with_accumulation(t):
    callback = t.capture.HuggingFaceCallback(t.path, steps=(2, 3))
    trainer(t, steps=4, accumulation=2, callbacks=[callback]).train()


@trial(steps=3, reason="window", kinds=WINDOW)
def lightning_window(t):
    """Lightning's steps run the passes in a closure: a window begins and ends behind one."""
    lightning(t, steps=5, callbacks=[t.capture.LightningCallback(t.path, steps=(2, 3))])


@trial(steps=3, reason="window", kinds=WINDOW)
def loop_compiled_window(t):
    model = llama(t, use_cache=False)
    t.truth.hears_modules = False
    compiled = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model=compiled, optimizer=optimizer, steps=(2, 3)):
        loop(t, model, optimizer, steps=4, run=compiled)


def wait_for(path):
    for _ in range(2000):
        if os.path.exists(path):
            return
        time.sleep(0.01)
    raise TimeoutError(path)


def loops_asked(t, ask, *names, **settings):
    model = llama(t)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model=model, optimizer=optimizer, **settings):
        for name in names:
            loop(t, model, optimizer, steps=2)
            ask()
            wait_for(t.path.replace("run", name))
        loop(t, model, optimizer, steps=1)


@trial(steps=2, reason="signal", files=("run.pickle", "run.signal2.pickle", "run.signal1.pickle"), shot=0)
def loop_asked_by_a_signal(t):
    loops_asked(t, lambda: os.kill(os.getpid(), signal.SIGUSR1), "run.signal1", "run.signal2", on_signal="SIGUSR1")


@trial(steps=4, reason="signal", files=("run.pickle", "run.signal1.pickle", "run.signal2.pickle"), shot=1,
       kinds={"optimizer_end": 2, "record_begin": 1})
def loop_asked_by_a_signal_and_emptied(t):
    loops_asked(t, lambda: os.kill(os.getpid(), signal.SIGUSR1), "run.signal1", "run.signal2", on_signal="SIGUSR1",
                clear=True)


@trial(steps=5, files=("run.file1.pickle", "run.pickle"), kinds={"optimizer_end": 3})
def loop_asked_by_a_file_and_emptied(t):
    asks = os.path.join(os.path.dirname(t.path), "dump.now")

    def ask():
        with open(asks, "w", encoding="utf-8"):
            pass

    model = llama(t)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model=model, optimizer=optimizer, on_file=asks, clear=True):
        loop(t, model, optimizer, steps=2)
        ask()
        wait_for(t.path.replace("run", "run.file1"))
        loop(t, model, optimizer, steps=3)


@trial(steps=0, state=False, reason="memory", files=("run.pickle", "run.memory.pickle"), shot=0,
       kinds={"forward_end": 1, "backward_begin": 0})
def loop_at_a_limit_of_memory(t):
    """Reached in the first forward pass, whose activations are in the file."""
    model = llama(t)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model=model, optimizer=optimizer, at_memory=t.device.allocator.reserved + MIB):
        loop(t, model, optimizer, steps=2)


@trial(steps=2, reason="segments", files=("run.step1.pickle", "run.pickle", "run.step2.pickle"), shot=1,
       kinds={"optimizer_end": 0, "dump": 1})
def accelerate_segments_after_each_step(t):
    accelerator, (model, optimizer, loader, scheduler) = accelerated(t)
    with t.capture.record(t.path, model=model, optimizer=optimizer, segments_every=1):
        accelerated_loop(t, accelerator, model, optimizer, loader, scheduler)


@trial(steps=0, state=False, kinds={"inference": 3, "graph_begin": 0})
def server_that_only_waits(t):
    """Passes without gradients, and a file asked for while nothing runs."""
    model = llama(t).eval()
    with t.capture.record(t.path, model=model, on_signal="SIGUSR2"), torch.inference_mode():
        for _ in range(3):
            rows = batch_on_device(t)
            model(input_ids=rows)
            del rows
        os.kill(os.getpid(), signal.SIGUSR2)
        wait_for(t.path.replace("run", "run.signal1"))
        os.unlink(t.path.replace("run", "run.signal1"))


@trial(steps=2, kinds={"settings": 2})
def loop_that_changes_the_allocators_settings(t):
    """The real function, as engines call it; what was put around torch's own is gone afterwards."""
    functions = lambda: (torch.cuda.memory._set_allocator_settings, torch.cuda.CUDAGraph.capture_begin,
                         torch.cuda.CUDAGraph.capture_end, torch.autograd.backward)
    before = functions()
    model = llama(t)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with t.capture.record(t.path, model=model, optimizer=optimizer):
        torch.cuda.memory._set_allocator_settings("expandable_segments:False")
        loop(t, model, optimizer, steps=2)
        torch.cuda.memory._set_allocator_settings("expandable_segments:True")
        assert not set(before) & set(functions())
    assert before == functions()
