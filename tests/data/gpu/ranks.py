# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What the ranks of a job do, each in a process of its own: a `Rank` knows what its process holds, and SCENES are the jobs."""

import collections
import contextlib
import dataclasses
import datetime
import os
import subprocess
import time
from collections.abc import Callable

import tidemark_capture
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from training import Block, Own

WORLD = 4
LAYERS, WIDTH, VOCABULARY = 4, 768, 12000
SAMPLES = 2


# -- a rank, and what it knows of itself -----------------------------------------------------------------


def held(tensors):
    """Bytes of the storages behind tensors, or behind their shards, on the device."""
    storages = [getattr(t, "_local_tensor", t).untyped_storage() for t in tensors if torch.is_tensor(t) and getattr(t, "_local_tensor", t).is_cuda]
    return sum({s.data_ptr(): s.nbytes() for s in storages}.values())


def processes():
    """{process: MiB}, as nvidia-smi has it."""
    query = ["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"]
    rows = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    return {pid: int(used) for pid, used in (row.split(", ") for row in rows) if used.isdigit()}


class Rank:
    def __init__(self, scene, rank, folder):
        self.scene, self.rank, self.folder = scene, rank, folder
        self.model = self.optimizer = None
        self.step, self.kept, self.in_flight = 0, [], 0
        self.files, self.moments, self.oom, self.failed_at = {}, [], None, None

    def dump(self, name, kind):
        began = time.time()
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.cuda.memory._dump_snapshot(str(path))
        self.files[name] = {"file": name, "rank": self.rank, "step": self.step, "kind": kind, "at": began}

    def see(self, name):
        parameters = list(self.model.parameters())
        state = [v for values in self.optimizer.state.values() for v in values.values()]
        self.moments.append({"name": name, "step": self.step, "at": time.time(), "allocated": torch.cuda.memory_allocated(), "reserved": torch.cuda.memory_reserved(),
                             "parameters": held(parameters), "gradients": held(p.grad for p in parameters), "optimizer_state": held(state), "kept": held(self.kept),
                             "in_flight": self.in_flight})

    def out_of_memory(self, device, requested, total, free):
        """Called by the allocator before it throws."""
        if self.oom is None:
            self.oom = {"at": time.time(), "step": self.step, "requested": requested, "device_free": free}
            if self.scene.at_oom:
                with contextlib.suppress(Exception):
                    self.dump(self.scene.at_oom(self), "oom")

    @contextlib.contextmanager
    def timed(self):
        try:
            yield
        except Exception:
            self.failed_at = time.time()
            raise

    def told(self, error):
        counted = torch.cuda.memory_stats()
        free, total = torch.cuda.mem_get_info()
        return {"rank": self.rank, "pid": os.getpid(), "files": list(self.files.values()), "oom": self.oom, "failed_at": self.failed_at,
                "error": None if error is None else "out of memory" if isinstance(error, torch.OutOfMemoryError) else type(error).__name__,
                "message": None if error is None else str(error), "moments": self.moments,
                "peak": {"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved(), "requested": counted["requested_bytes.all.peak"]},
                "end": {"allocated": torch.cuda.memory_allocated(), "reserved": torch.cuda.memory_reserved(), "card_free": free, "card_total": total,
                        "processes": processes()},
                "device": torch.cuda.get_device_name()}


# -- how people train --------------------------------------------------------------------------------------


def data_parallel(r):
    r.model = Own(Block, LAYERS, WIDTH, VOCABULARY).cuda()
    r.optimizer = torch.optim.AdamW(r.model.parameters(), fused=True)
    return nn.parallel.DistributedDataParallel(r.model, device_ids=[0])


def train(r, model, steps, length, after=lambda logits: None):
    with r.timed():
        for r.step in range(r.step + 1, r.step + steps + 1):
            ids = torch.randint(VOCABULARY, (SAMPLES, length(r.step)), device="cuda")
            logits = model(ids)
            loss = F.cross_entropy(logits.flatten(0, 1), ids.flatten())
            r.see("forward")
            loss.backward()
            r.see("backward")
            r.optimizer.step()
            r.optimizer.zero_grad()
            after(logits.detach())
            del ids, logits, loss


def gather_over_the_host(output, tensor, group=None, async_op=False):
    parts = [torch.empty(tensor.nbytes, dtype=torch.uint8) for _ in range(dist.get_world_size(group))]
    dist.all_gather(parts, tensor.cpu().view(torch.uint8), group=group)
    output.copy_(torch.cat(parts).view(tensor.dtype))


def scatter_over_the_host(output, input, op=dist.ReduceOp.SUM, group=None, async_op=False):
    whole = input.cpu()
    dist.all_reduce(whole, group=group)
    if op == dist.ReduceOp.AVG:
        whole /= dist.get_world_size(group)
    output.copy_(whole.view(dist.get_world_size(group), -1)[dist.get_rank(group)].view_as(output))


def sharded(r, **settings):
    """FSDP2, with NCCL's two collectives made of gloo's on the host: nothing more on the device, as with NCCL."""
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.fsdp import fully_shard
    dist.all_gather_into_tensor, dist.reduce_scatter_tensor = gather_over_the_host, scatter_over_the_host
    mesh = DeviceMesh.from_group(dist.group.WORLD, "cuda")
    with torch.device("meta"):
        r.model = Own(Block, LAYERS, WIDTH, VOCABULARY)
    for block in r.model.h:
        fully_shard(block, mesh=mesh, **settings)
    fully_shard(r.model, mesh=mesh, **settings)
    r.model.to_empty(device="cuda")
    r.optimizer = torch.optim.AdamW(r.model.parameters(), fused=True)


# -- the jobs ------------------------------------------------------------------------------------------------


def long_sequences(r):
    """Rank 2's are four times as long, and in step 4 twelve times."""
    return lambda step: 256 if r.rank != 2 else 3072 if step == 4 else 1024


def ddp_one_dies(r):
    train(r, data_parallel(r), 6, long_sequences(r), lambda logits: r.dump(f"snapshot_{r.rank}.pickle", "step"))


def ddp_captured(r):
    model = data_parallel(r)
    with tidemark_capture.record(r.folder / "run.pickle", model=r.model, optimizer=r.optimizer):
        train(r, model, 6, long_sequences(r))


def four_fill_the_card(r):
    model = data_parallel(r)
    train(r, model, 1, lambda step: 128)
    dist.barrier()
    free = torch.cuda.mem_get_info()[0]
    dist.barrier()
    key_value_cache = torch.empty(free // WORLD - (100 << 20), dtype=torch.uint8, device="cuda")
    r.kept.append(key_value_cache)
    dist.barrier()
    train(r, model, 1, lambda step: 2048)


def rank0_loads_checkpoint(r):
    checkpoint, whole = r.folder.parent / "checkpoint.pt", {}
    if r.rank == 0:
        torch.save(Own(Block, LAYERS, WIDTH, VOCABULARY).state_dict(), checkpoint)
        whole = torch.load(checkpoint, map_location="cuda")
        r.kept = list(whole.values())
    sharded(r)
    for name, parameter in r.model.named_parameters():
        full = whole[name].cpu() if r.rank == 0 else torch.empty(parameter.shape)
        dist.broadcast(full, 0)
        with torch.no_grad():
            parameter.to_local().copy_(full.chunk(WORLD)[r.rank])
    train(r, r.model, 3, lambda step: 512)


class Stage(nn.Module):
    def __init__(self, stage):
        super().__init__()
        self.h = nn.ModuleList(Block(WIDTH, 12) for _ in range(2))
        self.wte = nn.Embedding(VOCABULARY, WIDTH) if stage == 0 else None
        self.ln_f, self.lm_head = (nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)) if stage == WORLD - 1 else (None, None)

    def forward(self, x):
        x = x if self.wte is None else self.wte(x)
        for block in self.h:
            x = block(x)
        return x if self.lm_head is None else self.lm_head(self.ln_f(x))


def pipeline(r, micro_batches=6, samples=4, length=512):
    """One forward, one backward: a stage has as many micro-batches in flight as there are stages from it to the end."""
    r.model = Stage(r.rank).cuda()
    r.optimizer = torch.optim.AdamW(r.model.parameters(), fused=True)
    shape, waiting, sent = (samples, length, WIDTH), collections.deque(), []

    def receive(source):
        tensor = torch.empty(shape)
        dist.recv(tensor, source)
        return tensor.cuda()

    def send(tensor, target):
        sent.append((dist.isend(there := tensor.detach().cpu(), target), there))

    def forward():
        x = receive(r.rank - 1).requires_grad_() if r.rank else torch.randint(VOCABULARY, shape[:2], device="cuda")
        y = r.model(x)
        if r.rank == WORLD - 1:
            y = F.cross_entropy(y.flatten(0, 1), torch.randint(VOCABULARY, (samples * length,), device="cuda"))
        else:
            send(y, r.rank + 1)
        waiting.append((x, y))
        r.in_flight = len(waiting)
        r.see("forward")

    def backward():
        x, y = waiting.popleft()
        y.backward(receive(r.rank + 1) if r.rank < WORLD - 1 else None)
        if r.rank:
            send(x.grad, r.rank - 1)
        r.in_flight = len(waiting)

    for r.step in 1, 2:
        ahead = WORLD - r.rank - 1
        for _ in range(ahead):
            forward()
        for _ in range(micro_batches - ahead):
            forward()
            backward()
        for _ in range(ahead):
            backward()
        for work, _ in sent:
            work.wait()
        sent.clear()
        r.optimizer.step()
        r.optimizer.zero_grad()


def all_equal(r):
    train(r, data_parallel(r), 3, lambda step: 256)


def fsdp2(r):
    from torch.distributed.fsdp import MixedPrecisionPolicy
    sharded(r, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
    with torch.no_grad():
        for parameter in r.model.parameters():
            parameter.to_local().normal_(0, 0.02)
    train(r, r.model, 3, lambda step: 512)


def titan_folder(r, kind=""):
    return f"profiling/memory_snapshot/step_{r.step:012d}{kind}/{r.rank:06d}_step_{r.step}.pickle"


def growth_over_time(r):
    def after(logits):
        if r.rank == 1:
            r.kept += [logits, logits.log_softmax(-1)]
        if r.step in (2, 5):
            r.dump(titan_folder(r), "step")
    train(r, data_parallel(r), 20, lambda step: 512, after)


def evaluation(r):
    train(r, data_parallel(r), 2, lambda step: 256)
    r.model.eval()
    with torch.no_grad():
        for r.step in range(3, 19):
            ids = torch.randint(VOCABULARY, (SAMPLES, 512), device="cuda")
            logits = r.model(ids)
            F.cross_entropy(logits.flatten(0, 1), ids.flatten())
            if r.rank == 0:
                r.kept.append(logits)
            r.see("evaluation")


@dataclasses.dataclass
class Scene:
    run: Callable
    names: str  # whose names the files have
    outliers: list | None  # ranks that differ; None: each from the next, by design
    why: str
    more: dict = dataclasses.field(default_factory=dict)  # rank: what it holds more
    capacity: float = 0  # GiB that a rank may take
    timeout: float = 60  # of a collective, in seconds
    at_oom: Callable | None = None  # the file's name, written in the allocator's observer
    at_end: Callable | None = None  # the same, written when all is over
    captured: bool = False  # the capture module records
    leaves: bool = False  # a rank that fails ends its process, soon if others made it fail; otherwise it stays and answers nobody


LONG = {2: "activations and logits of sequences four times as long, in step 4 twelve times"}
SCENES = {s.run.__name__: s for s in [
    Scene(ddp_one_dies, "Megatron-LM", [2], "rank 2's sequences are longer; the others wait for it until the collective's timeout", LONG, capacity=2.2, timeout=15,
          at_oom=lambda r: f"snapshot_oom_rank_{r.rank}.pickle"),
    Scene(ddp_captured, "the capture module", [2], "rank 2's sequences are longer; the others lose their connection to it", LONG, capacity=2.2,
          captured=True, leaves=True),
    Scene(four_fill_the_card, "verl", [], "each rank takes a quarter of the card for a cache: the four together leave nothing for the next step",
          at_oom=lambda r: datetime.datetime.now().strftime(f"profile/oom_%Y%m%d-%H%M%S-%f/torch_memory_oom_rank{r.rank}_pid{os.getpid()}.pickle")),
    Scene(rank0_loads_checkpoint, "NeMo", [0], "rank 0 loads the whole checkpoint onto the device before it shards, and keeps it", {0: "the whole checkpoint"},
          at_end=lambda r: f"memory_snapshot-rank{r.rank}.pickle"),
    Scene(pipeline, "AReaL", None, "stage 0 has four micro-batches in flight, stage 3 one",
          {0: "four micro-batches in flight; the embedding", 1: "three micro-batches in flight", 2: "two micro-batches in flight",
           3: "one micro-batch in flight; head and logits"},
          at_end=lambda r: f"memory_snapshots/step_{r.step}/snapshot_rank{r.rank:02d}_p{r.rank}d0c0t0.pickle"),
    Scene(all_equal, "slime", [], "no rank differs", at_end=lambda r: f"memory_snapshot_time{time.time()}_rank{r.rank}_snapshot.pickle"),
    Scene(fsdp2, "prime-rl", [], "no rank differs", at_end=lambda r: f"step_{r.step}/rank_{r.rank}.pickle"),
    Scene(growth_over_time, "torchtitan", [1], "rank 1 keeps logits and log-probabilities of every step", {1: "logits and log-probabilities, more with each step"},
          capacity=2.0, leaves=True, at_end=lambda r: titan_folder(r, "_exit")),
    Scene(evaluation, "Composer", [0], "rank 0 keeps the logits of the evaluation", {0: "logits of sixteen batches"},
          at_end=lambda r: f"torch_traces/rank{r.rank}.{r.step}.memory_snapshot.pickle"),
]}
