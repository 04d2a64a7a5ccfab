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

    def before(self, size):
        """What was there before the trace begins."""
        address = self._next
        self._next += -(-size // (2 * MIB)) * 2 * MIB
        self.live[address] = (self._next - address, size, [])
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


def graph_of_last_pass():
    """A forward pass with gradients on whose result takes the name of the last one: that graph goes at the end."""
    card = Card()
    for layer in range(6):
        card.before((4 + layer) * MIB)
    saved = [MIB + 4096 * layer for layer in range(12)]
    last = [card.before(size) for size in saved]
    card.at(*MODEL)
    for size in saved:
        card.alloc(size)
    card.at(TRAIN).free(*last)
    return card


def updates_between_loads():
    """Zeroth-order training: passes without gradients, weights loaded again, perturbations made by plain code."""
    load = ("/usr/lib/python3/dist-packages/torch/nn/modules/module.py:1340 convert", "/home/me/train.py:20 reset_model")
    card = Card().at(*load)
    for _ in range(6):
        card.alloc(4 * MIB)
    for _ in range(2):
        card.at(*MODEL)
        for _ in range(4):
            card.free(card.alloc(2 * MIB))
        again = [card.at(*load).alloc(4 * MIB) for _ in range(6)]
        kept = card.at("/home/me/train.py:31 perturb").alloc(16 * MIB)
        for _ in range(3):
            card.free(card.alloc(16 * MIB))
        card.at(*load).free(*again, card.alloc(4 * MIB))
        card.at(TRAIN).free(kept)
    return card


def noise_through_passes():
    """Evolution strategies: noise in the sizes of all weights, kept through the two passes of a turn."""
    sizes = [24 * MIB, MIB, 2 * MIB, MIB, 4 * MIB, MIB, 2 * MIB, MIB]
    card = Card().at("/usr/lib/python3/dist-packages/torch/nn/modules/module.py:1340 convert", "/home/me/es.py:20 load")
    for size in sizes:
        card.alloc(size)
    for _ in range(3):
        noise = [card.at("/home/me/es.py:31 perturb", "/home/me/es.py:60 main").alloc(size) for size in sizes]
        for line in (34, 38):
            for size in sizes:
                card.free(card.at(f"/home/me/es.py:{line} add", "/home/me/es.py:60 main").alloc(size))
            card.at(*MODEL)
            for _ in range(6):
                card.free(card.alloc(3 * MIB))
        card.at("/home/me/es.py:60 main").free(*noise)
    return card


def volumes_beside_a_small_model():
    """Two volumes of data and a model of 46,080 parameters, all there before the trace."""
    card = Card()
    for _ in range(2):
        card.before(28 * MIB)
    for _ in range(10):
        card.before(18432)
    card.at(*MODEL)
    for _ in range(4):
        card.free(card.alloc(2 * MIB))
    return card


def state_of_no_optimizer():
    """Steps that keep 40 times what is trained as state, as no optimizer does."""
    card = Card()
    card.at("/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:106 __init__", "/home/me/model.py:7 __init__", TRAIN)
    for _ in range(4):
        card.alloc(MIB)
    for step in range(3):
        saved = [card.at(*MODEL).alloc(6 * MIB) for _ in range(4)]
        gradients = []
        for activation in reversed(saved):
            gradients.append(card.at(*BACKWARD).alloc(MIB))
            card.free(activation)
        card.at(*ADAM)
        for _ in range(4 if step == 0 else 0):
            card.alloc(40 * MIB)
        card.free(card.alloc(MIB))
        card.at(TRAIN).free(*gradients)
    return card


def keeps_each_loss():
    """Three steps that each leave 40 MiB made by one line."""
    card = Card()
    card.at("/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:106 __init__", "/home/me/model.py:7 __init__", TRAIN)
    for _ in range(4):
        card.alloc(4 * MIB)
    for step in range(3):
        card.at("/home/me/train.py:12 keep", TRAIN).alloc(40 * MIB)
        saved = [card.at(*MODEL).alloc(6 * MIB) for _ in range(4)]
        gradients = []
        for activation in reversed(saved):
            gradients.append(card.at(*BACKWARD).alloc(4 * MIB))
            card.free(activation)
        card.at(*ADAM)
        for _ in range(8 if step == 0 else 0):
            card.alloc(4 * MIB)
        card.free(card.alloc(4 * MIB))
        card.at(TRAIN).free(*gradients)
    return card


def room_for_a_cache():
    """Two generations: room for keys and values is made first, serves all tokens, and the second one's is too large."""
    main = ("/usr/lib/python3/dist-packages/torch/utils/_contextlib.py:116 decorate_context", "/home/me/serve.py:40 main")
    call = "/usr/lib/python3/dist-packages/torch/nn/modules/module.py:1553 _call_impl"
    card = Card().at("/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:106 __init__", "/home/me/serve.py:5 __init__", main[1])
    for _ in range(4):
        card.alloc(2 * MIB)

    def room(line, size, count):
        return [card.at(f"/home/me/serve.py:{line} generate", *main).alloc(size) for _ in range(count)]

    kept, token = room(18, 4 * MIB, 4) + room(19, 4 * MIB, 4), None
    for _ in range(24):
        for _ in range(4):
            made = [card.at(f"/home/me/serve.py:{line} forward", call, "/home/me/serve.py:23 generate", *main).alloc(line << 12)
                    for line in range(8, 16)]
            card.free(*made)
        last, token = token, card.at("/home/me/serve.py:23 generate", *main).alloc(512)
        if last is not None:
            card.free(last)
    card.free(*kept, token)
    room(18, 48 * MIB, 4)
    room(19, 48 * MIB, 1)
    card.oom(48 * MIB, 2 * MIB)
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


SCENES = {scene.__name__: scene for scene in (
    profiled_steps, graph_of_last_pass, updates_between_loads, noise_through_passes, volumes_beside_a_small_model,
    state_of_no_optimizer, keeps_each_loss, room_for_a_cache, negative_device_free, metrics_before_the_snapshot)}
