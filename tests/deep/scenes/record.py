# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""record.py OUT_DIR [SCENE...]: runs scenes on the CPU and writes each as a snapshot with its truth, once more without
a single frame, and both as recordings that begin in the middle. TOOLS names the folder of the allocator model (sim.py), TAP the built tap: see make.sh."""

import ctypes
import gc
import json
import os
import pathlib
import pickle
import sys

import torch

sys.path.insert(0, os.environ["TOOLS"])
import by_hand  # noqa: E402
import habits  # noqa: E402
import inference  # noqa: E402
import second_order  # noqa: E402
import styles  # noqa: E402
import styles2  # noqa: E402
from sim import Recorder  # noqa: E402

GIB = 1 << 30
TAP = ctypes.PyDLL(os.environ["TAP"])
TAP.tap_callback.argtypes = [ctypes.py_object]


SCENES = {
    name: (scene, {}) for room in (habits, by_hand, styles, styles2, inference, second_order)
    for name, scene in vars(room).items()
    if type(scene) is type(lambda: 0) and getattr(scene, "__module__", "") == room.__name__}
# What a state alone says.
SCENES["state_alone"] = (habits.encoder_rmsprop_clipped, {"trace": False})


def take_frames(snap):
    for event in (e for trace in snap["device_traces"] for e in trace):
        event["frames"] = []
    for segment in snap["segments"]:
        segment["frames"] = []
        for block in segment["blocks"]:
            block["frames"] = []


def from_the_middle(shot):
    """As a full ring buffer leaves it, without the first 57 of each 100 events; None for short runs."""
    trace = shot["snap"]["device_traces"][0]
    if shot["cut"] or len(trace) < 400:
        return None
    cut = len(trace) * 57 // 100
    return {"snap": {**shot["snap"], "device_traces": [trace[cut:]]}, "cut": cut, "live": shot["live"]}


def write(out, name, snap, truth):
    (out / f"{name}.pickle").write_bytes(pickle.dumps(snap))
    (out / f"{name}.truth.json").write_text(json.dumps(truth), encoding="utf-8")


def record(name, out):
    scene, options = SCENES[name]
    torch.manual_seed(0)
    gc.collect()
    rec = Recorder(64 * GIB)
    rec.alloc.next_addr = 0x500000000  # Addresses rise as on Windows: there.
    rec.dump_at_oom, rec.grad_enabled = False, torch.is_grad_enabled
    TAP.tap_callback(rec.callback)
    try:
        scene(rec)
    finally:
        shot = getattr(rec, "dumped", None) or rec.snapshot()
        TAP.tap_callback(None)
    if not options.get("trace", True):
        shot["snap"]["device_traces"] = [[]]
        rec.trace, rec.trace_aid, rec.phases, rec.steps = [], [], [], 0
    truth = rec.truth(shot, {"scene": name, "accepted_causes": ["none"]})
    if options.get("trace", True):
        write(out, name, shot["snap"], truth)
    late = from_the_middle(shot)
    if late:
        late_truth = rec.truth(late, {"scene": name, "accepted_causes": ["none"]})
        write(out, f"late_{name}", late["snap"], late_truth)
    take_frames(shot["snap"])
    write(out, f"frameless_{name}" if options.get("trace", True) else name, shot["snap"], truth)
    if late:
        write(out, f"frameless_late_{name}", late["snap"], late_truth)
    print(f"{name:34} {len(shot['snap']['device_traces'][0]):6} events", flush=True)


def main():
    torch.set_num_threads(1)
    TAP.tap_install()
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or SCENES:
        record(name, out)


if __name__ == "__main__":
    main()
