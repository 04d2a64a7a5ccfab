# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Small snapshots for once_wrong.tsv, made where they are needed: scene:NAME calls the function NAME below."""

import io
import pickle
import zipfile

BASE = 0x7F0000000000
MIB = 1 << 20
START_US = 1_700_000_000_000_000


def make(name):
    """The bytes of a scene; a ValueError for a name that is none."""
    scene = SCENES.get(name)
    if scene is None:
        raise ValueError(f"there is no scene {name}")
    made = scene()
    return made if isinstance(made, bytes) else pickle.dumps(made.snapshot())


def frames(*lines):
    """Frames from "file.py:12 function", innermost first, as torch writes them."""
    made = []
    for line in lines:
        place, _, function = line.partition(" ")
        file, _, number = place.rpartition(":")
        made.append({"filename": file, "line": int(number), "name": function})
    return made


class Card:
    """A device whose allocations are written down as torch does: one segment per allocation, which keeps the
    replay exact and the scene short. Sizes are in bytes; `at` gives the stack of all that follows."""

    def __init__(self):
        self.events, self.live, self.annotations = [], {}, []
        self._next, self._stack = BASE, []

    def at(self, *lines):
        self._stack = frames(*lines)
        return self

    def alloc(self, size):
        address = self._next
        segment = -(-size // (2 * MIB)) * 2 * MIB
        self._next += segment
        self._event("segment_alloc", address, segment)
        self._event("alloc", address, size)
        self.live[address] = (segment, size, self._stack)
        return address

    def free(self, *addresses):
        for address in addresses:
            segment, size, _ = self.live.pop(address)
            self._event("free_requested", address, size)
            self._event("free_completed", address, size)
            self._event("segment_free", address, segment)

    def oom(self, size, device_free):
        self.events.append({"action": "oom", "device_free": device_free, "size": size, "stream": 0,
                            "time_us": self._time(), "frames": self._stack})

    def annotate(self, name, stage):
        self.annotations.append({"stage": stage, "name": name, "device": 0, "time_us": self._time()})

    def snapshot(self):
        return {"segments": [self._segment(a, *rest) for a, rest in sorted(self.live.items())],
                "device_traces": [self.events], "external_annotations": self.annotations,
                "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": False}}

    def _time(self):
        return START_US + 10 * len(self.events)

    def _event(self, action, address, size):
        self.events.append({"action": action, "addr": address, "size": size, "stream": 0, "time_us": self._time(),
                            "frames": self._stack})

    def _segment(self, address, total, size, stack):
        rounded = -(-size // 512) * 512
        blocks = [{"address": address, "size": rounded, "requested_size": size, "state": "active_allocated", "frames": stack}]
        if total > rounded:
            blocks.append({"address": address + rounded, "size": total - rounded, "requested_size": 0,
                           "state": "inactive", "frames": []})
        return {"device": 0, "address": address, "total_size": total, "allocated_size": rounded, "active_size": rounded,
                "requested_size": size, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0),
                "is_expandable": False, "frames": stack, "blocks": blocks}


TRAIN = "/home/me/train.py:40 main"
MODEL = ("/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:125 forward", "/home/me/model.py:12 forward", TRAIN)
BACKWARD = ("/usr/lib/python3/dist-packages/torch/autograd/__init__.py:347 backward", TRAIN)
ADAM = ("/usr/lib/python3/dist-packages/torch/optim/adam.py:212 step", TRAIN)


def profiled_steps():
    """Four steps of a small model inside the profiler's scopes of steps 210 to 213."""
    layers, card = 4, Card()
    card.at("/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:106 __init__", "/home/me/model.py:7 __init__", TRAIN)
    for _ in range(layers):
        card.alloc(4 * MIB)
    for step in range(210, 214):
        card.annotate(f"ProfilerStep#{step}", "START")
        saved = [card.at(*MODEL).alloc(6 * MIB) for _ in range(layers)]
        gradients = []
        for activation in reversed(saved):
            gradients.append(card.at(*BACKWARD).alloc(4 * MIB))
            card.free(activation)
        card.at(*ADAM)
        if step == 210:
            for _ in range(2 * layers):
                card.alloc(4 * MIB)
        card.free(card.alloc(4 * MIB))
        card.at(TRAIN).free(*gradients)
        card.annotate(f"ProfilerStep#{step}", "END")
    return card


def negative_device_free():
    """An OOM event whose free memory is less than nothing, as no device has it."""
    card = Card()
    card.at(TRAIN).alloc(4 * MIB)
    card.oom(64 * MIB, -(1 << 40))
    return card


def metrics_before_the_snapshot():
    """An archive in which a file of another kind lies ahead of the snapshot."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("metrics.jsonl", '{"loss": 1.5}\n{"loss": 1.4}\n')
        archive.writestr("snapshot.pickle", pickle.dumps(profiled_steps().snapshot()))
    return packed.getvalue()


SCENES = {scene.__name__: scene for scene in (profiled_steps, negative_device_free, metrics_before_the_snapshot)}
