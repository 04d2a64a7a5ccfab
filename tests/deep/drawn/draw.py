# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""draw.py RECORDER OUT [NAME...]: pairs of runs whose habits are drawn by chance, recorded on the CPU in true sizes.

RECORDER is a folder with the recorder of the data folder's recent runs (tools/modern), its tap built. A pair is a run, one
change of it, and the peak of the run that made that change. What is drawn (widths, heads, lengths, how attention, norms and
feed-forward are written, optimizer, precision, what changes) follows from the pair's name alone, so that any pair can be made
again. NAME is FAMILY_NUMBER; without names, as many of each family as COUNTS says. Leaves NAME.pickle and NAME.pair.json."""

import contextlib
import copy
import json
import os
import pathlib
import random
import sys
import types

RECORDER, OUT = sys.argv[1], pathlib.Path(sys.argv[2]).absolute()
sys.path.insert(0, RECORDER)
sys.argv = sys.argv[:1] + sys.argv[3:]

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

import auto  # noqa: E402
import research  # noqa: E402  (the recorder's; it reads sys.argv)
from auto import host  # noqa: E402
from layers import Attention, Block, Decoder, Encoder, FeedForward, Patches, Recurrence, Residual, Scan  # noqa: E402

COUNTS = {"decoder": 14, "encoder": 6, "vision": 6, "convolution": 8, "recurrent": 5, "cell": 4, "scan": 4, "perceptron": 4,
          "towers": 4, "two_models": 4, "library": 8}


def in_the_dark(name):
    """A module whose frames no recording shows: the recorder leaves out those of its own file."""
    module = types.ModuleType(name)
    source = (pathlib.Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
    exec(compile(source, auto.__file__, "exec"), module.__dict__)
    return module


as_cuda = in_the_dark("as_cuda")


class Run:
    """How a model is trained: `batch(samples, length)` makes what `loss(models, batch)` reads. `shape` is what a transformer is."""

    def __init__(self, models, batch, loss, samples, length=0, precision="fp32", optimizer="adamw", parts=1, clips=False, **shape):
        self.models, self.batch, self.loss, self.shape = models, batch, loss, shape
        self.samples, self.length = samples, length
        self.precision, self.optimizer, self.parts, self.clips = precision, optimizer, parts, clips

    def dimensions(self):
        """What `program` may state of it, in its words; None: nothing, it is no transformer."""
        if not self.shape:
            return None
        rows = {"batch": self.samples, "sequence": self.length, "tokens": self.samples * self.length} if self.length else {}
        return {**self.shape, **rows}

    def optimizer_of(self, model):
        trained = [p for p in model.parameters() if p.requires_grad]
        return {"adamw": lambda: torch.optim.AdamW(trained), "adam": lambda: torch.optim.Adam(trained),
                "momentum": lambda: torch.optim.SGD(trained, lr=0.01, momentum=0.9),
                "sgd": lambda: torch.optim.SGD(trained, lr=0.01)}[self.optimizer]()

    def __call__(self, recorder):
        as_cuda.put_in_place(recorder, host)
        with host(recorder):
            models = self.models()
        optimizers = []

        def step(batch, _, __):
            if not optimizers:
                optimizers.extend(self.optimizer_of(m) for m in models if any(p.requires_grad for p in m.parameters()))
            for _ in range(self.parts):
                with torch.autocast("cpu", torch.bfloat16) if self.precision == "bf16" else contextlib.nullcontext():
                    loss = self.loss(models, batch)
                loss.backward()
                del loss
            if self.clips:
                for m in models:
                    nn.utils.clip_grad_norm_(m.parameters(), 1.0)
            for o in optimizers:
                o.step()
                o.zero_grad()

        research.loop(recorder, models, optimizers, lambda: self.batch(self.samples, self.length), step)


def tokens(vocabulary):
    return lambda samples, length: torch.randint(vocabulary, (samples, length))


def images(side):
    return lambda samples, _: torch.randn(samples, 3, side, side)


def next_token(models, batch):
    return F.cross_entropy(models[0](batch).flatten(0, 1), batch.flatten())


def classes(count):
    return lambda models, batch: F.cross_entropy(models[0](batch), torch.arange(len(batch)) % count)


def drawn_blocks(r, width, count, is_causal, dropout=0.0):
    heads = r.choice([h for h in (4, 5, 6, 8, 10, 12, 16) if width % h == 0 and (width // h) % 8 == 0])
    how = r.choice(Attention.HOWS)
    groups = heads // 2 if how != "library" and heads % 2 == 0 and r.random() < 0.3 else heads
    rotates, norms, bias = how != "library" and r.random() < 0.4, r.choice(["layer", "root_mean_square"]), r.random() < 0.4
    inner, feed = r.choice([2, 3, 4]) * width, r.choice(FeedForward.HOWS)
    comes_first = r.random() < 0.8
    shape = {"hidden": width, "layers": count, "heads": heads, "feed_forward": inner}
    return shape, lambda: [Block(width, Attention(width, heads, groups, how, is_causal, rotates, dropout, bias),
                                 FeedForward(width, inner, feed, bias), norms, comes_first, dropout) for _ in range(count)]


def drawn_change(r, run, changes):
    """The change as the command line writes it, and the run that makes it."""
    change = r.choice([c for c in changes if c != "precision=bf16" or run.precision == "fp32"])
    other = copy.copy(run)
    if change == "micro-batch=2":
        other.samples *= 2
    elif change == "micro-batch=1/2":
        run.samples *= 2
    elif change == "sequence=2":
        other.length *= 2
    elif change == "precision=bf16":
        other.precision = "bf16"
    elif change == "optimizer=sgd":
        other.optimizer = "sgd"
    return change, run, other


def decoder(r):
    width, count = r.choice([192, 256, 320, 384, 448, 512]), r.randint(3, 7)
    vocabulary, length = r.choice([2000, 4096, 5000, 8000, 12000]), r.choice([96, 128, 160, 192, 256, 320])
    shape, blocks = drawn_blocks(r, width, count, True, r.choice([0.0, 0.0, 0.1]))
    learns, tied, remakes, norms = r.random() < 0.5, r.random() < 0.3, r.random() < 0.2, r.choice(["layer", "root_mean_square"])
    run = Run(lambda: [Decoder(blocks(), width, vocabulary, 2 * length, norms, learns, tied, remakes)], tokens(vocabulary), next_token,
              r.randint(2, 8), length, r.choice(["fp32", "fp32", "bf16"]), r.choice(["adamw", "adamw", "adam", "momentum"]),
              r.choice([1, 1, 2]), r.random() < 0.3, vocabulary=vocabulary, **shape)
    return drawn_change(r, run, ["micro-batch=2", "micro-batch=1/2", "sequence=2", "sequence=2", "precision=bf16", "optimizer=sgd"])


def encoder(r):
    width, count, rows, labels = r.choice([192, 256, 320, 384]), r.randint(3, 6), r.choice([64, 96, 128, 192, 256]), r.choice([2, 5, 20])
    vocabulary, (shape, blocks), norms = r.choice([3000, 8000, 12000]), drawn_blocks(r, width, count, False, r.choice([0.0, 0.1])), "layer"
    run = Run(lambda: [Encoder(nn.Embedding(vocabulary, width), blocks(), width, 2 * rows, labels, norms)], tokens(vocabulary),
              classes(labels), r.randint(6, 20), rows, r.choice(["fp32", "bf16"]), vocabulary=vocabulary, **shape)
    return drawn_change(r, run, ["micro-batch=2", "micro-batch=1/2", "sequence=2", "precision=bf16"])


def vision(r):
    width, count, side = r.choice([192, 256, 320]), r.randint(3, 6), r.choice([8, 16])
    extent, labels = side * r.choice([8, 12, 14]), r.choice([10, 100])
    shape, blocks = drawn_blocks(r, width, count, False)
    run = Run(lambda: [Encoder(Patches(width, side), blocks(), width, (extent // side) ** 2, labels, "layer")], images(extent),
              classes(labels), r.randint(6, 16), 0, r.choice(["fp32", "fp32", "bf16"]), **shape)
    return drawn_change(r, run, ["micro-batch=2", "micro-batch=1/2", "precision=bf16"])


def convolution(r):
    width, stages, norms = r.choice([24, 32, 48]), r.randint(2, 3), r.choice(["batch", "group"])
    depth, extent, labels = r.randint(1, 3), r.choice([48, 64, 96]), r.choice([10, 50])

    def models():
        parts = [nn.Conv2d(3, width, 3, 1, 1)]
        for stage in range(stages):
            parts += [Residual(width << stage, norms) for _ in range(depth)]
            parts += [nn.Conv2d(width << stage, width << (stage + 1), 3, 2, 1), nn.ReLU()]
        return [nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width << stages, labels))]

    run = Run(models, images(extent), classes(labels), r.randint(6, 16), 0, "fp32", r.choice(["adamw", "momentum", "sgd"]))
    return drawn_change(r, run, ["micro-batch=2", "micro-batch=2", "micro-batch=1/2"])


class Recurrent(nn.Module):
    def __init__(self, kind, vocabulary, width, state, depth):
        super().__init__()
        self.table, self.inner = nn.Embedding(vocabulary, width), kind(width, state, depth, batch_first=True)
        self.head = nn.Linear(state, vocabulary)

    def forward(self, x):
        return self.head(self.inner(self.table(x))[0])


def recurrent(r):
    kind, vocabulary, width, state, depth = r.choice([nn.LSTM, nn.GRU, nn.RNN]), r.choice([2000, 5000]), r.choice([128, 256]), r.choice([256, 384, 512]), r.randint(1, 3)
    run = Run(lambda: [Recurrent(kind, vocabulary, width, state, depth)], tokens(vocabulary), next_token, r.randint(6, 20),
              r.choice([32, 64, 96]), clips=True)
    return drawn_change(r, run, ["micro-batch=2", "micro-batch=1/2"])


def over_time(r, part, width):
    vocabulary, depth, length = r.choice([2000, 4000]), r.randint(1, 3), r.choice([24, 32, 48])
    run = Run(lambda: [nn.Sequential(nn.Embedding(vocabulary, width), *(part() for _ in range(depth)), nn.LayerNorm(width),
                                     nn.Linear(width, vocabulary))], tokens(vocabulary), next_token, r.randint(8, 24), length)
    return drawn_change(r, run, ["micro-batch=2", "micro-batch=1/2", "sequence=2"])


def cell(r):
    width = r.choice([192, 256, 320])
    return over_time(r, lambda: Recurrence(width, width), width)


def scan(r):
    width, states = r.choice([128, 192, 256]), r.choice([8, 16])
    return over_time(r, lambda: Scan(width, states), width)


def perceptron(r):
    width, depth, columns = r.choice([512, 768, 1024]), r.randint(3, 8), r.choice([64, 100, 200])
    act, labels = r.choice([nn.ReLU, nn.GELU, nn.SiLU]), r.choice([2, 10])

    def models():
        parts = [nn.Linear(columns, width)]
        for _ in range(depth):
            parts += [act(), *([nn.LayerNorm(width)] if depth > 4 else []), nn.Linear(width, width)]
        return [nn.Sequential(*parts, act(), nn.Linear(width, labels))]

    run = Run(models, lambda samples, _: torch.randn(samples, columns), classes(labels), r.choice([256, 512, 1000, 1500]),
              optimizer=r.choice(["adamw", "adam", "momentum"]))
    return drawn_change(r, run, ["micro-batch=2", "micro-batch=1/2", "optimizer=sgd"])


def towers(r):
    """Two encoders and a matrix of each sample against each."""
    width, depth, columns = r.choice([256, 384, 512]), r.randint(2, 4), r.choice([128, 256])
    tower = lambda: nn.Sequential(nn.Linear(columns, width), *(m for _ in range(depth) for m in (nn.GELU(), nn.Linear(width, width))))

    def loss(models, batch):
        a, b = (F.normalize(m(batch), dim=-1) for m in models)
        return F.cross_entropy(a @ b.T / 0.07, torch.arange(len(batch)))

    run = Run(lambda: [tower(), tower()], lambda samples, _: torch.randn(samples, columns), loss, r.choice([300, 512, 768]))
    return drawn_change(r, run, ["micro-batch=2", "micro-batch=1/2"])


def two_models(r):
    """A teacher without gradients beside what it teaches."""
    width, vocabulary, length = r.choice([192, 256, 320]), r.choice([2000, 4000]), r.choice([96, 128, 192])
    (_, small), (shape, large) = drawn_blocks(r, width, 2, True), drawn_blocks(r, width, r.randint(3, 5), True)
    make = lambda blocks: Decoder(blocks(), width, vocabulary, 2 * length, "layer", True, False)

    def loss(models, batch):
        with torch.no_grad():
            wanted = models[1](batch).softmax(-1)
        return -(wanted * models[0](batch).log_softmax(-1)).sum(-1).mean()

    run = Run(lambda: [make(small), make(large).requires_grad_(False).eval()], tokens(vocabulary), loss, r.randint(3, 8), length, hidden=shape["hidden"])
    return drawn_change(r, run, ["micro-batch=2", "micro-batch=1/2", "sequence=2"])


def library(r):
    """Models of transformers in a loop of one's own."""
    import transformers
    family, heads, width = r.choice(["Llama", "Qwen2", "Mistral", "GPTNeoX"]), r.choice([4, 8]), r.choice([256, 384, 512])
    groups, vocabulary, how = r.choice([heads, heads // 2]), r.choice([4000, 8000]), r.choice(["eager", "sdpa"])
    inner, layers, length = r.choice([2, 3]) * width + 64, r.randint(3, 6), r.choice([128, 192, 256])

    def models():
        config = getattr(transformers, family + "Config")(hidden_size=width, intermediate_size=inner, num_hidden_layers=layers,
                                                          num_attention_heads=heads, num_key_value_heads=groups, vocab_size=vocabulary,
                                                          max_position_embeddings=1024, use_cache=False)
        config._attn_implementation = how
        return [getattr(transformers, family + "ForCausalLM")(config)]

    run = Run(models, tokens(vocabulary), lambda models, batch: models[0](input_ids=batch, labels=batch).loss, r.randint(2, 6), length,
              r.choice(["fp32", "bf16"]), r.choice(["adamw", "momentum"]), hidden=width, layers=layers, heads=heads,
              feed_forward=inner, vocabulary=vocabulary)
    return drawn_change(r, run, ["micro-batch=2", "micro-batch=1/2", "sequence=2", "precision=bf16", "optimizer=sgd"])


FAMILIES = {f.__name__: f for f in (decoder, encoder, vision, convolution, recurrent, cell, scan, perceptron, towers, two_models, library)}


def record(name, run):
    """In a process of its own, so that nothing of one run is seen by the next."""
    child = os.fork()
    if child == 0:
        research.run(name, run, str(OUT))
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        raise RuntimeError(f"{name} was not recorded")
    path = OUT / f"{name}.truth.json"
    truth = json.loads(path.read_text())
    path.unlink()
    if truth["error"]:
        raise RuntimeError(f"{name}: {truth['error']}")
    return truth["requested_peak"]


def make(name):
    family, _, number = name.rpartition("_")
    change, base, sibling = FAMILIES[family](random.Random(f"{family} {number}"))
    before = record(name, base)
    after = record(name + ".other", sibling)
    (OUT / f"{name}.other.pickle").unlink()
    (OUT / f"{name}.pair.json").write_text(json.dumps({"base": name, "apply": change, "peak_requested_before": before,
                                                       "peak_requested_after": after, "dimensions": base.dimensions()}) + "\n")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or [f"{family}_{i}" for family, count in COUNTS.items() for i in range(count)]:
        if not (OUT / f"{name}.pair.json").exists():
            make(name)


if __name__ == "__main__":
    main()
