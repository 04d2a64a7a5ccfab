# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The capture module's callbacks against stand-ins for transformers and Lightning, and the module and the program
together: test_callbacks.py TIDEMARK_CLI"""

import copy
import gc
import json
import pickle
import subprocess
import sys
import types
import unittest
import warnings
import weakref

import stand_in
import stand_in_libraries
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

    def trainer(self, **settings):
        model = self.torch.nn.Module()
        callback = self.capture.HuggingFaceCallback(self.path)
        return self.libraries.transformers.Trainer(model, callbacks=[callback], **settings)

    def check(self, steps, reason="end", error=None):
        known = self.read()["tidemark"]
        kinds = known["moments"]["kind"]
        self.assertEqual((known["steps"], known["warnings"], known["reason"]), (steps, [], reason))
        self.assertEqual((known["error"] or {}).get("type"), error)
        self.assertEqual(kinds.count("optimizer_end"), steps)
        self.assertEqual("optimizer_state" in known["things"]["bucket"], steps > 0)
        return known

    def test_trainer(self):
        self.libraries = stand_in_libraries.install(self.torch)
        callback = self.capture.HuggingFaceCallback(self.path, max_entries=5000)
        self.assertIsInstance(callback, self.libraries.transformers.TrainerCallback)
        with self.warned():
            self.libraries.transformers.Trainer(self.torch.nn.Module(), callbacks=[callback]).train()
        self.assertEqual(self.check(steps=2)["settings"]["max_entries"], 5000)

    def test_trainer_with_models_and_an_engine_of_its_own(self):
        """As TRL's: a reference and what rewards beside the model, and what generates in the same process."""
        self.libraries = stand_in_libraries.install(self.torch)
        trainer = self.trainer()
        trainer.ref_model, trainer.teacher_model = self.torch.nn.Module(frozen=2), None
        trainer.reward_funcs = [len, self.torch.nn.Module(frozen=1)]
        trainer.vllm_generation = types.SimpleNamespace(llm=type("LLM", (), {"sleep": lambda self, level=1: None})())
        step = trainer.training_step
        trainer.training_step = lambda batch: (trainer.vllm_generation.llm.sleep(), step(batch))
        with self.warned():
            trainer.train()
        known = self.check(steps=2)
        self.assertEqual(known["moments"]["name"].count("sleep"), 2)
        things = known["things"]
        roles = {n: r for n, r, b in zip(things["name"], things["role"], things["bucket"]) if b == "parameter"}
        self.assertEqual((roles["layers.0.weight"], roles["ref_model.layers.0.weight"]), ("trainable", "second_model"))
        self.assertEqual(roles["reward_model.layers.0.weight"], "second_model")

    def test_trainer_accumulates_and_evaluates(self):
        self.libraries = stand_in_libraries.install(self.torch)
        with self.warned():
            self.trainer(steps=3, accumulation=2, evaluates=True).train()
        moments = self.check(steps=3)["moments"]
        self.assertEqual(moments["kind"].count("backward_begin"), 6)
        self.assertEqual(moments["name"].count("evaluation"), 3)

    def die(self, trainer, error=ZeroDivisionError):
        step, trainer.training_step = trainer.training_step, lambda batch: 1 // 0
        with self.assertRaises(error):
            trainer.train()
        trainer.training_step = step

    def test_trainer_that_dies_writes_its_error(self):
        self.libraries = stand_in_libraries.install(self.torch)
        trainer = self.trainer()
        with self.warned():
            self.die(trainer)  # and the program goes on
            self.check(steps=0, reason="exception", error="ZeroDivisionError")
            self.assertFalse(self.torch.history["enabled"])
            self.assertEqual(trainer.train(), "trained")  # as in a notebook
            self.check(steps=2)

    def test_trainer_that_runs_out_of_memory_writes_before_and_after(self):
        self.libraries = stand_in_libraries.install(self.torch)
        trainer = self.trainer()
        self.torch.allocators[0].limit = sum(self.torch.allocators[0].live.values()) + 100
        with self.assertRaises(RuntimeError):
            trainer.train()
        self.assertEqual(self.files(), ["run.oom.pickle", "run.pickle"])
        self.check(steps=0, reason="exception", error="OutOfMemoryError")

    def test_trainer_that_tries_smaller_batches_goes_on(self):
        self.libraries = stand_in_libraries.install(self.torch)
        trainer = self.trainer(retries=1)
        allocator = self.torch.allocators[0]
        limit, allocator.limit = allocator.limit, sum(allocator.live.values()) + 100
        self.libraries.transformers.TrainerCallback.on_step_begin = lambda *_, **__: None
        tell, calls = trainer.tell, []

        def told(event):
            calls.append(event)
            if calls.count("on_train_begin") == 2:
                allocator.limit = limit
            tell(event)

        trainer.tell = told
        with self.warned():
            trainer.train()
        self.assertEqual(self.files(), ["run.oom.pickle", "run.pickle"])
        self.check(steps=2)

    def test_a_callback_added_to_a_trainer_that_was_made(self):
        self.libraries = stand_in_libraries.install(self.torch)
        trainer = self.libraries.transformers.Trainer(self.torch.nn.Module())
        trainer.add_callback(self.capture.HuggingFaceCallback(self.path))
        self.die(trainer)
        self.check(steps=0, reason="exception", error="ZeroDivisionError")

    def test_trainers_train_is_its_own_again(self):
        self.libraries = stand_in_libraries.install(self.torch)
        own = self.libraries.transformers.Trainer.train
        trainer, waiting = self.trainer(), self.trainer()
        self.assertIsNot(self.libraries.transformers.Trainer.train, own)
        trainer.train()
        self.assertIsNot(self.libraries.transformers.Trainer.train, own)  # there is one more
        self.die(waiting)
        del waiting
        gc.collect()
        self.assertIs(self.libraries.transformers.Trainer.train, own)
        trainer.train()
        self.assertIs(self.libraries.transformers.Trainer.train, own)

    def test_another_trainers_death_is_not_this_ones(self):
        self.libraries = stand_in_libraries.install(self.torch)
        trainer = self.trainer()
        other = self.libraries.transformers.Trainer(self.torch.nn.Module())
        trainer.training_step = lambda batch: self.die(other)
        trainer.train()
        self.assertEqual(self.read()["tidemark"]["reason"], "end")

    def test_a_dead_trainer_is_not_kept_alive(self):
        self.libraries = stand_in_libraries.install(self.torch)
        trainer = self.trainer()
        self.die(trainer)
        dead = [weakref.ref(x) for x in (trainer, trainer.model, trainer.optimizer)]
        del trainer
        gc.collect()
        self.assertEqual([reference() for reference in dead], [None] * 3)

    def test_a_second_training_is_recorded_with_its_own_model(self):
        self.libraries = stand_in_libraries.install(self.torch)
        trainer = self.trainer()
        trainer.train()
        trainer.model = trainer.callback_handler.model = self.torch.nn.Module(weights=3)
        with self.warned():
            trainer.train()
        self.check(steps=2)
        weights = {w._storage.address for w in trainer.model.weights}
        self.assertLessEqual(weights, set(self.buckets_by_address(self.read())))

    def test_callbacks_are_sent_to_other_processes_and_copied(self):
        self.libraries = stand_in_libraries.install(self.torch)
        callback = self.capture.HuggingFaceCallback(self.path, max_entries=77, hooks=True)
        callback.recorder.start()
        for copied in (pickle.loads(pickle.dumps(callback)), copy.deepcopy(callback)):
            self.assertIs(type(copied), type(callback))
            self.assertEqual((copied.recorder.path, copied.recorder.max_entries, copied.recorder._hooks,
                              copied.recorder.running), (self.path, 77, True, False))
        callback.recorder.stop()

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
        self.assertEqual((capture["torch"], capture["devices"][0]["name"]), ("2.15.0+stand-in", "Stand-in GPU"))
        diagnosis = self.cli("diagnose")
        self.assertEqual(diagnosis["capacity_bytes"], int(0.7 * stand_in.SEGMENT))

    def test_a_trainers_steps_and_state(self):
        libraries = stand_in_libraries.install(self.torch)
        callback, model = self.capture.HuggingFaceCallback(self.path), self.torch.nn.Module()
        trainer = libraries.transformers.Trainer(model, callbacks=[callback], steps=3, accumulation=2, evaluates=True)
        trainer.train()
        device = self.cli("summary")["devices"][0]
        self.assertEqual(len(device["steps"]), 3)
        self.assertEqual([p["phase"] for p in device["phases"]].count("evaluation"), 3)
        state = {t._storage.address for s in trainer.optimizer.state.values() for k, t in s.items() if k != "step"}
        given = {a["address"] for a in self.cli("labels")["devices"][0]["allocations"] if a["bucket"] == "optimizer_state"}
        self.assertEqual(given, state)

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
