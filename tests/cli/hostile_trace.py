# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Writing snapshots as torch does, event by event."""

MIB = 1 << 20
BASE = 0x7F0000000000


def frame(name, filename, line):
    return {"name": name, "filename": filename, "line": line}


TRAIN = frame("<module>", "/home/user/train.py", 40)
MODULE = "/opt/conda/lib/python3.11/site-packages/torch/nn/modules/"


def forward_stack(layer=0):
    return [
        frame("forward", MODULE + "linear.py", 125),
        frame("_call_impl", MODULE + "module.py", 1762),
        frame("forward", "/home/user/model.py", 20 + layer),
        TRAIN,
    ]


def backward_stack():
    return [
        frame("_engine_run_backward", "/opt/conda/lib/python3.11/site-packages/torch/autograd/graph.py", 823),
        frame("backward", "/opt/conda/lib/python3.11/site-packages/torch/_tensor.py", 626),
        TRAIN,
    ]


def line_stack(line):
    """A call from one of the lines of one function."""
    return [*forward_stack()[:-1], frame("main", "/home/user/train.py", line + 1)]


class Trace:
    """One device: its events and final segments. Stacks that are the same list are written once."""

    def __init__(self, device=0):
        self.device = device
        self.events = []
        self.segments = []
        self.time = 1_700_000_000_000_000

    def event(self, action, address, size, frames=(), **more):
        self.time += 3
        self.events.append({
            "action": action, "addr": address, "size": size, "stream": 0, "time_us": self.time,
            "frames": frames if isinstance(frames, list) else list(frames), **more})

    def alloc(self, address, size, frames=(), **more):
        self.event("alloc", address, size, frames, **more)

    def free(self, address, size, frames=(), **more):
        self.event("free_requested", address, size, frames, **more)
        self.event("free_completed", address, size, frames, **more)

    def oom(self, size, free=0, frames=()):
        self.time += 3
        self.events.append({
            "action": "oom", "device_free": free, "size": size, "stream": 0, "time_us": self.time,
            "frames": list(frames)})

    def segment(self, address, size, blocks, small=False, **more):
        """`blocks`: (size, frames) of those that live, (size, None) of those that are free."""
        made = []
        at = address
        for block_size, frames in blocks:
            live = frames is not None
            made.append({
                "address": at, "size": block_size, "requested_size": block_size if live else 0,
                "state": "active_allocated" if live else "inactive", "frames": frames if live else []})
            at += block_size
        live = sum(block_size for block_size, frames in blocks if frames is not None)
        self.segments.append({
            "device": self.device, "address": address, "total_size": size, "allocated_size": live,
            "active_size": live, "requested_size": live, "stream": 0,
            "segment_type": "small" if small else "large", "segment_pool_id": (0, 0), "is_expandable": False,
            "frames": [], "blocks": made, **more})


def snapshot(*traces, annotations=()):
    device_traces = [[] for _ in range(1 + max((trace.device for trace in traces), default=-1))]
    for trace in traces:
        device_traces[trace.device] = trace.events
    return {
        "segments": [segment for trace in traces for segment in trace.segments],
        "device_traces": device_traces,
        "allocator_settings": {
            "PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "garbage_collection_threshold": 0.0,
            "expandable_segments": False, "pinned_num_register_threads": 1, "release_lock_on_cudamalloc": False,
            "pinned_use_cuda_host_register": False, "roundup_power2_divisions": {}},
        "external_annotations": list(annotations),
    }
