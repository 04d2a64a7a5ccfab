# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What docs/record.md and README.md show is run: every block of Python, over stand-ins for torch and the libraries. With the
libraries themselves: tests/deep/libraries/trials_documented.py."""

import os
import pathlib
import re
import signal
import sys
import textwrap
import time
import types
import unittest

import stand_in_libraries
from capture_case import MODULE_DIR, CaptureCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCKS = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def blocks(document="docs/record.md"):
    """[(heading, Python)]"""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [(heading, textwrap.dedent(block)) for heading, section in BLOCKS.findall(text)
            for block in re.findall(r"```python\n(.*?)```", section, re.DOTALL)]


class DocumentTest(CaptureCase):
    def setUp(self):
        super().setUp()
        self.libraries = stand_in_libraries.install(self.torch)
        self.before, self.modules = os.getcwd(), dict(sys.modules)
        os.chdir(self.folder.name)
        sys.path.insert(0, MODULE_DIR)

    def tearDown(self):
        sys.path.remove(MODULE_DIR)
        os.chdir(self.before)
        for name in set(sys.modules) - set(self.modules):
            del sys.modules[name]
        super().tearDown()

    def run_block(self, heading, document="docs/record.md", **names):
        found = [block for name, block in blocks(document) if name == heading]
        self.assertEqual(len(found), 1 if document == "docs/record.md" else 2, heading)
        model, optimizer = self.parts()
        space = {"torch": self.torch, "tidemark_capture": self.capture, "model": model, "optimizer": optimizer,
                 "train": lambda *_: self.train(model, optimizer), **names}
        with self.warned():
            exec(compile(found[0], f"{document}: {heading}", "exec"), space)
        return space

    def check(self, steps=2, reason="end", name="run.pickle"):
        known = self.read(name)["tidemark"]
        self.assertEqual((known["steps"], known["reason"], known["warnings"]), (steps, reason, []))
        return known

    def test_all_blocks_are_run_here(self):
        tested = {text for name in dir(self) if name.startswith("test_") for text in getattr(self, name).__code__.co_consts}
        self.assertLessEqual({heading for heading, _ in blocks()}, tested)

    def test_your_own_loop(self):
        self.run_block("Your own loop")
        self.check()
        self.run_block("Record a snapshot", "README.md")
        self.check()

    def test_trainer(self):
        trainer = self.libraries.transformers.Trainer(self.torch.nn.Module())
        self.run_block("Hugging Face Trainer and TRL", trainer=trainer)
        self.check()

    def test_lightning(self):
        callbacks = types.ModuleType("lightning.pytorch.callbacks")
        callbacks.Callback = object
        lightning = types.SimpleNamespace(Trainer=self.lightning_trainer)
        sys.modules.update({"lightning": types.ModuleType("lightning"), "lightning.pytorch": types.ModuleType("p"),
                            "lightning.pytorch.callbacks": callbacks})
        self.run_block("Lightning", lightning=lightning, module=self.torch.nn.Module(), loader=None)
        self.check()

    def lightning_trainer(self, max_steps, callbacks):
        def fit(module, loader):
            made = types.SimpleNamespace(optimizers=[self.torch.optim.Optimizer(module.weights)])
            callbacks[0].on_train_start(made, module)
            for i in range(max_steps):
                callbacks[0].on_train_batch_start(made, module, self.torch.Tensor(16), i)
                self.train(module, made.optimizers[0], steps=1)
            callbacks[0].on_train_end(made, module)
        return types.SimpleNamespace(fit=fit)

    def test_accelerate(self):
        wrap = self.libraries.accelerate.AcceleratedOptimizer
        accelerator = types.SimpleNamespace(prepare=lambda model, optimizer, loader: (model, wrap(optimizer), loader))
        self.run_block("Accelerate", accelerator=accelerator, loader=None, train=self.train)
        self.check()

    def test_deepspeed(self):
        zero = self.libraries.deepspeed.ZeroOptimizer
        made = []

        def initialize(model, optimizer, config):
            made[:] = model, zero(optimizer)
            return (*made, None, None)

        self.run_block("DeepSpeed", deepspeed=types.SimpleNamespace(initialize=initialize), config={},
                       train=lambda engine: self.train(engine, types.SimpleNamespace(
                           step=made[1].step, zero_grad=made[1].optimizer.zero_grad)))
        self.check()

    def test_sharded(self):
        model = self.torch.nn.Module()
        model.model = types.SimpleNamespace(layers=[self.torch.nn.Module()])
        model.parameters = lambda: model.weights
        self.torch.optim.AdamW = self.torch.optim.Optimizer
        sharded = []
        self.run_block("FSDP2 and DDP", model=model, mesh=None, train=self.train,
                       fully_shard=lambda module, mesh: sharded.append(module))
        self.assertEqual(sharded, [*model.model.layers, model])
        self.check()

    def test_torchtitan(self):
        test = self

        class Trainer:
            def __init__(self):
                model, self.optimizers = test.parts()
                self.model_parts = [model]

            def train(self):
                test.train(self.model_parts[0], self.optimizers, steps=14)
                return "trained"

        trainer = types.ModuleType("torchtitan.trainer")
        trainer.Trainer = Trainer
        sys.modules.update({"torchtitan": types.ModuleType("torchtitan"), "torchtitan.trainer": trainer})
        self.run_block("torchtitan")
        self.assertEqual(Trainer().train(), "trained")
        self.assertEqual(self.check(12, "window")["moments"]["kind"].count("optimizer_end"), 3)

    def test_window(self):
        model, optimizer = self.parts()
        self.run_block("A window of a long run", model=model, optimizer=optimizer,
                       train=lambda: self.train(model, optimizer, steps=20))
        self.check(12, "window")

    def test_live_server(self):
        recorder = self.run_block("A live server, on demand")["recorder"]
        try:
            os.kill(os.getpid(), signal.SIGUSR1)
            for name in ("server.signal1.pickle", "server.file1.pickle"):
                for _ in range(1000):
                    if name in self.files():
                        break
                    time.sleep(0.01)
                self.check(0, name.split(".")[1][:-1], name)
                pathlib.Path("dump.now").touch()
        finally:
            recorder.stop()

    def test_vllm(self):
        recording = self.run_block("vLLM")["Recording"]

        class Worker(recording):
            def __init__(self, torch):
                self.model_runner = types.SimpleNamespace(model=torch.nn.Module(), kv_caches=[torch.Tensor(100)])

        worker = Worker(self.torch)
        worker.start_recording()
        with self.torch.no_grad():
            worker.model_runner.model(self.torch.Tensor(16))
        worker.stop_recording()
        known = self.check(0, name="vllm.pickle")
        self.assertLessEqual({"parameter", "kv_cache", "input"}, set(known["things"]["bucket"]))
        self.assertIn("inference", known["moments"]["name"])

    def test_segments(self):
        self.run_block("Which step grows")
        self.assertEqual(self.files(), ["run.pickle", "run.step1.pickle", "run.step2.pickle"])
        self.check(2, "segments", "run.step2.pickle")

    def test_pools(self):
        self.torch.cuda.MemPool = lambda: types.SimpleNamespace(id=(0, 0))
        self.run_block("Memory that is in no block")
        self.assertIn("pool embeddings", self.check()["figures"])

    def test_torch_alone(self):
        dumped = []
        self.torch.cuda.memory._dump_snapshot = dumped.append
        self.torch.OutOfMemoryError = self.torch.cuda.OutOfMemoryError
        with self.assertRaises(self.torch.OutOfMemoryError):
            self.run_block("Without the module", train=lambda: self.torch.Tensor(1 << 30))
        self.assertEqual(dumped, ["snapshot.pickle"])

    def test_figures_of_what_was_tried_are_those_of_the_requirements(self):
        pinned = (ROOT / "tests" / "deep" / "libraries" / "requirements.txt").read_text(encoding="utf-8")
        versions = dict(re.findall(r"^([a-z]+)==(\d+\.\d+)", pinned, re.MULTILINE))
        text = (ROOT / "docs" / "record.md").read_text(encoding="utf-8").lower()
        for name in ("torch", "transformers", "trl", "accelerate", "lightning", "deepspeed"):
            self.assertIn(f"{name} {versions[name]}", text)


if __name__ == "__main__":
    unittest.main(verbosity=1)
