# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""record.py DATA_DIR OUT [MIB]: the bundled example, and its truth, OUT.pickle and OUT.truth.json.

Runs resources/example/train.py in PyTorch on the CPU; each allocation is placed by a model of the caching allocator of a GPU
with MIB left for the process. Needs torch 2 and DATA_DIR/tools/modern with its tap.so (make.sh there)."""

import json
import pathlib
import pickle
import runpy
import sys

DATA, OUT, MIB = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 7465
SOURCES = pathlib.Path(__file__).resolve().parents[3] / "resources/example"
sys.path[:0] = [str(DATA / "tools/modern"), str(SOURCES)]

import auto  # noqa: E402
import torch  # noqa: E402

LIBRARIES = str(pathlib.Path(torch.__file__).parents[1])
SHORT = {str(SOURCES): "/home/me/gpt", LIBRARIES: "/home/me/gpt/.venv/lib/python3/site-packages"}


class Recorder(auto.Recorder):
    """With the frames that the script has without this one around it."""

    def __init__(self, capacity):
        super().__init__(capacity)
        self.shown, self.dump_at_oom = {}, True

    def _frames(self):
        frames = super()._frames()
        if id(frames) not in self.shown:
            own = [i for i, frame in enumerate(frames) if frame["filename"].startswith(str(SOURCES))]
            below = frames[:own[-1] + 1] if own else frames
            self.shown[id(frames)] = [self.short(frame) for frame in below if frame["filename"] != __file__]
        return self.shown[id(frames)]

    @staticmethod
    def short(frame):
        name = frame["filename"]
        for long, short in SHORT.items():
            name = name.replace(long, short)
        return dict(frame, filename=name)


def stand_in(recorder, watcher):
    """The CPU for the GPU: a model is made on the host and moved, a batch is made where it is needed."""
    auto.as_on_cuda()
    auto.copies_to_device(recorder)
    randint, move = torch.randint, torch.nn.Module.to

    def made(*words, device, **more):
        recorder.set_phase("input")
        batch = randint(*words, **more)
        watcher.input(batch)
        return batch

    def moved(model, _device):
        recorder.host = 0
        move(model, "cpu")
        watcher.watch(model)
        return model

    torch.randint, torch.nn.Module.to = made, moved


def main():
    torch.manual_seed(0)
    recorder = Recorder(MIB << 20)
    watcher = auto.Auto(recorder)
    stand_in(recorder, watcher)
    auto.lib.tap_install()
    recorder.host = 1
    auto.lib.tap_callback(recorder.callback)
    error = None
    try:
        with watcher:
            runpy.run_path(str(SOURCES / "train.py"), run_name="__main__")
    except Exception as e:  # what the tap throws
        error = f"{type(e).__name__}: {e}"[:200]
    shot = recorder.snapshot_at_oom or recorder.snapshot()
    recorder.on = False
    auto.lib.tap_callback(None)
    truth = recorder.truth(shot, {
        "scene": pathlib.Path(OUT).name, "capacity": MIB << 20, "error": error, "accepted_causes": ["activations", "activations-sequence", "logits"],
        "torch": torch.__version__.split("+")[0]})
    with open(f"{OUT}.pickle", "wb") as file:
        pickle.dump(shot["snap"], file, protocol=4)
    with open(f"{OUT}.truth.json", "w", encoding="utf-8") as file:
        json.dump(truth, file, separators=(",", ":"))
    print(len(shot["snap"]["device_traces"][0]), "events, peak", truth["requested_peak"] >> 20, "MiB,", truth["steps"], "steps,", error)


main()
