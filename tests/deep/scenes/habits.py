# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Training and inference as people write them, on the CPU, each allocation with its true bucket.

habits.py OUT_DIR [SCENE...], with TOOLS naming the folder of the allocator model (sim.py) and TAP the built tap: see
make.sh. Loops are written out as scripts have them, so that no helper's name tells a rule what a line is for."""

import copy
import ctypes
import gc
import json
import os
import pathlib
import pickle
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

sys.path.insert(0, os.environ["TOOLS"])
from sim import Recorder  # noqa: E402

GIB = 1 << 30
TAP = ctypes.PyDLL(os.environ["TAP"])
TAP.tap_callback.argtypes = [ctypes.py_object]


class Truth:
    """Writes down what is what; allocates nothing."""

    def __init__(self, rec):
        self.rec = rec

    def now(self, phase):
        self.rec.set_phase(phase)

    def mark(self, bucket, *tensors):
        for t in tensors:
            if t is not None:
                self.rec.mark(t.data, bucket)

    def weights(self, *models):
        for m in models:
            self.mark("parameter", *m.parameters(), *m.buffers())

    def grads(self, *models):
        for m in models:
            self.mark("gradient", *(p.grad for p in m.parameters()))

    def states(self, *optimizers):
        for o in optimizers:
            for state in o.state.values():
                self.mark("optimizer_state", *(v for v in state.values() if torch.is_tensor(v)))

    def backward_begins(self):
        self.rec.mark_live("forward", "activation")
        self.now("backward")

    def dump(self):
        """As scripts do before they end; scenes without it show how all is freed, too."""
        self.rec.dumped = self.rec.snapshot()

    def optimizer_begins(self, *models):
        self.grads(*models)
        self.now("optimizer")
        self.rec.steps += self.rec.on


class Mlp(nn.Module):
    def __init__(self, wide=512, deep=4, out=64):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(wide, wide) for _ in range(deep))
        self.drop, self.last = nn.Dropout(0.1), nn.Linear(wide, out)

    def forward(self, x):
        for layer in self.layers:
            x = self.drop(F.relu(layer(x)))
        return self.last(x)


class Encoder(nn.Module):
    def __init__(self, vocab=2000, d=128, deep=3, heads=4, classes=20):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        layer = nn.TransformerEncoderLayer(d, heads, 4 * d, batch_first=True)
        self.body, self.head = nn.TransformerEncoder(layer, deep), nn.Linear(d, classes)

    def forward(self, tokens):
        return self.head(self.body(self.embed(tokens)).mean(1))


class Tagger(nn.Module):
    def __init__(self, vocab=3000, d=128):
        super().__init__()
        self.embed, self.rnn, self.out = nn.Embedding(vocab, d), nn.LSTM(d, 2 * d, 2, batch_first=True), nn.Linear(2 * d, 30)

    def forward(self, tokens):
        return self.out(self.rnn(self.embed(tokens))[0])


class UNet(nn.Module):
    def __init__(self, w=16, chans=3):
        super().__init__()
        def two(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, 1, 1), nn.GroupNorm(4, b), nn.SiLU(), nn.Conv2d(b, b, 3, 1, 1), nn.SiLU())
        self.down1, self.down2, self.mid = two(chans, w), two(w, 2 * w), two(2 * w, 4 * w)
        self.up2, self.up1, self.last = two(6 * w, 2 * w), two(3 * w, w), nn.Conv2d(w, chans, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.avg_pool2d(a, 2))
        c = F.interpolate(self.mid(F.avg_pool2d(b, 2)), scale_factor=2)
        c = F.interpolate(self.up2(torch.cat([b, c], 1)), scale_factor=2)
        return self.last(self.up1(torch.cat([a, c], 1)))


class Vae(nn.Module):
    def __init__(self, wide=400, z=40):
        super().__init__()
        self.enc, self.mu, self.var = nn.Linear(784, wide), nn.Linear(wide, z), nn.Linear(wide, z)
        self.dec, self.out = nn.Linear(z, wide), nn.Linear(wide, 784)

    def forward(self, x):
        h = F.relu(self.enc(x))
        mu, logvar = self.mu(h), self.var(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return torch.sigmoid(self.out(F.relu(self.dec(z)))), mu, logvar


class Lion(torch.optim.Optimizer):
    """As copied from a paper's page."""

    def __init__(self, params, lr=1e-4):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["exp_avg"] = torch.zeros_like(p)
                update = state["exp_avg"].clone().mul_(0.9).add(p.grad, alpha=0.1).sign_()
                p.add_(update, alpha=-group["lr"])
                state["exp_avg"].lerp_(p.grad, 0.01)


def mlp_sgd_zero_first(rec):
    t, model = Truth(rec), Mlp()
    t.weights(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(256, 512), torch.randint(64, (256,))
        t.mark("input", x, y)
        optimizer.zero_grad(set_to_none=True)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()


def mlp_adam_keeps_grads(rec):
    t, model = Truth(rec), Mlp()
    t.weights(model)
    optimizer = torch.optim.Adam(model.parameters(), foreach=False)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(256, 512), torch.randint(64, (256,))
        t.mark("input", x, y)
        optimizer.zero_grad(set_to_none=False)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)


def encoder_rmsprop_clipped(rec):
    t, model = Truth(rec), Encoder()
    t.weights(model)
    optimizer = torch.optim.RMSprop(model.parameters(), momentum=0.9, foreach=True)
    for _ in range(3):
        t.now("input")
        x, y = torch.randint(2000, (32, 64)), torch.randint(20, (32,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()


def tagger_adagrad(rec):
    t, model = Truth(rec), Tagger()
    t.weights(model)
    optimizer = torch.optim.Adagrad(model.parameters(), foreach=False)
    t.states(optimizer)
    for _ in range(3):
        t.now("input")
        x, y = torch.randint(3000, (16, 40)), torch.randint(30, (16, 40))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def vae_own_optimizer(rec):
    t, model = Truth(rec), Vae()
    t.weights(model)
    optimizer = Lion(model.parameters())
    for _ in range(4):
        t.now("input")
        x = torch.rand(512, 784)
        t.mark("input", x)
        t.now("forward")
        y, mu, logvar = model(x)
        loss = F.binary_cross_entropy(y, x) - 0.5 * torch.mean(1 + logvar - mu.pow(2) - logvar.exp())
        del y, mu, logvar
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)


def momentum_by_hand(rec):
    t, model = Truth(rec), Mlp(wide=384)
    t.weights(model)
    velocity = [torch.zeros_like(p) for p in model.parameters()]
    t.mark("optimizer_state", *velocity)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(256, 384), torch.randint(64, (256,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        with torch.no_grad():
            for p, v in zip(model.parameters(), velocity):
                v.mul_(0.9).add_(p.grad)
                p -= 0.01 * v
                p.grad = None


def bf16_with_master_weights(rec):
    t = Truth(rec)
    model = Encoder(deep=2).bfloat16()
    master = [p.detach().clone().float().requires_grad_() for p in model.parameters()]
    t.weights(model)
    t.mark("parameter", *master)
    optimizer = torch.optim.AdamW(master, foreach=False)
    for _ in range(3):
        t.now("input")
        x, y = torch.randint(2000, (16, 64)), torch.randint(20, (16,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        for p, m in zip(model.parameters(), master):
            m.grad = p.grad.float()
            t.mark("gradient", m.grad)
            p.grad = None
        optimizer.step()
        t.states(optimizer)
        with torch.no_grad():
            for p, m in zip(model.parameters(), master):
                p.copy_(m)
                m.grad = None
    t.dump()


def autocast(rec):
    t, model = Truth(rec), Mlp(wide=768)
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(3):
        t.now("input")
        x, y = torch.randn(128, 768), torch.randint(64, (128,))
        t.mark("input", x, y)
        t.now("forward")
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(x).float(), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)


def frozen_features(rec):
    t, body, head = Truth(rec), UNet(w=24), nn.Linear(3 * 32 * 32, 10)
    for p in body.parameters():
        p.requires_grad_(False)
    t.weights(body, head)
    optimizer = torch.optim.Adam(head.parameters(), foreach=False)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(16, 3, 32, 32), torch.randint(10, (16,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(head(body(x).flatten(1)), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(head)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()


def moving_average(rec):
    t, model = Truth(rec), Mlp(wide=640)
    average = copy.deepcopy(model)
    for p in average.parameters():
        p.requires_grad_(False)
    t.weights(model, average)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(128, 640), torch.randint(64, (128,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            for a, p in zip(average.parameters(), model.parameters()):
                a.mul_(0.99).add_(p, alpha=0.01)
    t.dump()


def epochs_with_validation(rec):
    t, model = Truth(rec), UNet()
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(2):
        model.train()
        for _ in range(3):
            t.now("input")
            x, y = torch.randn(8, 3, 64, 64), torch.randn(8, 3, 64, 64)
            t.mark("input", x, y)
            t.now("forward")
            loss = F.mse_loss(model(x), y)
            t.backward_begins()
            loss.backward()
            t.optimizer_begins(model)
            optimizer.step()
            t.states(optimizer)
            optimizer.zero_grad(set_to_none=True)
        del loss
        model.eval()
        with torch.no_grad():
            for _ in range(2):
                t.now("input")
                x, y = torch.randn(24, 3, 64, 64), torch.randn(24, 3, 64, 64)
                t.mark("input", x, y)
                t.now("evaluation")
                F.mse_loss(model(x), y).item()


def predictions_thrown_away(rec):
    t, model = Truth(rec), Encoder(deep=4).eval()
    t.weights(model)
    with torch.no_grad():
        for _ in range(6):
            t.now("input")
            x = torch.randint(2000, (64, 64))
            t.mark("input", x)
            t.now("inference")
            model(x).argmax(-1).sum().item()


def predictions_kept(rec):
    t, model, kept = Truth(rec), UNet(w=8).eval(), []
    t.weights(model)
    with torch.inference_mode():
        for _ in range(12):
            t.now("input")
            x = torch.randn(8, 3, 64, 64)
            t.mark("input", x)
            t.now("inference")
            y = model(x)
            kept.append(y)
            t.mark("output", y)
    t.dump()


class Cached(nn.Module):
    """A decoder with room for its cache made beforehand."""

    def __init__(self, d=128, deep=3, vocab=1000):
        super().__init__()
        self.embed, self.head = nn.Embedding(vocab, d), nn.Linear(d, vocab)
        self.qkv = nn.ModuleList(nn.Linear(d, 3 * d) for _ in range(deep))

    def forward(self, token, at, cache_k, cache_v):
        x = self.embed(token)
        for i, layer in enumerate(self.qkv):
            q, k, v = layer(x).chunk(3, -1)
            cache_k[i][:, at], cache_v[i][:, at] = k, v
            weights = torch.softmax(torch.einsum("bd,btd->bt", q, cache_k[i][:, : at + 1]), -1)
            x = x + torch.einsum("bt,btd->bd", weights, cache_v[i][:, : at + 1])
        return self.head(x)


def generation_with_a_static_cache(rec):
    t, model = Truth(rec), Cached().eval()
    t.weights(model)
    t.now("inference")
    with torch.no_grad():
        cache_k = [torch.zeros(32, 256, 128) for _ in range(3)]
        cache_v = [torch.zeros(32, 256, 128) for _ in range(3)]
        t.mark("kv_cache", *cache_k, *cache_v)
        token = torch.zeros(32, dtype=torch.long)
        t.mark("input", token)
        for at in range(40):
            token = model(token, at, cache_k, cache_v).argmax(-1)
    t.dump()


def accumulation_zero_first(rec):
    t, model = Truth(rec), Encoder()
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        for _ in range(4):
            t.now("input")
            x, y = torch.randint(2000, (8, 64)), torch.randint(20, (8,))
            t.mark("input", x, y)
            t.now("forward")
            loss = F.cross_entropy(model(x), y) / 4
            t.backward_begins()
            loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)


def checkpointed_reentrant(rec):
    t = Truth(rec)
    model = nn.Sequential(*(nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256)) for _ in range(6)))
    t.weights(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, foreach=False)
    for _ in range(3):
        t.now("input")
        x, y = torch.randn(512, 256, requires_grad=True), torch.randn(512, 256)
        t.mark("input", x, y)
        t.now("forward")
        loss = F.mse_loss(checkpoint_sequential(model, 3, x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)


def recorded_from_the_middle(rec):
    rec.on = False
    t, model = Truth(rec), Encoder(deep=4)
    t.weights(model)
    optimizer = torch.optim.Adam(model.parameters(), foreach=True)
    for i in range(5):
        rec.on = i >= 3
        t.now("input")
        x, y = torch.randint(2000, (16, 64)), torch.randint(20, (16,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=i < 2)
    t.dump()


def inference_recorded_late(rec):
    rec.on = False
    t, model = Truth(rec), Encoder(deep=4).eval()
    t.weights(model)
    rec.on = True
    with torch.no_grad():
        for _ in range(4):
            t.now("input")
            x = torch.randint(2000, (128, 64))
            t.mark("input", x)
            t.now("inference")
            model(x).argmax(-1)
    t.dump()


def resumed_from_a_checkpoint(rec):
    t, model = Truth(rec), Encoder(deep=3)
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    saved = {k: v.clone() for k, v in model.state_dict().items()}
    model.load_state_dict(saved)
    del saved
    for _ in range(3):
        t.now("input")
        x, y = torch.randint(2000, (16, 64)), torch.randint(20, (16,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)


def data_set_on_the_card(rec):
    t, model = Truth(rec), Mlp(wide=256)
    t.now("input")
    images, classes = torch.randn(20000, 256), torch.randint(64, (20000,))
    t.mark("input", images, classes)
    t.now("setup")
    t.weights(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, foreach=False)
    for i in range(5):
        t.now("input")
        picked = torch.randint(20000, (512,))
        x, y = images[picked], classes[picked]
        t.mark("input", picked, x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()


def diffusion(rec):
    t, model = Truth(rec), UNet()
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(3):
        t.now("input")
        clean = torch.randn(8, 3, 64, 64)
        t.mark("input", clean)
        t.now("forward")
        noise = torch.randn_like(clean)
        t.mark("input", noise)
        loss = F.mse_loss(model(clean * 0.7 + noise * 0.3), noise)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()


def two_networks_two_optimizers(rec):
    t, maker, judge = Truth(rec), Mlp(wide=256, out=256), Mlp(wide=256, out=1)
    t.weights(maker, judge)
    one = torch.optim.Adam(maker.parameters(), foreach=False)
    two = torch.optim.Adam(judge.parameters(), foreach=False)
    for _ in range(3):
        t.now("input")
        real, z = torch.randn(512, 256), torch.randn(512, 256)
        t.mark("input", real, z)
        t.now("forward")
        loss = F.softplus(judge(maker(z).detach())).mean() + F.softplus(-judge(real)).mean()
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(judge)
        two.step()
        t.states(two)
        two.zero_grad(set_to_none=True)
        t.now("forward")
        loss = F.softplus(-judge(maker(z))).mean()
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(maker, judge)
        one.step()
        t.states(one)
        one.zero_grad(set_to_none=True)
        two.zero_grad(set_to_none=True)
    t.dump()


SCENES = {f.__name__: (f, {}) for f in (
    mlp_sgd_zero_first, mlp_adam_keeps_grads, encoder_rmsprop_clipped, tagger_adagrad, vae_own_optimizer,
    momentum_by_hand, bf16_with_master_weights, autocast, frozen_features, moving_average, epochs_with_validation,
    predictions_thrown_away, predictions_kept, generation_with_a_static_cache, accumulation_zero_first,
    checkpointed_reentrant, recorded_from_the_middle, inference_recorded_late, resumed_from_a_checkpoint,
    data_set_on_the_card, diffusion, two_networks_two_optimizers)}
# The same without a single frame, and what a state alone says.
SCENES["frameless_training"] = (mlp_adam_keeps_grads, {"frames": False})
SCENES["frameless_encoder"] = (encoder_rmsprop_clipped, {"frames": False})
SCENES["frameless_validation"] = (epochs_with_validation, {"frames": False})
SCENES["state_alone"] = (encoder_rmsprop_clipped, {"trace": False})


def without(snap, options):
    if not options.get("frames", True) or not options.get("trace", True):
        for event in (e for trace in snap["device_traces"] for e in trace):
            event["frames"] = []
        for segment in snap["segments"]:
            segment["frames"] = []
            for block in segment["blocks"]:
                block["frames"] = []
    if not options.get("trace", True):
        snap["device_traces"] = [[]]


def record(name, out):
    scene, options = SCENES[name]
    torch.manual_seed(0)
    gc.collect()
    rec = Recorder(64 * GIB)
    rec.dump_at_oom, rec.grad_enabled = False, torch.is_grad_enabled
    TAP.tap_callback(rec.callback)
    try:
        scene(rec)
    finally:
        shot = getattr(rec, "dumped", None) or rec.snapshot()
        TAP.tap_callback(None)
    without(shot["snap"], options)
    if not options.get("trace", True):
        rec.trace, rec.trace_aid, rec.phases, rec.steps = [], [], [], 0
    truth = rec.truth(shot, {"scene": name, "accepted_causes": ["none"]})
    (out / f"{name}.pickle").write_bytes(pickle.dumps(shot["snap"]))
    (out / f"{name}.truth.json").write_text(json.dumps(truth), encoding="utf-8")
    print(f"{name:34} {len(shot['snap']['device_traces'][0]):6} events", flush=True)


def main():
    torch.set_num_threads(1)
    TAP.tap_install()
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or SCENES:
        record(name, out)


if __name__ == "__main__":
    main()
