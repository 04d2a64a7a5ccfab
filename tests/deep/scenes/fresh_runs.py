# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Trainings for the second set of held-out pairs: gradients cleared in many places, two optimizers, frozen models beside
the trained one, steps that call the loss."""

import copy
import itertools

import fresh_models as models
import held_models
import torch
import torch.nn.functional as F
from autocast import autocast as on_a_gpu
from held_runs import OPTIMIZERS, trained
from models import Critic, Generator
from pair_runs import Adapter
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential


def cross(logits, wanted):
    return F.cross_entropy(logits.view(-1, logits.size(-1)), wanted.reshape(-1))


def seq2seq(rec, B=12, T=24, steps=3, opt="adam", **shape):
    model = models.Seq2Seq(**shape)
    optimizer, vocab = OPTIMIZERS[opt](model.parameters()), model.out.out_features
    for _ in range(steps):
        source, target = torch.randint(vocab, (B, T)), torch.randint(vocab, (B, T + 1))
        loss = F.nll_loss(F.log_softmax(model(source, target[:, :-1]), -1).view(-1, vocab), target[:, 1:].reshape(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 1.0)
        optimizer.step()


def mixed(rec, B=6, T=64, steps=3, opt="adamw", micro=1, **shape):
    """Gradients are cleared between forward and backward."""
    model = models.MixedDecoder(**shape)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        for i in range(micro):
            ids = torch.randint(model.vocab, (B, T + 1))
            loss = cross(model(ids[:, :-1]), ids[:, 1:]) / micro
            if i == 0:
                optimizer.zero_grad(set_to_none=True)
            loss.backward()
        optimizer.step()


def parallel(rec, B=4, T=72, steps=3, opt="adamw", micro=1, autocast=False, rank=0, **shape):
    """Counts micro-batches over the whole run; with a rank, adapters on the joined matrix of the attention."""
    model = models.ParallelDecoder(**shape)
    if rank:
        model.requires_grad_(False)
        for block in model.h:
            block.query_key_value = Adapter(block.query_key_value, rank)
    optimizer = OPTIMIZERS[opt](trained(model))
    for i in itertools.count(1):
        ids = torch.randint(2600, (B, T))
        with on_a_gpu(autocast):
            logits = model(ids)
            loss = cross(logits[:, :-1].contiguous(), ids[:, 1:])
        (loss / micro).backward()
        if i % micro == 0:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        if i == steps * micro:
            return


def windows(rec, B=10, side=64, steps=3, opt="adamw", **shape):
    model = models.Windows(**shape)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        loss = F.cross_entropy(model(torch.rand(B, 3, side, side)), torch.randint(60, (B,)), label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def diffusion(rec, B=8, side=32, steps=3, opt="adamw", micro=1, averaged=True, w=16):
    """Learns noise, beside an average of its weights."""
    model = models.Diffusion(w)
    average = copy.deepcopy(model).requires_grad_(False) if averaged else None
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        for _ in range(micro):
            clean, t = torch.rand(B, 3, side, side), torch.rand(B)
            noise = torch.randn_like(clean)
            noisy = clean * (1 - t[:, None, None, None]) + noise * t[:, None, None, None]
            loss = ((model(noisy, t) - noise) ** 2).mean() / micro
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if averaged:
            with torch.no_grad():
                for a, p in zip(average.parameters(), model.parameters()):
                    a.lerp_(p, 0.01)


def adversaries(rec, B=24, steps=3, opt="adam"):
    """Two models with an optimizer each take turns."""
    generator, critic = Generator(), Critic()
    of_generator, of_critic = OPTIMIZERS[opt](generator.parameters()), OPTIMIZERS[opt](critic.parameters())
    for _ in range(steps):
        real = torch.rand(B, 3, 32, 32)
        made = generator(torch.randn(B, 64, 1, 1))
        critic.zero_grad(set_to_none=True)
        loss = F.softplus(-critic(real)).mean() + F.softplus(critic(made.detach())).mean()
        loss.backward()
        of_critic.step()
        generator.zero_grad(set_to_none=True)
        loss = F.softplus(-critic(made)).mean()
        loss.backward()
        of_generator.step()


def contrast(rec, B=256, steps=3, opt="momentum"):
    """Two views of each picture against all others: as many scores as the square of four batches."""
    net = nn.Sequential(nn.Conv2d(3, 24, 3, 2, 1), nn.BatchNorm2d(24), nn.ReLU(), nn.Conv2d(24, 48, 3, 2, 1),
                        nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(48, 48))
    optimizer = OPTIMIZERS[opt](net.parameters())
    for _ in range(steps):
        views = torch.rand(2 * B, 3, 16, 16)
        z = F.normalize(net(views), dim=1)
        scores = (z @ z.t() / 0.2).masked_fill(torch.eye(2 * B, dtype=torch.bool), -1e9)
        loss = F.cross_entropy(scores, torch.arange(2 * B).roll(B))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def graphs(rec, B=64, steps=3, opt="adam", d=96, micro=1):
    """A batch of graphs of 24 nodes and 96 edges is one graph of all."""
    model = models.Graph(d)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        for _ in range(micro):
            x, edges = torch.rand(24 * B, 32), torch.randint(24 * B, (2, 96 * B))
            out = model(x, edges, torch.arange(B).repeat_interleave(24), B)
            F.cross_entropy(out, torch.randint(10, (B,))).backward()
        optimizer.step()


def likelihoods(model, ids):
    logits = model(ids[:, :-1]).log_softmax(-1)
    return logits.gather(2, ids[:, 1:, None])[..., 0].sum(-1)


def preferences(rec, B=4, T=48, steps=3, opt="adamw", rank=0, remake=0, **shape):
    """A frozen copy beside the trained model; wanted and unwanted texts in one batch."""
    model = held_models.Decoder(remake=remake, **shape)
    reference = copy.deepcopy(model).requires_grad_(False).eval()
    if rank:
        model.requires_grad_(False)
        for layer in model.layers:
            for name in ("q_proj", "v_proj"):
                setattr(layer.attn, name, Adapter(getattr(layer.attn, name), rank))
    optimizer = OPTIMIZERS[opt](trained(model))
    for _ in range(steps):
        ids = torch.randint(model.vocab, (2 * B, T + 1))
        with torch.no_grad():
            known = likelihoods(reference, ids)
        margin = likelihoods(model, ids) - known
        loss = -F.logsigmoid(0.1 * (margin[:B] - margin[B:])).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def distilled(rec, B=6, T=64, steps=3, opt="adamw"):
    """A large model teaches a small one."""
    teacher = held_models.OldGpt(d=192, deep=6).eval().requires_grad_(False)
    model = held_models.OldGpt(d=96, deep=3)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        ids = torch.randint(1536, (B, T))
        with torch.no_grad():
            _, wanted = teacher(ids, ids)
        hard, said = model(ids, ids)
        loss = hard + F.kl_div(F.log_softmax(said / 2, -1), F.softmax(wanted / 2, -1), reduction="batchmean")
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def called_back(rec, B=16, side=32, steps=3, opt="momentum", w=12):
    """The optimizer calls the loss of a network of pictures."""
    model = held_models.BottleNet(w)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        x, y = torch.rand(B, 3, side, side), torch.randint(30, (B,))

        def closure():
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            return loss

        optimizer.step(closure)


def quasi_newton(rec, B=512, steps=2, wide=128):
    """Each step calls the loss several times and keeps what it learned of the curvature."""
    model = nn.Sequential(nn.Linear(64, wide), nn.Tanh(), nn.Linear(wide, wide), nn.Tanh(), nn.Linear(wide, 1))
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4, history_size=5)
    for _ in range(steps):
        x, y = torch.randn(B, 64), torch.randn(B, 1)

        def closure():
            optimizer.zero_grad(set_to_none=True)
            loss = F.mse_loss(model(x), y)
            loss.backward()
            return loss

        optimizer.step(closure)


def waves(rec, B=6, T=512, steps=3, opt="adam", **shape):
    model = models.Waves(**shape)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        ids = torch.randint(model.levels, (B, T + 1))
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(ids[:, :-1]), ids[:, 1:]).backward()
        optimizer.step()


def speech(rec, B=6, T=40, heard=120, steps=3, opt="adamw", micro=1, **shape):
    model = models.Speech(**shape)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        for _ in range(micro):
            sound, words = torch.rand(B, 40, heard), torch.randint(2000, (B, T + 1))
            loss = F.cross_entropy(model(sound, words[:, :-1]).transpose(1, 2), words[:, 1:])
            loss.backward()
        optimizer.step()
        for p in model.parameters():
            p.grad = None


def clicks(rec, B=2048, steps=3, opt="adagrad", **shape):
    model = models.Clicks(**shape)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        said = model(torch.rand(B, 13), torch.randint(4000, (B, 6)))
        loss = F.binary_cross_entropy_with_logits(said, torch.rand(B).round())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def in_stretches(rec, B=128, deep=12, wide=256, stretches=0, steps=3, opt="adamw"):
    """A deep plain network, made again in stretches of layers on demand."""
    layers = [nn.Sequential(nn.Linear(wide, 4 * wide), nn.GELU(), nn.Linear(4 * wide, wide), nn.LayerNorm(wide))
              for _ in range(deep)]
    first, body, last = nn.Linear(40, wide), nn.Sequential(*layers), nn.Linear(wide, 20)
    optimizer = OPTIMIZERS[opt]([*first.parameters(), *body.parameters(), *last.parameters()])
    for _ in range(steps):
        x = first(torch.rand(B, 40))
        x = checkpoint_sequential(body, stretches, x) if stretches else body(x)
        loss = F.cross_entropy(last(x), torch.randint(20, (B,)))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def kept_features(rec, batches=50, keep=0, B=32):
    """Trains, then collects the features of many pictures."""
    model = models.Windows()
    optimizer = OPTIMIZERS["adamw"](model.parameters())
    for _ in range(2):
        F.cross_entropy(model(torch.rand(8, 3, 64, 64)), torch.randint(60, (8,))).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    model.head = nn.Identity()
    model.eval()
    features, away = [], []
    with torch.inference_mode():
        for i in range(batches):
            features.append(model.patch(torch.rand(B, 3, 64, 64)))
            if keep and (i + 1) % keep == 0:
                away.append(torch.cat(features).sum().item())
                features = []
