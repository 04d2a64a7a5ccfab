# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Long runs and live servers: a window of steps, files that are asked for from outside, what is written at each step."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest
import weakref

import stand_in
from capture_case import MODULE_DIR, CaptureCase


class LongRunTest(CaptureCase):
    def wait_for(self, name):
        path = os.path.join(self.folder.name, name)
        for _ in range(1000):
            if os.path.exists(path):
                return self.read(name)
            time.sleep(0.01)
        self.fail(f"{name} did not appear beside {self.files()}")

    def run_steps(self, count, error=None, **settings):
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer, **settings) as recorder:
            self.train(model, optimizer, steps=count)
            if error:
                raise error
        return recorder

    # -- a window of steps ------------------------------------------------------------------------

    def test_a_window_of_steps_is_all_that_is_recorded(self):
        with self.warned():
            recorder = self.run_steps(20, steps=(10, 12))
        self.assertEqual(self.files(), ["run.pickle"])
        snapshot = self.read()
        known = snapshot["tidemark"]
        self.assertEqual((known["reason"], known["steps"], recorder.steps), ("window", 12, 20))
        kinds = known["moments"]["kind"]
        self.assertEqual([kinds[0], kinds[-1]], ["record_begin", "dump"])
        self.assertEqual(kinds.count("forward_begin"), 3)
        self.assertEqual(kinds.count("optimizer_end"), 3)
        self.assertEqual(known["moments"]["step"][0], 9)
        self.assertEqual(known["settings"]["steps"], "10 to 12")
        batches = [e for e in snapshot["device_traces"][0] if e["action"] == "alloc" and e["size"] == 4 * 16]
        self.assertEqual(len(batches), 3)
        self.assertEqual(len([b for b, _ in self.buckets_by_address(snapshot).values() if b == "optimizer_state"]), 4)

    def test_torch_records_in_the_window_alone(self):
        recording = []
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer, steps=(2, 3)):
            for _ in range(4):
                recording.append(self.torch.allocators[0].recording)
                self.train(model, optimizer, steps=1)
        self.assertEqual(recording, [False, True, True, False])
        self.assertFalse(model.before or self.torch.optim_module.all_after)

    def test_a_window_from_the_first_step_on(self):
        self.run_steps(3, steps=(1, 1))
        known = self.read()["tidemark"]
        self.assertEqual((known["steps"], known["moments"]["kind"].count("optimizer_end")), (1, 1))

    def test_a_run_that_ends_inside_its_window_is_written(self):
        self.run_steps(3, steps=(2, 100))
        known = self.read()["tidemark"]
        self.assertEqual((known["reason"], known["moments"]["kind"].count("optimizer_end")), ("end", 2))

    def test_a_run_that_ends_before_its_window_says_so(self):
        with self.warned("ended after 3 steps, before step 10"):
            self.run_steps(3, steps=(10, 12))
        self.assertEqual(self.files(), [])

    def test_a_run_that_dies_before_its_window_is_written(self):
        with self.assertRaises(KeyError):
            self.run_steps(3, steps=(10, 12), error=KeyError("batch"))
        snapshot = self.read()
        self.assertEqual(snapshot["tidemark"]["error"]["type"], "KeyError")
        self.assertEqual(snapshot["device_traces"], [[]])
        self.assertIn("parameter", {bucket for bucket, _ in self.buckets_by_address(snapshot).values()})

    def test_a_run_that_dies_after_its_window_leaves_the_window(self):
        with self.assertRaises(KeyError):
            self.run_steps(3, steps=(1, 2), error=KeyError("batch"))
        self.assertEqual(self.read()["tidemark"]["reason"], "window")

    def test_steps_of_ones_own_make_a_window(self):
        with self.capture.record(self.path, steps=(2, 2)) as recorder:
            for _ in range(4):
                self.torch.Tensor(16)
                recorder.step()
        self.assertEqual(self.read()["tidemark"]["moments"]["kind"], ["record_begin", "step", "dump"])

    # -- asked for from outside -------------------------------------------------------------------

    def test_a_signal_writes_a_file_and_the_run_goes_on(self):
        before = signal.getsignal(signal.SIGUSR1)
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer, on_signal="SIGUSR1") as recorder:
            self.train(model, optimizer, steps=1)
            os.kill(os.getpid(), signal.SIGUSR1)
            self.wait_for("run.signal1.pickle")
            self.train(model, optimizer, steps=1)
            os.kill(os.getpid(), signal.SIGUSR1)
            second = self.wait_for("run.signal2.pickle")
        self.assertIs(signal.getsignal(signal.SIGUSR1), before)
        self.assertEqual((second["tidemark"]["reason"], second["tidemark"]["steps"]), ("signal", 2))
        self.assertEqual(self.read()["tidemark"]["reason"], "end")
        self.assertEqual(len(recorder.files), 3)

    def test_a_server_that_waits_for_work_answers(self):
        """The main thread makes no mark; who asked before is asked as well."""
        heard = []
        earlier = signal.signal(signal.SIGUSR2, lambda number, _: heard.append(number))
        try:
            with self.capture.record(self.path, on_signal=signal.SIGUSR2):
                os.kill(os.getpid(), signal.SIGUSR2)
                self.wait_for("run.signal1.pickle")
        finally:
            signal.signal(signal.SIGUSR2, earlier)
        self.assertEqual(heard, [signal.SIGUSR2])

    def test_a_signal_that_cannot_be_had_is_a_warning(self):
        def start():
            with self.capture.record(self.path, on_signal="SIGUSR1"):
                pass

        with self.warned("no file at SIGUSR1 (ValueError"):
            thread = threading.Thread(target=start)
            thread.start()
            thread.join()
        self.assertEqual(self.files(), ["run.pickle"])
        with self.warned("no file at SIGNONE"), self.capture.record(self.path, on_signal="SIGNONE"):
            pass

    def test_a_file_that_appears_or_is_touched_asks_for_one(self):
        self.capture.POLL_SECONDS = 0.01
        asks = os.path.join(self.folder.name, "dump.now")
        with open(asks, "w", encoding="utf-8"):
            pass  # was there before: no question
        with self.capture.record(self.path, on_file=asks):
            time.sleep(0.05)
            self.assertEqual(self.files(), ["dump.now"])
            os.utime(asks, ns=(1, 1))
            self.wait_for("run.file1.pickle")
            os.unlink(asks)
            time.sleep(0.05)
            with open(asks, "w", encoding="utf-8"):
                pass
            self.assertEqual(self.wait_for("run.file2.pickle")["tidemark"]["reason"], "file")

    def test_threads_end_with_the_recording(self):
        self.capture.POLL_SECONDS = 0.01
        recorder = self.capture.record(self.path, on_file="never")
        recorder.start()
        thread = recorder._triggers.thread
        self.assertTrue(thread.is_alive())
        recorder.stop()
        thread.join(20)
        self.assertFalse(thread.is_alive())
        self.assertFalse(self.capture._active)

    def test_an_emptied_ring_begins_where_the_file_before_ended(self):
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer, clear=True) as recorder:
            self.train(model, optimizer, steps=2)
            with recorder.phase("evaluation"):
                recorder.dump(self.path.replace("run", "first"))
                self.torch.Tensor(99)
            self.train(model, optimizer, steps=1)
        first, last = self.read("first.pickle"), self.read()
        sizes = lambda snapshot: [e["size"] for e in snapshot["device_traces"][0] if e["action"] == "alloc"]
        self.assertEqual((sizes(first).count(64), sizes(last).count(64), sizes(last).count(4 * 99)), (2, 1, 1))
        known = last["tidemark"]["moments"]
        self.assertEqual(list(zip(known["kind"], known["name"]))[:3],
                         [("record_begin", ""), ("phase", "evaluation"), ("phase_end", "")])
        self.assertEqual(known["kind"].count("optimizer_end"), 1)
        self.assertEqual(last["tidemark"]["steps"], 3)
        named = [b for b, _ in self.buckets_by_address(last).values()]
        self.assertEqual((named.count("parameter"), named.count("optimizer_state")), (3, 4))
        for moment, kind in enumerate(known["kind"]):
            self.assertLessEqual(self.follow(last, moment), sum(
                e["action"] in ("alloc", "free_requested") for e in last["device_traces"][0]), kind)

    def test_what_the_program_pointed_out_is_named_again_while_it_lives(self):
        cache, gone = self.torch.Tensor(500), self.torch.Tensor(3)
        with self.capture.record(self.path, clear=True) as recorder:
            recorder.note("kv_cache", [cache, gone])
            addresses = cache._storage.address, gone._storage.address
            del gone
            recorder.dump(self.path.replace("run", "first"))
        named = self.buckets_by_address(self.read())
        self.assertEqual([named.get(a, ("",))[0] for a in addresses], ["kv_cache", ""])
        self.assertEqual(self.buckets_by_address(self.read("first.pickle"))[addresses[1]][0], "kv_cache")
        dead = weakref.ref(cache)
        del cache
        self.assertIsNone(dead())

    def test_notes_without_end_take_no_memory_without_end(self):
        self.capture.MOST_NOTES = 5
        with self.capture.record(self.path) as recorder:
            kept = self.torch.Tensor(9)
            recorder.note("output", kept)
            for _ in range(50):
                recorder.note("input", self.torch.Tensor(3))
                self.assertLessEqual(len(recorder._noted), 5)
            self.assertIs(recorder._noted[0][0](), kept)

    def test_a_ring_that_cannot_be_emptied_costs_no_file(self):
        with self.warned("refused"), self.capture.record(self.path, clear=True) as recorder:
            record = self.torch.cuda.memory._record_memory_history
            self.torch.cuda.memory._record_memory_history = lambda **_: (_ for _ in ()).throw(RuntimeError("refused"))
            recorder.dump(self.path.replace("run", "first"))
            self.torch.cuda.memory._record_memory_history = record
        self.assertEqual(self.files(), ["first.pickle", "run.pickle"])

    def test_the_ring_of_somebody_else_is_not_emptied(self):
        self.torch._C._cuda_isHistoryEnabled = lambda: True
        with self.warned("is not emptied"), self.capture.record(self.path, clear=True) as recorder:
            recorder.dump()

    def test_reserved_memory_that_reaches_a_limit_is_written_once(self):
        for limit in (200_000, 200_000 / stand_in.SEGMENT):
            with self.capture.record(self.path, at_memory=limit) as recorder:
                held = []
                for _ in range(4):
                    held.append(self.torch.Tensor(20_000))
                    recorder.step()
            held.clear()
            self.assertEqual(self.files(), ["run.memory.pickle", "run.pickle"])
            known = self.read("run.memory.pickle")["tidemark"]
            self.assertEqual((known["reason"], known["steps"]), ("memory", 3))
            os.unlink(os.path.join(self.folder.name, "run.memory.pickle"))

    # -- cheap files at each step -----------------------------------------------------------------

    def test_segments_alone_after_each_step(self):
        self.run_steps(4, segments_every=2)
        self.assertEqual(self.files(), ["run.pickle", "run.step2.pickle", "run.step4.pickle"])
        self.assertEqual(self.torch.snapshots_with_traces, 0)
        step = self.read("run.step2.pickle")
        self.assertEqual((step["device_traces"], step["tidemark"]["moments"]["kind"]), ([], ["dump"]))
        named = [b for b, _ in self.buckets_by_address(step).values()]
        self.assertEqual((named.count("parameter"), named.count("optimizer_state")), (3, 4))
        whole = self.read()["tidemark"]["moments"]["kind"]
        self.assertEqual((whole.count("optimizer_end"), whole.count("dump")), (4, 1))

    def test_segments_of_a_torch_that_makes_none_without_events(self):
        self.torch.cuda.memory.memory_snapshot = lambda mempool_id=None: [a.segment() for a in self.torch.allocators]
        with self.warned():
            self.run_steps(1, segments_every=1)
        self.assertEqual(self.read("run.step1.pickle")["device_traces"], [])

    def test_a_long_run_without_events(self):
        self.run_steps(2, segments_every=2, trace=False, max_entries=2)
        self.assertEqual(self.read()["tidemark"]["warnings"], [])
        with self.capture.record(self.path, trace=False):
            self.assertEqual(self.torch.history["enabled"], "state")

    def test_a_process_that_is_asked_while_it_is_busy(self):
        """A real process under load: files are whole, the program's own work is not disturbed."""
        program = (
            "import stand_in; torch = stand_in.install()\n"
            f"import sys; sys.path.insert(0, {MODULE_DIR!r}); import tidemark_capture\n"
            "model = torch.nn.Module(); optimizer = torch.optim.Optimizer(model.weights)\n"
            f"with tidemark_capture.record({self.path!r}, model, optimizer, on_signal='SIGUSR1', clear=True) as recorder:\n"
            "    print('ready', flush=True)\n"
            "    while len(recorder.files) < 5:\n"
            "        model(torch.Tensor(16)).backward(); optimizer.step(); optimizer.zero_grad()\n")
        folder = os.path.dirname(os.path.abspath(__file__))
        with subprocess.Popen([sys.executable, "-B", "-c", program], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            for i in range(5):
                process.send_signal(signal.SIGUSR1)
                self.wait_for(f"run.signal{i + 1}.pickle")
            _, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (0, ""))
        for name in self.files():
            known = self.read(name)["tidemark"]
            self.assertEqual(known["moments"]["kind"].count("record_begin"), 1)
            self.assertIn("parameter", known["things"]["bucket"])

    def test_settings_go_where_a_recorder_is_sent(self):
        recorder = self.capture.record(self.path, steps=(3, 4), at_memory=0.5, clear=True, segments_every=7)
        make, arguments = recorder.__reduce__()
        self.assertEqual(make(*arguments)._settings, recorder._settings)

    def test_what_the_ring_has_lost_is_forgotten(self):
        """Also what came before CUDA began, which has no clock; and all but the last moment, where a pass is longer."""
        for entries in (150, 2):
            self.torch.cuda.is_initialized = lambda: False
            with self.warned("was full"), self.capture.record(self.path, max_entries=entries) as recorder:
                self.torch.cuda.is_initialized = lambda: True
                model, optimizer = self.parts()
                recorder.attach(model, optimizer)
                self.train(model, optimizer, steps=300)
                self.assertLess(len(recorder._moments), 256 + entries)
                self.assertEqual(recorder._row_count, sum(len(moment.rows) for moment in recorder._moments))
            self.assertLess(recorder._row_count, 1000)
            self.assertEqual({name for bucket, name in self.buckets_by_address(self.read()).values() if bucket == "parameter"},
                             {"layers.0.weight", "layers.1.weight", "running_mean"})


if __name__ == "__main__":
    unittest.main(verbosity=1)
