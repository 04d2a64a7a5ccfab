# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The capture module's callbacks against stand-ins for transformers and Lightning, and the module and the program
together: test_callbacks.py TIDEMARK_CLI"""

import json
import subprocess
import sys
import types
import unittest
import warnings

import stand_in
from capture_case import CaptureCase

PROGRAM = sys.argv.pop()


class CallbackTest(CaptureCase):
    def setUp(self):
        super().setUp()
        self.modules = dict(sys.modules)

    def tearDown(self):
        for name in set(sys.modules) - set(self.modules):
            del sys.modules[name]
        super().tearDown()

    def put(self, name, **members):
        parts = name.split(".")
        for i in range(1, len(parts) + 1):
            sys.modules.setdefault(".".join(parts[:i]), types.ModuleType(parts[i - 1]))
        vars(sys.modules[name]).update(members)

    def test_neither_library_is_needed(self):
        self.assertFalse({"transformers", "lightning"} & set(sys.modules))
        with self.assertRaises(ImportError):
            self.capture.HuggingFaceCallback
        with self.assertRaises(AttributeError):
            self.capture.Nothing

    def test_hugging_face(self):
        self.put("transformers", TrainerCallback=type("TrainerCallback", (), {}))
        model, optimizer = self.parts()
        callback = self.capture.HuggingFaceCallback(self.path, max_entries=5000)
        self.assertIsInstance(callback, sys.modules["transformers"].TrainerCallback)
        callback.on_train_begin(None, None, None, model=model, optimizer=None)
        callback.on_step_begin(None, None, None, model=model, optimizer=optimizer)
        self.train(model, optimizer)
        callback.on_train_end(None, None, None)
        known = self.read()["tidemark"]
        self.assertEqual((known["steps"], known["settings"]["max_entries"]), (2, 5000))
        self.assertIn("optimizer_state", known["things"]["bucket"])

    def check_lightning(self, module):
        self.put(module, Callback=type("Callback", (), {}))
        model, optimizer = self.parts()
        callback, trainer = self.capture.LightningCallback(self.path), types.SimpleNamespace(optimizers=[optimizer])
        callback.on_train_start(trainer, model)
        for index in range(2):
            batch = self.torch.Tensor(16)
            callback.on_train_batch_start(trainer, model, batch, index)
            model.forward(batch).backward()
            optimizer.step()
        callback.on_validation_start(trainer, model)
        callback.on_validation_end(trainer, model)
        callback.on_exception(trainer, model, ValueError("nan"))
        callback.on_train_end(trainer, model)
        known = self.read()["tidemark"]
        self.assertEqual((known["reason"], known["error"]["type"], known["steps"]), ("exception", "ValueError", 2))
        self.assertEqual(known["moments"]["kind"].count("forward_begin"), 2)
        self.assertIn("input", known["things"]["bucket"])
        del sys.modules[module]

    def test_lightning(self):
        self.check_lightning("lightning.pytorch.callbacks")

    def test_lightning_by_its_older_name(self):
        self.check_lightning("pytorch_lightning.callbacks")


class EndToEndTest(CaptureCase):
    """What the module writes, the program reads and labels exactly."""

    def cli(self, command):
        for reader in ("native", "cpython"):
            done = subprocess.run([PROGRAM, command, "--json", "--reader", reader, self.path], capture_output=True,
                                  text=True, encoding="utf-8", timeout=60, check=True)
            answer = json.loads(done.stdout)
            if reader == "native":
                first = answer
        for one in (first, answer):
            one.get("format", {}).pop("reader", None)
        self.assertEqual(first, answer)
        return answer

    def test_labels_phases_steps_and_facts(self):
        model, optimizer = self.parts(weights=3, frozen=1)
        truth = {w._storage.address: "parameter" for w in model.weights}
        truth[model.running_mean._storage.address] = "parameter"
        with self.capture.record(self.path, model=model, optimizer=optimizer):
            for _ in range(3):
                batch = self.torch.Tensor(16)
                truth[batch._storage.address] = "input"
                before = self.torch.allocators[0].next
                loss = model(batch)
                made = [a for a in self.torch.allocators[0].live if a >= before]
                truth.update(dict.fromkeys(made, "activation"))
                loss.backward()
                truth.update({w.grad._storage.address: "gradient" for w in model.weights if w.grad})
                optimizer.step()
                optimizer.zero_grad()
                del loss, batch
        truth.update({t._storage.address: "optimizer_state" for s in optimizer.state.values() for k, t in s.items() if k != "step"})
        device = self.cli("labels")["devices"][0]
        self.assertGreater(len(device["allocations"]), 30)
        for allocation in device["allocations"]:
            expected = truth.get(allocation["address"], "temporary")
            self.assertEqual(allocation["bucket"], expected, allocation)
            if expected in ("parameter", "gradient", "optimizer_state", "input"):
                self.assertEqual(allocation["confidence"], 100)
                self.assertTrue(allocation["reason"].startswith("captured: "), allocation)
        summary = self.cli("summary")
        self.assertEqual([n["code"] for n in summary["notes"] if n["code"].startswith("capture")], [])
        self.assertEqual(len(summary["devices"][0]["steps"]), 3)
        self.assertEqual([p["phase"] for p in summary["devices"][0]["phases"]][-6:],
                         ["backward", "optimizer", "input", "forward", "backward", "optimizer"])
        capture = summary["capture"]
        self.assertEqual((capture["torch"], capture["devices"][0]["name"]), ("2.9.0+stand-in", "Stand-in GPU"))
        diagnosis = self.cli("diagnose")
        self.assertEqual(diagnosis["capacity_bytes"], int(0.7 * stand_in.SEGMENT))

    def test_the_program_hands_the_module_out(self):
        printed = subprocess.run([PROGRAM, "capture-module"], capture_output=True, timeout=60, check=True).stdout
        with open(self.capture.__file__, "rb") as file:
            self.assertEqual(printed, file.read())

    def test_the_ring_buffer_may_lose_the_beginning(self):
        model, optimizer = self.parts()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with self.capture.record(self.path, model=model, optimizer=optimizer, max_entries=150):
                self.train(model, optimizer, steps=40)
        weights = {w._storage.address for w in model.weights}
        state = {t._storage.address for s in optimizer.state.values() for k, t in s.items() if k != "step"}
        seen = set()
        for allocation in self.cli("labels")["devices"][0]["allocations"]:
            at = allocation["address"]
            expected = "parameter" if at in weights else "optimizer_state" if at in state else None
            if expected:
                seen.add(at)
                self.assertEqual(allocation["bucket"], expected)
            else:
                self.assertNotIn(allocation["bucket"], ("optimizer_state",))
        self.assertEqual(seen, weights | state)


if __name__ == "__main__":
    unittest.main(verbosity=1)
