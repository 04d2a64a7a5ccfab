# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""capture_overhead.py [ROUNDS]: what the capture module takes of a training step, feature by feature, beside bare training.

Real training on the CPU in two sizes: one of next to no arithmetic, where all that is left is the module's, and a small
transformer. Bare and recorded rounds take turns in one thread; each figure is the median over rounds of the ratio of processor
time. The allocator's counters are a stand-in that answers at once, so neither asking a CUDA allocator for them nor
torch's own recording of events and stacks is in the figures."""

import pathlib
import statistics
import sys
import tempfile
import time
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "resources" / "capture"))

import tidemark_capture  # noqa: E402
import torch  # noqa: E402

WARM = 5  # steps in which parameters and state are looked at more often
FEATURES = {
    "hooks, marks, addresses": {},
    "without hooks on the model": {"hooks": False},
    "outside of a window of steps": {"steps": (10_000, 10_001)},
    "on_signal, on_file": {"on_signal": "SIGUSR1", "on_file": "never"},
    "at_memory": {"at_memory": 1.0},
    "pools and an engine": {"pools": {"weights": (0, 1)}, "engine": type("Engine", (), {"sleep": lambda self: None})()},
    "segments_every=1": {"segments_every": 1},
}


def stand_in():
    segments = [{"total_size": 1 << 20, "segment_pool_id": (0, 0),
                 "blocks": [{"size": 4096, "state": "active_allocated", "frames": []}] * 256} for _ in range(4)]
    torch.cuda.is_available = torch.cuda.is_initialized = lambda: True
    torch.cuda.current_device = lambda: 0
    torch.cuda.get_device_properties = lambda _: types.SimpleNamespace(name="none", total_memory=1 << 40)
    torch.cuda.mem_get_info = lambda _: (1 << 39, 1 << 40)
    torch.cuda.memory_reserved = lambda _: 0
    torch.cuda.memory._record_memory_history = lambda enabled="all", context="all", stacks="all", max_entries=0: None
    torch.cuda.memory._snapshot = lambda: {"segments": segments, "device_traces": [[]]}
    torch.cuda.memory.memory_snapshot = lambda include_traces=True: segments
    torch.cuda.host_memory_stats = lambda: {}
    torch._C._cuda_memoryStats = lambda _: {"allocation": {"all": {"allocated": 1, "freed": 0, "current": 1}},
                                            "reserved_bytes": {"all": {"current": 0}}}
    torch._C._cuda_attach_out_of_memory_observer = lambda _: None
    torch.cuda.memory._get_memory_metadata = lambda: ""
    torch.cuda.memory._set_memory_metadata = lambda _: None

    def place(tensor):
        storage = tensor.untyped_storage()
        return (0, storage.data_ptr(), storage.nbytes()) if storage.nbytes() else None

    tidemark_capture._place = place


def small():
    """300 parameters of 4 x 4."""
    return torch.nn.Sequential(*(torch.nn.Linear(4, 4) for _ in range(150))), torch.ones(1, 4), 60


def transformer():
    layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
    return torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False), torch.randn(4, 64, 256), 12


def seconds_a_step(model, batch, steps, settings):
    """Processor seconds of a step; `settings` None: bare training."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)

    def train(count):
        for _ in range(count):
            model(batch).sum().backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

    with tempfile.TemporaryDirectory() as folder:
        recorder = None
        if settings is not None:
            recorder = tidemark_capture.record(f"{folder}/run.pickle", model=model, optimizer=optimizer, **settings)
            recorder.start()
        train(WARM)
        begin = time.process_time()
        train(steps)
        seconds = (time.process_time() - begin) / steps
        if recorder is not None:
            recorder.stop()
    return seconds


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    torch.set_num_threads(1)
    stand_in()
    for make in (small, transformer):
        model, batch, steps = make()
        parameters = sum(1 for _ in model.parameters())
        ratios, bare = {name: [] for name in FEATURES}, []
        seconds_a_step(model, batch, steps, None)
        for _ in range(rounds):
            bare.append(seconds_a_step(model, batch, steps, None))
            for name, settings in FEATURES.items():
                ratios[name].append(seconds_a_step(model, batch, steps, settings) / bare[-1])
        print(f"{make.__name__}: {parameters} parameters, bare {statistics.median(bare) * 1e3:.2f} ms a step")
        for name, found in ratios.items():
            print(f"  {name:30} {statistics.median(found):.2f} x   ({min(found):.2f} to {max(found):.2f})")


if __name__ == "__main__":
    main()
