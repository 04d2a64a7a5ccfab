# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""A stand-in for the parts of torch that the capture module calls: an allocator with a ring buffer and counters, tensors
that free their storage when nothing holds them, modules and optimizers with hooks. install() puts a fresh one in place
of `torch`; its release and what it lacks can be told, so that older versions are tested, too."""

import collections
import contextlib
import inspect
import math
import sys
import types
import weakref

BASE = 0x7F0000000000
SEGMENT = 1 << 30


class OutOfMemoryError(RuntimeError):
    pass


class Allocator:
    """One device's memory: every block in one segment, never reused, so that addresses are ids."""

    def __init__(self, index):
        self.index, self.next = index, BASE + index * (SEGMENT << 4)
        self.base, self.live, self.limit = self.next, {}, SEGMENT
        self.entries, self.max_entries, self.recording = collections.deque(), 0, False
        self.allocated = self.freed = 0
        self.observers = []

    def record(self, action, size, **place):
        if self.recording:
            number = self.allocated + self.freed
            self.entries.append({"action": action, "size": size, "stream": 0, "time_us": 10**15 + number, **place,
                                 "frames": [{"name": "train", "filename": "train.py", "line": 1}]})
            while len(self.entries) > self.max_entries:
                self.entries.popleft()

    def malloc(self, size):
        if sum(self.live.values()) + size > self.limit:
            free = self.limit - sum(self.live.values())
            self.record("oom", -(-size // 512) * 512, device_free=free)
            for observer in self.observers:
                observer(self.index, size, self.limit, free)
            raise OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size} bytes.")
        address, self.next = self.next, self.next + -(-size // 512) * 512
        self.live[address] = size
        self.allocated += 1
        self.record("alloc", size, addr=address)
        return address

    def free(self, address):
        size = self.live.pop(address)
        self.freed += 1
        self.record("free_requested", size, addr=address)
        self.record("free_completed", size, addr=address)

    def segment(self):
        blocks, at = [], self.base
        for address, size in sorted(self.live.items()) + [(self.base + SEGMENT, 0)]:
            if address > at:
                blocks.append({"address": at, "size": address - at, "requested_size": 0, "state": "inactive"})
            if size:
                at = address + -(-size // 512) * 512
                blocks.append({"address": address, "size": at - address, "requested_size": size,
                               "state": "active_allocated", "frames": []})
        used = sum(b["size"] for b in blocks if b["state"] != "inactive")
        return {"device": self.index, "address": self.base, "total_size": SEGMENT, "allocated_size": used,
                "active_size": used, "requested_size": sum(self.live.values()), "stream": 0, "segment_type": "large",
                "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": blocks}


class Storage:
    def __init__(self, allocator, size):
        self.allocator, self.size = allocator, size
        self.address = allocator.malloc(size) if allocator and size else 0

    def data_ptr(self):
        return self.address

    def nbytes(self):
        return self.size

    def __del__(self):
        if getattr(self, "address", 0):
            self.allocator.free(self.address)


class Device:
    def __init__(self, kind, index=0):
        self.type, self.index = kind, index


def install(devices=1, lacks=(), release=(2, 15)):
    """Puts a fresh torch into sys.modules and returns it, with `torch.allocators`. `release`: whose signatures it has."""
    for name in [n for n in sys.modules if n == "torch" or n.startswith(("torch.", "tidemark_capture"))]:
        del sys.modules[name]
    torch = types.ModuleType("torch")
    torch.__version__ = f"{release[0]}.{release[1]}.0+stand-in"
    torch.allocators = [Allocator(i) for i in range(devices)]
    torch.grad_on = True
    _tensors(torch)
    _modules(torch)
    _cuda(torch, lacks, release)
    torch.distributed = types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: False)
    sys.modules.update({"torch": torch, "torch.cuda": torch.cuda, "torch.cuda.memory": torch.cuda.memory,
                        "torch.autograd": torch.autograd, "torch.nn": torch.nn, "torch.optim": torch.optim})
    return torch


def _tensors(torch):
    class Tensor:
        def __init__(self, *shape, device=0, storage=None):
            self.shape, self.dtype, self.grad, self.grad_fn = shape, "torch.float32", None, None
            self.is_cuda, self.requires_grad, self.is_leaf = device is not None, False, True
            self.device = Device("cuda" if self.is_cuda else "cpu", device)
            allocator = torch.allocators[device] if self.is_cuda else None
            self._storage = storage or Storage(allocator, 4 * math.prod(shape))
            self._back = None

        def untyped_storage(self):
            return self._storage

        def backward(self):
            torch.autograd.backward(self)

    def backward(tensor):
        tensor._back()

    def empty(*shape, dtype=None, device="cuda:0"):
        index = int(device.split(":")[1])
        return Tensor(*shape, device=index, storage=Storage(torch.allocators[index], shape[0]))

    @contextlib.contextmanager
    def no_grad():
        torch.grad_on = False
        try:
            yield
        finally:
            torch.grad_on = True

    torch.Tensor, torch.empty, torch.no_grad, torch.uint8 = Tensor, empty, no_grad, "torch.uint8"
    torch.compiler = types.SimpleNamespace(is_compiling=lambda: torch.compiling)
    torch.compiling = False
    torch.is_grad_enabled = lambda: torch.grad_on
    torch.autograd = types.ModuleType("torch.autograd")
    torch.autograd.backward = backward
    torch.device = lambda text: Device("cuda", int(text.split(":")[1]) if ":" in text else None)


class Handle:
    def __init__(self, hooks, hook):
        self.hooks, self.hook = weakref.ref(hooks), hook

    def remove(self):
        hooks = self.hooks()
        if hooks is not None and self.hook in hooks:
            hooks.remove(self.hook)


class Hooks(list):
    pass


def _modules(torch):
    class Parameter(torch.Tensor):
        def __init__(self, *shape, device=0, requires_grad=True):
            super().__init__(*shape, device=device)
            self.requires_grad = requires_grad

    class Module:
        """A chain of weights; each makes one activation."""

        def __init__(self, weights=2, size=1000, device=0, frozen=0):
            self.weights = [Parameter(size, device=device, requires_grad=i >= frozen) for i in range(weights)]
            self.running_mean = torch.Tensor(7, device=device)
            self.training, self.before, self.after = True, Hooks(), Hooks()

        def named_parameters(self):
            return ((f"layers.{i}.weight", w) for i, w in enumerate(self.weights))

        def named_buffers(self):
            return iter([("running_mean", self.running_mean)])

        def register_forward_pre_hook(self, hook, with_kwargs=False):
            self.before.append((hook, with_kwargs))
            return Handle(self.before, self.before[-1])

        def register_forward_hook(self, hook, with_kwargs=False):
            self.after.append((hook, with_kwargs))
            return Handle(self.after, self.after[-1])

        def __call__(self, *args, **kwargs):
            for hook, with_kwargs in [*((hook, False) for hook in torch.nn_module.all_before), *self.before]:
                hook(self, args, kwargs) if with_kwargs else hook(self, args)
            result = self.forward(*args, **kwargs)
            for hook, with_kwargs in list(self.after):
                hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            return result

        def forward(self, batch, **_):
            saved = [torch.Tensor(64, device=w.device.index) for w in self.weights]
            loss = torch.Tensor(1, device=self.weights[0].device.index)
            if torch.grad_on:
                loss.grad_fn, loss.is_leaf = "node", False

                def back():
                    for w in self.weights:
                        transient = torch.Tensor(33, device=w.device.index)
                        if w.requires_grad:
                            w.grad = torch.Tensor(*w.shape, device=w.device.index)
                        del transient
                    saved.clear()

                loss._back = back
            return loss

    Module.__module__ = "torch.nn.modules.module"
    sys.modules[Module.__module__] = torch.nn_module = types.ModuleType(Module.__module__)
    torch.nn_module.all_before = Hooks()

    def register_module_forward_pre_hook(hook):
        torch.nn_module.all_before.append(hook)
        return Handle(torch.nn_module.all_before, hook)

    torch.nn_module.register_module_forward_pre_hook = register_module_forward_pre_hook
    torch.nn = types.ModuleType("torch.nn")
    torch.nn.Parameter, torch.nn.Module = Parameter, Module
    torch.nn.ModuleList, torch.nn.ModuleDict = type("ModuleList", (Module,), {}), type("ModuleDict", (Module,), {})
    _optimizers(torch)


def _optimizers(torch):
    """As torch: hooks run around a step because Optimizer.__init__ wraps the step of its class, and those of all
    optimizers live in a module that `torch.optim` does not name."""
    module = types.ModuleType("torch.optim.optimizer")
    module.all_before, module.all_after = Hooks(), Hooks()

    def registers(hooks):
        def register(hook):
            hooks.append(hook)
            return Handle(hooks, hook)
        return register

    module.register_optimizer_step_pre_hook = registers(module.all_before)
    module.register_optimizer_step_post_hook = registers(module.all_after)

    def hooked(step):
        def wrapper(self, *args, **kwargs):
            args = (self, *args)
            for hook in [*module.all_before, *self._optimizer_step_pre_hooks]:
                args, kwargs = hook(self, args, kwargs) or (args, kwargs)
            result = step(*args, **kwargs)
            for hook in [*self._optimizer_step_post_hooks, *module.all_after]:
                hook(self, args, kwargs)
            return result
        wrapper.hooked = True
        return wrapper

    class Optimizer:
        """Adam: two moments a weight, made in the first step; a scratch tensor in each."""

        def __init__(self, params):
            self.param_groups, self.state = [{"params": [p for p in params if p.requires_grad]}], {}
            self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks = Hooks(), Hooks()
            if not getattr(type(self).step, "hooked", False):
                type(self).step = hooked(type(self).step)

        def register_step_pre_hook(self, hook):
            return registers(self._optimizer_step_pre_hooks)(hook)

        def register_step_post_hook(self, hook):
            return registers(self._optimizer_step_post_hooks)(hook)

        def step(self, closure=None):
            loss = closure() if closure else None
            for p in self.param_groups[0]["params"]:
                if p not in self.state:
                    self.state[p] = {"exp_avg": torch.Tensor(*p.shape), "exp_avg_sq": torch.Tensor(*p.shape), "step": 1}
                torch.Tensor(*p.shape)
            return loss

        def zero_grad(self):
            for p in self.param_groups[0]["params"]:
                p.grad = None

    class GradScaler:
        """As torch's: an optimizer whose gradients are infinite does not step."""

        def __init__(self, enabled=True):
            self._enabled, self.is_infinite = enabled, False

        def step(self, optimizer, *args, **kwargs):
            return None if self._enabled and self.is_infinite else optimizer.step(*args, **kwargs)

    torch.amp = types.SimpleNamespace(GradScaler=GradScaler)
    Optimizer.__module__ = module.__name__
    module.Optimizer = Optimizer
    torch.optim = types.ModuleType("torch.optim")
    torch.optim.Optimizer = Optimizer
    sys.modules[module.__name__] = torch.optim_module = module


def _record_memory_history(torch, release):
    """As torch/cuda/memory.py has it: any arguments, and a signature that says which (checked by check_names.py)."""
    def of_2_1(enabled="all", context="all", stacks="all", max_entries=sys.maxsize, device=None):
        torch.history = {"enabled": enabled, "context": context, "stacks": stacks, "max_entries": max_entries}
        for allocator in torch.allocators:
            allocator.recording, allocator.max_entries = enabled is not None, max_entries
            if enabled is None:
                allocator.entries.clear()

    def of_2_14(enabled="all", context="all", stacks="all", max_entries=sys.maxsize, device=None, clear_history=False,
                compile_context=False, global_record_annotations=False, skip_actions=None,
                record_pinned_host_memory=False, record_cuda=True):
        of_2_1(enabled, context, stacks, max_entries, device)
        torch.history.update(record_pinned_host_memory=record_pinned_host_memory, record_cuda=record_cuda)

    record = of_2_14 if release >= (2, 14) else of_2_1

    def record_history(enabled="all", *args, **kwargs):
        return record(enabled, *args, **kwargs)

    record_history.__signature__ = inspect.signature(record)
    return record_history


def _cuda(torch, lacks, release):
    memory, allocators = types.ModuleType("torch.cuda.memory"), torch.allocators

    def snapshot():
        host = {"host_segments": [], "host_traces": []} if release >= (2, 14) else {}
        return {"segments": [a.segment() for a in allocators], "device_traces": [list(a.entries) for a in allocators],
                "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": ""}, "external_annotations": [], **host}

    def memory_snapshot(mempool_id=None, include_traces=True):
        torch.snapshots_with_traces += include_traces
        return [a.segment() for a in allocators]

    def counters(device):
        a = allocators[device]
        return {"allocation": {"all": {"allocated": a.allocated, "freed": a.freed, "current": len(a.live)}},
                "reserved_bytes": {"all": {"current": sum(a.live.values())}}}

    def attach(observer):
        for a in allocators:
            a.observers.append(observer)

    memory._record_memory_history, memory._snapshot = _record_memory_history(torch, release), snapshot
    memory.memory_snapshot, torch.snapshots_with_traces = memory_snapshot, 0
    memory._set_allocator_settings = lambda text: setattr(torch, "allocator_settings", text)
    torch.metadata, torch.annotations = "", []
    memory._set_memory_metadata = lambda text: setattr(torch, "metadata", text)
    memory._get_memory_metadata = lambda: torch.metadata
    memory._annotate_tensor = lambda tensor, text: torch.annotations.append((tensor.untyped_storage().data_ptr(), text))
    torch._C = types.SimpleNamespace(_cuda_memoryStats=counters, _cuda_attach_out_of_memory_observer=attach,
                                     _cuda_isHistoryEnabled=lambda: False)
    torch.cuda = types.ModuleType("torch.cuda")
    torch.cuda.memory = memory
    torch.cuda.is_available = torch.cuda.is_initialized = lambda: True
    torch.cuda.current_device = lambda: 0
    torch.cuda.get_device_properties = lambda _: types.SimpleNamespace(name="Stand-in GPU", total_memory=SEGMENT)
    torch.cuda.mem_get_info = lambda i: (SEGMENT // 4, SEGMENT)
    torch.cuda.memory_reserved = lambda i: SEGMENT // 2
    torch.cuda.get_per_process_memory_fraction = lambda i: 0.7
    torch.cuda.OutOfMemoryError = OutOfMemoryError
    torch.cuda.host_memory_stats = lambda: {}
    torch.cuda.CUDAGraph = _graphs(torch)
    for name in lacks:
        holder, _, attribute = name.rpartition(".")
        delattr({"": torch, "cuda": torch.cuda, "memory": memory, "_C": torch._C,
                 "optim_module": torch.optim_module}[holder], attribute)


def _graphs(torch):
    class CUDAGraph:
        """Its private pool is the first number of an id; while it is captured the driver refuses to say what is free."""

        def capture_begin(self, pool=None):
            self.id, self.asked = pool or (7, 0), torch.cuda.mem_get_info
            torch.cuda.mem_get_info = lambda i: 1 // 0

        def capture_end(self):
            torch.cuda.mem_get_info = self.asked

        def pool(self):
            return self.id

    return CUDAGraph
