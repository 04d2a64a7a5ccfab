# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Runs that run out of memory outside of plain training: evaluation, generation, leaks, holes, several models; and runs
that do not run out. DEATHS as in deaths.py."""

import random

import torch
import torch.nn.functional as F
from deaths import LanguageModel
from models import Encoder, Mlp, ResNet, UNet
from torch import nn


def trained(model, steps, batch, wide, classes=64):
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(steps):
        x, y = torch.randn(batch, wide), torch.randint(classes, (batch,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return optimizer


def hidden_states_collected(rec):
    model = Mlp(wide=256, out=2048)
    optimizer = trained(model, 2, 64, 256)
    model.eval()
    features = []
    with torch.no_grad():
        for _ in range(100):
            x = torch.randn(128, 256)
            features.append(model(x))
    return features, optimizer


def validation_without_no_grad(rec):
    model = ResNet(w=24)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(3):
        x, y = torch.randn(16, 3, 32, 32), torch.randint(64, (16,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    model.eval()
    total = 0
    for _ in range(40):
        x, y = torch.randn(16, 3, 32, 32), torch.randint(64, (16,))
        total = total + F.cross_entropy(model(x), y)
    return total


def validation_in_larger_batches(rec):
    model = UNet(w=16)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(2):
        for _ in range(2):
            x = torch.randn(4, 3, 64, 64)
            loss = F.mse_loss(model(x), x)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        model.eval()
        with torch.no_grad():
            for _ in range(2):
                x = torch.randn(64, 3, 64, 64)
                F.mse_loss(model(x), x).item()
        model.train()


def one_long_validation_batch(rec):
    model = Encoder(d=128, deep=3)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for length in (48, 64, 56):
        x, y = torch.randint(2000, (16, length)), torch.randint(20, (16,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    model.eval()
    right = 0
    with torch.no_grad():
        for length in (48, 64, 40, 700):
            x, y = torch.randint(2000, (16, length)), torch.randint(20, (16,))
            right += (model(x).argmax(-1) == y).sum().item()
    return right


class Decoder(nn.Module):
    def __init__(self, d=128, deep=4, vocab=1000):
        super().__init__()
        self.embed, self.head = nn.Embedding(vocab, d), nn.Linear(d, vocab)
        self.qkv = nn.ModuleList(nn.Linear(d, 3 * d) for _ in range(deep))

    def forward(self, token, past):
        x = self.embed(token)
        for i, layer in enumerate(self.qkv):
            q, k, v = layer(x).chunk(3, -1)
            if past[i] is not None:
                k, v = torch.cat([past[i][0], k], 1), torch.cat([past[i][1], v], 1)
            past[i] = (k, v)
            x = x + torch.softmax(q @ k.transpose(1, 2), -1) @ v
        return self.head(x)


def generation_too_long(rec):
    model = Decoder().eval()
    token, past = torch.zeros(64, 1, dtype=torch.long), [None] * 4
    with torch.no_grad():
        for _ in range(400):
            token = model(token, past)[:, -1:].argmax(-1)


class Cached(nn.Module):
    """Room for the cache is made before generation begins."""

    def __init__(self, d=128, deep=4, vocab=1000):
        super().__init__()
        self.embed, self.head = nn.Embedding(vocab, d), nn.Linear(d, vocab)
        self.qkv = nn.ModuleList(nn.Linear(d, 3 * d) for _ in range(deep))

    def forward(self, token, at, keys, values):
        x = self.embed(token)
        for i, layer in enumerate(self.qkv):
            q, keys[i][:, at], values[i][:, at] = layer(x).chunk(3, -1)
            weights = torch.softmax(torch.einsum("bd,btd->bt", q, keys[i][:, : at + 1]), -1)
            x = x + torch.einsum("bt,btd->bd", weights, values[i][:, : at + 1])
        return self.head(x)

    @torch.no_grad()
    def generate(self, batch, tokens):
        keys = [torch.zeros(batch, 512, 128) for _ in self.qkv]
        values = [torch.zeros(batch, 512, 128) for _ in self.qkv]
        token = torch.zeros(batch, dtype=torch.long)
        for at in range(tokens):
            token = self(token, at, keys, values).argmax(-1)


def static_cache_too_large(rec):
    model = Cached().eval()
    model.generate(8, 24)
    model.generate(96, 24)


def outputs_kept_every_step(rec):
    model, history = Mlp(wide=512, out=1024), []
    optimizer = torch.optim.SGD(model.parameters(), 0.01, foreach=False)
    for _ in range(40):
        x, y = torch.randn(128, 512), torch.randint(1024, (128,))
        out = model(x)
        loss = F.cross_entropy(out, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        history.append((loss, out))


def graph_of_a_metric_kept(rec):
    model, regularity = Mlp(wide=256, deep=3), 0
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(40):
        x, y = torch.randn(512, 256), torch.randint(64, (512,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        regularity = regularity + model(x).pow(2).mean()


def hooks_store_activations(rec):
    model, seen = Mlp(wide=384), {}
    for name, layer in model.named_modules():
        if isinstance(layer, nn.Linear):
            layer.register_forward_hook(lambda m, i, o, name=name: seen.setdefault(name, []).append(o))
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(40):
        x, y = torch.randn(192, 384), torch.randint(64, (192,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def queue_of_embeddings(rec):
    """A memory bank that is never cut."""
    model, bank = ResNet(w=16, out=256), []
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, foreach=False)
    for _ in range(60):
        x = torch.randn(96, 3, 16, 16)
        z = F.normalize(model(x), dim=-1)
        loss = -(z @ z.T).logsumexp(-1).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        bank.append(x)


def errors_kept(rec):
    """Each failed batch is skipped and its exception kept, with all that its frames hold."""
    model, errors = Mlp(wide=384), []
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)

    def train_on(x, y):
        out = model(x)
        if len(y) != len(x):
            raise ValueError("sizes differ")
        loss = F.cross_entropy(out, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    for i in range(60):
        x, y = torch.randn(256, 384), torch.randint(64, (255 + (i % 2),))
        try:
            train_on(x, y)
        except ValueError as error:
            errors.append(error)


def holes_of_changing_shapes(rec):
    rng, model, replay_buffer = random.Random(3), Encoder(d=96, deep=2), []
    optimizer = torch.optim.Adam(model.parameters(), foreach=False)
    for _ in range(2):
        x, y = torch.randint(2000, (8, 32)), torch.randint(20, (8,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    for i in range(500):
        replay_buffer.append(torch.zeros(rng.randrange(70_000, 200_000)))
        if len(replay_buffer) > 40:
            del replay_buffer[rng.randrange(len(replay_buffer))]
        if i % 4 == 3:
            torch.zeros(int(300_000 + 4_000 * i)).sum().item()


def checkpoint_beside_the_model(rec):
    saved = {f"layer{i}.weight": torch.zeros(1024, 1024) for i in range(24)}
    model = nn.ModuleList(nn.Linear(1024, 1024, bias=False) for _ in range(24))
    for layer, weight in zip(model, saved.values()):
        layer.weight.data.copy_(weight)
    return model


def earlier_model_left(rec):
    first = Mlp(wide=1024, deep=10)
    first_optimizer = trained(first, 2, 8, 1024)
    second = Mlp(wide=1024, deep=10)
    second_optimizer = trained(second, 2, 8, 1024)
    return first_optimizer, second_optimizer


def four_models_side_by_side(rec):
    actor, reference = Mlp(wide=1024, deep=8, out=512), Mlp(wide=1024, deep=8, out=512)
    reward, critic = Mlp(wide=1024, deep=8, out=1), Mlp(wide=1024, deep=8, out=1)
    optimizer = torch.optim.AdamW([*actor.parameters(), *critic.parameters()], foreach=False)
    for _ in range(2):
        x = torch.randn(16, 1024)
        with torch.no_grad():
            base, score = torch.log_softmax(reference(x), -1), reward(x)
        logp, value = torch.log_softmax(actor(x), -1), critic(x)
        loss = ((logp - base).pow(2).mean() - score.mean()) + (value - score).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def prefetch_on_a_second_stream(rec):
    """A small batch keeps the segment of a large one from being given back."""
    model = Mlp(wide=256)
    optimizer = trained(model, 2, 4096, 256)
    rec.use(stream=7)
    ahead = torch.zeros(65536, 256)
    del ahead
    ahead = torch.zeros(1024, 256)
    rec.use()
    x, y = torch.randn(4096, 256), torch.randint(64, (4096,))
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    return ahead


def graphs_in_private_pools(rec):
    model = Mlp(wide=256)
    optimizer = trained(model, 2, 64, 256)
    for pool, size in enumerate((1024, 2048, 3072), start=1):
        rec.use(pool=pool)
        with torch.no_grad():
            model(torch.randn(size, 256))
    rec.use()
    x, y = torch.randn(64, 256), torch.randint(64, (64,))
    F.cross_entropy(model(x), y).backward()
    optimizer.step()


def fine_training(rec):
    trained(Mlp(wide=512), 3, 128, 512)


def fine_inference(rec):
    model = Encoder(deep=4).eval()
    with torch.no_grad():
        for _ in range(6):
            model(torch.randint(2000, (64, 64))).argmax(-1).sum().item()


def fine_evaluation(rec):
    model = UNet(w=12)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(3):
        x = torch.randn(8, 3, 48, 48)
        loss = F.mse_loss(model(x), x)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    model.eval()
    with torch.no_grad():
        for _ in range(3):
            x = torch.randn(16, 3, 48, 48)
            F.mse_loss(model(x), x).item()


def fine_language_model(rec):
    model = LanguageModel(4000)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    for _ in range(3):
        x = torch.randint(4000, (8, 64))
        loss = F.cross_entropy(model(x).flatten(0, 1), x.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


ROOMY = 60
DEATHS = {
    "hidden_states_collected": (hidden_states_collected, 1.0, ["evaluation-accumulation"]),
    "validation_without_no_grad": (
        validation_without_no_grad, 3, ["evaluation-accumulation", "evaluation-batch", "leak"]),
    "validation_in_larger_batches": (validation_in_larger_batches, 2, ["evaluation-batch"]),
    "one_long_validation_batch": (one_long_validation_batch, 2, ["evaluation-batch", "longest-batch"]),
    "generation_too_long": (generation_too_long, 1.5, ["kv-cache"]),
    "static_cache_too_large": (static_cache_too_large, 2.5, ["kv-cache"]),
    "outputs_kept_every_step": (outputs_kept_every_step, 0.5, ["leak"]),
    "graph_of_a_metric_kept": (graph_of_a_metric_kept, 1.5, ["leak"]),
    "hooks_store_activations": (hooks_store_activations, 1.0, ["leak"]),
    "queue_of_embeddings": (queue_of_embeddings, 0.4, ["leak"]),
    "errors_kept": (errors_kept, 1.2, ["leak"]),
    "holes_of_changing_shapes": (holes_of_changing_shapes, 0.6, ["fragmentation"]),
    "checkpoint_beside_the_model": (checkpoint_beside_the_model, 2.5, ["loading", "model-states"]),
    "earlier_model_left": (earlier_model_left, 4, ["model-states", "optimizer-state"]),
    "four_models_side_by_side": (four_models_side_by_side, 4, ["model-states", "optimizer-state"]),
    "prefetch_on_a_second_stream": (prefetch_on_a_second_stream, 1.8, ["fragmentation"]),
    "graphs_in_private_pools": (graphs_in_private_pools, 0.42, ["private-pools"]),
    "fine_training": (fine_training, ROOMY, ["none"]),
    "fine_inference": (fine_inference, ROOMY, ["none"]),
    "fine_evaluation": (fine_evaluation, ROOMY, ["none"]),
    "fine_language_model": (fine_language_model, ROOMY, ["none"]),
}
