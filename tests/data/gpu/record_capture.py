# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""record_capture.py OUT [NAME...]: the capture module on a CUDA device, in loops and libraries as docs/record.md shows them.

Each scene is a process of its own; captured_NAME.pickle.xz are the files it left."""

import lzma
import multiprocessing
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "resources" / "capture")]

import tidemark_capture  # noqa: E402
import training  # noqa: E402
from setups import Setup  # noqa: E402

SMALL = Setup("llama", 2, 256)


def loop(setup=SMALL, steps=3, model=None, optimizer=None):
    for _ in range(steps):
        training.loss_of(setup, model, training.batch_of(setup)).backward()
        optimizer.step()
        optimizer.zero_grad()


def made(setup=SMALL):
    model = training.model_of(setup)
    return model, training.optimizer_of(setup, model)


def own_loop(folder):
    model, optimizer = made()
    with tidemark_capture.record("run.pickle", model=model, optimizer=optimizer):
        loop(model=model, optimizer=optimizer)


def window(folder):
    model, optimizer = made()
    with tidemark_capture.record("run.pickle", model=model, optimizer=optimizer, steps=(3, 4)):
        loop(model=model, optimizer=optimizer, steps=6)


def out_of_memory(folder):
    torch.cuda.set_per_process_memory_fraction(2.5 * 2**30 / torch.cuda.get_device_properties(0).total_memory)
    model, optimizer = made()
    with tidemark_capture.record("run.pickle", model=model, optimizer=optimizer):
        loop(model=model, optimizer=optimizer, steps=1)
        loop(Setup("llama", 32, 1024), model=model, optimizer=optimizer, steps=1)


def compiled(folder):
    model, optimizer = made()
    called = torch.compile(model)
    with tidemark_capture.record("run.pickle", model=called, optimizer=optimizer):
        loop(model=called, optimizer=optimizer)


def compiled_graphs(folder):
    model, optimizer = made()
    called = torch.compile(model, mode="reduce-overhead")
    with tidemark_capture.record("run.pickle", model=called, optimizer=optimizer):
        loop(model=called, optimizer=optimizer, steps=5)


def captured_graph(folder):
    model = torch.nn.Sequential(*(torch.nn.Linear(2048, 2048) for _ in range(8))).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), capturable=True)
    images = torch.randn(256, 2048, device="cuda")
    with tidemark_capture.record("run.pickle", model=model, optimizer=optimizer) as recorder:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                optimizer.zero_grad()
                model(images).sum().backward()
                optimizer.step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        optimizer.zero_grad()
        with torch.cuda.graph(graph):
            model(images).sum().backward()
            optimizer.step()
        for _ in range(5):
            graph.replay()
        del recorder


def pool(folder):
    model, optimizer = made()
    pool = torch.cuda.MemPool()
    with tidemark_capture.record("run.pickle", model=model, optimizer=optimizer, pools={"embeddings": pool}):
        with torch.cuda.use_mem_pool(pool):
            kept = torch.zeros(64 << 20, dtype=torch.uint8, device="cuda")
        loop(model=model, optimizer=optimizer)
        del kept


def segments_alone(folder):
    model, optimizer = made()
    with tidemark_capture.record("run.pickle", model=model, optimizer=optimizer, segments_every=1, trace=False):
        loop(model=model, optimizer=optimizer)


def on_demand(folder):
    model, optimizer = made()
    recorder = tidemark_capture.record("server.pickle", model=model, on_signal="SIGUSR1", on_file="dump.now", clear=True, at_memory=0.01)
    recorder.start()
    loop(model=model, optimizer=optimizer, steps=2)
    os.kill(os.getpid(), 10)
    loop(model=model, optimizer=optimizer, steps=2)
    pathlib.Path("dump.now").touch()
    time.sleep(3)
    loop(model=model, optimizer=optimizer, steps=1)
    recorder.stop()


def data(samples):
    return [{"input_ids": (ids := torch.randint(32000, (256,))), "labels": ids} for _ in range(samples)]


def trainer(folder, **settings):
    import transformers
    arguments = transformers.TrainingArguments(folder, per_device_train_batch_size=2, report_to=[], max_steps=3, save_strategy="no", disable_tqdm=True,
                                               **settings)
    transformers.Trainer(model=training.llama(SMALL), args=arguments, train_dataset=data(16),
                         callbacks=[tidemark_capture.HuggingFaceCallback("run.pickle")]).train()


def trainer_bf16(folder):
    trainer(folder, bf16=True, gradient_accumulation_steps=2, gradient_checkpointing=True)


def lightning(folder):
    import lightning as pl

    class Module(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = training.llama(SMALL)

        def training_step(self, batch, _):
            return self.model(**batch).loss

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters())

    made = pl.Trainer(max_steps=3, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
                      callbacks=[tidemark_capture.LightningCallback("run.pickle")], precision="bf16-mixed")
    made.fit(Module(), torch.utils.data.DataLoader(data(8), batch_size=2))


def accelerate(folder):
    from accelerate import Accelerator
    accelerator = Accelerator(mixed_precision="bf16")
    model = training.llama(SMALL)
    model, optimizer, loader = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), torch.utils.data.DataLoader(data(6), batch_size=2))
    with tidemark_capture.record("run.pickle", model=model, optimizer=optimizer):
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()


def one_rank():
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(20000 + os.getpid() % 20000), RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
    torch.cuda.set_device(0)
    torch.distributed.init_process_group("nccl", device_id=torch.device("cuda", 0))


def ddp(folder):
    one_rank()
    model, _ = made()
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[0])
    optimizer = torch.optim.AdamW(model.parameters())
    with tidemark_capture.record("run.pickle", model=model, optimizer=optimizer):
        loop(model=model, optimizer=optimizer)
    torch.distributed.destroy_process_group()


def fsdp2(folder):
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    one_rank()
    model = training.model_of(SMALL)
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model.model.layers:
        fully_shard(layer, mp_policy=policy)
    fully_shard(model, mp_policy=policy)
    optimizer = torch.optim.AdamW(model.parameters())
    with tidemark_capture.record("run.pickle", model=model, optimizer=optimizer):
        loop(model=model, optimizer=optimizer)
    torch.distributed.destroy_process_group()


def pinned(folder):
    model, optimizer = made()
    kept = [torch.empty(32 << 20, dtype=torch.uint8, pin_memory=True) for _ in range(3)]
    with tidemark_capture.record("run.pickle", model=model, optimizer=optimizer, pinned=True):
        kept.append(torch.empty(16 << 20, dtype=torch.uint8, pin_memory=True))
        loop(model=model, optimizer=optimizer)


def expandable(folder):
    torch.cuda.memory._set_allocator_settings("expandable_segments:True")
    own_loop(folder)


SCENES = [own_loop, window, out_of_memory, compiled, compiled_graphs, captured_graph, pool, segments_alone, on_demand, trainer, trainer_bf16, lightning,
          accelerate, ddp, fsdp2, pinned, expandable]


def run(scene, out):
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    log = open(f"{out}/captured_{scene.__name__}.log", "w", buffering=1)
    os.dup2(log.fileno(), 1), os.dup2(log.fileno(), 2)
    began = time.time()
    try:
        scene(folder)
    except Exception:  # noqa: BLE001  (written to the scene's log)
        traceback.print_exc()
    print(f"{time.time() - began:.1f} s; {sorted((p.name, p.stat().st_size) for p in pathlib.Path(folder).glob('*.pickle'))}")
    for path in sorted(pathlib.Path(folder).glob("*.pickle"))[:4]:
        kind = path.name.removeprefix("run").removeprefix("server").removesuffix(".pickle").replace(".", "_")
        with lzma.open(f"{out}/captured_{scene.__name__}{kind}.pickle.xz", "wb") as packed, open(path, "rb") as file:
            shutil.copyfileobj(file, packed)
    os._exit(0)


def main():
    out, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    os.makedirs(out, exist_ok=True)
    fork = multiprocessing.get_context("fork")
    import transformers  # noqa: F401  (once, for all that is forked)
    pending, running = [s for s in SCENES if not names or s.__name__ in names], []
    deadline = time.time() + float(os.environ.get("SECONDS_LEFT", 100_000))
    while (pending or running) and time.time() < deadline:
        while pending and len(running) < 5:
            running.append(fork.Process(target=run, args=(pending.pop(0), out)))
            running[-1].start()
        running = [p for p in running if p.is_alive()]
        time.sleep(0.1)
    for process in running:
        process.kill()


if __name__ == "__main__":
    main()
