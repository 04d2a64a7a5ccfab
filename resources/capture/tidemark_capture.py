# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 Tidemark contributors
#
# Permission is hereby granted, free of charge, to any person obtaining a copy of
# this software and associated documentation files (the "Software"), to deal in
# the Software without restriction, including without limitation the rights to
# use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of
# the Software, and to permit persons to whom the Software is furnished to do so,
# subject to the following conditions:
#
# The above copyright notice and this permission notice shall be included in all
# copies or substantial portions of the Software.
#
# THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
# IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
# FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
# COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
# IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
# CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""Records a PyTorch CUDA memory snapshot that says what each allocation was for.

    import tidemark_capture

    with tidemark_capture.record("run.pickle", model=model, optimizer=optimizer):
        train()

The file is an ordinary snapshot: every viewer opens it. What this module knows besides (addresses of
parameters, buffers, gradients, optimizer state, inputs and caches at chosen moments; phases and steps;
device, capacity, versions, rank) stands under one more top-level key, "tidemark", which others ignore.

Without touching the code: python -m tidemark_capture -o run.pickle train.py ARGUMENTS..., or -m MODULE; behind a
launcher, torchrun -m tidemark_capture ... The wheel brings tidemark-run, which puts it into any command, and
TIDEMARK_CAPTURE=run.pickle, which asks for it through the environment. Models and optimizers are then found.

In a Hugging Face Trainer: callbacks=[HuggingFaceCallback("run.pickle")]; in Lightning: LightningCallback.
Optimizers are seen when they step, whatever wraps them; naming one tells of its state before its first step. A step that
torch's GradScaler leaves out, as its gradients are infinite, is a step, too.
A step that is compiled is not seen; say recorder.step() there.

It is written at the end, at an exception, and at an out-of-memory error twice: as `run.oom.pickle` before
the stack unwinds, and as `run.pickle` after. With several ranks each writes a file of its own:
`run.rank3-of-8.pickle`; after the first restart by torchrun it is `run.restart1.rank3-of-8.pickle`. Copy this file into
your project; it needs torch 2.1 or newer and nothing else.

Long runs and live servers: `steps=(10, 12)` records three steps and then nothing more; `on_signal="SIGUSR1"` and
`on_file="dump.now"` write a file when asked (each with the events since the one before, given `clear=True`), and
`at_memory=0.9` when nine tenths of the GPU are reserved; `segments_every=1` writes what is allocated after each
step, without events and in a fraction of the time. Settings: Recorder.

It never breaks training (its own failures are warnings, one of each kind), keeps no tensor and no model
alive (addresses are numbers; models and optimizers are held weakly) and puts no hooks into what is compiled
unless `hooks=True`. What it costs: about 4 us a mark and 5 us per trainable parameter and step,
measured on one core of an AMD EPYC with real modules and a stand-in for the allocator's counters (not on a
GPU; torch's own recording of stacks comes on top). Each file states the time this module took in its run.
"""
import argparse
import ast
import atexit
import collections
import contextlib
import ctypes
import errno
import functools
import gc
import glob
import inspect
import itertools
import multiprocessing.util
import os
import pickle
import queue
import runpy
import secrets
import shlex
import signal
import stat
import sys
import tempfile
import threading
import time
import types
import warnings
import weakref

import torch

__all__ = ["record", "record_program", "Recorder"]  # and, made when asked for, HuggingFaceCallback and LightningCallback

VERSION = 1  # of the layout under the key
KEY = "tidemark"
DEFAULT_MAX_ENTRIES = 200_000
MARKER_BYTES = 700_001  # odd, and under 1 MiB: no tensor of a model has such a size
LOOK_AGAIN = 50  # steps after which parameters and state are looked at again, though they rarely move
MOST_ROWS = 2_000_000  # tensor rows in one file
LONGEST_TEXT = 20_000
STATE_DEPTH = 4
EVERYTHING = ("parameter", "gradient", "state", "note")
OTHER_MODELS = ("ref_model", "teacher_model", "reward_model", "value_model")  # TRL's names beside the trained one
CACHES = ("past_key_values", "cache_params", "cache")  # transformers' names of what lives from token to token
MOST_WRAPPED = 64  # optimizers behind one that was named
MOST_NOTES = 20_000  # tensors the program pointed out, that are looked for again
MOST_FOUND = 64  # models that are found by themselves
MOST_CALLS_LOOKED_AT = 100  # of modules, for the model among them
MOST_CALLS = 100  # of an engine's sleep and wake, and changes of the allocator's settings, that a file tells
POLL_SECONDS = 1.0  # between two looks for a file that asks for a dump
# What gives an engine's memory back and takes it again: vLLM and its allocator, SGLang, torch_memory_saver.
ENGINE_CALLS = ("sleep", "wake_up", "release_memory_occupation", "resume_memory_occupation", "pause", "resume")
_PLAIN = (torch.Tensor, torch.nn.Parameter)
# True while a compiler reads a hook: a module that is compiled after it was hooked loses the hooks, not its graph.
_is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)


def record(path="snapshot.pickle", model=None, optimizer=None, **settings):
    """A recorder to be used with `with`, or by start() and stop(). For `settings` see Recorder."""
    return Recorder(path, model, optimizer, **settings)


def record_program(path="run.pickle", **settings):
    """Records a program that knows nothing of this module, from its first use of CUDA until it ends."""
    recorder = Recorder(path, **{"find": True, "on_term": True, **settings})
    # The program may still choose its devices and the allocator's settings.
    getattr(torch.cuda, "_lazy_call", lambda begin: begin())(recorder.start)
    return recorder


def settings_of(text):
    """{name: value} of "steps=10,12 stacks=all": settings of Recorder as the environment and --set give them, quoted as in
    a shell where a value has blanks."""
    known, settings = inspect.signature(Recorder.__init__).parameters, {}
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not equals or name not in known or name in ("self", "path", "model", "optimizer", "engine", "pools"):
            raise ValueError(f"{word!r} is no setting; write NAME=VALUE, as in steps=10,12")
        try:
            settings[name] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            settings[name] = value
        steps = settings.get("steps")
        if steps is not None and not (isinstance(steps, (tuple, list)) and [type(step) for step in steps] == [int, int]):
            raise ValueError(f"{word!r} lacks the first or the last step; write steps=10,12")
    return settings


def _guarded(method):
    """What goes wrong in here is a warning, never an error of the training."""

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        begin, outermost = time.perf_counter(), not getattr(self._timed, "busy", False)
        self._timed.busy = True
        try:
            return method(self, *args, **kwargs)
        except Exception as error:
            self._warn(f"{method.__name__.strip('_')} failed ({type(error).__name__}: {_text_of(error)})")
            return None
        finally:
            if outermost:
                self._timed.busy = False
                self._seconds += time.perf_counter() - begin

    return call


def _text_of(error):
    """What it says; the text of a program's own kind of error may itself be an error."""
    try:
        return str(error)[:LONGEST_TEXT]
    except Exception:
        return ""


def _as_list(value):
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple, set)) else [value]


def _named_models(model):
    """[(name, model)]: one, several, or a dictionary of them by name."""
    if isinstance(model, dict):
        return list(model.items())
    models = _as_list(model)
    return [("" if i == 0 else f"model{i}", m) for i, m in enumerate(models)]


def _is_optimizer(value):
    return isinstance(value, torch.optim.Optimizer) or (
        callable(getattr(type(value), "step", None)) and hasattr(value, "param_groups"))


def _with_inner(optimizer):
    """[optimizer, what it wraps, ...], outermost first. Accelerate, DeepSpeed, Megatron, ZeroRedundancyOptimizer,
    learning-rate schedulers and others hold the optimizers that do the work in attributes, each under a name of its
    own."""
    found = [optimizer]
    for outer in found:
        for value in list(getattr(outer, "__dict__", {}).values()):
            value = list(value.values()) if isinstance(value, dict) else value
            for inner in value if isinstance(value, (list, tuple)) else (value,):
                if _is_optimizer(inner) and len(found) < MOST_WRAPPED and all(inner is not one for one in found):
                    found.append(inner)
    return found


def _step_hooks():
    """Where torch keeps the hooks that run around every optimizer's step (torch.optim does not name it); None before
    torch 2.1."""
    module = sys.modules.get(torch.optim.Optimizer.__module__)
    return module if hasattr(module, "register_optimizer_step_pre_hook") else None


def _runs_hooks(optimizer):
    """Whether they surround its step. A wrapper may be an Optimizer by type alone: Accelerate's never calls
    Optimizer.__init__, and its step does nothing while gradients accumulate."""
    return _step_hooks() is not None and "_optimizer_step_pre_hooks" in getattr(optimizer, "__dict__", {})


def _alive():
    """(modules that are part of no other, optimizers): all that the program has by now. Costs one look at each object
    that the garbage collector knows: about 20 ms for a million."""
    found, kinds = {torch.nn.Module: [], torch.optim.Optimizer: [], None: []}, {}
    for thing in gc.get_objects():
        kind = type(thing)  # isinstance() would run the code of proxies
        base = kinds.get(kind, kind)
        if base is kind:
            base = kinds[kind] = next((b for b in found if b is not None and issubclass(kind, b)), None)
        if base is not None:
            found[base].append(thing)
    modules, optimizers = found[torch.nn.Module], found[torch.optim.Optimizer]
    inner = set()
    for module in modules:
        children = vars(module).get("_modules")
        if isinstance(children, dict):
            inner.update(id(child) for child in children.values())
    return [m for m in modules if id(m) not in inner], optimizers


def _callable_parts(module):
    """The parts that the module's own methods call: of lists and dictionaries their items."""
    for part in module.children():
        if isinstance(part, (torch.nn.ModuleList, torch.nn.ModuleDict)):
            yield from _callable_parts(part)
        else:
            yield part


def _parts_of(module):
    """The module and all inside it."""
    return module.modules() if hasattr(module, "modules") else [module]


def _bytes_of(tensors):
    return sum(place[2] for tensor in tensors for _, place in _places(tensor))


def _is_compiled(module):
    """Whether hooks on a module would be compiled with it. torch.compile(module) runs those on its result outside."""
    return not hasattr(module, "_orig_mod") and getattr(module, "_compiled_call_impl", None) is not None


def _places(tensor):
    """[(tensor, place)] of what has memory in it. A subclass may have none of its own: DTensor has this rank's shard, a
    quantised weight its numbers and scales, a nested tensor values and offsets."""
    inside = getattr(tensor, "__tensor_flatten__", None) if type(tensor) not in _PLAIN else None
    if inside is not None:
        parts = (getattr(tensor, name, None) for name in inside()[0])  # DTensor names its mesh, too
        return [found for part in parts if isinstance(part, torch.Tensor) for found in _places(part)]
    place = _place(tensor)
    return [(tensor, place)] if place is not None else []


def _place(tensor):
    """(device index, address, bytes) of a tensor's storage; None for what is not on a CUDA device. The
    storage, not the tensor, is what the allocator handed out: a view begins somewhere inside it."""
    if not tensor.is_cuda:
        return None
    try:
        storage = tensor.untyped_storage()
        address, size = storage.data_ptr(), storage.nbytes()
    except RuntimeError:
        if type(tensor) in _PLAIN:
            raise
        return None  # a subclass that does not say what it holds
    return (tensor.device.index or 0, address, size) if address and size else None


def _tensors_in(value, depth=STATE_DEPTH):
    """All tensors in nested containers, without keeping any."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth > 0:
        if isinstance(value, (dict, collections.UserDict)):  # as transformers' BatchEncoding
            value = value.values()
        elif hasattr(value, "__dataclass_fields__"):
            value = [getattr(value, name, None) for name in value.__dataclass_fields__]  # it may have slots
        elif not isinstance(value, (list, tuple)):
            return
        for item in list(value):
            yield from _tensors_in(item, depth - 1)


def _cache_in(value, depth=STATE_DEPTH):
    """All tensors in a generation cache: a container, or an object that holds layers or further caches."""
    if isinstance(value, torch.Tensor):
        if not value.requires_grad:  # in training what a cache holds is saved for the backward pass
            yield value
    elif depth > 0 and value is not None:
        inside = value if isinstance(value, (list, tuple, dict)) else getattr(value, "__dict__", {})
        for item in list(inside.values() if isinstance(inside, dict) else inside):
            yield from _cache_in(item, depth - 1)


def _caches_of(*handed):
    """What a model is handed and hands on from token to token: keys and values, or a state space's state."""
    found = {}
    for one in handed:
        for name in CACHES:
            cache = one.get(name) if isinstance(one, dict) else getattr(one, name, None)
            found[id(cache)] = cache
    for cache in found.values():
        yield from ((t, "kv_cache", "", "") for t in _cache_in(cache))


def _group_rank():
    """(rank, world size) of the process group, also once it is destroyed, as programs do before they end."""
    global _last_group_rank
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        _last_group_rank = distributed.get_rank(), distributed.get_world_size()
    return _last_group_rank


def _environment(name):
    """The number that a launcher gave a variable; None without."""
    return int(os.environ[name]) if os.environ.get(name, "").isdigit() else None


def _rank():
    """(rank, local rank, world size), each None where nothing says it."""
    rank, world = _group_rank()
    rank = _environment("RANK") if rank is None else rank
    world = _environment("WORLD_SIZE") if world is None else world
    return rank, _environment("LOCAL_RANK"), world


def _folder():
    """The current one, as far as it is there."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _is_of_this_launch(path):
    """Whether a process of the same tidemark-run has written a file, which says when it began."""
    try:
        return os.stat(path).st_mtime >= float(os.environ["TIDEMARK_CAPTURE_SINCE"])
    except (KeyError, OSError, ValueError):
        return False


def _attempt(stem, ranks):
    """The stem, from the first restart by torchrun on with its number. An agent counts the failures of its own workers
    alone: where another node's failed, it starts its own again with the same number (_invoke_run of
    torch/distributed/elastic/agent/server/api.py). So what this rank left in this launch counts, too."""
    restarts = _environment("TORCHELASTIC_RESTART_COUNT")
    key = stem, ranks, restarts
    if key not in _attempts:
        numbers = itertools.count(restarts or 0)
        stems = (f"{stem}.restart{number}" if number else stem for number in numbers)
        _attempts[key] = next(one for one in stems if restarts is None or not ranks or not any(
            map(_is_of_this_launch, glob.iglob(glob.escape(one + ranks) + ".*"))))
    return _attempts[key]


def _file_name(path, suffix="", is_found=False, own=()):
    """The path with rank and world size in it where there are several ranks, and `suffix`. What torchrun began anew does
    not replace what the attempt before left: each is a job of its own by its name. `is_found`: processes without
    ranks have their numbers in it if the program starts them as its workers, as engines do, or if another one has
    written already what is none of their `own` files."""
    path = os.fspath(path)
    rank, _, world = _rank()
    stem, extension = os.path.splitext(path)
    end = suffix + (extension or ".pickle")
    ranks = f".rank{rank}-of-{world}" if rank is not None and (world or 1) > 1 else ""
    stem = _attempt(stem, ranks)
    if ranks:
        stem += ranks
    elif rank is None and is_found:
        is_worker = multiprocessing.parent_process() is not None
        if is_worker or stem + end not in own and _is_of_this_launch(stem + end):
            stem += f".pid{os.getpid()}"
    return stem + end


def _try_place(path):
    """Raises what would keep _write_whole() from it, and leaves nothing there."""
    path = os.path.realpath(path)
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.exists(path) and not os.path.isfile(path):
        return  # to open a pipe is to wait for its reader
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    with tempfile.TemporaryFile(dir=folder):
        pass


def _write_whole(path, write):
    """The file appears when it is complete, with the permissions of the one it replaces. Until then it has a name
    that nobody can foresee, so that no link is followed and no other writer disturbed."""
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):  # /dev/null, a pipe: what is there is to stay
        with open(path, "wb") as file:
            return write(file)
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    unfinished = os.path.join(folder, f"{name[:50]}.{secrets.token_hex(8)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(unfinished, flags, 0o666)
    try:
        with open(descriptor, "wb") as file:
            if os.path.exists(path):
                os.chmod(unfinished, stat.S_IMODE(os.stat(path).st_mode))
            write(file)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise


# -- what a process holds beside the blocks of torch's allocator ---------------------------------------


def _pinned_figures():
    """What torch's allocator of pinned memory has taken from the host, and how much of it is in use (torch 2.8)."""
    read = getattr(torch.cuda, "host_memory_stats", None)
    stats = read() if read is not None and torch.cuda.is_initialized() else {}
    taken = stats.get("allocated_bytes.current", 0)
    if taken >= 1 << 20:  # torch pins a few bytes for itself, and counts more of them as in use than as taken
        yield "pinned host memory", taken
        yield "pinned host memory in use", min(taken, stats.get("active_bytes.current", 0))


def _communicator_figures():
    """What NCCL says its communicators hold (torch 2.12 with NCCL 2.29.7)."""
    distributed = sys.modules.get("torch.distributed.distributed_c10d")
    count = total = 0
    for group in list(getattr(getattr(distributed, "_world", None), "pg_map", ())):
        try:
            stats = group._get_backend(torch.device("cuda")).memory_stats()
        except Exception:  # a group of other devices, or a backend that does not tell
            continue
        names = [n for n in stats if "total" in n.lower()] or [n for n in stats if not n.lower().endswith("suspended")]
        count, total = count + 1, total + sum(int(stats[n]) for n in names)
    if count:
        yield f"NCCL, {count} communicator{'s' if count > 1 else ''}", total


def _process_figures(devices):
    """What the driver says this process holds of each device: with CUDA's context, libraries and NCCL. Nothing where
    pynvml is missing or where a container hides who is who."""
    try:
        import pynvml

        pynvml.nvmlInit()
        for device in devices:
            handle = pynvml.nvmlDeviceGetHandleByIndex(torch.cuda._get_nvml_device_index(device))
            held = [p.usedGpuMemory for p in pynvml.nvmlDeviceGetComputeRunningProcesses(handle) if p.pid == os.getpid()]
            if held and held[0]:
                yield f"GPU {device}, this process", held[0]
    except Exception:
        return


def _pool_figures(segments, names):
    """What each named pool has reserved: a MemPool, or those of CUDA graphs."""
    sizes = collections.Counter()
    for segment in segments:
        name = names.get(tuple(segment.get("segment_pool_id", ())))
        if name is not None:
            sizes[name] += segment["total_size"]
    for name, size in sizes.items():
        yield f"pool {name}", size


def _free_bytes(devices):
    return sum(torch.cuda.mem_get_info(d)[0] for d in devices)


class _Moment:
    """A point in time that the file names: when, where in each device's trace, and what was seen there."""

    __slots__ = ("kind", "name", "step", "time_us", "clock", "marker", "rows")

    def __init__(self, kind, name, step):
        self.kind, self.name, self.step = kind, name, step
        self.time_us = time.time_ns() // 1000
        self.clock, self.marker, self.rows = {}, 0, []


class Recorder:
    """Records from start() to stop(), or in a `with` block.

    path          where the snapshot goes; rank and world size are added where there are several ranks
    model         a module, a list, or a dictionary by name ("ema" marks averaged weights)
    optimizer     an optimizer or a list, or what wraps them; others are seen when they step
    stacks        "python", or "all" for C++ frames too (slower by far, and larger)
    context       whose stacks: "all", "alloc", "state" or None, as torch has it
    max_entries   size of torch's ring buffer per device; a warning tells when it overflowed
    device        CUDA devices to watch; without it those of the model and the current one
    hooks         forward hooks on the model: True, False, or None for "unless they would be compiled"
    annotate      also write names and phases into the trace, where torch has the means
    oom_files     so many out-of-memory errors get a file of their own
    trace         False: no events, only what lives and who made it (for segments_every in a long run)
    steps         (first, last) steps to record, counted from 1; the file is written after the last one
    clear         empty the ring buffer after a file that was asked for, so that the next begins where it ended
    on_signal     a signal's name, "SIGUSR1": it writes `run.signal1.pickle`, ... at once, from a thread of its own
    on_file       a path: when a file appears there, or is touched, `run.file1.pickle`, ... is written
    at_memory     bytes, or a share of the GPU up to 1.0: once so much is reserved, `run.memory.pickle` is written
    segments_every  after so many steps, again and again, `run.step10.pickle` says what is allocated, without events
    pinned        also record the host's pinned memory, where torch can (2.14)
    find          find the models and optimizers of the program; those that are named come first
    on_term       write the file when the program is asked to end (SIGTERM), as launchers do when another rank died
    engine        what sleeps and wakes up in this process: vLLM's LLM, worker or CuMemAllocator, SGLang's engine
    pools         {name: torch.cuda.MemPool}, so that the file can say what each holds
    """

    def __init__(self, path="snapshot.pickle", model=None, optimizer=None, *, stacks="python", context="all",
                 max_entries=DEFAULT_MAX_ENTRIES, device=None, hooks=None, annotate=True, oom_files=2, trace=True,
                 steps=None, clear=False, on_signal=None, on_file=None, at_memory=None, segments_every=0, pinned=False,
                 find=False, on_term=False, engine=None, pools=None):
        self._folder = _folder()  # a relative path is one from here, wherever the program goes
        self._settings = {"stacks": stacks, "context": context, "max_entries": max_entries, "device": device,
                          "hooks": hooks, "annotate": annotate, "oom_files": oom_files, "trace": trace, "steps": steps,
                          "clear": clear, "on_signal": on_signal, "on_file": on_file, "at_memory": at_memory,
                          "segments_every": segments_every, "pinned": pinned, "find": find, "on_term": on_term}
        self.path, self.stacks, self.context, self.max_entries = path, stacks, context, int(max_entries)
        indices = (d if isinstance(d, int) else torch.device(d).index for d in _as_list(device))
        self._wanted_devices = [i for i in indices if i is not None]  # "cuda" alone names none
        self._hooks, self._annotate, self._oom_files = hooks, annotate, oom_files
        self._trace, self._clear, self._pinned = trace, clear, pinned
        self._first_step, self._last_step = (1, None) if steps is None else (int(s) for s in steps)
        self._at_memory, self._segments_every = at_memory, int(segments_every)
        self._triggers = _Triggers(self, on_signal, on_file and os.path.join(self._folder, on_file))
        self._finds, self._on_term, self._give_signal_back = find, on_term, lambda: None
        self._lock = threading.RLock()
        self._timed = threading.local()  # .busy: that thread's time is being taken
        self._seconds = 0.0
        self._warned, self._warnings = set(), []
        self._names, self._models = [], []
        self._optimizers, self._met = [], {}
        self._engines, self._pool_names = [], {}
        self._undo = []
        self._reset()
        self.attach(model, optimizer, engine, pools)

    def _reset(self):
        self.running = self._is_replaced = False  # by one that writes to the same place
        self._stage = "recording"  # of a window of steps also "waiting" and "over"
        self.steps = 0  # completed optimizer steps, or calls of step()
        self.files = []  # written so far
        self._manual_steps = self._owns_history = False
        self._moments, self._things, self._thing_ids, self._noted = [], [], {}, []
        self._catalogue = None
        self._last_seen, self._skew, self._epoch, self._operations = {}, {}, {}, {}
        self._looks, self._row_count, self._depth = collections.Counter(), 0, 0
        self._oom_left, self._oom_count, self._in_observer = self._oom_files, 0, False
        self._asked, self._postponed = collections.Counter(), []
        self._limits, self._reserved = {}, {}
        self._captures, self._graphs, self._graph_bytes = 0, 0, 0
        self._engine_calls, self._setting_changes = [], []
        self._begun = {}  # the moments that began what is under way: marked anew when the ring buffer is emptied
        self._thread = threading.local()  # .steps: the optimizers' steps that a thread is in, outermost first

    def _warn(self, text):
        if text not in self._warned and len(self._warned) < 100:
            self._warned.add(text)
            self._warnings.append(text)
            try:
                warnings.warn(f"tidemark_capture: {text}", RuntimeWarning, stacklevel=3)
            except RuntimeWarning:  # python -W error, pytest's filterwarnings = error
                print(f"tidemark_capture: {text}", file=sys.stderr)

    # -- from outside ---------------------------------------------------------------------------

    @_guarded
    def attach(self, model=None, optimizer=None, engine=None, pools=None):
        """Names models, optimizers, engines and pools that were not there when the recorder was made."""
        for name, module in _named_models(model):
            if any(reference() is module for reference in self._models):
                continue
            self._names.append(str(name))
            self._models.append(weakref.ref(module))
            if self.running:
                self._hook_model(module)
        self._catalogue = None
        for one in _as_list(optimizer):
            self._meet(_with_inner(one), is_named=True)
        for one in _as_list(engine):
            self._engines.append(weakref.ref(one))
            if self.running:
                self._wrap_engine(one)
        for name, pool in (pools or {}).items():
            self._pool_names[tuple(getattr(pool, "id", pool))] = str(name)

    def _meet(self, optimizers, is_named=False):
        """Remembers optimizers, outermost first: named by the program, or seen when they step."""
        new = [o for o in optimizers if self._met.get(id(o), lambda: None)() is not o]
        if not new:
            return
        self._met.update((id(o), weakref.ref(o)) for o in new)
        self._optimizers = [entry for entry in self._optimizers if any(r() is not None for r in entry[0])]
        self._optimizers.append(([weakref.ref(o) for o in new], is_named))
        self._catalogue = None
        self._looks["state"] = self._looks["gradient in step"] = 0
        if self.running:
            self._wrap_steps(new)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, error, trace):
        self.stop(error=_failure(error))
        return False

    def __reduce__(self):
        """Trainers are copied and sent to other processes with all they hold: there a recorder starts anew."""
        return functools.partial(type(self), **self._settings), (self.path,)

    @_guarded
    def start(self):
        """Starts torch's recording and puts the hooks in place."""
        if self.running:
            return
        self._reset()
        self._look_at_place()
        self._stage = "waiting" if self._first_step > 1 else "recording"
        if self._stage == "recording":
            self._start_history()
        self.running = True
        for other in list(_active):  # as when a notebook's cell is run again after an error
            other._is_replaced = other._is_replaced or other._place() == self._place()
        _active.add(self)
        at_exit = functools.partial(_stop_at_exit, weakref.ref(self), id(_last_error()))
        atexit.register(at_exit)
        self._undo.append(lambda: atexit.unregister(at_exit))
        if multiprocessing.parent_process() is not None:  # a forked worker has no atexit before Python 3.13
            self._undo.append(multiprocessing.util.Finalize(None, at_exit, exitpriority=0).cancel)
        self._observe()
        for _, module in self._live_models():
            self._hook_model(module)
        self._hook_steps()
        self._wrap_scaler()
        for optimizers, _ in self._live_optimizers():
            self._wrap_steps(optimizers)
        self._wrap_backward()
        self._wrap_graphs()
        self._wrap_allocator_settings()
        for reference in self._engines:
            if reference() is not None:
                self._wrap_engine(reference())
        if self._finds:
            self._find_from_here_on()
        self._try(lambda: self._operations.update((d, 0) for d in self._devices()))
        self._triggers.start()
        if self._on_term:
            self._end_when_asked()
        self._mark_beginning()

    def _look_at_place(self):
        """A place that cannot be written is told now, not after a day; by the end it may be there."""
        path = self._file_name()
        try:
            _try_place(path)
        except (OSError, ValueError) as error:
            self._warn(f"{path} cannot be written ({type(error).__name__}: {error}); it is tried again at the end")

    def _mark_beginning(self):
        self._mark("record_begin", tables=EVERYTHING, all_of_them=True)

    @_guarded
    def stop(self, reason="end", error=None):
        """Writes the file and stops torch's recording. Calling it twice does no harm."""
        if not self.running:
            return
        try:
            if self._stage == "waiting" and error is None:
                self._warn(f"the run ended after {self.steps} steps, before step {self._first_step}: nothing was recorded")
            elif self._stage != "over":
                self.dump(reason="exception" if error is not None else reason, error=error)
        finally:
            self.running = False
            _active.discard(self)
            self._triggers.stop()
            self._take_hooks_out()
            self._untag()
            self._stop_history()

    @_guarded
    def dump(self, path=None, reason="manual", error=None):
        """Writes a snapshot now; recording goes on. Returns the file's name."""
        return self._write(path or self._file_name(), reason, error, clear=self._clear and reason == "manual")

    def phase(self, name):
        """From here on: "setup", "input", "forward", "backward", "optimizer", "evaluation", "inference" or
        "other". As a context manager it ends with the block, else with the next one or phase(None)."""
        self._mark("phase" if name else "phase_end", str(name or ""))
        return _Phase(self)

    def step(self):
        """The end of a training step, where it is not the optimizer's step that tells."""
        if not self._manual_steps:
            self._manual_steps, self.steps = True, 0
        self.steps += 1
        self._mark("step")
        self._step_ended()

    @_guarded
    def note(self, bucket, tensors, name=""):
        """Says what tensors are for, by a bucket's name: "kv_cache", "output", "input", ... For as long as they live."""
        found = [(t, str(bucket), "", str(name)) for t in _tensors_in(tensors)]
        self._mark("note", seen=found)
        self._keep_notes(found)

    def _keep_notes(self, found):
        if len(self._noted) + len(found) > MOST_NOTES:
            self._noted = [entry for entry in self._noted if entry[0]() is not None]
        room = max(0, MOST_NOTES - len(self._noted))
        self._noted += [(weakref.ref(t), *known) for t, *known in found[:room]]

    def _notes(self):
        for reference, *known in self._noted:
            tensor = reference()
            if tensor is not None:
                yield (tensor, *known)

    def begin_forward(self, inputs=None):
        """A pass through the model begins; for loops whose model has no hooks."""
        self._mark("forward_begin", self._pass_kind(None), seen=self._inputs(inputs, {}))

    @_guarded
    def _try(self, do, *args):
        do(*args)

    # -- torch's recording ----------------------------------------------------------------------

    def _start_history(self):
        enabled = getattr(torch._C, "_cuda_isHistoryEnabled", None)
        try:
            if enabled is not None and enabled():
                return  # somebody else records: the buffer and its settings are theirs
        except Exception:
            pass
        # This signature is that of torch 2.1 and all later ones.
        settings = {"enabled": "all" if self._trace else "state", "context": self.context, "stacks": self.stacks,
                    "max_entries": self.max_entries, **self._host_settings()}
        if self._pinned and not self._host_settings():
            self._warn(f"torch {torch.__version__} does not record pinned memory; 2.14 does")
        torch.cuda.memory._record_memory_history(**settings)
        self._owns_history = True

    def _host_settings(self):
        """What asks torch for pinned memory too, where it has the means; it is switched off as it was switched on."""
        name = "record_pinned_host_memory"
        there = inspect.signature(torch.cuda.memory._record_memory_history).parameters if self._pinned else ()
        return {name: True} if name in there else {}

    def _stop_history(self):
        if self._owns_history:
            self._owns_history = False
            torch.cuda.memory._record_memory_history(enabled=None, **self._host_settings())

    def _begin_anew(self):
        """Empties torch's ring buffer, and what was noted of it: the next file begins here."""
        if not self._owns_history:
            self._warn("somebody else began torch's recording: its ring buffer is not emptied")
            return
        self._stop_history()  # what empties it in all versions
        self._start_history()
        self._moments, self._last_seen, self._row_count = [], {}, 0
        begun = list(self._begun.values())
        self._mark_beginning()
        for moment in begun:
            self._mark(moment.kind, moment.name)
            if moment.kind == "forward_begin":  # what the pass was handed
                self._moments[-1].rows += moment.rows
                self._row_count += len(moment.rows)

    def _devices(self):
        if self._wanted_devices:
            return self._wanted_devices
        found = set(self._operations)
        is_trigger = threading.current_thread() is self._triggers.thread  # its device is the first one, not the program's
        if torch.cuda.is_available() and torch.cuda.is_initialized() and not is_trigger:
            found.add(torch.cuda.current_device())
        return sorted(found)

    # -- where in the trace a moment lies ---------------------------------------------------------
    #
    # The allocator counts allocations and frees per device under the same lock that guards the trace, in
    # the very functions that write the entries `alloc` and `free_requested` (c10/cuda/
    # CUDACachingAllocator.cpp: alloc_found_block and free). So the sum of both counters, read now and at
    # the dump, tells how many such entries lie between: counted from the back it names the place exactly,
    # whatever the ring buffer lost, and without touching memory. Nothing but
    # reset_accumulated_memory_stats() sets the counters back; it leaves the number of living
    # allocations alone, so that `current - (allocated - freed)` changes: then a new epoch begins, and
    # moments of older ones have no place. Where the counters cannot be read, a marker of a size that
    # nothing else has is allocated and freed at once.

    def _read_clock(self, moment):
        for device in self._devices():
            counters = self._counters(device)
            if counters is None:
                continue
            allocated, freed, current = counters
            skew, operations = current - (allocated - freed), allocated + freed
            if skew != self._skew.get(device, skew) or operations < self._operations.get(device, 0):
                self._epoch[device] = self._epoch.get(device, 0) + 1
            self._skew[device], self._operations[device] = skew, operations
            moment.clock[device] = (operations, self._epoch.get(device, 0))
        is_free = not self._in_observer and not self._captures  # to allocate
        if not moment.clock and not moment.marker and is_free and self._devices():
            moment.marker = MARKER_BYTES + len(self._moments) % 300_000
            torch.empty(moment.marker, dtype=torch.uint8, device=f"cuda:{self._devices()[0]}")

    def _counters(self, device):
        try:
            read = getattr(torch._C, "_cuda_memoryStats", None)
            if read is not None:
                stats = read(device)
                if self._at_memory is not None and "reserved_bytes" in stats:
                    self._reserved[device] = stats["reserved_bytes"]["all"]["current"]
                all_of = stats["allocation"]["all"]
                return all_of["allocated"], all_of["freed"], all_of["current"]
            stats = torch.cuda.memory_stats(device)
            return tuple(stats[f"allocation.all.{k}"] for k in ("allocated", "freed", "current"))
        except Exception as error:
            self._warn(f"the allocator's counters cannot be read ({type(error).__name__}: {error}); markers are used")
            return None

    # -- moments ----------------------------------------------------------------------------------

    @_guarded
    def _mark(self, kind, name="", seen=(), tables=(), all_of_them=False):
        if not self.running or self._stage != "recording" and kind != "dump":
            return
        with self._lock:
            moment = _Moment(kind, name, self.steps)
            self._moments.append(moment)
            if _last_group_rank[0] is None:
                _group_rank()
            self._remember(moment)
            try:
                self._read_clock(moment)
                self._note(moment, seen)
                for table in tables:
                    if not (all_of_them or self._is_due(table, kind)):
                        continue
                    if table == "gradient":
                        self._note_gradients(moment)
                    else:
                        self._note(moment, getattr(self, f"_{table}s")(), volatile=False)
            finally:
                self._tag(kind, name)
                if len(self._moments) % 256 == 0:
                    self._forget_old()
        if self._at_memory is not None and kind != "dump":
            self._watch_memory()

    def _remember(self, moment):
        """What is under way, by a hook and as the program said it."""
        by = "program" if moment.kind in ("phase", "phase_end") else "hook"
        if moment.kind in ("phase", "forward_begin", "backward_begin", "optimizer_begin"):
            self._begun[by] = moment
        elif moment.kind in ("phase_end", "forward_end", "backward_end", "optimizer_end"):
            self._begun.pop(by, None)

    def _is_due(self, table, kind):
        """Gradients move in every step, the rest hardly ever after the first ones."""
        if table == "gradient":
            if kind == "backward_end":
                return True
            table = "gradient in step"
        self._looks[table] += 1
        is_due = self._looks[table] <= 3 or self._looks[table] % LOOK_AGAIN == 0
        if is_due and table == "parameter":
            self._catalogue = None
        return is_due

    def _note(self, moment, seen, volatile=True):
        for tensor, bucket, role, name in seen:
            for part, (device, address, size) in _places(tensor):
                thing = self._thing(bucket, role, name, tensor)
                if not volatile and moment.kind != "dump":
                    if self._last_seen.get((device, address)) == (thing, size):
                        continue
                    self._last_seen[device, address] = (thing, size)
                    self._annotate_in_trace(part, bucket, name)
                if device not in moment.clock and device not in self._operations:
                    self._operations[device] = 0
                    self._read_clock(moment)
                self._add_row(moment, thing, (device, address, size), volatile)

    def _add_row(self, moment, thing, place, volatile):
        if self._row_count < MOST_ROWS:
            self._row_count += 1
            moment.rows.append((thing, *place, volatile))
        else:
            self._warn(f"more than {MOST_ROWS} tensor addresses; later ones are left out")

    def _note_gradients(self, moment):
        """Once per backward, so from a list of who may have one, which is made anew now and then."""
        if self._catalogue is None:
            self._catalogue = [[weakref.ref(p), name, None] for p, _, role, name in self._parameters()
                               if p.is_leaf and isinstance(p, torch.nn.Parameter) or role == "master"]
        found, users = [], {}
        for entry in self._catalogue:
            p = entry[0]()
            gradient = p.grad if p is not None and p.requires_grad else None
            for _, place in _places(gradient) if gradient is not None else ():
                if entry[2] is None:
                    entry[2] = self._thing("gradient", "", entry[1], gradient)
                found.append((entry[2], place, gradient.dtype))
                users[place[:2]] = users.get(place[:2], 0) + 1
        for thing, place, dtype in found:
            if users[place[:2]] > 1:  # one storage for many: DDP's reduction buckets
                thing = self._thing("gradient", "reduction_bucket", "", None, dtype)
            self._add_row(moment, thing, place, True)

    def _thing(self, bucket, role, name, tensor, dtype=None):
        key = (bucket, role, name, tuple(tensor.shape) if name else (), str(dtype or tensor.dtype))
        number = self._thing_ids.get(key)
        if number is None:
            number = self._thing_ids[key] = len(self._things)
            self._things.append((bucket, role, name, "x".join(map(str, key[3])), key[4].replace("torch.", "")))
        return number

    def _forget_old(self):
        """What lies before the first entry of the ring buffer is of no use: every counted operation is at
        least one entry. Parameters and state stay, they may have lived on. What came before CUDA began has no clock."""
        old = 0
        for i, moment in enumerate(self._moments[:-1]):
            reach = [self._operations[d] - operations for d, (operations, _) in moment.clock.items()]
            if reach and min(reach) > self.max_entries:
                old = i + 1
            elif reach or moment.marker:
                break
        rows = [row for moment in self._moments[:old] for row in moment.rows]
        kept = [row for row in rows if not row[4]]
        self._row_count -= len(rows) - len(kept)
        self._moments[old].rows[:0] = kept
        del self._moments[:old]

    def _tag(self, kind, name):
        """Lets torch write the phase beside each allocation of this thread (torch 2.10), unless the
        program writes something of its own there."""
        write = getattr(torch.cuda.memory, "_set_memory_metadata", None)
        if not self._annotate or write is None or kind in ("note", "dump"):
            return
        there = torch.cuda.memory._get_memory_metadata()
        if not there or str(there).startswith("tidemark:"):
            write(f"tidemark:{name or kind}:{self.steps}")

    @_guarded
    def _untag(self):
        read = getattr(torch.cuda.memory, "_get_memory_metadata", None)
        if self._annotate and read is not None and str(read()).startswith("tidemark:"):
            torch.cuda.memory._set_memory_metadata("")

    def _annotate_in_trace(self, tensor, bucket, name):
        """One trace entry per parameter or piece of state, when it is first seen (torch 2.14.1)."""
        annotate = getattr(torch.cuda.memory, "_annotate_tensor", None)
        if self._annotate and annotate is not None and not self._in_observer:
            try:
                annotate(tensor, f"tidemark:{bucket} {name}".rstrip())
            except Exception as error:
                self._annotate = False
                self._warn(f"tensors cannot be annotated ({type(error).__name__}: {error})")

    # -- what is where ------------------------------------------------------------------------------

    def _live_models(self):
        pairs = [(name, reference()) for name, reference in zip(self._names, self._models)]
        return [(name, module) for name, module in pairs if module is not None]

    def _live_optimizers(self):
        """[(an optimizer and what it wraps, whether the program named it), ...]"""
        found = [([o for o in (r() for r in references) if o is not None], is_named)
                 for references, is_named in self._optimizers]
        return [entry for entry in found if entry[0]]

    def _trained(self):
        """The ids of what the optimizers work on."""
        optimizers = (o for found, _ in self._live_optimizers() for o in found)
        return {id(p) for o in optimizers for group in getattr(o, "param_groups", ()) for p in group["params"]}

    def _parameters(self):
        seen, trained, models = set(), self._trained(), self._live_models()
        is_trained = [any(id(p) in trained for _, p in module.named_parameters()) for _, module in models]
        for i, (name, module) in enumerate(models):
            # Of those that were found, the first one was met first, no more.
            is_second = not is_trained[i] and (i > 0 or (self._finds and any(is_trained)))
            other = "ema" if "ema" in name.lower() else "second_model" if is_second else None
            prefix = f"{name}." if name else ""
            for key, p in itertools.chain(module.named_parameters(), module.named_buffers()):
                seen.add(id(p))
                trainable = isinstance(p, torch.nn.Parameter) and p.requires_grad
                yield p, "parameter", other or ("trainable" if trainable else "frozen"), prefix + key
                state = getattr(p, "quant_state", None)  # bitsandbytes: scales beside the quantised weight
                while state is not None:
                    for part in ("absmax", "code", "offset"):
                        if isinstance(getattr(state, part, None), torch.Tensor):
                            yield getattr(state, part), "parameter", other or "frozen", f"{prefix}{key}.{part}"
                    state = getattr(state, "state2", None)
        has_model = bool(seen)
        for optimizer, is_named in ((o, is_named) for found, is_named in self._live_optimizers() for o in found):
            for group in getattr(optimizer, "param_groups", ()):
                for p in group["params"]:
                    if id(p) not in seen:
                        seen.add(id(p))
                        yield p, "parameter", "master" if has_model and is_named else "trainable", ""
            # Sharding wrappers keep their full-precision copies in lists of their own.
            for name in ("fp32_partitioned_groups_flat", "single_partition_of_fp32_groups",
                         "shard_fp32_from_float16_groups", "shard_fp32_groups"):
                for p in _tensors_in(getattr(optimizer, name, None)):
                    if id(p) not in seen:
                        seen.add(id(p))
                        yield p, "parameter", "master", ""

    def _states(self):
        seen = set()
        for optimizer in (o for found, _ in self._live_optimizers() for o in found):
            states = getattr(optimizer, "state", None)
            if id(states) in seen or not isinstance(states, dict):
                continue
            seen.add(id(states))  # a wrapper hands out that of the optimizer inside
            for state in list(states.values()):
                for key, value in list(state.items()) if isinstance(state, dict) else [("", state)]:
                    for t in _tensors_in(value):
                        if not getattr(t, "is_paged", False):
                            yield t, "optimizer_state", "", str(key)

    def _inputs(self, args, kwargs):
        for value in (args, {k: v for k, v in kwargs.items() if k not in CACHES}):
            for t in _tensors_in(value, 3):
                if not isinstance(t, torch.nn.Parameter) and t.grad_fn is None:
                    yield t, "input", "", ""

    # -- what the program did not name ----------------------------------------------------------------

    @_guarded
    def _find(self):
        """Attaches what lives and is not known: models that are part of no other, those first that an optimizer
        trains, then the largest."""
        modules, optimizers = _alive()
        for optimizer in optimizers:
            self._meet(_with_inner(optimizer))
        known, trained = {id(m) for _, m in self._live_models()}, self._trained()
        found = []
        for module in modules:
            try:
                parameters = [p for _, p in module.named_parameters()]
                is_new = not any(id(part) in known for part in _parts_of(module))
            except Exception:  # its __init__ has only begun, or it is a module by name alone
                continue
            if parameters and is_new:
                is_trained = any(id(p) in trained for p in parameters)
                found.append((is_trained, _bytes_of(parameters), len(parameters), module))
        found.sort(key=lambda one: one[:3], reverse=True)
        for *_, module in found[:max(0, MOST_FOUND - len(known))]:
            is_average = any(word in type(module).__name__.lower() for word in ("ema", "averagedmodel"))
            number = len(self._names)
            name = f"ema{number}" if is_average else f"model{number}" if number else ""
            self.attach({name: module})

    @_guarded
    def _find_what_is_trained(self, optimizer):
        """A program may make one optimizer for each parameter: only what is not known is worth a look."""
        self._meet(_with_inner(optimizer))
        known = {id(p) for _, module in self._live_models() for _, p in module.named_parameters()}
        if not all(id(p) in known for group in optimizer.param_groups for p in group["params"]):
            self._find()

    @_guarded
    def _find_from_here_on(self):
        """Looks when an optimizer is made, at the first call of a module, and at each dump."""
        self._find()
        me, calls_left = weakref.ref(self), MOST_CALLS_LOOKED_AT

        def made(optimizer, *args, **kwargs):
            made.original(optimizer, *args, **kwargs)
            recorder = me()
            if recorder is not None and recorder.running:
                recorder._find_what_is_trained(optimizer)

        self._replace(torch.optim.Optimizer, "__init__", made)
        hooks = sys.modules[torch.nn.Module.__module__]
        if not hasattr(hooks, "register_module_forward_pre_hook"):
            return

        def called(module, args):
            nonlocal calls_left
            if _is_compiling() or not calls_left:
                return
            recorder = me()
            calls_left -= 1
            if recorder is None or not recorder.running or recorder._begin_at(module, args, calls_left + 1 == MOST_CALLS_LOOKED_AT):
                calls_left = 0
            if not calls_left:
                handle.remove()  # it would slow every call down, and be compiled

        handle = hooks.register_module_forward_pre_hook(called)
        self._undo.append(handle.remove)

    @_guarded
    def _begin_at(self, module, args, is_first):
        """Whether a call of `module` shows where passes begin. In most programs a model is called; a LightningModule and
        its like have steps that call their parts."""
        was_known = any(module is one for _, one in self._live_models())
        if is_first:
            self._find()
        for _, model in self._live_models():
            if all(part is not module for part in _parts_of(model)):
                continue
            entries = [] if module is model else list(_callable_parts(model))
            for entry in entries:
                self._hook_model(entry)
            # The hooks that it has only now are not run in this call.
            if not self._depth and (any(entry is module for entry in entries) or (module is model and not was_known)):
                self._before_forward(module, args, {})
            return True
        return False

    def _place(self):
        return os.path.normpath(os.path.join(self._folder, self.path))

    def _file_name(self, suffix=""):
        return _file_name(self._place(), suffix, self._finds, self.files)

    @_guarded
    def _end_when_asked(self):
        """SIGTERM ends this process as it would without us, once the file is written. A handler of Python's runs when the
        main thread comes back to Python, which one that waits for a collective never does: a thread reads the byte that
        the C handler leaves."""
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL or threading.current_thread() is not threading.main_thread():
            return  # the program, or its trainer, ends itself
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        earlier = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        if earlier != -1:  # an event loop's
            signal.set_wakeup_fd(earlier)
            os.close(reader), os.close(writer)
            return
        # An event loop that came later has taken the C handler's byte, or left nobody to take it.
        ours = lambda number, frame: os.write(writer, bytes([number]))
        signal.signal(signal.SIGTERM, ours)
        me = weakref.ref(self)

        def wait():
            for byte in iter(lambda: os.read(reader, 1), b""):
                if byte[0] != signal.SIGTERM or signal.getsignal(signal.SIGTERM) is not ours:
                    continue  # the program has a handler of its own by now
                recorder = me()
                if recorder is not None and recorder.running:
                    recorder.dump(reason="terminated")
                ctypes.CDLL(None).signal(signal.SIGTERM, None)  # from this thread Python's may not
                os.kill(os.getpid(), signal.SIGTERM)

        def give_back():
            if threading.current_thread() is not threading.main_thread():
                return  # Python lets no other one change it: the thread that waits goes on and ends the process
            self._give_signal_back = lambda: None
            if signal.getsignal(signal.SIGTERM) is ours:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
            there = signal.set_wakeup_fd(-1)
            if there != writer:
                signal.set_wakeup_fd(there)
            os.close(writer)

        threading.Thread(target=wait, daemon=True).start()
        self._give_signal_back = give_back
        self._undo.append(lambda: self._give_signal_back())

    # -- hooks --------------------------------------------------------------------------------------

    def _pass_kind(self, module, kwargs=None):
        if torch.is_grad_enabled():
            return "training" if module is None or module.training else "eval_mode"
        generates = any((kwargs or {}).get(name) is not None for name in CACHES)  # as a rollout does between two steps
        return "evaluation" if (self._optimizers or self.steps) and not generates else "inference"

    @_guarded
    def _hook_model(self, module):
        if self._hooks is False or (self._hooks is None and _is_compiled(module)):
            return
        me = weakref.ref(self)

        def before(m, args, kwargs=None):
            if _is_compiling():
                return
            recorder = me()
            if recorder is not None and not recorder._depth:
                recorder._before_forward(m, args, kwargs or {})

        def after(m, args, *rest):
            if _is_compiling():
                return
            recorder = me()
            if recorder is not None and not recorder._depth:
                recorder._after_forward(rest[0] if len(rest) > 1 else {}, rest[-1])

        self._undo.append(module.register_forward_pre_hook(_Hook(before), with_kwargs=True).remove)
        self._undo.append(module.register_forward_hook(_Hook(after), with_kwargs=True).remove)

    @_guarded
    def _before_forward(self, module, args, kwargs):
        seen = itertools.chain(self._inputs(args, kwargs), _caches_of(kwargs))
        self._mark("forward_begin", self._pass_kind(module, kwargs), seen, ("parameter",))

    @_guarded
    def _after_forward(self, kwargs, output):
        self._mark("forward_end", seen=_caches_of(output, kwargs))

    @_guarded
    def _hook_steps(self):
        """torch runs these hooks around the step of every optimizer that was initialised as one: whatever wraps
        it, whenever it is made, and only if it does step."""
        hooks, me = _step_hooks(), weakref.ref(self)
        if hooks is None:
            return

        def before(optimizer, args, kwargs):
            if _is_compiling():
                return None
            recorder = me()
            if recorder is None:
                return None
            closure = kwargs.get("closure", args[1] if len(args) > 1 else None)
            recorder._before_step(optimizer, sys._getframe(1), begins=not callable(closure))
            if not callable(closure):
                return None
            followed = recorder._followed(closure)
            if "closure" in kwargs:
                return args, {**kwargs, "closure": followed}
            return (args[0], followed, *args[2:]), kwargs

        def after(optimizer, args, kwargs):
            if _is_compiling():
                return
            recorder = me()
            if recorder is not None:
                recorder._after_step(optimizer)

        self._undo.append(hooks.register_optimizer_step_pre_hook(before).remove)
        self._undo.append(hooks.register_optimizer_step_post_hook(after).remove)

    @_guarded
    def _wrap_scaler(self):
        """A GradScaler leaves the optimizer's step out where a gradient is infinite; the program's step is over all the
        same. torch 2.3 moved it from torch.cuda.amp, where a subclass is left."""
        scaler, me = getattr(getattr(torch, "amp", None), "GradScaler", None), weakref.ref(self)
        scaler = scaler or getattr(getattr(torch.cuda, "amp", None), "GradScaler", None)
        if scaler is None:
            return

        def step(this, optimizer, *args, **kwargs):
            recorder = me()
            seen = recorder and getattr(recorder._thread, "steps_seen", 0)
            result = step.original(this, optimizer, *args, **kwargs)
            if recorder is not None and recorder.running and seen == getattr(recorder._thread, "steps_seen", 0):
                recorder._before_step(optimizer, sys._getframe(), begins=True)
                recorder._after_step(optimizer)
            return result

        self._replace(scaler, "step", step)

    def _wrap_steps(self, optimizers):
        """The steps that torch's hooks do not surround: of what is no torch optimizer (DeepSpeed, Apex, Megatron)
        and of what was not initialised as one."""
        for optimizer in optimizers:
            has_inner = len(_with_inner(optimizer)) > 1
            is_wrapper = has_inner and isinstance(optimizer, torch.optim.Optimizer)
            if _is_optimizer(optimizer) and not _runs_hooks(optimizer) and not is_wrapper:
                self._wrap_step(optimizer, has_inner)

    @_guarded
    def _wrap_step(self, optimizer, has_inner):
        before, step, me = vars(optimizer).get("step"), optimizer.step, weakref.ref(self)

        @functools.wraps(step)
        def stepped(this, *args, **kwargs):
            recorder = me()
            if recorder is None or not recorder.running:
                return step(*args, **kwargs)
            # What wraps others may step several of them, or none: then only their steps tell.
            recorder._before_step(this, sys._getframe(), begins=not has_inner)
            result = step(*args, **kwargs)
            recorder._after_step(this)
            return result

        # A method, as learning-rate schedulers look for its function.
        optimizer.step = wrapper = types.MethodType(stepped, optimizer)
        reference, wrapper = weakref.ref(optimizer), weakref.ref(stepped)

        def put_back():
            this = reference()
            if this is not None and getattr(vars(this).get("step"), "__func__", None) is wrapper():
                if before is None:
                    del this.step
                else:
                    this.step = before

        self._undo.append(put_back)

    def _steps_around(self, frame):
        """The steps that this thread is in at `frame`. One that raised never came to its end, but its frame is gone."""
        steps = self._thread.__dict__.setdefault("steps", [])
        if steps:
            running = set()
            while frame is not None:
                running.add((id(frame), frame.f_code))
                frame = frame.f_back
            steps[:] = [s for s in steps if (s.frame, s.code) in running]
        return steps

    @_guarded
    def _before_step(self, optimizer, frame, begins):
        """`begins`: it works on gradients from here on, not first in a closure that makes them."""
        self._thread.steps_seen = getattr(self._thread, "steps_seen", 0) + 1
        self._meet([optimizer])
        if self._depth:
            return  # an optimizer that steps inside backward: its state is seen when backward ends
        steps = self._steps_around(frame.f_back)
        steps.append(_Step(optimizer, frame))
        if begins and not steps[0].has_begun:  # a step inside another is part of it
            self._begin_step(steps[0])

    def _followed(self, closure):
        """A step works on gradients once its closure, which makes them or does nothing, has returned."""
        me = weakref.ref(self)

        @functools.wraps(closure)
        def followed(*args, **kwargs):
            result = closure(*args, **kwargs)
            recorder = me()
            if recorder is not None:
                recorder._after_closure(sys._getframe())
            return result

        return followed

    @_guarded
    def _after_closure(self, frame):
        steps = self._steps_around(frame)
        if steps and not self._depth:
            self._begin_step(steps[0])

    def _begin_step(self, step):
        step.has_begun = True
        self._mark("optimizer_begin", tables=("gradient",))

    @_guarded
    def _after_step(self, optimizer):
        steps = self._thread.__dict__.get("steps", ())
        at = next((i for i, step in enumerate(steps) if step.optimizer == id(optimizer)), None)
        if self._depth or at is None:
            return
        is_step = steps[at].has_begun or _runs_hooks(optimizer)
        del steps[at:]
        if is_step and not steps:
            if not self._manual_steps:
                self.steps += 1
            self._mark("optimizer_end", tables=("state", "parameter"))
            if not self._manual_steps:
                self._step_ended()

    @_guarded
    def _step_ended(self):
        """What happens between two steps: a window begins or ends, segments are written."""
        if self._segments_every and self.steps % self._segments_every == 0:
            self._write_segments()
        if self._stage == "waiting" and self.steps >= self._first_step - 1:
            self._stage = "recording"
            self._start_history()
            self._mark_beginning()
        elif self._stage == "recording" and self._last_step is not None and self.steps >= self._last_step:
            try:
                self._write(self._file_name(), "window")
            finally:  # hooks come out later: this is called from one
                self._stage = "over"
                self._untag()
                self._stop_history()

    @_guarded
    def _wrap_backward(self):
        """torch.autograd.backward is what Tensor.backward, Accelerate, DeepSpeed and Lightning call; it is
        put back at the end. Hooks on tensors would begin too late, after the loss's own backward."""
        me = weakref.ref(self)

        def backward(*args, **kwargs):
            recorder = me()
            if recorder is None or not recorder.running or recorder._depth:
                return backward.original(*args, **kwargs)
            recorder._mark("backward_begin")
            recorder._depth += 1  # checkpointing calls it again from inside
            try:
                return backward.original(*args, **kwargs)
            finally:
                recorder._depth -= 1
                recorder._mark("backward_end", tables=("gradient", "state"))

        self._replace(torch.autograd, "backward", backward)

    @_guarded
    def _wrap_graphs(self):
        """What the driver refuses while a capture is under way is not called then; counters and addresses are no calls of
        it. The private pool stays with the graph; what a capture took from the driver is told in the file."""
        graph, me = getattr(torch.cuda, "CUDAGraph", None), weakref.ref(self)
        if not hasattr(graph, "capture_begin"):
            return

        def begin(this, *args, **kwargs):
            result, recorder = begin.original(this, *args, **kwargs), me()
            if recorder is not None:
                recorder._capture_began()
            return result

        def end(this, *args, **kwargs):
            try:
                return end.original(this, *args, **kwargs)
            finally:
                recorder = me()
                if recorder is not None:
                    recorder._capture_ends(this)

        self._replace(graph, "capture_begin", begin)
        self._replace(graph, "capture_end", end)

    @_guarded
    def _capture_began(self):
        self._captures += 1
        self._mark("graph_begin")
        self._graph_bytes -= sum(torch.cuda.memory_reserved(d) for d in self._devices())

    @_guarded
    def _capture_ends(self, graph):
        self._captures -= 1
        self._graphs += 1
        self._graph_bytes += sum(torch.cuda.memory_reserved(d) for d in self._devices())
        self._mark("graph_end")
        self._pool_names.setdefault(tuple(graph.pool()), "of CUDA graphs")
        while self._postponed and not self._captures:
            self._dump_on(self._postponed.pop())

    @_guarded
    def _wrap_allocator_settings(self):
        """Engines switch expandable segments off and on inside a process; the snapshot has the last setting alone."""
        me = weakref.ref(self)

        def change(settings, *args, **kwargs):
            recorder = me()
            if recorder is not None:
                recorder._settings_change(settings)
            return change.original(settings, *args, **kwargs)

        if hasattr(torch.cuda.memory, "_set_allocator_settings"):
            self._replace(torch.cuda.memory, "_set_allocator_settings", change)

    @_guarded
    def _settings_change(self, settings):
        self._mark("settings", str(settings)[:LONGEST_TEXT])
        if len(self._setting_changes) < MOST_CALLS:
            self._setting_changes.append(f"{settings} (after step {self.steps})")

    def _replace(self, holder, name, new):
        """Puts a function in the place of another, which it calls as `new.original`; put back unless wrapped anew."""
        original = getattr(holder, name)
        functools.update_wrapper(new, original)
        new.original = original  # not the one of what was wrapped before
        new._torchdynamo_disable = True
        setattr(holder, name, new)

        def put_back():
            if getattr(holder, name, None) is new:
                setattr(holder, name, original)

        self._undo.append(put_back)

    @_guarded
    def _wrap_engine(self, engine):
        """Sleep and wake as calls of one engine; what it does then is no phase of the training."""
        for name in ENGINE_CALLS:
            method = getattr(engine, name, None)
            if callable(method):
                self._wrap_engine_call(engine, name, method)

    def _wrap_engine_call(self, engine, name, method):
        me, before, reference = weakref.ref(self), vars(engine).get(name), weakref.ref(engine)

        @functools.wraps(method)
        def called(*args, **kwargs):
            recorder = me()
            done = recorder._engine_call_begins(name) if recorder is not None and recorder.running else None
            result = None
            try:
                result = method(*args, **kwargs)
            finally:
                if done is not None and not inspect.isawaitable(result):
                    done()
            return result if done is None or not inspect.isawaitable(result) else _awaited(result, done)

        setattr(engine, name, called)
        wrapper = weakref.ref(called)

        def put_back():
            this = reference()
            if this is not None and vars(this).get(name) is wrapper():
                if before is None:
                    delattr(this, name)
                else:
                    setattr(this, name, before)

        self._undo.append(put_back)

    @_guarded
    def _engine_call_begins(self, name):
        self._mark("phase", name)
        before, me = _free_bytes(self._devices()), weakref.ref(self)

        def done():
            recorder = me()
            if recorder is not None:
                recorder._engine_call_ended(name, before)

        return done

    @_guarded
    def _engine_call_ended(self, name, before):
        self._mark("phase_end")
        free = _free_bytes(self._devices())
        total = sum(torch.cuda.mem_get_info(d)[1] for d in self._devices())
        if len(self._engine_calls) < MOST_CALLS:
            self._engine_calls.append((name, free - before, total - free))

    @_guarded
    def _observe(self):
        """One observer per process, since torch has no way to take one off again."""
        global _observed
        if not _observed:
            torch._C._cuda_attach_out_of_memory_observer(_observer)
            _observed = True

    def _take_hooks_out(self):
        while self._undo:
            self._try(self._undo.pop())

    # -- writing ------------------------------------------------------------------------------------

    def _out_of_memory(self, device, requested, total, free):
        """Called by the allocator before it throws, without its lock."""
        if not self.running or self._in_observer or self._oom_left <= 0:
            return
        self._in_observer = True
        try:
            self._oom_left -= 1
            self._oom_count += 1
            number = "" if self._oom_count == 1 else str(self._oom_count)
            oom = {"device": int(device), "requested_bytes": int(requested), "total_bytes": int(total),
                   "free_bytes": int(free)}
            self._write_oom(self._file_name(f".oom{number}"), oom)
        finally:
            self._in_observer = False

    @_guarded
    def _write_oom(self, path, oom):
        return self._write(path, "oom", None, oom)

    def _watch_memory(self):
        """Reserved memory is what the process takes from the card, whoever holds the blocks."""
        for device, reserved in list(self._reserved.items()):
            if device not in self._limits:
                total = torch.cuda.get_device_properties(device).total_memory
                self._limits[device] = self._at_memory * total if self._at_memory <= 1 else self._at_memory
            if reserved >= self._limits[device] and not self._asked["memory"] and "memory" not in self._postponed:
                self._dump_on("memory")

    @_guarded
    def _dump_on(self, reason):
        """A file that was asked for while the program runs; recording goes on."""
        if not self.running:
            return
        if self._captures:  # the driver refuses much while a CUDA graph is captured
            self._postponed.append(reason)
            return
        self._asked[reason] += 1
        number = "" if reason == "memory" else str(self._asked[reason])
        self._write(self._file_name(f".{reason}{number}"), reason, clear=self._clear)

    @_guarded
    def _write_segments(self):
        self._write(self._file_name(f".step{self.steps}"), "segments", take=self._segments_alone)

    def _segments_alone(self):
        """Without the events, which is what takes time (torch 2.11; before, they are left out afterwards)."""
        take = torch.cuda.memory.memory_snapshot
        if "include_traces" in inspect.signature(take).parameters:
            segments = take(include_traces=False)
        else:
            segments = take()
        return {"segments": segments, "device_traces": []}

    def _write(self, path, reason, error=None, oom=None, take=None, clear=False):
        if self._finds and take is None:
            self._find()
        with self._lock:
            self._mark("dump", reason, tables=EVERYTHING, all_of_them=True)
            if not self._moments:
                raise RuntimeError("nothing was recorded")
            dump_moment = self._moments[-1]
            try:
                snapshot = torch.cuda.memory._snapshot() if take is None else take()
                moments = self._moments if take is None else [dump_moment]
                snapshot[KEY] = self._knowledge(snapshot, moments, reason, error, oom)
            finally:  # recording may go on
                self._moments.pop()
                self._row_count -= len(dump_moment.rows)
            if clear and self._stage == "recording":
                self._try(self._begin_anew)  # before the file is written, which takes time
        _write_whole(path, lambda file: pickle.dump(snapshot, file, protocol=4))
        self.files.append(path)
        return path

    def _knowledge(self, snapshot, moments, reason, error, oom):
        dump_moment = moments[-1]
        rank, local_rank, world = _rank()
        traces = snapshot.get("device_traces", [])
        devices = [self._device(d, traces, dump_moment) for d in sorted(set(dump_moment.clock) | set(self._devices()))]
        return {
            "version": VERSION,
            "reason": reason,
            "torch": str(torch.__version__),
            "python": sys.version.split()[0],
            "created_us": dump_moment.time_us,
            "rank": rank, "local_rank": local_rank, "world_size": world,
            "settings": {"stacks": str(self.stacks), "context": str(self.context), "max_entries": self.max_entries,
                         "hooks": {None: "unless compiled", False: "no"}.get(self._hooks, "yes"),
                         "annotate": "yes" if self._annotate else "no",
                         "steps": "" if self._settings["steps"] is None else f"{self._first_step} to {self._last_step}",
                         "allocator": "; ".join(self._setting_changes),
                         "models": ", ".join(type(m).__name__ for _, m in self._live_models()),
                         "optimizers": ", ".join(type(found[-1]).__name__ for found, _ in self._live_optimizers())},
            "devices": devices,
            "steps": self.steps,
            "error": None if error is None else {"type": type(error).__name__, "message": _text_of(error)},
            "oom": oom,
            "overhead_us": int(self._seconds * 1e6),
            "figures": self._figures(snapshot),
            "moments": self._moment_columns(moments, sorted(d["index"] for d in devices)),
            "things": {key: [t[i] for t in self._things]
                       for i, key in enumerate(("bucket", "role", "name", "shape", "dtype"))},
            "tensors": self._tensor_columns(moments),
            "warnings": list(self._warnings),
        }

    def _figures(self, snapshot):
        """{what: bytes}, for people: what this process holds that is in no block, and what is in which pool."""
        figures = {}
        sources = [_pinned_figures, lambda: _pool_figures(snapshot["segments"], self._pools())]
        if not self._in_observer:  # there the caller may be one of those that are asked here
            sources += [_communicator_figures, lambda: _process_figures(self._devices())]
        for source in sources:
            try:
                figures.update((name[:LONGEST_TEXT], int(size)) for name, size in source())
            except Exception as error:
                self._warn(f"some of what the process holds is not told ({type(error).__name__}: {error})")
        if self._graphs:
            figures[f"CUDA graphs, {self._graphs} captured"] = max(0, self._graph_bytes)
        for i, (name, given_back, held) in enumerate(self._engine_calls):
            figures[f"{name} {i + 1}, {'given back' if given_back >= 0 else 'taken'}"] = abs(given_back)
            figures[f"{name} {i + 1}, in use on the card afterwards"] = held
        return figures

    def _pools(self):
        """{id: name} of those that were named, and of those an engine names itself."""
        pools = dict(self._pool_names)
        for engine in (reference() for reference in self._engines):
            for name, entries in dict(getattr(engine, "allocator_and_pools", {})).items():  # vLLM's, by tag
                for entry in entries if isinstance(entries, list) else [entries]:  # a list from vLLM 0.33 on
                    pools.setdefault(tuple(entry[0].id), str(name))
        return pools

    def _device(self, index, traces, dump_moment):
        known = {"index": index}
        try:
            properties = torch.cuda.get_device_properties(index)
            known["name"], known["total_bytes"] = str(properties.name), int(properties.total_memory)
            free, total = torch.cuda.mem_get_info(index)
            reserved = torch.cuda.memory_reserved(index)
            known["free_bytes"], known["reserved_bytes"] = int(free), int(reserved)
            capacity = min(int(reserved + free), int(total))
            fraction = getattr(torch.cuda, "get_per_process_memory_fraction", None)
            if fraction is not None:
                known["fraction_bytes"] = int(fraction(index) * total)
                capacity = min(capacity, known["fraction_bytes"])
            known["capacity_bytes"] = capacity
        except Exception as error:
            self._warn(f"device {index} says nothing about itself ({type(error).__name__}: {error})")
        if index in dump_moment.clock:
            after = self._counters(index)
            known["operations"], known["epoch"] = dump_moment.clock[index]
            # Another thread was busy while the snapshot was made: places may be off by a few events.
            known["is_exact"] = after is not None and after[0] + after[1] == known["operations"]
        entries = len(traces[index]) if 0 <= index < len(traces) else 0
        known["entries"] = entries
        known["overflowed"] = self._owns_history and self._trace and entries >= self.max_entries > 0
        if known["overflowed"]:
            self._warn(f"the ring buffer of {self.max_entries} entries was full on device {index}: what came first "
                       "is lost; record for a shorter time or raise max_entries")
        return known

    def _moment_columns(self, moments, devices):
        return {
            "kind": [m.kind for m in moments], "name": [m.name for m in moments],
            "step": [m.step for m in moments], "time_us": [m.time_us for m in moments],
            "marker_bytes": [m.marker for m in moments],
            "clocks": [{"device": d,
                        "operations": [m.clock.get(d, (-1, 0))[0] for m in moments],
                        "epoch": [m.clock.get(d, (-1, 0))[1] for m in moments]} for d in devices],
        }

    def _tensor_columns(self, moments):
        rows = [(i, *row[:4]) for i, m in enumerate(moments) for row in m.rows]
        return {key: [row[i] for row in rows] for i, key in enumerate(("moment", "thing", "device", "address", "bytes"))}


class _Hook:
    """A module's hook. A module that is pickled, as torch.save(model) does, takes one along that does nothing and is to be
    had in every Python."""

    def __init__(self, call):
        self._call = call

    def __call__(self, *args):
        return self._call(*args)

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return getattr, (contextlib.nullcontext(), "__exit__")


class _Step:
    """An optimizer's step under way."""

    __slots__ = ("optimizer", "frame", "code", "has_begun")

    def __init__(self, optimizer, frame):
        self.optimizer, self.frame, self.code, self.has_begun = id(optimizer), id(frame), frame.f_code, False


class _Triggers:
    """What asks for a file from outside while a recorder runs: a signal, or a file that appears or is touched (by its
    time: one file may ask many ranks). A thread writes, so that a server that waits for work answers, too."""

    def __init__(self, recorder, on_signal, on_file):
        self._recorder, self._name, self._file = weakref.ref(recorder), on_signal, on_file
        self._queue = self._number = self._handler = self._earlier = self.thread = None

    def start(self):
        if self._name is None and self._file is None:
            return
        self._queue = queue.SimpleQueue()  # whose put() may interrupt itself, as signal handlers do
        if self._name is not None:
            try:
                self._listen(self._queue)
            except Exception as error:
                self._recorder()._warn(f"no file at {self._name} ({type(error).__name__}: {error}); on_file needs no signal")
        self.thread = threading.Thread(target=self._run, args=(self._queue, self._stamp()), daemon=True)
        self.thread.start()

    def _listen(self, asked):
        number = signal.Signals[self._name] if isinstance(self._name, str) else signal.Signals(self._name)
        earlier = signal.getsignal(number)
        if earlier is None:
            raise RuntimeError("it has a handler outside of Python")

        def handler(number, frame):
            asked.put("signal")
            if callable(earlier):
                earlier(number, frame)

        signal.signal(number, handler)  # refused outside of the main thread
        self._number, self._handler, self._earlier = number, handler, earlier

    def stop(self):
        if self._queue is None:
            return
        self._queue.put(None)
        self._queue = None
        handler, self._handler = self._handler, None
        if handler is not None and signal.getsignal(self._number) is handler:
            try:
                signal.signal(self._number, self._earlier)
            except ValueError:  # not in the main thread: it stays, and asks nobody any more
                pass

    def _stamp(self):
        try:
            there = os.stat(self._file)
            return there.st_mtime_ns, there.st_ino
        except (OSError, TypeError):
            return None

    def _run(self, asked, seen):
        while True:
            try:
                reason = asked.get(timeout=POLL_SECONDS)
            except queue.Empty:
                stamp = self._stamp()
                reason = "file" if stamp not in (None, seen) else ""
                seen = stamp
            recorder = self._recorder()
            if reason is None or recorder is None:
                return
            if reason:
                recorder._dump_on(reason)
            del recorder


async def _awaited(result, done):
    try:
        return await result
    finally:
        done()


class _Phase:
    def __init__(self, recorder):
        self._recorder = recorder

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._recorder._mark("phase_end")
        return False


# -- what outlives a recorder --------------------------------------------------------------------------

_active = set()  # a recorder that runs is held here: record("run.pickle").start() runs to the end of the program
_observed = False
_last_group_rank = None, None
_attempts = {}  # of each stem, rank and count of restarts: the stem of this process's files


def _observer(device, requested, total, free):
    for recorder in list(_active):
        try:
            recorder._out_of_memory(device, requested, total, free)
        except Exception as error:
            recorder._warn(f"the dump at the out-of-memory error failed ({type(error).__name__}: {error})")


def _forget_after_fork():
    """A child has its parent's recorders, but no device, no rank and none of its threads: one may have held a lock."""
    global _last_group_rank
    _last_group_rank = None, None
    for recorder in list(_active):
        recorder.running, recorder._lock = False, threading.RLock()
        recorder._give_signal_back()  # the child would end its parent


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)


def _last_error():
    """The error that nobody caught, as Python keeps it once it has shown it. At a prompt it ended no program."""
    return None if hasattr(sys, "ps1") else getattr(sys, "last_value", None)


def _failure(error):
    """The error, unless it is how a program ends well."""
    return None if isinstance(error, SystemExit) and error.code in (None, 0) else error


def _stop_at_exit(reference, earlier_error):
    recorder, error = reference(), _last_error()
    if recorder is not None and recorder.running and not recorder._is_replaced:
        # What ended a worker of multiprocessing is on its way up; from Python 3.13 on it is gone by now.
        recorder.stop(reason="exit", error=error if id(error) != earlier_error else _failure(sys.exc_info()[1]))


# -- callbacks, made when first asked for, so that neither library is needed ----------------------------


_watching = weakref.WeakSet()  # callbacks whose training may die
_train = None  # (Trainer, its own train, ours) while there are any


def _watch(callback):
    """Trainer tells no callback of an exception, and its caller may catch it: so Trainer.train is wrapped, from when
    a callback is made until the recorded training has come to its end. After one that died it stays for the next try."""
    global _train
    _watching.add(callback)
    weakref.finalize(callback, _unwatch).atexit = False
    if _train is not None:
        return
    from transformers import Trainer

    original = Trainer.train

    @functools.wraps(original)
    def train(self, *args, **kwargs):
        of_this = getattr(getattr(self, "callback_handler", None), "callbacks", ())
        for watching in [c for c in of_this if c in _watching]:
            watching.trainer = weakref.ref(self)
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            for watching in [c for c in of_this if c in _watching]:
                watching.recorder.stop(error=error)
            raise

    Trainer.train, _train = train, (Trainer, original, train)


def _unwatch(callback=None):
    global _train
    if callback is not None:
        _watching.discard(callback)
    if _train is not None and not list(_watching):  # not by its length: the dead may still be counted
        (trainer, original, ours), _train = _train, None
        if trainer.train is ours:  # else somebody wrapped it once more; ours does nothing by now
            trainer.train = original


def _make_hugging_face():
    from transformers import TrainerCallback

    class HuggingFaceCallback(TrainerCallback):
        """Trainer(..., callbacks=[HuggingFaceCallback("run.pickle")]); settings as for record()."""

        __qualname__ = "HuggingFaceCallback"

        def __init__(self, path="snapshot.pickle", **settings):
            self.recorder, self.trainer = Recorder(path, **settings), lambda: None
            self.recorder._try(_watch, self)

        def __reduce__(self):
            return functools.partial(HuggingFaceCallback, **self.recorder._settings), (self.recorder.path,)

        def on_train_begin(self, args, state, control, model=None, optimizer=None, **kwargs):
            self.recorder._try(_watch, self)
            self.recorder.attach(model, optimizer)
            self.recorder._try(self._attach_others, self.trainer())
            self.recorder.start()

        def _attach_others(self, trainer):
            """TRL's trainers have a reference, a teacher or models that reward beside the model, and an engine in the
            same process."""
            found = {name: getattr(trainer, name, None) for name in OTHER_MODELS}
            judges = [f for f in _as_list(getattr(trainer, "reward_funcs", None)) if isinstance(f, torch.nn.Module)]
            found.update((f"reward_model{i or ''}", judge) for i, judge in enumerate(judges))
            engine = getattr(getattr(trainer, "vllm_generation", trainer), "llm", None)
            self.recorder.attach({n: m for n, m in found.items() if isinstance(m, torch.nn.Module)}, engine=engine)

        def on_step_begin(self, args, state, control, optimizer=None, **kwargs):
            if not self.recorder._optimizers:  # some trainers make it after on_train_begin
                self.recorder.attach(None, optimizer)

        def on_train_end(self, args, state, control, **kwargs):
            self.recorder.stop()
            self.recorder._try(_unwatch, self)

    return HuggingFaceCallback


def _make_lightning():
    try:
        from lightning.pytorch.callbacks import Callback
    except ImportError:
        from pytorch_lightning.callbacks import Callback

    class LightningCallback(Callback):
        """Trainer(callbacks=[LightningCallback("run.pickle")]); settings as for record()."""

        __qualname__ = "LightningCallback"

        def __init__(self, path="snapshot.pickle", **settings):
            # Lightning calls training_step, not the module: its own calls tell where passes begin.
            self.recorder = Recorder(path, **{"hooks": False, **settings})

        def __reduce__(self):
            return functools.partial(LightningCallback, **self.recorder._settings), (self.recorder.path,)

        def on_train_start(self, trainer, pl_module):
            self.recorder.attach(pl_module, list(trainer.optimizers))
            self.recorder.start()

        def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
            self.recorder.begin_forward(batch)

        def on_validation_start(self, trainer, pl_module):
            self.recorder.phase("evaluation")

        def on_validation_end(self, trainer, pl_module):
            self.recorder.phase(None)

        def on_exception(self, trainer, pl_module, exception):
            self.recorder.stop(error=exception)

        def on_train_end(self, trainer, pl_module):
            self.recorder.stop()

    return LightningCallback


_LAZY = {"HuggingFaceCallback": _make_hugging_face, "LightningCallback": _make_lightning}


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = made = _LAZY[name]()
    return made


# -- python -m tidemark_capture -------------------------------------------------------------------------


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tidemark_capture", description="Runs a program and records its GPU memory.",
                                     usage="%(prog)s [-o FILE] [--set NAME=VALUE]... (PROGRAM | -m MODULE) [ARGUMENT]...")
    parser.add_argument("-o", "--output", default="run.pickle", metavar="FILE", help="the snapshot; each rank writes its own")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of Recorder: steps=10,12")
    parser.add_argument("-m", action="store_true", dest="is_module", help="PROGRAM is a module")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM")
    options = parser.parse_args(arguments)
    if options.program[:1] == ["--"]:
        del options.program[0]
    if not options.program:
        parser.error("name the program to run")
    try:
        recorder = record_program(options.output, **settings_of(shlex.join(options.set)))
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    program, sys.argv = options.program[0], options.program
    sys.path[0] = os.getcwd() if options.is_module else os.path.dirname(os.path.realpath(program))
    try:
        if options.is_module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")
    except BaseException as error:
        recorder.__exit__(type(error), error, None)
        raise


if __name__ == "__main__":
    import tidemark_capture  # under the name by which the program would find it

    tidemark_capture.main()
