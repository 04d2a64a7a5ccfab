# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Shapes of programs that none has: stacks, scopes, steps, sizes. Each takes N and returns a snapshot."""

from hostile_trace import BASE, MIB, MODULE, TRAIN, Trace, backward_stack, forward_stack, frame, line_stack, snapshot


def distinct_sizes(n):
    """No two allocations have the same size; a third is made in backward."""
    trace = Trace()
    forward, backward = forward_stack(), backward_stack()
    at = BASE
    made = []
    for i in range(n):
        size = 2 * MIB + 512 * i
        frames = backward if i * 3 >= n * 2 else forward
        room = -(-size // (2 * MIB)) * 2 * MIB
        trace.event("segment_alloc", at, room, frames)
        trace.alloc(at, size, frames)
        made.append((at, size, room, frames))
        at += room
    trace.oom(512 * MIB, 10 * MIB, backward)
    for at, size, room, frames in made:
        trace.segment(at, room, [(size, frames)] + ([(room - size, None)] if room > size else []))
    return snapshot(trace)


def deep_stack(n):
    """Allocations that share one stack of n frames; there are n / 50 of them."""
    trace = Trace()
    frames = forward_stack() + [frame(f"call_{i}", "/home/user/deep.py", i + 1) for i in range(n)]
    count = max(2, n // 50)
    for i in range(count):
        trace.event("segment_alloc", BASE + 2 * MIB * i, 2 * MIB, frames)
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, frames)
        trace.segment(BASE + 2 * MIB * i, 2 * MIB, [(2 * MIB, frames)])
    trace.oom(2 * MIB, MIB, frames)
    return snapshot(trace)


def recursive_stacks(n):
    """Two frames that call each other ever deeper, allocating at every depth: n / 20 stacks of as many frames."""
    trace = Trace()
    pair = [frame("even", "/home/user/model.py", 5), frame("odd", "/home/user/model.py", 9)]
    for i in range(max(2, int((n * 20) ** 0.5))):
        frames = [pair[k % 2] for k in range(i + 1)] + [TRAIN]
        trace.event("segment_alloc", BASE + 2 * MIB * i, 2 * MIB, frames)
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, frames)
        trace.segment(BASE + 2 * MIB * i, 2 * MIB, [(2 * MIB, frames)])
    return snapshot(trace)


def unknown_actions(n):
    """No two events have the same action."""
    trace = Trace()
    for i in range(n):
        trace.event(f"action_{i}", BASE, 512)
    trace.alloc(BASE, 2 * MIB)
    return snapshot(trace)


def many_annotations(n):
    """n scopes one after another, each of another name, over a few events."""
    trace = Trace()
    notes = []
    for i in range(n):
        notes.append({"stage": "START", "name": f"scope {i}", "device": 0, "time_us": trace.time + 2 * i})
        notes.append({"stage": "END", "name": f"scope {i}", "device": 0, "time_us": trace.time + 2 * i + 1})
    for i in range(n // 10):
        trace.alloc(BASE + 512 * i, 512, forward_stack())
    return snapshot(trace, annotations=notes)


def nested_annotations(n):
    """n scopes inside one another, over a few events."""
    trace = Trace()
    notes = [
        {"stage": "START", "name": f"scope {i}", "device": 0, "time_us": trace.time + i} for i in range(n)
    ] + [
        {"stage": "END", "name": f"scope {n - 1 - i}", "device": 0, "time_us": trace.time + n + i} for i in range(n)
    ]
    for i in range(n // 10):
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, forward_stack())
    return snapshot(trace, annotations=notes)


def open_annotations(n):
    """n scopes of which none ends, and as many ends of what never began."""
    trace = Trace()
    notes = [{"stage": "START", "name": "forward", "device": 0, "time_us": trace.time + i} for i in range(n)]
    notes += [{"stage": "END", "name": f"other {i}", "device": 0, "time_us": trace.time + n + i} for i in range(n)]
    for i in range(n // 10):
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, forward_stack())
    return snapshot(trace, annotations=notes)


def many_steps(n):
    """ProfilerStep after ProfilerStep, each with one forward, one backward and one optimizer step."""
    trace = Trace()
    forward, backward = forward_stack(), backward_stack()
    step = [frame("step", "/opt/conda/lib/python3.11/site-packages/torch/optim/adamw.py", 243), TRAIN]
    notes = []
    trace.event("segment_alloc", BASE, 20 * MIB, forward)
    trace.alloc(BASE, 2 * MIB, forward)
    for i in range(max(1, n // 10)):
        notes.append({"stage": "START", "name": f"ProfilerStep#{i}", "device": 0, "time_us": trace.time})
        trace.alloc(BASE + 2 * MIB, 4 * MIB, forward)
        trace.alloc(BASE + 6 * MIB, 2 * MIB, backward)
        trace.free(BASE + 2 * MIB, 4 * MIB, backward)
        trace.alloc(BASE + 8 * MIB, 2 * MIB, step)
        trace.free(BASE + 8 * MIB, 2 * MIB, step)
        trace.free(BASE + 6 * MIB, 2 * MIB, step)
        notes.append({"stage": "END", "name": f"ProfilerStep#{i}", "device": 0, "time_us": trace.time})
    trace.segment(BASE, 20 * MIB, [(2 * MIB, forward), (18 * MIB, None)])
    return snapshot(trace, annotations=notes)


def annotated_devices(n):
    """n / 20 devices that train a step each, and n scopes that are named like steps."""
    forward, backward = forward_stack(), backward_stack()
    step = [frame("step", "/opt/conda/lib/python3.11/site-packages/torch/optim/adamw.py", 243), TRAIN]
    traces = []
    for device in range(max(1, n // 20)):
        trace = Trace(device)
        trace.alloc(BASE, 2 * MIB, forward)
        trace.alloc(BASE + 2 * MIB, 4 * MIB, forward)
        trace.alloc(BASE + 6 * MIB, 2 * MIB, backward)
        trace.free(BASE + 2 * MIB, 4 * MIB, backward)
        trace.alloc(BASE + 8 * MIB, 2 * MIB, step)
        traces.append(trace)
    notes = []
    for i in range(n):
        for stage in ("START", "END"):
            notes.append({"stage": stage, "name": f"ProfilerStep#{i}", "device": 0, "time_us": traces[0].time + i})
    return snapshot(*traces, annotations=notes)


def families_of_steps(n):
    """As many steps as there are families of names for them."""
    trace = Trace()
    forward, backward = forward_stack(), backward_stack()
    step = [frame("step", "/opt/conda/lib/python3.11/site-packages/torch/optim/adamw.py", 243), TRAIN]
    notes = []
    trace.alloc(BASE, 2 * MIB, forward)
    for i in range(max(1, n // 10)):
        notes.append({"stage": "START", "name": f"step of {i:x}x#1", "device": 0, "time_us": trace.time + 1})
        trace.alloc(BASE + 2 * MIB, 4 * MIB, forward)
        trace.alloc(BASE + 6 * MIB, 2 * MIB, backward)
        trace.free(BASE + 2 * MIB, 4 * MIB, backward)
        trace.alloc(BASE + 8 * MIB, 2 * MIB, step)
        trace.free(BASE + 8 * MIB, 2 * MIB, step)
        trace.free(BASE + 6 * MIB, 2 * MIB, step)
        notes.append({"stage": "END", "name": f"step of {i:x}x#1", "device": 0, "time_us": trace.time + 1})
    return snapshot(trace, annotations=notes)


def kept_gradients(n):
    """n / 10 passes through one model, none followed by a step: each leaves its gradients, and none is ever freed."""
    trace = Trace()
    forward, backward = forward_stack(), backward_stack()
    blocks = [(2 * MIB, forward)]
    trace.alloc(BASE, 2 * MIB, forward)
    at = BASE + 2 * MIB
    for _ in range(max(1, n // 10)):
        trace.alloc(at, 4 * MIB, forward)
        for i in range(3):
            trace.alloc(at + (4 + 2 * i) * MIB, 2 * MIB, backward)
        trace.free(at, 4 * MIB, backward)
        blocks += [(4 * MIB, None), *[(2 * MIB, backward)] * 3]
        at += 10 * MIB
    trace.segment(BASE, at - BASE, blocks)
    return snapshot(trace)


def distinct_stacks(n):
    """No two allocations have the same stack, nor a frame in common; a third is made in backward."""
    trace = Trace()
    for i in range(n):
        inner = backward_stack() if 3 * i >= 2 * n else forward_stack(i % 7)
        frames = [frame(f"make_{i}", f"/home/user/part_{i}.py", i + 1), *inner, frame(f"main_{i}", "/home/user/m.py", i)]
        trace.event("segment_alloc", BASE + 2 * MIB * i, 2 * MIB, frames)
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, frames)
        trace.segment(BASE + 2 * MIB * i, 2 * MIB, [(2 * MIB, frames)])
    return snapshot(trace)


def distinct_lines(n):
    """One allocation by each of n lines of one function, all through the same calls."""
    trace = Trace()
    for i in range(n):
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, line_stack(i))
    trace.segment(BASE, 2 * MIB * n, [(2 * MIB, line_stack(i)) for i in range(n)])
    return snapshot(trace)


def distinct_layers(n):
    """Every forward line makes a weight, an activation that is saved, and a gradient for it, in its own size."""
    trace = Trace()
    at = BASE
    init = [frame("__init__", MODULE + "linear.py", 106), TRAIN]
    live = []

    def make(size, frames):
        nonlocal at
        room = -(-size // (2 * MIB)) * 2 * MIB
        trace.event("segment_alloc", at, room, frames)
        trace.alloc(at, size, frames)
        live.append((at, size, room, frames))
        at += room

    layers = max(1, n // 3)
    for i in range(layers):
        make(2 * MIB + 4096 * i, init)
    for i in range(layers):
        make(2 * MIB + 4096 * i + 512, forward_stack(i))
    for i in reversed(range(layers)):
        make(2 * MIB + 4096 * i, backward_stack())
    trace.oom(512 * MIB, 10 * MIB, backward_stack())
    for at, size, room, frames in live:
        trace.segment(at, room, [(size, frames)] + ([(room - size, None)] if room > size else []))
    return snapshot(trace)


def long_name(n):
    """One function with a name of n bytes, in the stack of n / 50 allocations."""
    trace = Trace()
    frames = [frame("x" * n, "/home/" + "y" * n + ".py", 3), *forward_stack()]
    for i in range(max(2, n // 50)):
        trace.event("segment_alloc", BASE + 2 * MIB * i, 2 * MIB, frames)
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, frames)
        trace.segment(BASE + 2 * MIB * i, 2 * MIB, [(2 * MIB, frames)])
    return snapshot(trace)


def long_history(n):
    """Blocks of torch before 2.1, with a history of n / 10 entries each."""
    trace = Trace()
    frames = forward_stack()
    for i in range(10):
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, frames)
        trace.segment(BASE + 2 * MIB * i, 2 * MIB, [(2 * MIB, frames)])
        trace.segments[-1]["blocks"][0]["history"] = [
            {"addr": BASE, "real_size": 512 + k, "frames": frames} for k in range(n // 10)]
    return snapshot(trace)


def metadata_texts(n):
    """Every event carries a text of its own."""
    trace = Trace()
    frames = forward_stack()
    for i in range(n):
        trace.alloc(BASE + 512 * i, 512, frames, user_metadata=f"request {i}", compile_context=f"graph {i}")
        trace.free(BASE + 512 * i, 512, frames, user_metadata=f"request {i}")
    return snapshot(trace)


def sawtooth(n):
    """Live memory climbs and falls without end, each tooth a little higher, in sizes that never recur."""
    trace = Trace()
    forward, backward = forward_stack(), backward_stack()
    size = 512
    made = 0
    while made < n:
        teeth = []
        for _ in range(20):
            size += 512
            teeth.append((BASE + 64 * MIB * len(teeth), size))
            trace.alloc(*teeth[-1], forward)
        for address, tooth in reversed(teeth):
            trace.free(address, tooth, backward)
        made += 20
    return snapshot(trace)


def kept_activations(n):
    """Pass after pass in which one activation is never freed, each pass in a line of its own."""
    trace = Trace()
    backward = backward_stack()
    for i in range(max(1, n // 5)):
        forward = forward_stack(i)
        trace.alloc(BASE + 8 * MIB * i, 2 * MIB, forward)
        trace.alloc(BASE + 8 * MIB * i + 2 * MIB, 2 * MIB, forward)
        trace.alloc(BASE + 8 * MIB * i + 4 * MIB, 2 * MIB, backward)
        trace.free(BASE + 8 * MIB * i + 2 * MIB, 2 * MIB, backward)
    return snapshot(trace)


def without_stacks(n):
    """No frames at all: sizes and lifetimes alone, in the shape of training."""
    trace = Trace()
    weights = [(BASE + 64 * MIB * i, 2 * MIB + 4096 * i) for i in range(max(2, n // 40))]
    for address, size in weights:
        trace.alloc(address, size)
    top = BASE + 64 * MIB * len(weights)
    for _ in range(4):
        saved = []
        for i, (_, size) in enumerate(weights):
            saved.append((top + 64 * MIB * i, size + 512))
            trace.alloc(*saved[-1])
        loss = (top + 64 * MIB * len(weights), 512)
        trace.alloc(*loss)
        gradients = []
        for i, (address, size) in enumerate(reversed(saved)):
            gradients.append((top + 64 * MIB * (len(weights) + 1 + i), size - 512))
            trace.alloc(*gradients[-1])
            trace.free(address, size)
        trace.free(*loss)
        for address, size in gradients:
            trace.free(address, size)
    for address, size in weights:
        trace.segment(address, 64 * MIB, [(size, []), (64 * MIB - size, None)])
    return snapshot(trace)
