# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""capture_overhead.py [PARAMETERS]: what the capture module's own calls cost per training step.

Real PyTorch modules and optimizers on the CPU (any torch from Debian's 1.13 on); the allocator's counters are a stand-in that
answers at once, so the cost of asking a CUDA allocator for them is not in the figures. Prints the time per step with
and without the module around a step whose arithmetic is next to nothing, the module's own share by its own clock,
and the time per mark."""

import pathlib
import statistics
import sys
import tempfile
import time
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "resources" / "capture"))

import tidemark_capture  # noqa: E402
import torch  # noqa: E402


def stand_in():
    torch.cuda.is_available = torch.cuda.is_initialized = lambda: True
    torch.cuda.current_device = lambda: 0
    torch.cuda.get_device_properties = lambda _: types.SimpleNamespace(name="none", total_memory=1 << 40)
    torch.cuda.mem_get_info = lambda _: (1 << 39, 1 << 40)
    torch.cuda.memory_reserved = lambda _: 0
    torch.cuda.memory._record_memory_history = lambda **_: None
    torch.cuda.memory._snapshot = lambda: {"segments": [], "device_traces": [[]]}
    torch._C._cuda_memoryStats = lambda _: {"allocation": {"all": {"allocated": 1, "freed": 0, "current": 1}}}
    torch._C._cuda_attach_out_of_memory_observer = lambda _: None
    torch.cuda.memory._get_memory_metadata = lambda: ""
    torch.cuda.memory._set_memory_metadata = lambda _: None
    tidemark_capture._place = lambda t: (0, t.storage().data_ptr(), t.storage().nbytes())


def median_step(model, optimizer, steps=300):
    batch, times = torch.ones(1, 4), []
    for _ in range(steps):
        begin = time.perf_counter()
        model(batch).sum().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        times.append(time.perf_counter() - begin)
    return statistics.median(times[10:])


def main():
    torch.set_num_threads(1)
    layers = int(sys.argv[1]) // 2 if len(sys.argv) > 1 else 150
    model = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(layers)])
    optimizer = torch.optim.AdamW(model.parameters())
    stand_in()
    plain = median_step(model, optimizer)
    with tempfile.TemporaryDirectory() as folder:
        with tidemark_capture.record(f"{folder}/run.pickle", model=model, optimizer=optimizer) as recorder:
            recorded = median_step(model, optimizer)
            own = recorder._seconds / recorder.steps
            begin = time.perf_counter()
            for _ in range(1000):
                recorder._mark("forward_end")
            mark = (time.perf_counter() - begin) / 1000
    print(f"{2 * layers} parameters: {plain * 1e3:.3f} ms a step, {recorded * 1e3:.3f} ms recorded, "
          f"the module's own time {own * 1e3:.3f} ms a step, {mark * 1e6:.1f} us a mark without tensors")


main()
