# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""record.py OUT_DIR [SCENE...]: runs scenes on the CPU and writes each as a snapshot with its truth. TOOLS names the
folder of the allocator model (sim.py), TAP the built tap: see make.sh."""

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
import styles  # noqa: E402
from sim import Recorder  # noqa: E402

GIB = 1 << 30
TAP = ctypes.PyDLL(os.environ["TAP"])
TAP.tap_callback.argtypes = [ctypes.py_object]


SCENES = {
    name: (scene, {}) for room in (habits, by_hand, styles, inference) for name, scene in vars(room).items()
    if type(scene) is type(lambda: 0) and getattr(scene, "__module__", "") == room.__name__}
# The same without a single frame, and what a state alone says.
SCENES["frameless_training"] = (habits.mlp_adam_keeps_grads, {"frames": False})
SCENES["frameless_encoder"] = (habits.encoder_rmsprop_clipped, {"frames": False})
SCENES["frameless_validation"] = (habits.epochs_with_validation, {"frames": False})
SCENES |= {f"frameless_{name}": (SCENES[name][0], {"frames": False}) for name in (
    "accumulation_zero_first", "checkpointed_reentrant", "predictions_kept", "recorded_from_the_middle", "moving_average",
    "mlp_sgd_zero_first", "momentum_by_hand", "data_set_on_the_card", "generation_with_a_static_cache",
    "two_networks_two_optimizers")}
SCENES["state_alone"] = (habits.encoder_rmsprop_clipped, {"trace": False})


def without(snap, options):
    if not options.get("frames", True) or not options.get("trace", True):
        for event in (e for trace in snap["device_traces"] for e in trace):
            event["frames"] = []
        for segment in snap["segments"]:
            segment["frames"] = []
            for block in segment["blocks"]:
                block["frames"] = []
    if not options.get("trace", True):
        snap["device_traces"] = [[]]


def record(name, out):
    scene, options = SCENES[name]
    torch.manual_seed(0)
    gc.collect()
    rec = Recorder(64 * GIB)
    rec.dump_at_oom, rec.grad_enabled = False, torch.is_grad_enabled
    TAP.tap_callback(rec.callback)
    try:
        scene(rec)
    finally:
        shot = getattr(rec, "dumped", None) or rec.snapshot()
        TAP.tap_callback(None)
    without(shot["snap"], options)
    if not options.get("trace", True):
        rec.trace, rec.trace_aid, rec.phases, rec.steps = [], [], [], 0
    truth = rec.truth(shot, {"scene": name, "accepted_causes": ["none"]})
    (out / f"{name}.pickle").write_bytes(pickle.dumps(shot["snap"]))
    (out / f"{name}.truth.json").write_text(json.dumps(truth), encoding="utf-8")
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
