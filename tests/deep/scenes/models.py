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


class Seq2Seq(nn.Module):
    def __init__(self, vocab=2000, d=128):
        super().__init__()
        self.source, self.target = nn.Embedding(vocab, d), nn.Embedding(vocab, d)
        self.encoder, self.decoder = nn.LSTM(d, 2 * d, batch_first=True), nn.LSTM(d, 2 * d, batch_first=True)
        self.attend, self.out = nn.Linear(4 * d, 2 * d), nn.Linear(2 * d, vocab)

    def forward(self, source, target):
        memory, state = self.encoder(self.source(source))
        x, _ = self.decoder(self.target(target), state)
        weights = torch.softmax(torch.bmm(x, memory.transpose(1, 2)), -1)
        return self.out(torch.tanh(self.attend(torch.cat([x, torch.bmm(weights, memory)], -1))))


class Generator(nn.Module):
    def __init__(self, z=64, w=32):
        super().__init__()
        def up(a, b, stride, pad):
            return nn.Sequential(nn.ConvTranspose2d(a, b, 4, stride, pad, bias=False), nn.BatchNorm2d(b), nn.ReLU(True))
        self.body = nn.Sequential(up(z, 4 * w, 1, 0), up(4 * w, 2 * w, 2, 1), up(2 * w, w, 2, 1))
        self.last = nn.ConvTranspose2d(w, 3, 4, 2, 1)

    def forward(self, z):
        return torch.tanh(self.last(self.body(z)))


class Critic(nn.Module):
    def __init__(self, w=32):
        super().__init__()
        def down(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True))
        self.body, self.last = nn.Sequential(down(3, w), down(w, 2 * w), down(2 * w, 4 * w)), nn.Conv2d(4 * w, 1, 4)

    def forward(self, x):
        return self.last(self.body(x)).view(-1)


class TextEncoder(nn.Module):
    def __init__(self, vocab=1500, d=96, out=64):
        super().__init__()
        self.embed, self.rnn, self.out = nn.Embedding(vocab, d), nn.GRU(d, d, 2, batch_first=True), nn.Linear(d, out)

    def forward(self, tokens):
        return self.out(self.rnn(self.embed(tokens))[1][-1])


class Policy(nn.Module):
    def __init__(self, vocab=1000, d=128, deep=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        layer = nn.TransformerEncoderLayer(d, 4, 4 * d, dropout=0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, deep, enable_nested_tensor=False)
        self.act, self.value = nn.Linear(d, vocab), nn.Linear(d, 1)

    def forward(self, tokens):
        x = self.body(self.embed(tokens))
        return self.act(x), self.value(x).squeeze(-1)


class Segmenter(nn.Module):
    def __init__(self, w=16, classes=8):
        super().__init__()
        def block(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True))
        self.down, self.deep, self.up = block(3, w), block(w, 3 * w), nn.ConvTranspose2d(3 * w, w, 2, 2)
        self.join, self.last = block(2 * w, w), nn.Conv2d(w, classes, 1)

    def forward(self, x):
        a = self.down(x)
        b = self.up(self.deep(F.max_pool2d(a, 2)))
        return self.last(self.join(torch.cat([a, b], 1)))


class Language(nn.Module):
    """A decoder whose head is its embedding."""

    def __init__(self, vocab=1200, d=128, deep=3, longest=64):
        super().__init__()
        self.embed, self.places = nn.Embedding(vocab, d), nn.Embedding(longest, d)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(d, 4, 4 * d, batch_first=True) for _ in range(deep))
        self.head = nn.Linear(d, vocab, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        n = tokens.size(1)
        mask = torch.triu(torch.full((n, n), float("-inf")), 1)
        x = self.embed(tokens) + self.places(torch.arange(n))
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x)
