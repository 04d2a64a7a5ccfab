# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""A CUDA device that is not there: real training on the CPU allocates from a model of the caching allocator, and
torch.cuda answers for it as far as the capture module asks."""

import collections
import contextlib
import ctypes
import functools
import os
import sys
import time
import types

import torch

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
BASE = 0x7F0000000000
SMALL, SMALL_SEGMENT, LARGE_SEGMENT = MIB, 2 * MIB, 20 * MIB
HERE = os.path.dirname(os.path.abspath(__file__))
ENGINE = "_engine_run_backward"  # CUDA's backward runs on a thread without the program's frames
HOST_FILES = ("torch/utils/data/", "data_collator")  # what makes batches does so in the host's memory


class Allocator:
    """Blocks of whole 512 bytes, cut off a segment's end; a freed one serves the next request of its size."""

    def __init__(self, capacity):
        self.capacity, self.reserved, self.next = capacity, 0, BASE
        self.segments = []
        self.tails = {}  # the segment that is being cut, by whether it is small
        self.free_blocks = collections.defaultdict(list)
        self.on_release = None

    def malloc(self, size):
        """(address, the new segment or None), or None where the device is full."""
        rounded = -(-size // 512) * 512
        if self.free_blocks[rounded]:
            return self.free_blocks[rounded].pop(), None
        is_small, new = rounded <= SMALL, None
        segment = self.tails.get(is_small)
        if segment is None or segment["used"] + rounded > segment["size"]:
            total = SMALL_SEGMENT if is_small else max(LARGE_SEGMENT, -(-rounded // SMALL_SEGMENT) * SMALL_SEGMENT)
            if self.reserved + total > self.capacity:
                self.release()
            if self.reserved + total > self.capacity:
                return None
            segment = new = {"address": self.next, "size": total, "used": 0, "is_small": is_small, "blocks": []}
            self.tails[is_small], self.next = segment, self.next + total
            self.reserved += total
            self.segments.append(segment)
        address = segment["address"] + segment["used"]
        segment["used"] += rounded
        segment["blocks"].append((address, rounded))
        return address, new

    def free(self, address, size):
        self.free_blocks[-(-size // 512) * 512].append(address)

    def release(self):
        """Gives segments back in which nothing lives."""
        free = {address for addresses in self.free_blocks.values() for address in addresses}
        for segment in [s for s in self.segments if all(address in free for address, _ in s["blocks"])]:
            self.segments.remove(segment)
            self.reserved -= segment["size"]
            free.difference_update(address for address, _ in segment["blocks"])
            self.on_release(segment)
        for rounded, addresses in self.free_blocks.items():
            self.free_blocks[rounded] = [address for address in addresses if address in free]
        self.tails = {small: s for small, s in self.tails.items() if s in self.segments}


class Device:
    """The allocator with its trace, and who it tells. `listen` is what the tap calls."""

    def __init__(self, capacity):
        self.allocator = Allocator(capacity)
        self.live, self.block_of = {}, {}  # by the CPU's pointer: (address, size, id); by address: (size, frames, id)
        self.trace, self.trace_ids = [], []
        self.is_recording, self.host_depth, self.last_id = False, 0, 0
        self.on_alloc = self.on_oom = self.on_copy = self.on_copied = None
        self.counted = {"allocated": 0, "freed": 0}
        self.observers, self.oom_event, self.metadata = [], None, ""
        self.shots = []
        self.phases = list  # what the truth has for the trace so far
        self.on_cleared = lambda: None
        self._frames = {}
        self.allocator.on_release = lambda segment: self.record(
            "segment_free", segment["size"], [], addr=segment["address"])

    def listen(self, is_alloc, pointer, size):
        if not is_alloc:
            self._free(pointer)
            return False
        if self.host_depth or _is_host(sys._getframe(1)):
            return False
        return self._malloc(pointer, size)

    def _malloc(self, pointer, size):
        frames, made = self.frames(sys._getframe(2)), self.allocator.malloc(size)
        if made is None:
            self.oom_event = self.oom_event if self.oom_event is not None else len(self.trace)
            self.record("oom", size, frames, device_free=self.free_bytes())
            if self.on_oom:
                self.on_oom()
            for observer in self.observers:
                observer(0, size, self.allocator.capacity, self.free_bytes())
            return True
        address, segment = made
        if segment:
            self.record("segment_alloc", segment["size"], frames, addr=segment["address"])
        self.last_id += 1
        self.live[pointer] = (address, size, self.last_id)
        self.block_of[address] = (size, frames, self.last_id)
        self.counted["allocated"] += 1
        self.record("alloc", size, frames, addr=address, number=self.last_id)
        if self.on_alloc:
            self.on_alloc(self.last_id)
        return False

    def _free(self, pointer):
        known = self.live.pop(pointer, None)
        if known:
            address, size, number = known
            del self.block_of[address]
            self.counted["freed"] += 1
            self.record("free_requested", size, [], addr=address, number=number)
            self.record("free_completed", size, [], addr=address, number=number)
            self.allocator.free(address, size)

    def record(self, action, size, frames, number=None, **place):
        if self.is_recording:
            self.trace.append({"action": action, "size": size, "stream": 0, "frames": frames,
                               "time_us": time.time_ns() // 1000, **place})
            self.trace_ids.append(number)

    def frames(self, frame):
        found = []
        while frame is not None and frame.f_code.co_name != ENGINE:
            if not frame.f_code.co_filename.startswith(os.path.join(HERE, "device.py")):
                found.append((frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        key = tuple(found)
        if key not in self._frames:
            self._frames[key] = [{"name": n, "filename": f, "line": l} for n, f, l in key]
        return self._frames[key]

    def place(self, tensor):
        """(device index, address, bytes) of a tensor's storage, as the capture module asks for it."""
        tensor = getattr(tensor, "_local_tensor", tensor)
        try:
            known = self.live.get(tensor.untyped_storage().data_ptr())
        except (AttributeError, NotImplementedError, RuntimeError):
            return None
        return (0, known[0], known[1]) if known else None

    def number_of(self, tensor):
        place = self.place(tensor)
        return self.block_of[place[1]][2] if place else None

    def free_bytes(self):
        return self.allocator.capacity - self.allocator.reserved

    def snapshot(self, *_, **__):
        """As torch.cuda.memory._snapshot gives it."""
        self._keep_shot(self.trace, self.trace_ids, self.phases())
        return {"segments": self.segments(), "device_traces": [list(self.trace)],
                "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": False},
                "external_annotations": []}

    def memory_snapshot(self, mempool_id=None, include_traces=True):
        self._keep_shot([], [], [])
        return self.segments()

    def _keep_shot(self, trace, ids, phases):
        """What the truth needs of this moment."""
        self.shots.append({"trace": list(trace), "ids": list(ids), "phases": list(phases), "oom": self.oom_event,
                           "live": {a: b[2] for a, b in self.block_of.items()}})

    def clear(self):
        """As torch does when recording is switched off."""
        self.trace, self.trace_ids, self.oom_event = [], [], None
        self.on_cleared()

    def segments(self):
        return [self._segment(s) for s in self.allocator.segments]

    def _segment(self, segment):
        blocks = []
        for address, rounded in segment["blocks"]:
            size, frames, _ = self.block_of.get(address, (0, [], None))
            blocks.append({"address": address, "size": rounded, "requested_size": size, "frames": frames,
                           "state": "active_allocated" if size else "inactive"})
        if segment["used"] < segment["size"]:
            blocks.append({"address": segment["address"] + segment["used"], "size": segment["size"] - segment["used"],
                           "requested_size": 0, "frames": [], "state": "inactive"})
        used = sum(b["size"] for b in blocks if b["requested_size"])
        return {"device": 0, "address": segment["address"], "total_size": segment["size"], "allocated_size": used,
                "active_size": used, "requested_size": sum(b["requested_size"] for b in blocks), "stream": 0,
                "segment_type": "small" if segment["is_small"] else "large", "segment_pool_id": (0, 0),
                "is_expandable": False, "frames": [], "blocks": blocks}


def _is_host(frame):
    while frame is not None:
        if any(part in frame.f_code.co_filename for part in HOST_FILES):
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def host(device):
    """What is made inside lies in the host's memory."""
    device.host_depth += 1
    try:
        yield
    finally:
        device.host_depth -= 1


def put_in_place(device, capture):
    """torch.cuda answers for `device`, and the capture module finds its tensors there."""
    def history(enabled="all", **_):
        device.is_recording = enabled is not None
        if enabled is None:
            device.clear()

    def counters(_):
        counted = device.counted
        return {"allocation": {"all": {**counted, "current": counted["allocated"] - counted["freed"]}},
                "reserved_bytes": {"all": {"current": device.allocator.reserved}}}

    capacity = device.allocator.capacity
    memory = torch.cuda.memory
    memory._record_memory_history, memory._snapshot = history, device.snapshot
    memory.memory_snapshot = device.memory_snapshot
    memory._set_memory_metadata = lambda text: setattr(device, "metadata", text)
    memory._get_memory_metadata = lambda: device.metadata
    memory._annotate_tensor = lambda tensor, text: None  # torch 2.14; it refuses what lies on the CPU
    torch._C._cuda_memoryStats = counters
    torch._C._cuda_isHistoryEnabled = lambda: device.is_recording
    torch._C._cuda_attach_out_of_memory_observer = device.observers.append
    answers = {"is_available": lambda: True, "is_initialized": lambda: True, "current_device": lambda: 0,
               "get_device_properties": lambda _: types.SimpleNamespace(name="Stand-in GPU", total_memory=capacity),
               "mem_get_info": lambda _: (device.free_bytes(), capacity),
               "memory_reserved": lambda _: device.allocator.reserved,
               "get_per_process_memory_fraction": lambda _: 1.0}
    for name, answer in answers.items():
        setattr(torch.cuda, name, _for_module(capture, answer, getattr(torch.cuda, name)))
    capture._place = device.place
    _copy_to_device(device)
    tap = ctypes.PyDLL(os.environ["TAP"])
    tap.tap_listen.argtypes = [ctypes.py_object]
    tap.tap_listen(device.listen)


def _for_module(capture, answer, original):
    """The libraries ask the same and are to stay on the CPU."""
    @functools.wraps(original)
    def either(*args, **kwargs):
        is_module = sys._getframe(1).f_code.co_filename == capture.__file__
        return (answer if is_module else original)(*args, **kwargs)
    return either


def _copy_to_device(device):
    """Tensor.to copies what lies in the host's memory, as it does to a CUDA device."""
    original = torch.Tensor.to

    def to(tensor, *args, **kwargs):
        result = original(tensor, *args, **kwargs)
        if device.host_depth or type(tensor) is not torch.Tensor or result is not tensor or not tensor.numel() or (
                device.place(tensor) or _is_host(sys._getframe(1))):
            return result
        if device.on_copy:
            device.on_copy()
        result = tensor.detach().clone()
        if device.on_copied:
            device.on_copied(result)
        return result

    torch.Tensor.to = to
