# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""As documents show it: their own lines are run."""

import contextlib
import json
import os
import pathlib
import re
import textwrap

import torch
from device import MIB
from trials import llama, loop, trial
from trials_lightning import lightning
from trials_trainer import trainer

ROOT = pathlib.Path(__file__).resolve().parents[3]


def documented(t, text, **names):
    """Runs what a document shows, in the run's folder and with the program's own model and loop."""
    model = llama(t)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    os.chdir(os.path.dirname(t.path))
    exec(textwrap.dedent(text), {"model": model, "optimizer": optimizer, "torch": torch,
                                 "train": lambda: loop(t, model, optimizer, steps=2), **names})


def readme_blocks():
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


@trial(steps=2)
def documented_in_the_readme(t):
    documented(t, next(b for b in readme_blocks() if "import tidemark_capture" in b))


@trial(steps=2)
def documented_in_the_module(t):
    documented(t, re.search(r"\n( {4}import tidemark_capture\n.*?)\n\n[^ ]", t.capture.__doc__, re.DOTALL).group(1))


def start_page():
    """(the lines for the capture module, a comment's beginning, those for torch alone)"""
    source = next(ROOT.glob("ui/**/start_page.cpp")).read_text(encoding="utf-8")
    lines = re.search(r"recordingLines\(\)\s*{(.*?)\n}", source, re.DOTALL).group(1)
    text = "".join(json.loads(line) for line in re.findall(r'^\s*(".*?[^\\]"|"\\n")\)?;?$', lines, re.MULTILINE))
    return text.partition("# or with torch alone")


@trial(steps=2)
def documented_on_the_start_page(t):
    documented(t, start_page()[0])


def dies_in_torch_alone(t, text):
    def train():
        t.truth.now("forward")
        held = []
        while True:
            held.append(torch.empty(1 << 20))

    with contextlib.suppress(torch.OutOfMemoryError):
        documented(t, text, train=train)


@trial(steps=None, capacity=64 * MIB, files=("snapshot.pickle",))
def documented_with_torch_alone_in_the_readme(t):
    dies_in_torch_alone(t, next(b for b in readme_blocks() if "_dump_snapshot" in b))


@trial(steps=None, capacity=64 * MIB, files=("snapshot.pickle",))
def documented_with_torch_alone_on_the_start_page(t):
    dies_in_torch_alone(t, "".join(start_page()[1:]))


def documented_callbacks(t, name):
    """What the README shows for a library: `callbacks=[...]`."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    line = re.search(rf"`callbacks=(\[tidemark_capture\.{name}\(.*?\)\])`", text).group(1)
    os.chdir(os.path.dirname(t.path))
    return eval(line, {"tidemark_capture": t.capture})


@trial(steps=2)
def documented_for_trainer(t):
    trainer(t, steps=2, callbacks=documented_callbacks(t, "HuggingFaceCallback")).train()


@trial(steps=2)
def documented_for_lightning(t):
    lightning(t, steps=2, callbacks=documented_callbacks(t, "LightningCallback"))
