# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The parts that drawn models are made of: each in the several ways in which people write it."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class RootMeanSquare(nn.Module):
    """A norm written by hand."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def norm(kind, width):
    return RootMeanSquare(width) if kind == "root_mean_square" else nn.LayerNorm(width)


def turned(x):
    """Rotary positions, by hand."""
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2], device=x.device)[:, None] * 10000.0 ** -torch.linspace(0, 1, half)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class Attention(nn.Module):
    """Self-attention: `how` is one of HOWS."""

    HOWS = ("einsum", "matmul", "function", "library", "fused")

    def __init__(self, width, heads, groups=None, how="matmul", is_causal=True, rotates=False, dropout=0.0, bias=False):
        super().__init__()
        self.heads, self.groups, self.how = heads, groups or heads, how
        self.is_causal, self.rotates, self.dropout = is_causal, rotates, dropout
        if how == "library":
            self.inner = nn.MultiheadAttention(width, heads, dropout=dropout, bias=bias, batch_first=True)
            return
        head = width // heads
        self.q = nn.Linear(width, width, bias=bias)
        self.k, self.v = (nn.Linear(width, self.groups * head, bias=bias) for _ in range(2))
        self.o = nn.Linear(width, width, bias=bias)

    def split(self, x, heads):
        return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)

    def weighted(self, q, k, v, mask):
        scale = q.shape[-1] ** -0.5
        if self.how == "fused":
            return F.scaled_dot_product_attention(q, k, v, is_causal=self.is_causal)
        if self.how == "einsum":
            w = torch.einsum("bhle,bhme->bhlm", q, k) * scale
            w = w if mask is None else w + mask
            w = (w - w.amax(-1, keepdim=True)).exp()
            return torch.einsum("bhlm,bhme->bhle", w / w.sum(-1, keepdim=True), v)
        w = q @ k.transpose(-1, -2) * scale
        w = w if mask is None else w.masked_fill(mask < 0, -1e9) if self.how == "function" else w + mask
        w = torch.softmax(w, -1)
        return F.dropout(w, self.dropout, self.training) @ v

    def forward(self, x, mask):
        if self.how == "library":
            return self.inner(x, x, x, attn_mask=mask, need_weights=False)[0]
        q, k, v = self.split(self.q(x), self.heads), self.split(self.k(x), self.groups), self.split(self.v(x), self.groups)
        if self.rotates:
            q, k = turned(q), turned(k)
        if self.groups != self.heads:
            k, v = (t.repeat_interleave(self.heads // self.groups, 1) for t in (k, v))
        y = self.weighted(q, k, v, mask)
        return self.o(y.transpose(1, 2).reshape(x.shape))


class FeedForward(nn.Module):
    HOWS = ("gelu", "relu", "gated", "squared")

    def __init__(self, width, inner, how, bias=False):
        super().__init__()
        self.how = how
        self.up, self.down = nn.Linear(width, inner, bias=bias), nn.Linear(inner, width, bias=bias)
        if how == "gated":
            self.gate = nn.Linear(width, inner, bias=bias)

    def forward(self, x):
        y = self.up(x)
        if self.how == "gated":
            return self.down(F.silu(self.gate(x)) * y)
        return self.down(F.gelu(y) if self.how == "gelu" else F.relu(y) if self.how == "relu" else F.relu(y) ** 2)


class Block(nn.Module):
    def __init__(self, width, attention, feed_forward, norms, comes_first=True, dropout=0.0):
        super().__init__()
        self.attention, self.feed_forward = attention, feed_forward
        self.one, self.two = norm(norms, width), norm(norms, width)
        self.comes_first, self.dropout = comes_first, dropout

    def forward(self, x, mask):
        drop = lambda t: F.dropout(t, self.dropout, self.training) if self.dropout else t
        if self.comes_first:
            x = x + drop(self.attention(self.one(x), mask))
            return x + drop(self.feed_forward(self.two(x)))
        x = self.one(x + drop(self.attention(x, mask)))
        return self.two(x + drop(self.feed_forward(x)))


class Decoder(nn.Module):
    """Tokens to logits."""

    def __init__(self, blocks, width, vocabulary, length, norms, learns_places, is_tied, remakes=False):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.places = nn.Parameter(torch.randn(length, width) / math.sqrt(width)) if learns_places else None
        self.blocks, self.norm = nn.ModuleList(blocks), norm(norms, width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        if is_tied:
            self.head.weight = self.table.weight
        self.register_buffer("mask", torch.full((length, length), -1e9).triu(1))
        self.remakes = remakes

    def forward(self, tokens):
        length = tokens.shape[1]
        x = self.table(tokens)
        x = x if self.places is None else x + self.places[:length]
        for block in self.blocks:
            mask = self.mask[:length, :length]
            x = checkpoint(block, x, mask, use_reentrant=False) if self.remakes else block(x, mask)
        return self.head(self.norm(x))


class Encoder(nn.Module):
    """Rows (tokens, patches or frames) to one of few classes per sample."""

    def __init__(self, entry, blocks, width, rows, classes, norms):
        super().__init__()
        self.entry, self.blocks = entry, nn.ModuleList(blocks)
        self.places, self.norm = nn.Parameter(torch.zeros(rows, width)), norm(norms, width)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.entry(x)
        x = x + self.places[:x.shape[1]]
        for block in self.blocks:
            x = block(x, None)
        return self.head(self.norm(x).mean(1))


class Patches(nn.Module):
    def __init__(self, width, side):
        super().__init__()
        self.inner = nn.Conv2d(3, width, side, side)

    def forward(self, x):
        return self.inner(x).flatten(2).transpose(1, 2)


class Residual(nn.Module):
    """Two convolutions and a shortcut."""

    def __init__(self, width, norms="batch"):
        super().__init__()
        make = (lambda: nn.BatchNorm2d(width)) if norms == "batch" else (lambda: nn.GroupNorm(8, width))
        self.inner = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), make(), nn.ReLU(),
                                   nn.Conv2d(width, width, 3, 1, 1, bias=False), make())

    def forward(self, x):
        return F.relu(x + self.inner(x))


class Recurrence(nn.Module):
    """A cell of one's own, step by step over time."""

    def __init__(self, width, state):
        super().__init__()
        self.enter, self.turn = nn.Linear(width, 2 * state), nn.Linear(state, 2 * state, bias=False)
        self.state = state

    def forward(self, x):
        h, all_of_them = x.new_zeros(x.shape[0], self.state), []
        for t in range(x.shape[1]):
            gate, new = (self.enter(x[:, t]) + self.turn(h)).chunk(2, -1)
            gate = torch.sigmoid(gate)
            h = gate * h + (1 - gate) * torch.tanh(new)
            all_of_them.append(h)
        return torch.stack(all_of_them, 1)


class Scan(nn.Module):
    """A diagonal state space: a convolution over time, then a loop over a state."""

    def __init__(self, width, states):
        super().__init__()
        self.near = nn.Conv1d(width, width, 4, padding=3, groups=width)
        self.decay = nn.Parameter(torch.rand(width, states))
        self.enter, self.leave = nn.Linear(width, states), nn.Linear(width, states)

    def forward(self, x):
        y = F.silu(self.near(x.transpose(1, 2))[..., :x.shape[1]].transpose(1, 2))
        b, c = self.enter(y), self.leave(y)
        h, outputs = x.new_zeros(x.shape[0], x.shape[2], b.shape[-1]), []
        for t in range(x.shape[1]):
            h = torch.sigmoid(self.decay) * h + y[:, t, :, None] * b[:, t, None]
            outputs.append((h * c[:, t, None]).sum(-1))
        return x + torch.stack(outputs, 1)
