# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What the program reads in files of long runs: test_program.py TIDEMARK_CLI"""

import json
import os
import subprocess
import sys
import unittest

from capture_case import CaptureCase

PROGRAM = sys.argv.pop()


class ProgramTest(CaptureCase):
    def run_program(self, command, name, *options):
        path = os.path.join(self.folder.name, name)
        return subprocess.run([PROGRAM, command, *options, path], capture_output=True, text=True, encoding="utf-8",
                              timeout=60, check=True).stdout

    def cli(self, command, name="run.pickle"):
        return json.loads(self.run_program(command, name, "--json"))

    def check_labels(self, model, optimizer, name="run.pickle"):
        truth = {w._storage.address: "parameter" for w in [*model.weights, model.running_mean]}
        truth.update({t._storage.address: "optimizer_state" for s in optimizer.state.values() for k, t in s.items()
                      if k != "step"})
        given = {a["address"]: a["bucket"] for a in self.cli("labels", name)["devices"][0]["allocations"]
                 if a["bucket"] in ("parameter", "optimizer_state")}
        self.assertEqual(given, truth)
        notes = self.cli("summary", name)["notes"]
        self.assertEqual([n["code"] for n in notes if n["code"].startswith("capture")], [])

    def phases(self, name="run.pickle"):
        device = self.cli("summary", name)["devices"][0]
        return len(device["steps"]), [p["phase"] for p in device["phases"]]

    def test_a_window_of_steps(self):
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer, steps=(5, 6)):
            self.train(model, optimizer, steps=9)
        self.check_labels(model, optimizer)
        steps, phases = self.phases()
        self.assertEqual((steps, phases.count("forward"), phases.count("backward"), phases.count("optimizer")), (2, 2, 2, 2))
        self.assertIn("after the last step to record", self.run_program("summary", "run.pickle"))

    def test_an_emptied_ring(self):
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer, clear=True) as recorder:
            self.train(model, optimizer, steps=3)
            recorder.dump(self.path.replace("run", "first"))
            self.train(model, optimizer, steps=1)
        for name, steps in (("first.pickle", 3), ("run.pickle", 1)):
            self.check_labels(model, optimizer, name)
            self.assertEqual(self.phases(name)[0], steps)

    def test_segments_alone(self):
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer, segments_every=1):
            self.train(model, optimizer, steps=2)
        self.check_labels(model, optimizer, "run.step2.pickle")
        text = self.run_program("summary", "run.step2.pickle")
        self.assertIn("between two steps, without events", text)

    def test_a_file_asked_for_in_the_middle_of_a_pass(self):
        model, optimizer = self.parts()
        forward = model.forward
        with self.capture.record(self.path, model=model, optimizer=optimizer, clear=True) as recorder:
            def dumps(batch):
                recorder.dump(self.path.replace("run", "middle"))
                return forward(batch)

            self.train(model, optimizer, steps=1)
            model.forward = dumps
            self.train(model, optimizer, steps=1)
        self.check_labels(model, optimizer)
        steps, phases = self.phases()
        self.assertEqual((steps, phases), (1, ["forward", "backward", "optimizer"]))

    def test_figures_of_the_process_are_shown_in_units(self):
        self.torch.cuda.host_memory_stats = lambda: {"allocated_bytes.current": 3 << 30, "active_bytes.current": 5 << 20}
        with self.capture.record(self.path):
            self.torch.Tensor(4)
        text = self.run_program("summary", "run.pickle")
        self.assertRegex(text, r"pinned host memory +3\.00 GiB")
        self.assertRegex(text, r"pinned host memory in use +5\.00 MiB")
        settings = self.cli("summary")["capture"]["settings"]
        self.assertEqual(settings["pinned host memory"], f"{3 << 30} bytes")


if __name__ == "__main__":
    unittest.main(verbosity=1)
