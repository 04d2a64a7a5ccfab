# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Small models and an optimizer for the scenes."""

import torch
import torch.nn.functional as F
from torch import nn


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


class ResNet(nn.Module):
    def __init__(self, w=24, out=64):
        super().__init__()
        self.stem = nn.Conv2d(3, w, 3, 1, 1, bias=False)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.BatchNorm2d(w), nn.ReLU(), nn.Conv2d(w, w, 3, 1, 1, bias=False)) for _ in range(4))
        self.out = nn.Linear(w, out)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = x + block(x)
        return self.out(x.mean((2, 3)))


class Recommender(nn.Module):
    def __init__(self, users=20000, items=5000, d=64):
        super().__init__()
        self.users, self.items = nn.Embedding(users, d), nn.Embedding(items, d)
        self.body = nn.Sequential(nn.Linear(2 * d, 128), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, users, items):
        return self.body(torch.cat([self.users(users), self.items(items)], -1)).squeeze(-1)
