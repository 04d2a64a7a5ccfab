# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""record_deaths.py OUT_DIR [SCENE...]: runs the scenes of deaths.py and its neighbours, each with the memory it is to run
out of, and writes the snapshot of that moment with the causes that are right answers. Called by make.sh, as record.py."""

import gc
import json
import pathlib
import pickle
import sys

import torch
from record import GIB, TAP, take_frames

import deaths  # noqa: I100
import deaths_kept
import deaths_others
from lanes import LaneRecorder

SCENES = {name: (*scene, {}) for room in (deaths, deaths_kept, deaths_others) for name, scene in room.DEATHS.items()}
# The same runs without a frame. What no frame tells apart from activations may be called by their name.
FRAMELESS = {
    "gradients_of_a_large_model": [], "adam_first_step": [], "optimizer_lists": ["model-states"],
    "second_forward_after_the_state_came": [], "transformer_first_forward": ["unclear"], "conv_backward_of_step_two": [],
    "first_backward": [], "one_large_picture": [], "hidden_states_collected": ["leak"],
    "outputs_kept_every_step": [], "holes_of_changing_shapes": [], "fine_training": [],
}
for name, also in FRAMELESS.items():
    scene, capacity, causes, options = SCENES[name]
    SCENES[f"frameless_{name}"] = (scene, capacity, causes + also, options | {"frames": False})
# Recording that begins late: the model is in the start state.
LATE = {"second_forward_after_the_state_came": 400, "conv_backward_of_step_two": 60, "outputs_kept_every_step": 1500,
        "optimizer_lists": 700, "one_large_picture": 500, "large_vocabulary_in_backward": 30, "fine_training": 300}
for name, first in LATE.items():
    scene, capacity, causes, options = SCENES[name]
    SCENES[f"late_{name}"] = (scene, capacity, causes, options | {"cut": first})


def run(scene, rec):
    """Ends with the scene's frames gone, so that nothing it made is alive when the next one starts."""
    try:
        kept = scene(rec)
        rec.at_end = rec.snapshot()
        del kept
    except RuntimeError as error:
        error.__traceback__ = None
        return str(error)
    return None


def record(name, out):
    scene, capacity, causes, options = SCENES[name]
    torch.manual_seed(0)
    gc.collect()
    rec = LaneRecorder(int(capacity * GIB))
    rec.dump_at_oom, rec.grad_enabled = True, torch.is_grad_enabled
    TAP.tap_callback(rec.callback)
    try:
        error = run(scene, rec)
    finally:
        shot = rec.snapshot_at_oom or rec.at_end
        TAP.tap_callback(None)
    if not options.get("frames", True):
        take_frames(shot["snap"])
    cut = options.get("cut", 0)
    shot["snap"]["device_traces"] = [shot["snap"]["device_traces"][0][cut:]]
    truth = {"scene": name, "accepted_causes": causes, "capacity": int(capacity * GIB), "error": error,
             "oom": rec.oom and dict(rec.oom, index=rec.oom["index"] - cut)}
    (out / f"{name}.pickle").write_bytes(pickle.dumps(shot["snap"]))
    (out / f"{name}.truth.json").write_text(json.dumps(truth), encoding="utf-8")
    peak, events = rec.alloc.peak_allocated / GIB, len(shot["snap"]["device_traces"][0])
    asked = f"asked for {rec.oom['requested'] / GIB:.3f} of {capacity}" if rec.oom else "did not run out"
    print(f"{name:44} {events:6} events, peak {peak:6.2f} GiB, {asked}", flush=True)


def main():
    torch.set_num_threads(1)
    TAP.tap_install()
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or SCENES:
        record(name, out)


if __name__ == "__main__":
    main()
