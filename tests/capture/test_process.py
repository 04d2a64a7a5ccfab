# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What a process holds beside the blocks of the allocator: pools, CUDA graphs, pinned memory, NCCL, an engine asleep."""

import asyncio
import gc
import os
import sys
import time
import types
import unittest
import weakref

from capture_case import CaptureCase

GIB = 1 << 30


class Engine:
    """As vLLM's allocator: pools by tag, what is asleep is no longer taken from the card."""

    def __init__(self, torch):
        self.torch, self.held = torch, 5 * GIB
        pool = lambda number: (types.SimpleNamespace(id=(0, number)), None)
        self.allocator_and_pools = {"kv_cache": [pool(2), pool(3)], "weights": pool(4)}  # a list from vLLM 0.33 on
        torch.cuda.mem_get_info = lambda i: (10 * GIB - self.held, 10 * GIB)

    def sleep(self, level=1):
        self.held = GIB
        self.torch.Tensor(50)
        return f"level {level}"

    def wake_up(self, tags=None):
        self.held = 4 * GIB

    async def pause(self):
        self.held = 0
        return "paused"

    def resume(self):
        raise ValueError("not paused")


class ProcessTest(CaptureCase):
    def figures(self, **settings):
        with self.warned(), self.capture.record(self.path, **settings):
            pass
        return self.read()["tidemark"]["figures"]

    def test_nothing_is_said_where_nobody_tells(self):
        self.assertEqual(self.figures(), {})

    def test_pinned_memory(self):
        self.torch.cuda.host_memory_stats = lambda: {"allocated_bytes.current": 4 << 20, "active_bytes.current": 3 << 20}
        self.assertEqual(self.figures(), {"pinned host memory": 4 << 20, "pinned host memory in use": 3 << 20})

    def test_what_torch_pins_for_itself_is_left_out(self):
        """As torch 2.11 counted it on an H100: more in use than there is."""
        self.torch.cuda.host_memory_stats = lambda: {"allocated_bytes.current": 9, "active_bytes.current": 11}
        self.assertEqual(self.figures(), {})

    def test_pinned_memory_is_recorded_where_torch_can(self):
        with self.warned(), self.capture.record(self.path, pinned=True):
            self.assertTrue(self.torch.history["record_pinned_host_memory"])
            self.assertTrue(self.torch.history["record_cuda"])
        self.assertIsNone(self.torch.history["enabled"])
        self.assertTrue(self.torch.history["record_pinned_host_memory"], "recording of pinned memory goes on")
        with self.warned(), self.capture.record(self.path):
            self.assertFalse(self.torch.history["record_pinned_host_memory"])
        self.load(release=(2, 13))
        with self.warned("torch 2.13.0+stand-in does not record pinned memory; 2.14 does"), \
                self.capture.record(self.path, pinned=True):
            self.assertEqual(self.torch.history["enabled"], "all")

    def groups(self, *backends):
        def group(backend):
            def get(device):
                if backend is None:
                    raise RuntimeError("No backend type associated with device type cuda")
                return types.SimpleNamespace(memory_stats=backend)
            return types.SimpleNamespace(_get_backend=get)

        world = types.SimpleNamespace(pg_map={i: i for i in ()})
        world.pg_map = [group(b) for b in backends]
        sys.modules["torch.distributed.distributed_c10d"] = types.SimpleNamespace(_world=world)
        self.torch.device = lambda text: text

    def test_what_nccl_says_of_its_communicators(self):
        self.groups(lambda: {"total": 700, "persist": 300, "suspend": 400, "suspended": 0}, None,
                    lambda: {"GpuMemPersist": 20, "GpuMemSuspend": 30, "GpuMemSuspended": 1}, lambda: 1 // 0)
        self.assertEqual(self.figures(), {"NCCL, 2 communicators": 750})
        self.groups(lambda: {"total": 7})
        self.assertEqual(self.figures(), {"NCCL, 1 communicator": 7})

    def test_nccl_is_not_asked_while_an_allocation_fails(self):
        """The request may come from inside of it."""
        asked = []
        self.groups(lambda: asked.append(1) or {"total": 7})
        self.torch.allocators[0].limit = 0
        with self.assertRaises(RuntimeError), self.capture.record(self.path):
            self.torch.Tensor(4)
        self.assertEqual(self.read("run.oom.pickle")["tidemark"]["figures"], {})
        self.assertEqual(self.read()["tidemark"]["figures"], {"NCCL, 1 communicator": 7})
        self.assertEqual(asked, [1])

    def test_what_the_driver_says_this_process_holds(self):
        process = lambda pid, held: types.SimpleNamespace(pid=pid, usedGpuMemory=held)
        listed = [process(os.getpid() + 1, 5), process(os.getpid(), 9 * GIB)]
        nvml = types.SimpleNamespace(nvmlInit=lambda: None, nvmlDeviceGetHandleByIndex=lambda i: i,
                                     nvmlDeviceGetComputeRunningProcesses=lambda handle: listed)
        self.torch.cuda._get_nvml_device_index = lambda device: device + 4
        sys.modules["pynvml"] = nvml
        try:
            self.assertEqual(self.figures(), {"GPU 0, this process": 9 * GIB})
            listed[1].usedGpuMemory = None  # a driver that does not tell
            self.assertEqual(self.figures(), {})
            listed.pop()  # a container that hides who is who
            self.assertEqual(self.figures(), {})
        finally:
            del sys.modules["pynvml"]

    def test_figures_that_cannot_be_had_are_a_warning(self):
        self.torch.cuda.host_memory_stats = lambda: 1 // 0
        with self.warned("not told (ZeroDivisionError"), self.capture.record(self.path):
            pass
        self.assertEqual(self.read()["tidemark"]["figures"], {})

    def segments(self, *pools):
        segment = self.torch.allocators[0].segment
        self.torch.cuda.memory._snapshot = lambda: {
            "segments": [{**segment(), "segment_pool_id": pool, "total_size": size} for pool, size in pools],
            "device_traces": [[]]}

    def test_pools_have_their_names(self):
        self.segments(((0, 0), 100), ((0, 3), 20), ((0, 3), 30), ((0, 4), 7), ((9, 0), 1))
        pools = {"weights": types.SimpleNamespace(id=(0, 3)), "scratch": (0, 4), "empty": (0, 5)}
        self.assertEqual(self.figures(pools=pools), {"pool weights": 50, "pool scratch": 7})

    def test_captures_of_cuda_graphs(self):
        reserved = iter([100, 160, 160, 200])
        self.torch.cuda.memory_reserved = lambda i: next(reserved, 0)
        self.segments(((7, 0), 90), ((8, 0), 10))
        model, _ = self.parts()
        before = self.torch.cuda.CUDAGraph.capture_begin
        with self.warned(), self.capture.record(self.path, model=model) as recorder:
            for pool in ((7, 0), (8, 0)):
                graph = self.torch.cuda.CUDAGraph()
                graph.capture_begin(pool=pool)
                model(self.torch.Tensor(16))
                graph.capture_end()
        self.assertIs(self.torch.cuda.CUDAGraph.capture_begin, before)
        known = self.read()["tidemark"]
        self.assertEqual(known["figures"], {"pool of CUDA graphs": 100, "CUDA graphs, 2 captured": 100})
        self.assertEqual([k for k in known["moments"]["kind"] if "graph" in k], ["graph_begin", "graph_end"] * 2)
        self.assertEqual(recorder.files, [self.path])

    def test_files_that_are_asked_for_wait_for_the_end_of_a_capture(self):
        """The driver refuses much while a capture is under way."""
        with self.warned(), self.capture.record(self.path, at_memory=2) as recorder:
            graph = self.torch.cuda.CUDAGraph()
            graph.capture_begin()
            held = self.torch.Tensor(16)
            recorder.step()
            recorder.step()
            self.assertEqual(self.files(), [])
            graph.capture_end()
            self.assertEqual(self.files(), ["run.memory.pickle"])
        del held

    def test_a_capture_that_does_not_begin_keeps_no_file_waiting(self):
        self.torch.cuda.CUDAGraph.capture_begin = lambda self, pool=None: 1 // 0
        with self.warned(), self.capture.record(self.path, at_memory=2) as recorder:
            with self.assertRaises(ZeroDivisionError):
                self.torch.cuda.CUDAGraph().capture_begin()
            held = self.torch.Tensor(16)
            recorder.step()
            self.assertEqual(self.files(), ["run.memory.pickle"])
        del held

    def test_no_marker_is_allocated_inside_a_capture(self):
        self.load(lacks=["_C._cuda_memoryStats"])
        with self.warned("counters cannot be read"), self.capture.record(self.path) as recorder:
            graph = self.torch.cuda.CUDAGraph()
            graph.capture_begin()
            before = self.torch.allocators[0].allocated
            recorder.phase("other")
            self.assertEqual(self.torch.allocators[0].allocated, before)
            graph.capture_end()

    def test_recorders_inside_each_other_see_a_capture_once_each(self):
        with self.capture.record(self.path) as outer, self.capture.record(self.path + "2.pickle") as inner:
            graph = self.torch.cuda.CUDAGraph()
            graph.capture_begin()
            graph.capture_end()
            self.assertEqual((outer._graphs, inner._graphs), (1, 1))

    def test_changes_of_the_allocators_settings(self):
        with self.warned(), self.capture.record(self.path) as recorder:
            self.torch.cuda.memory._set_allocator_settings("expandable_segments:False")
            recorder.step()
            self.torch.cuda.memory._set_allocator_settings("expandable_segments:True")
        self.assertEqual(self.torch.allocator_settings, "expandable_segments:True")
        known = self.read()["tidemark"]
        self.assertEqual(known["settings"]["allocator"],
                         "expandable_segments:False (after step 0); expandable_segments:True (after step 1)")
        self.assertEqual(known["moments"]["name"][1], "expandable_segments:False")
        self.torch.cuda.memory._set_allocator_settings("")
        self.assertEqual(self.torch.allocator_settings, "")

    # -- engines that sleep -----------------------------------------------------------------------

    def test_sleep_and_wake_of_an_engine(self):
        self.segments(((0, 3), 64))
        engine = Engine(self.torch)
        with self.warned(), self.capture.record(self.path, engine=engine):
            self.assertEqual(engine.sleep(level=2), "level 2")
            engine.wake_up(tags=["weights"])
        self.assertFalse({"sleep", "wake_up"} & set(vars(engine)))
        known = self.read()["tidemark"]
        self.assertEqual(known["figures"], {
            "pool kv_cache": 64, "sleep 1, given back": 4 * GIB, "sleep 1, in use on the card afterwards": GIB,
            "wake_up 2, taken": 3 * GIB, "wake_up 2, in use on the card afterwards": 4 * GIB})
        marks = list(zip(known["moments"]["kind"], known["moments"]["name"]))
        self.assertEqual(marks[1:-1], [("phase", "sleep"), ("phase_end", ""), ("phase", "wake_up"), ("phase_end", "")])

    def test_an_engine_that_is_awaited(self):
        engine = Engine(self.torch)
        with self.warned(), self.capture.record(self.path, engine=engine):
            called = engine.pause()
            self.assertEqual(engine.held, 5 * GIB)
            self.assertEqual(asyncio.run(called), "paused")
        self.assertEqual(self.read()["tidemark"]["figures"]["pause 1, given back"], 5 * GIB)

    def test_what_an_engine_raises_is_raised(self):
        engine = Engine(self.torch)
        with self.warned(), self.capture.record(self.path, engine=engine):
            with self.assertRaises(ValueError):
                engine.resume()
        self.assertEqual(self.read()["tidemark"]["moments"]["kind"],
                         ["record_begin", "phase", "phase_end", "dump"])

    def test_engines_and_pools_are_not_kept_alive(self):
        engine, pool = Engine(self.torch), type("MemPool", (), {"id": (0, 9)})()
        recorder = self.capture.record(self.path, engine=engine, pools={"mine": pool})
        recorder.start()
        engine.sleep()
        dead = [weakref.ref(engine), weakref.ref(pool)]
        self.torch.cuda.mem_get_info = lambda i: (1, 2)
        del engine, pool
        gc.collect()
        self.assertEqual([reference() for reference in dead], [None, None])
        with self.warned():
            recorder.stop()

    def test_rank_and_world_size_stand_in_the_file_name(self):
        os.environ.update(RANK="3", WORLD_SIZE="8", LOCAL_RANK="1")
        with self.capture.record(self.path):
            pass
        self.assertEqual(self.files(), ["run.rank3-of-8.pickle"])
        known = self.read("run.rank3-of-8.pickle")["tidemark"]
        self.assertEqual((known["rank"], known["local_rank"], known["world_size"]), (3, 1, 8))

    def test_what_an_attempt_left_stays_when_torchrun_begins_anew(self):
        for restarts in "012":
            os.environ.update(RANK="3", WORLD_SIZE="8", TORCHELASTIC_RESTART_COUNT=restarts)
            with self.warned(), self.capture.record(self.path):
                self.torch.allocators[0].observers[-1](0, 512, 1 << 30, 0)
        names = ("run", "run.restart1", "run.restart2")
        self.assertEqual(self.files(), sorted(f"{n}.rank3-of-8{o}.pickle" for n in names for o in ("", ".oom")))
        for name in ("RANK", "WORLD_SIZE"):
            del os.environ[name]
        with self.capture.record(self.path):
            pass
        self.assertIn("run.restart2.pickle", self.files())

    def test_what_an_attempt_left_stays_where_an_agent_counts_no_restart(self):
        os.environ.update(RANK="3", WORLD_SIZE="8", TORCHELASTIC_RESTART_COUNT="0",
                          TIDEMARK_CAPTURE_SINCE=str(time.time() - 60))
        names = [f"run{attempt}.rank3-of-8{oom}.pickle" for attempt in ("", ".restart1", ".restart2") for oom in ("", ".oom")]
        for attempt in (1, 2, 3):
            self.load()  # A process of its own.
            for _ in range(2):  # What it writes twice it replaces.
                with self.warned(), self.capture.record(self.path):
                    self.torch.allocators[0].observers[-1](0, 512, 1 << 30, 0)
            self.assertEqual(self.files(), sorted(names[:2 * attempt]))
        os.environ["TIDEMARK_CAPTURE_SINCE"] = str(time.time() + 60)  # A launch of its own replaces, too.
        self.load()
        with self.capture.record(self.path):
            pass
        self.assertEqual(self.files(), sorted(names))

    def test_the_process_group_knows_better_than_the_environment(self):
        os.environ.update(RANK="3", WORLD_SIZE="8")
        self.torch.distributed = types.SimpleNamespace(
            is_available=lambda: True, is_initialized=lambda: True, get_rank=lambda: 0, get_world_size=lambda: 2)
        with self.capture.record(self.path):
            pass
        self.assertEqual(self.files(), ["run.rank0-of-2.pickle"])

    def test_a_rank_is_known_after_the_process_group_is_gone(self):
        """Programs that srun starts have no RANK, and destroy their group before they end: each rank has its own file."""
        is_there = True
        self.torch.distributed = types.SimpleNamespace(
            is_available=lambda: True, is_initialized=lambda: is_there, get_rank=lambda: 3, get_world_size=lambda: 8)
        model, optimizer = self.parts()
        with self.warned(), self.capture.record(self.path, model=model, optimizer=optimizer):
            self.train(model, optimizer)
            is_there = False
        self.assertEqual(self.files(), ["run.rank3-of-8.pickle"])
        known = self.read("run.rank3-of-8.pickle")["tidemark"]
        self.assertEqual((known["rank"], known["world_size"]), (3, 8))


if __name__ == "__main__":
    unittest.main(verbosity=1)
