# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""measure_costs.py FOLDER: what the capture module itself takes of a step, setting by setting, as it states in its files:
real training on the CPU, the stand-in's counters and addresses, best of three. FOLDER holds tap.so (run.sh builds it).
Torch's own recording of events and stacks, and its snapshot, are not among it."""

import os
import pathlib
import pickle
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
os.environ["TAP"] = str(pathlib.Path(sys.argv[1]) / "tap.so")
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "resources" / "capture")]

import device as devices  # noqa: E402
import tidemark_capture  # noqa: E402
import torch  # noqa: E402

STEPS, LAYERS, SEQUENCE = 40, 48, 8
SETTINGS = {
    "hooks, marks and addresses": {},
    "outside of a window of steps": {"steps": (10_000, 10_001)},
    "on_signal, on_file": {"on_signal": "SIGUSR1", "on_file": "never"},
    "at_memory": {"at_memory": 1.0},
    "pools, engine": {"pools": {"weights": (0, 1)}, "engine": type("Engine", (), {"sleep": lambda self: None})()},
    "segments_every=1": {"segments_every": 1},
    "find": {"find": True},
}


def model():
    return torch.nn.Sequential(*(torch.nn.Linear(32, 32) for _ in range(LAYERS)))


def seconds_of(settings, folder):
    """The module's own seconds in all steps, without those of its beginning and of the file at the end."""
    trained = model()
    optimizer = torch.optim.AdamW(trained.parameters(), lr=1e-3)
    recorder = tidemark_capture.record(os.path.join(folder, "run.pickle"), trained, optimizer, **settings)
    recorder.start()
    for step in range(STEPS + 5):
        if step == 5:  # parameters and state are looked at in the first ones
            before = recorder._seconds
        trained(torch.ones(SEQUENCE, 32)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    seconds = recorder._seconds - before
    recorder.stop()
    return seconds


def main():
    torch.set_num_threads(1)
    device = devices.Device(8 << 30)
    devices.put_in_place(device, tidemark_capture)
    parameters = sum(1 for _ in model().parameters())
    print(f"{parameters} trainable parameters, {STEPS} steps; us of the module per step")
    with tempfile.TemporaryDirectory() as folder:
        for name, settings in SETTINGS.items():
            best = min(seconds_of(settings, folder) for _ in range(3))
            print(f"{name:32} {best / STEPS * 1e6:9.0f}")
        file = os.path.join(folder, f"run.step{STEPS}.pickle")
        blocks = sum(len(s["blocks"]) for s in pickle.loads(pathlib.Path(file).read_bytes())["segments"])
        print(f"a file of segments alone has {blocks} blocks and {os.path.getsize(file):,} bytes")


main()
