# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Small snapshots for once_wrong.tsv, made where they are needed: scene:NAME calls the function NAME below."""

import pickle

BASE = 0x7F0000000000
MIB = 1 << 20
LARGE = 20 * MIB  # the segment that the allocator gets for a request from 1 to 10 MiB
START_US = 1_700_000_000_000_000


def make(name):
    """The bytes of a scene; a ValueError for a name that is none."""
    scene = SCENES.get(name)
    if scene is None:
        raise ValueError(f"there is no scene {name}")
    return pickle.dumps(scene().snapshot())


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


def two_allocations():
    card = Card()
    card.at("train.py:7 main")
    kept = card.alloc(4 * MIB)
    card.free(card.alloc(6 * MIB))
    assert kept in card.live
    return card


SCENES = {scene.__name__: scene for scene in (two_allocations,)}
