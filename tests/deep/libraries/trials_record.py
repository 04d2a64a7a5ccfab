# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""docs/record.md as it stands, with the libraries that it is about."""

import functools
import os
import re
import signal
import types

import torch
from device import MIB
from trials import BATCH, llama, loop, tokens, trial
from trials_deepspeed import configuration, library, steps_of
from trials_documented import ROOT, dies_in_torch_alone
from trials_lightning import QUIET, parts
from trials_long_runs import wait_for
from trials_trainer import trainer


def shown(heading):
    text = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL).group(1)
    return re.search(r"```python\n(.*?)```", section, re.DOTALL).group(1)


def run(t, heading, **names):
    os.chdir(os.path.dirname(t.path))
    space = {"torch": torch, "tidemark_capture": t.capture, **names}
    exec(shown(heading), space)
    return space


def own_loop(t, steps=2, **settings):
    model = llama(t, **settings)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return {"model": model, "optimizer": optimizer, "train": lambda: loop(t, model, optimizer, steps=steps)}


@trial(steps=2)
def record_own_loop(t):
    run(t, "Your own loop", **own_loop(t))


@trial(steps=2)
def record_trainer(t):
    run(t, "Hugging Face Trainer and TRL", trainer=trainer(t, steps=2, callbacks=[]))


@trial(steps=2)
def record_lightning(t):
    import lightning
    quiet = types.SimpleNamespace(Trainer=functools.partial(lightning.Trainer, **QUIET))
    module, loader, _ = parts(t)
    run(t, "Lightning", lightning=quiet, module=module, loader=loader)


@trial(steps=4)
def record_accelerate(t):
    import accelerate
    accelerator = accelerate.Accelerator(cpu=True)

    def train(model, optimizer):
        for batch in space["loader"]:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()

    names = {**own_loop(t), "train": train, "accelerator": accelerator,
             "loader": torch.utils.data.DataLoader(tokens(t, 4 * BATCH), batch_size=BATCH)}
    prepare, space = accelerator.prepare, {}

    def prepared(*what):
        space["loader"] = (made := prepare(*what))[2]
        return made

    accelerator.prepare = prepared
    run(t, "Accelerate", **names)


@trial(steps=2, phases=0.7, share=0)
def record_deepspeed(t):
    names = own_loop(t, use_cache=False)

    def train(engine):
        t.truth.watch(names["model"])
        steps_of(t, engine, 2)

    run(t, "DeepSpeed", deepspeed=library(), config=configuration(2), **{**names, "train": train})


@trial(steps=2, share=0.97)
def record_sharded(t):
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)

    def train(model, optimizer):
        t.truth.watch(model)
        loop(t, model, optimizer, steps=2)

    run(t, "FSDP2 and DDP", model=llama(t, use_cache=False), mesh=init_device_mesh("cpu", (1,)), fully_shard=fully_shard,
        train=train)
    dist.destroy_process_group()


@trial(steps=12, reason="window", kinds={"optimizer_end": 3})
def record_window(t):
    run(t, "A window of a long run", **own_loop(t, steps=13))


@trial(steps=2, reason="signal", files=("server.pickle", "server.signal1.pickle"), shot=0)
def record_live_server(t):
    names = own_loop(t)
    recorder = run(t, "A live server, on demand", **names)["recorder"]
    names["train"]()
    t.truth.now("other")
    os.kill(os.getpid(), signal.SIGUSR1)
    wait_for(os.path.join(os.path.dirname(t.path), "server.signal1.pickle"))
    recorder.stop()


@trial(steps=2, reason="segments", files=("run.pickle", "run.step1.pickle", "run.step2.pickle"), shot=1,
       kinds={"optimizer_end": 0})
def record_segments(t):
    run(t, "Which step grows", **own_loop(t))


@trial(steps=None, capacity=64 * MIB, files=("snapshot.pickle",))
def record_torch_alone(t):
    dies_in_torch_alone(t, shown("Without the module"))
