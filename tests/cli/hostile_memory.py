# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Shapes of memory that no run has: segments, blocks, streams, devices. Each takes N and returns a snapshot."""

from hostile_trace import BASE, MIB, Trace, forward_stack, snapshot


def pinned_segments(n):
    """Segments of 20 MiB that a block of 2 MiB pins each, then as many full ones, and an OOM that no settings avoid."""
    trace = Trace()
    frames = forward_stack()
    large, small = 18 * MIB + 512, 2 * MIB - 512
    for i in range(n):
        at = BASE + 32 * MIB * i
        trace.event("segment_alloc", at, 20 * MIB, frames)
        trace.alloc(at, large, frames)
        trace.alloc(at + large, small, frames)
        trace.segment(at, 20 * MIB, [(large, None), (small, frames)])
    for i in range(n):
        trace.free(BASE + 32 * MIB * i, large, frames)
    for i in range(n, 2 * n):
        at = BASE + 32 * MIB * i
        trace.event("segment_alloc", at, 20 * MIB, frames)
        trace.alloc(at, 20 * MIB, frames)
        trace.segment(at, 20 * MIB, [(20 * MIB, frames)])
    trace.oom(40 * MIB, 10 * MIB, frames)
    return snapshot(trace)


def many_devices(n):
    """n / 10 devices, each of which runs out, each larger than the one before and with stacks of its own."""
    traces = []
    for device in range(max(1, n // 10)):
        trace = Trace(device)
        frames = forward_stack(device)
        size = (20 + 2 * device) * MIB
        trace.event("segment_alloc", BASE, size, frames)
        trace.alloc(BASE, size, frames)
        trace.segment(BASE, size, [(size, frames)])
        trace.oom(20 * MIB, MIB, frames)
        traces.append(trace)
    return snapshot(*traces)


def small_blocks(n):
    """One segment full of live blocks of 512 bytes, allocated front to back."""
    trace = Trace()
    frames = forward_stack()
    trace.event("segment_alloc", BASE, 512 * n, frames)
    for i in range(n):
        trace.alloc(BASE + 512 * i, 512, frames)
    trace.segment(BASE, 512 * n, [(512, frames)] * n, small=True)
    return snapshot(trace)


def blocks_from_behind(n):
    """One segment full of live blocks of 2 MiB, allocated back to front, so each lies before all others."""
    trace = Trace()
    frames = forward_stack()
    trace.event("segment_alloc", BASE, 2 * MIB * n, frames)
    for i in reversed(range(n)):
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, frames)
    trace.segment(BASE, 2 * MIB * n, [(2 * MIB, frames)] * n)
    return snapshot(trace)


def earlier_blocks(n):
    """One segment full of blocks that were there before the trace, and are freed in it from the front."""
    trace = Trace()
    for i in range(n):
        trace.free(BASE + 2 * MIB * i, 2 * MIB)
    trace.segment(BASE, 2 * MIB * n, [(2 * MIB * n, None)])
    return snapshot(trace)


def remapped_range(n):
    """Pages of one expandable segment, taken away and put back in turn, here and there."""
    trace = Trace()
    frames = forward_stack()
    pages = max(4, n // 4)
    for i in range(pages):
        trace.event("segment_map", BASE + 20 * MIB * i, 20 * MIB, frames)
    for i in range(n):
        at = BASE + 20 * MIB * ((i * 7919) % pages)
        trace.event("segment_unmap", at, 20 * MIB, frames)
        trace.event("segment_map", at, 20 * MIB, frames)
    trace.segment(BASE, 20 * MIB * pages, [(20 * MIB * pages, None)], is_expandable=True)
    return snapshot(trace)


def unmapped_holes(n):
    """One expandable segment of which every other page was taken away for good."""
    trace = Trace()
    frames = forward_stack()
    for i in range(n):
        trace.event("segment_map", BASE + 20 * MIB * i, 20 * MIB, frames)
    for i in range(0, n, 2):
        trace.event("segment_unmap", BASE + 20 * MIB * i, 20 * MIB, frames)
    for i in range(1, n, 2):
        trace.segment(BASE + 20 * MIB * i, 20 * MIB, [(20 * MIB, None)], is_expandable=True)
    return snapshot(trace)


def overlapping_segments(n):
    """Segments that begin 512 bytes after one another and are 20 MiB long."""
    trace = Trace()
    for i in range(n):
        trace.event("segment_alloc", BASE + 512 * i, 20 * MIB)
        trace.alloc(BASE + 512 * i, 512)
        trace.segment(BASE + 512 * i, 20 * MIB, [(512, []), (20 * MIB - 512, None)])
    return snapshot(trace)


def many_streams(n):
    """A segment on each of n streams."""
    trace = Trace()
    frames = forward_stack()
    for i in range(n):
        trace.event("segment_alloc", BASE + 2 * MIB * i, 2 * MIB, frames, stream=i)
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, frames, stream=i)
        trace.segment(BASE + 2 * MIB * i, 2 * MIB, [(2 * MIB, frames)], stream=i)
    trace.events = [{**event, "stream": i // 2} for i, event in enumerate(trace.events)]
    return snapshot(trace)


def many_pools(n):
    """A segment in each of n private pools."""
    trace = Trace()
    frames = forward_stack()
    for i in range(n):
        pool = (1, i + 1) if i % 2 else (i + 1, 0)
        trace.event("segment_alloc", BASE + 2 * MIB * i, 2 * MIB, frames, pool_id=pool)
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, frames, pool_id=pool)
        trace.segment(BASE + 2 * MIB * i, 2 * MIB, [(2 * MIB, frames)], segment_pool_id=pool)
    return snapshot(trace)


def many_ooms(n):
    """An OOM event, caught, after every allocation; all of it stays."""
    trace = Trace()
    frames = forward_stack()
    for i in range(n):
        trace.event("segment_alloc", BASE + 20 * MIB * i, 20 * MIB, frames)
        trace.alloc(BASE + 20 * MIB * i, 20 * MIB, frames)
        trace.oom(20 * MIB, MIB, frames)
        trace.segment(BASE + 20 * MIB * i, 20 * MIB, [(20 * MIB, frames)])
    return snapshot(trace)


def one_address(n):
    """Allocations of one address, none of which is freed."""
    trace = Trace()
    frames = forward_stack()
    for i in range(n):
        trace.alloc(BASE, 2 * MIB + 512 * i, frames)
    return snapshot(trace)


def slow_frees(n):
    """All frees are asked for in one order and completed in the other, much later."""
    trace = Trace()
    frames = forward_stack()
    for i in range(n):
        trace.alloc(BASE + 2 * MIB * i, 2 * MIB, frames)
    for i in range(n):
        trace.event("free_requested", BASE + 2 * MIB * i, 2 * MIB, frames)
    for i in reversed(range(n)):
        trace.event("free_completed", BASE + 2 * MIB * i, 2 * MIB, frames)
    trace.segment(BASE, 2 * MIB * n, [(2 * MIB * n, None)])
    return snapshot(trace)
