# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""make_captured.py MODELLED_TOOLS TAP OUT_DIR [SCENE...]: real training runs under the capture module, with the truth.

PyTorch (Debian's python3-torch) trains on the CPU; every allocation is tapped and placed by a model of the caching
allocator. Here torch.cuda.memory is a stand-in for that model, so that the capture module records a true run; what it
writes goes to NAME.pickle.xz, and the true bucket of every allocation to NAME.truth.json. MODELLED_TOOLS holds scenes.py
and sim.py; TAP is the library that its make.sh builds."""

import contextlib
import gc
import json
import lzma
import os
import pathlib
import sys
import warnings

TOOLS, TAP, OUT = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["TAP"] = TAP
sys.path[:0] = [str(TOOLS), str(ROOT / "resources" / "capture")]

import scenes  # noqa: E402
import sim  # noqa: E402
import tidemark_capture  # noqa: E402
import torch  # noqa: E402

GIB = 1 << 30


class TrueRecorder(sim.Recorder):
    """The model of the allocator, which counts as CUDA's does and tells an observer before it gives up."""

    def __init__(self, capacity, **options):
        self.counted = {"allocated": 0, "freed": 0}
        self.observer = self.shot = None
        super().__init__(capacity, **options)

    def _emit(self, action, addr, size, frames, aid=None):
        self.counted["allocated"] += action == "alloc"
        self.counted["freed"] += action == "free_requested"
        super()._emit(action, addr, size, frames, aid)

    def callback(self, is_alloc, p, n):
        refused = super().callback(is_alloc, p, n)
        if refused:
            self.observer(0, n * self.scale, self.alloc.capacity, self.alloc.capacity - self.alloc.reserved)
        return refused

    def place(self, tensor):
        """What tidemark_capture wants to know of a tensor: device, address, bytes."""
        hit = isinstance(tensor, torch.Tensor) and self.ptr.get(tensor.storage().data_ptr())
        return (0, hit[0], self.size[hit[1]]) if hit else None

    def dump(self):
        """The snapshot, with file names that do not tell where this ran."""
        if self.shot is None or self.oom is None:  # at an OOM the first of two files counts
            self.shot = self.snapshot()
        for frame in (frame for frames in self._flists.values() for frame in frames):
            if not frame["filename"].startswith(("/usr/", "<", "/workspace/")):
                frame["filename"] = f"/workspace/train/{pathlib.Path(frame['filename']).name}"
        return self.shot["snap"]


class Properties:
    name = "Modelled GPU"

    def __init__(self, total):
        self.total_memory = total


def stand_in(recorder):
    """Puts the model in the place of the parts of torch that the capture module calls."""
    def counters(_device):
        counted = recorder.counted
        return {"allocation": {"all": {**counted, "current": counted["allocated"] - counted["freed"]}}}

    def observe(observer):
        recorder.observer = observer

    capacity = recorder.alloc.capacity
    torch.cuda.is_available = torch.cuda.is_initialized = lambda: True
    torch.cuda.current_device = lambda: 0
    torch.cuda.get_device_properties = lambda _: Properties(capacity)
    torch.cuda.mem_get_info = lambda _: (capacity - recorder.alloc.reserved, capacity)
    torch.cuda.memory_reserved = lambda _: recorder.alloc.reserved
    torch.cuda.memory._record_memory_history = lambda **settings: None
    torch.cuda.memory._snapshot = recorder.dump
    torch._C._cuda_memoryStats = counters
    torch._C._cuda_attach_out_of_memory_observer = observe
    tidemark_capture._place = recorder.place
    tidemark_capture._observed = False


@contextlib.contextmanager
def attached(capture):
    """Scenes make their model themselves; it is named to the recording there."""
    original = scenes.Run.__init__

    def init(self, rec, model, opt, loss_fn):
        original(self, rec, model, opt, loss_fn)
        capture.attach(model, opt)

    scenes.Run.__init__ = init
    try:
        yield
    finally:
        scenes.Run.__init__ = original


def clipped(rec, steps=3):
    """Clipping between backward and step, two micro-batches a step, a few evaluation batches after each."""
    model = scenes.GPT(d=96, n=2, h=4, vocab=512)
    run = scenes.Run(rec, model, torch.optim.AdamW(model.parameters(), lr=1e-3), scenes.ce)
    for _ in range(steps):
        for _ in range(2):
            x, y = scenes.tokens(rec, 4, 64, model.vocab)
            run.backward(run.forward(x, y))
        rec.set_phase("optimizer")
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        run.step()
    rec.set_phase("evaluation")
    model.eval()
    with torch.no_grad():
        for _ in range(2):
            x, y = scenes.tokens(rec, 4, 64, model.vocab)
            rec.set_phase("evaluation")
            model(x)


# name: (scene, capacity in bytes, options of the recorder)
SCENES = {
    "clipped_accumulated": (clipped, 64 * GIB, {}),
    "out_of_memory": (lambda r: scenes.gpt_adamw(r, steps=2, B=2, T=96, d=96, n=2, h=4, vocab=512),
                        140 << 20, {}),
    "ring_overflowed": (lambda r: scenes.gpt_adamw(r, steps=4, B=2, T=64, d=96, n=2, h=4, vocab=512), 64 * GIB,
                        {"max_entries": 1500}),
    "checkpointed": (lambda r: scenes.gpt_adamw(r, steps=2, B=4, T=64, d=96, n=2, h=4, vocab=512, ckpt=True),
                     64 * GIB, {}),
    "lora": (scenes.lora, 64 * GIB, {}),
    "conv_evaluated": (lambda r: scenes.conv_sgd_eval(r, steps=2, B=4, S=24), 64 * GIB, {}),
}


def record(name):
    scene, capacity, options = SCENES[name]
    torch.manual_seed(0)
    gc.collect()
    rec = TrueRecorder(capacity, **options)
    rec.grad_enabled = torch.is_grad_enabled
    stand_in(rec)
    scenes.lib.tap_callback(rec.callback)
    path, error = OUT / f"{name}.pickle", None
    capture = tidemark_capture.record(path, max_entries=options.get("max_entries", 200_000))
    try:
        with capture, attached(capture):
            scene(rec)
    except RuntimeError as caught:
        error, caught.__traceback__ = str(caught), None
    scenes.lib.tap_callback(None)
    if rec.oom:
        os.replace(OUT / f"{name}.oom.pickle", path)
    with lzma.open(f"{path}.xz", "wb", preset=9) as packed:
        packed.write(path.read_bytes())
    path.unlink()
    truth = rec.truth(rec.shot, {"scene": name, "error": error, "capacity": rec.alloc.capacity})
    (OUT / f"{name}.truth.json").write_text(json.dumps(truth, separators=(",", ":")), encoding="utf-8")
    print(f"{name:22} {len(rec.shot['snap']['device_traces'][0]):7} events "
          f"peak {rec.alloc.peak_allocated / GIB:6.2f} GiB steps {rec.steps} error {error}")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("always")
    for name in sys.argv[4:] or SCENES:
        record(name)


main()
