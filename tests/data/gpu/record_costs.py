# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""record_costs.py OUT: OUT/costs.txt, milliseconds of a training step without a recording, under torch's own, and under the capture
module, feature by feature; alone on the card, on a model whose kernels are short: what the processor does is what is seen."""

import itertools
import os
import pathlib
import statistics
import sys
import tempfile
import time

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "resources" / "capture")]

import tidemark_capture  # noqa: E402
import training  # noqa: E402
from setups import Setup  # noqa: E402

SETUP = Setup("llama", 1, 128)
ROUNDS, WARM, STEPS = 11, 2, 10
history = torch.cuda.memory._record_memory_history


class Torch:
    """Recording by torch alone; `dumps`: it writes a file after each step."""

    def __init__(self, dumps=False, **settings):
        self.settings, self.dumps = settings, dumps

    def start(self, folder, model, optimizer):
        history(**self.settings)
        return self

    def step(self, folder):
        if self.dumps:
            torch.cuda.memory._dump_snapshot(folder + "/step.pickle")

    def stop(self):
        history(enabled=None)


class Module:
    def __init__(self, **settings):
        self.settings = settings

    def start(self, folder, model, optimizer):
        self.recorder = tidemark_capture.record(folder + "/run.pickle", model=model, optimizer=optimizer, **self.settings)
        self.recorder.start()
        return self

    def step(self, folder):
        pass

    def stop(self):
        self.recorder.stop()


PYTHON = {"max_entries": 1_000_000, "stacks": "python"}
# Name, how, and what it is to be held against: the recording that torch does of itself at the same settings.
WAYS = [
    ("bare", None, None),
    ("torch: stacks=python", Torch(**PYTHON), "bare"),
    ("torch: stacks=all", Torch(max_entries=1_000_000, stacks="all"), "bare"),
    ("torch: state, a file each step", Torch(dumps=True, enabled="state", stacks="python"), "bare"),
    ("module", Module(), "torch: stacks=python"),
    ("module: stacks=all", Module(stacks="all"), "torch: stacks=all"),
    ("module: hooks=False", Module(hooks=False), "torch: stacks=python"),
    ("module: annotate=False", Module(annotate=False), "torch: stacks=python"),
    ("module: outside of its steps", Module(steps=(10_000, 10_001)), "bare"),
    ("module: on_signal, on_file", Module(on_signal="SIGUSR1", on_file="never"), "torch: stacks=python"),
    ("module: at_memory", Module(at_memory=1.0), "torch: stacks=python"),
    ("module: pinned", Module(pinned=True), "torch: stacks=python"),
    ("module: segments_every=1", Module(trace=False, segments_every=1), "torch: state, a file each step"),
]


def train(model, optimizer, steps, after=lambda: None):
    for _ in range(steps):
        training.loss_of(SETUP, model, training.batch_of(SETUP)).backward()
        optimizer.step()
        optimizer.zero_grad()
        after()


def seconds(how, model, optimizer):
    """Of a step."""
    with tempfile.TemporaryDirectory() as folder:
        way = how.start(folder, model, optimizer) if how else None
        after = (lambda: way.step(folder)) if way else (lambda: None)
        train(model, optimizer, WARM, after)
        torch.cuda.synchronize()
        before = time.perf_counter()
        train(model, optimizer, STEPS, after)
        torch.cuda.synchronize()
        took = (time.perf_counter() - before) / STEPS
        if way:
            way.stop()
        return took


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    deadline = time.time() + float(os.environ.get("SECONDS_LEFT", 100_000))
    model = training.model_of(SETUP)
    optimizer = training.optimizer_of(SETUP, model)
    train(model, optimizer, 5)
    times = {name: [] for name, _, _ in WAYS}
    for _ in range(ROUNDS):
        for name, how, _ in WAYS:
            times[name].append(seconds(how, model, optimizer))
        lines = [f"{torch.cuda.get_device_name(0)}, torch {torch.__version__}: {sum(1 for _ in model.parameters())} parameters;"
                 f" medians of {len(times['bare'])} rounds of {STEPS} steps"]
        for name, _, against in WAYS:
            ratio = statistics.median(itertools.starmap(lambda a, b: a / b, zip(times[name], times[against]))) if against else 1
            lines.append(f"{name:32} {statistics.median(times[name]) * 1e3:8.2f} ms a step" + (f", {ratio:.3f} of {against}" if against else ""))
        (out / "costs.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        if time.time() > deadline:
            break
    print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
