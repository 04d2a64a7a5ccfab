# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What the tests of the capture module share: a fresh stand-in for torch, a folder, files read back."""

import contextlib
import importlib
import os
import pathlib
import pickle
import sys
import tempfile
import unittest
import warnings

import stand_in

MODULE_DIR = str(pathlib.Path(__file__).resolve().parents[2] / "resources" / "capture")


class CaptureCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "run.pickle")
        self.saved_env = dict(os.environ)
        for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RESTART_COUNT"):
            os.environ.pop(name, None)
        self.load()

    def tearDown(self):
        os.environ.clear()
        os.environ.update(self.saved_env)
        self.folder.cleanup()

    def load(self, **settings):
        self.torch = stand_in.install(**settings)
        sys.path.insert(0, MODULE_DIR)
        try:
            self.capture = importlib.import_module("tidemark_capture")
        finally:
            sys.path.remove(MODULE_DIR)

    def read(self, name="run.pickle"):
        with open(os.path.join(self.folder.name, name), "rb") as file:
            return pickle.load(file)

    def files(self):
        return sorted(os.listdir(self.folder.name))

    def train(self, model, optimizer, steps=2, micro=1):
        for _ in range(steps):
            for _ in range(micro):
                batch = self.torch.Tensor(16)
                model(batch).backward()
            optimizer.step()
            optimizer.zero_grad()

    def parts(self, **settings):
        model = self.torch.nn.Module(**settings)
        return model, self.torch.optim.Optimizer(model.weights)

    @contextlib.contextmanager
    def warned(self, *texts):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        messages = [str(w.message) for w in caught if "tidemark_capture" in str(w.message)]
        self.assertEqual(len(messages), len(texts), messages)
        for message, text in zip(messages, texts):
            self.assertIn(text, message)

    def buckets_by_address(self, snapshot):
        known = snapshot["tidemark"]
        return {address: (known["things"]["bucket"][thing], known["things"]["name"][thing])
                for thing, address in zip(known["tensors"]["thing"], known["tensors"]["address"])}

    def follow(self, snapshot, moment, device=0):
        """How many allocations and requests to free follow a moment in the trace, by the file's own counters."""
        known = snapshot["tidemark"]
        clock = next(c for c in known["moments"]["clocks"] if c["device"] == device)
        at_dump = next(d for d in known["devices"] if d["index"] == device)
        return at_dump["operations"] - clock["operations"][moment]
