# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""How a recording ends: out of memory, by an exception, at the end of the program."""

import contextlib
import io
import os
import subprocess
import sys
import unittest
import warnings

import stand_in
from capture_case import MODULE_DIR, CaptureCase


class EndingTest(CaptureCase):
    def run_out(self, oom_files=2, error=stand_in.OutOfMemoryError):
        model, optimizer = self.parts()
        self.torch.allocators[0].limit = 30_000
        with self.assertRaises(error):
            with self.capture.record(self.path, model=model, optimizer=optimizer, oom_files=oom_files):
                held = []
                try:
                    while True:
                        held.append(self.torch.Tensor(1000))
                except stand_in.OutOfMemoryError:
                    held.pop()  # a program that tries again
                    held.append(self.torch.Tensor(100))
                    while True:
                        held.append(self.torch.Tensor(1000))

    def test_an_out_of_memory_error_is_dumped_before_and_after_the_stack_unwinds(self):
        self.run_out()
        self.assertEqual(self.files(), ["run.oom.pickle", "run.oom2.pickle", "run.pickle"])
        before, after = self.read("run.oom.pickle"), self.read()
        self.assertEqual(before["device_traces"][0][-1]["action"], "oom")
        self.assertEqual(before["tidemark"]["oom"]["requested_bytes"], 4000)
        self.assertEqual((before["tidemark"]["reason"], before["tidemark"]["error"]), ("oom", None))
        self.assertEqual(after["tidemark"]["reason"], "exception")
        self.assertEqual(after["tidemark"]["error"]["type"], "OutOfMemoryError")
        self.assertIn("Tried to allocate", after["tidemark"]["error"]["message"])

    def test_so_many_out_of_memory_files_as_asked_for(self):
        self.run_out(oom_files=1)
        self.assertEqual(self.files(), ["run.oom.pickle", "run.pickle"])

    def test_an_exception_is_dumped_and_goes_on(self):
        with self.assertRaises(KeyError), self.capture.record(self.path):
            raise KeyError("batch")
        self.assertEqual(self.read()["tidemark"]["error"], {"type": "KeyError", "message": "'batch'"})

    def run_script(self, text):
        """What a program writes that begins a recording in a process of its own."""
        head = ("import stand_in; torch = stand_in.install()\n"
                f"import sys; sys.path.insert(0, {MODULE_DIR!r}); import tidemark_capture\n"
                f"recorder = tidemark_capture.record({self.path!r})\n")
        folder = os.path.dirname(os.path.abspath(__file__))
        done = subprocess.run([sys.executable, "-B", "-c", head + text], cwd=folder, capture_output=True, text=True,
                              timeout=60)
        self.assertNotIn("tidemark_capture:", done.stderr)
        return self.read()["tidemark"]

    def test_a_program_that_ends_without_a_stop_is_written_with_what_ended_it(self):
        known = self.run_script("recorder.start(); {}['batch']")
        self.assertEqual((known["reason"], known["error"]), ("exception", {"type": "KeyError", "message": "'batch'"}))
        known = self.run_script("recorder.start()")
        self.assertEqual((known["reason"], known["error"]), ("exit", None))
        for before, after in (("sys.last_value = KeyError('an earlier one')", "1"),
                              ("sys.ps1 = 'In : '", "sys.last_value = KeyError('in a notebook, which goes on')")):
            known = self.run_script(f"import sys; {before}; recorder.start(); {after}")
            self.assertEqual((known["reason"], known["error"]), ("exit", None))

    def test_a_recorder_that_nobody_holds_runs_to_the_end_of_the_program(self):
        known = self.run_script("del recorder\ndef begin():\n"
                                f"    recorder = tidemark_capture.record({self.path!r})\n    recorder.start()\n"
                                "begin(); model = torch.nn.Module(); held = torch.Tensor(4); {}['batch']")
        self.assertEqual((known["reason"], known["error"]), ("exception", {"type": "KeyError", "message": "'batch'"}))

    def test_one_that_was_never_stopped_does_not_replace_the_file_of_a_later_one(self):
        """As in a notebook whose cell was run again after an error."""
        known = self.run_script(f"recorder.start()\nrecorder = tidemark_capture.record({self.path!r})\n"
                                "recorder.start(); recorder.stop()")
        self.assertEqual(known["reason"], "end")

    def test_an_error_that_cannot_say_what_it_is_costs_no_file(self):
        class Mute(Exception):
            def __str__(self):
                return self.args[1]

        with self.warned(), self.assertRaises(Mute), self.capture.record(self.path):
            raise Mute("only one")
        self.assertEqual(self.read()["tidemark"]["error"], {"type": "Mute", "message": ""})
        self.torch.cuda.memory._snapshot = lambda: (_ for _ in ()).throw(Mute("only one"))
        with self.warned("dump failed (Mute: )"), self.capture.record(self.path):
            pass

    def test_a_child_writes_nothing_and_waits_for_nobody(self):
        """As a data loader's worker that ends like a program: the file is its parent's."""
        known = self.run_script(
            "import os, threading\n"
            "model = torch.nn.Module(); recorder.attach(model); recorder.start()\n"
            "held, go = threading.Event(), threading.Event()\n"
            "def hold():\n"
            "    with recorder._lock: held.set(); go.wait()\n"
            "threading.Thread(target=hold).start(); held.wait()\n"
            "child = os.fork()\n"
            "if not child: model(torch.Tensor(4)); sys.exit(0)\n"
            "status = os.waitpid(child, 0)[1]; go.set()\n"
            f"assert status == 0 and not os.path.exists({self.path!r}), status\n")
        self.assertEqual((known["reason"], known["error"]), ("exit", None))

    def test_leaving_by_exit_is_no_error(self):
        for code, reason in ((0, "end"), (None, "end"), (3, "exception")):
            with self.assertRaises(SystemExit), self.capture.record(self.path):
                raise SystemExit(code)
            self.assertEqual(self.read()["tidemark"]["reason"], reason)

    def test_warnings_that_are_errors_do_not_end_the_program_either(self):
        """As under python -W error: the program's own error, its memory error among them, is what comes through."""
        self.torch.cuda.memory._snapshot = lambda: 1 // 0
        backward = self.torch.autograd.backward
        self.torch.allocators[0].limit = 0
        said = io.StringIO()
        with warnings.catch_warnings(), contextlib.redirect_stderr(said):
            warnings.simplefilter("error")
            with self.assertRaises(stand_in.OutOfMemoryError), self.capture.record(self.path):
                self.torch.Tensor(4)
        self.assertIn("tidemark_capture: dump failed (ZeroDivisionError", said.getvalue())
        self.assertIs(self.torch.autograd.backward, backward)
        self.assertIsNone(self.torch.history["enabled"])

    def test_what_cannot_be_put_back_does_not_keep_the_rest(self):
        model, optimizer = self.parts()
        backward = self.torch.autograd.backward
        with self.warned("ZeroDivisionError"):
            with self.capture.record(self.path, model=model, optimizer=optimizer) as recorder:
                recorder._undo.append(lambda: 1 // 0)
        self.assertIs(self.torch.autograd.backward, backward)
        self.assertFalse(model.before or model.after)

    def test_every_recording_may_run_out_of_memory_anew(self):
        recorder = self.capture.record(self.path, oom_files=1)
        for _ in range(2):
            recorder.start()
            self.torch.allocators[0].limit = 0
            with self.assertRaises(stand_in.OutOfMemoryError):
                self.torch.Tensor(4)
            recorder.stop()
            self.assertEqual(self.files(), ["run.oom.pickle", "run.pickle"])
            os.unlink(os.path.join(self.folder.name, "run.oom.pickle"))

    def test_hooks_and_recording_are_gone_afterwards(self):
        model, optimizer = self.parts()
        backward = self.torch.autograd.backward
        with self.capture.record(self.path, model=model, optimizer=optimizer):
            self.assertIsNot(self.torch.autograd.backward, backward)
            hooks = self.torch.optim_module
            self.assertTrue(model.before and model.after and hooks.all_before and hooks.all_after)
        self.assertIs(self.torch.autograd.backward, backward)
        self.assertFalse(model.before or model.after or hooks.all_before or hooks.all_after)
        self.assertIsNone(self.torch.history["enabled"])
        self.assertEqual(self.torch.metadata, "")


if __name__ == "__main__":
    unittest.main(verbosity=1)
