# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Two ranks over gloo, each with a device and a file of its own; the first one's is judged."""

import contextlib
import os

import torch
import torch.distributed as dist
from trials import llama, loop, trial

FILES = ("run.rank1-of-2.pickle", "run.rank0-of-2.pickle")


@contextlib.contextmanager
def two_ranks(t):
    """The block runs in two processes; the second ends behind it."""
    store = os.path.join(os.path.dirname(t.path), "store")
    child = os.fork()
    rank = int(child == 0)
    status = 1
    try:
        dist.init_process_group("gloo", store=dist.FileStore(store, 2), rank=rank, world_size=2)
        yield rank
        dist.barrier()
        dist.destroy_process_group()
        status = 0
    finally:
        if child == 0:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0, "the second rank failed"


def sharded(t, model):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    mesh = init_device_mesh("cpu", (2,))
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    t.truth.watch(model)


@trial(steps=2, files=FILES, share=0.93)
def fully_sharded_on_two_ranks(t):
    with two_ranks(t):
        model = llama(t, use_cache=False)
        sharded(t, model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        with t.capture.record(t.path, model=model, optimizer=optimizer):
            loop(t, model, optimizer, steps=2)


@trial(steps=3, files=FILES, share=0.93, reason="window", kinds={"optimizer_end": 2, "forward_begin": 2})
def fully_sharded_window_on_two_ranks(t):
    with two_ranks(t):
        model = llama(t, use_cache=False)
        sharded(t, model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        with t.capture.record(t.path, model=model, optimizer=optimizer, steps=(2, 3)):
            loop(t, model, optimizer, steps=4)


@trial(steps=3, files=FILES)
def data_parallel_on_two_ranks(t):
    with two_ranks(t):
        inner = llama(t, use_cache=False)
        model = torch.nn.parallel.DistributedDataParallel(inner)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        with t.capture.record(t.path, model=model, optimizer=optimizer):
            loop(t, model, optimizer, steps=3)
