# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The allocator model with streams and private pools: what one lane freed, another cannot use."""

import bisect
import collections

from sim import CachingAllocator, Recorder


class LaneAllocator(CachingAllocator):
    """A lane is (stream, pool id). A segment belongs to the lane that asked for it."""

    def __init__(self, capacity, emit):
        super().__init__(capacity, emit)
        self.lane, self.lane_of = (0, (0, 0)), {}
        self.pools = collections.defaultdict(list)

    def _take(self, small, size):
        self.pool[small] = self.pools[small, self.lane]
        return super()._take(small, size)

    def _point_at(self, block):
        self.pool[block.seg.small] = self.pools[block.seg.small, self.lane_of[block.seg.addr]]

    def _put(self, block):
        self._point_at(block)
        bisect.insort(self.pool[block.seg.small], (block.size, block.addr, block))

    def _remove(self, block):
        self._point_at(block)
        super()._remove(block)

    def _new_segment(self, small, size, frames):
        self.lane_of[self.next_addr] = self.lane
        return super()._new_segment(small, size, frames)

    def _release_cached(self, only=None):
        for (small, lane), blocks in list(self.pools.items()):
            if lane[1] == (0, 0):  # a private pool keeps what it has while it lives
                self.pool[small] = blocks
                self.pool[not small] = []
                super()._release_cached()

    def lane_at(self, address):
        """Segments are never placed where another one was, so the last that begins before it is meant."""
        return self.lane_of[max(begin for begin in self.lane_of if begin <= address)]


class LaneRecorder(Recorder):
    def __init__(self, capacity):
        super().__init__(capacity)
        self.alloc = LaneAllocator(capacity, self._emit)

    def use(self, stream=0, pool=0):
        """Lets what follows run on a stream, or in a private pool."""
        self.alloc.lane = (stream, (0, pool))

    def _emit(self, action, addr, size, frames, aid=None):
        super()._emit(action, addr, size, frames, aid)
        if self.on:
            lane = self.alloc.lane if action == "oom" else self.alloc.lane_at(addr)
            self.trace[-1]["stream"] = lane[0]

    def snapshot(self):
        shot = super().snapshot()
        for segment in shot["snap"]["segments"]:
            segment["stream"], segment["segment_pool_id"] = self.alloc.lane_of[segment["address"]]
        return shot
