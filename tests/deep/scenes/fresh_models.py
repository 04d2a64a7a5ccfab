# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Models for the second set of held-out pairs."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class Seq2Seq(nn.Module):
    """A recurrent encoder, a decoder that runs word by word and looks back at the source."""

    def __init__(self, vocab=1500, d=96, wide=128):
        super().__init__()
        self.embed, self.encoder = nn.Embedding(vocab, d), nn.GRU(d, wide, batch_first=True)
        self.cell, self.look, self.out = nn.GRUCell(d + wide, wide), nn.Linear(wide, wide), nn.Linear(wide, vocab)

    def forward(self, source, target):
        memory, state = self.encoder(self.embed(source))
        state, said = state[-1], []
        keys = self.look(memory)
        for t in range(target.shape[1]):
            weights = torch.bmm(keys, state[:, :, None])[..., 0].softmax(-1)
            seen = torch.bmm(weights[:, None], memory)[:, 0]
            state = self.cell(torch.cat([self.embed(target[:, t]), seen], -1), state)
            said.append(self.out(state))
        return torch.stack(said, 1)


class Expert(nn.Module):
    def __init__(self, d, wide):
        super().__init__()
        self.w1, self.w2, self.w3 = nn.Linear(d, wide, bias=False), nn.Linear(wide, d, bias=False), nn.Linear(d, wide, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Experts(nn.Module):
    """Each token goes to two of the experts."""

    def __init__(self, d, wide, count):
        super().__init__()
        self.gate, self.experts = nn.Linear(d, count, bias=False), nn.ModuleList(Expert(d, wide) for _ in range(count))

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        weights, chosen = torch.topk(self.gate(flat).softmax(-1), 2)
        out = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            rows, place = torch.where(chosen == i)
            out.index_add_(0, rows, expert(flat[rows]) * weights[rows, place, None])
        return out.view_as(x)


class MixedLayer(nn.Module):
    def __init__(self, d, heads, wide, count):
        super().__init__()
        self.heads, self.ln1, self.ln2 = heads, nn.LayerNorm(d), nn.LayerNorm(d)
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.moe = Experts(d, wide, count)

    def forward(self, x):
        b, t, d = x.shape
        y = self.ln1(x)
        q, k, v = (f(y).view(b, t, self.heads, -1).transpose(1, 2) for f in (self.wq, self.wk, self.wv))
        scores = (q @ k.transpose(-1, -2)) / math.sqrt(d // self.heads)
        scores = scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), -1e9)
        x = x + self.wo((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))
        return x + self.moe(self.ln2(x))


class MixedDecoder(nn.Module):
    def __init__(self, vocab=2200, d=128, deep=3, heads=4, wide=192, count=4, longest=256, remake=False):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocab, d), nn.Embedding(longest, d)
        self.layers = nn.ModuleList(MixedLayer(d, heads, wide, count) for _ in range(deep))
        self.ln, self.output, self.remake, self.vocab = nn.LayerNorm(d), nn.Linear(d, vocab), remake, vocab

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.remake else layer(x)
        return self.output(self.ln(x))


class ParallelBlock(nn.Module):
    """Attention and MLP side by side on one norm, queries, keys and values from one matrix."""

    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.input_layernorm = heads, nn.LayerNorm(d)
        self.query_key_value, self.dense = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.dense_h_to_4h, self.dense_4h_to_h = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x, slopes):
        b, t, d = x.shape
        y = self.input_layernorm(x)
        q, k, v = self.query_key_value(y).view(b, t, self.heads, -1).transpose(1, 2).chunk(3, -1)
        scores = torch.baddbmm(slopes.expand(b, -1, -1, -1).reshape(b * self.heads, t, t),
                               q.reshape(b * self.heads, t, -1), k.reshape(b * self.heads, t, -1).transpose(1, 2),
                               alpha=(d // self.heads) ** -0.5)
        p = F.softmax(scores, dim=-1, dtype=torch.float32).to(x.dtype)
        mixed = torch.bmm(p, v.reshape(b * self.heads, t, -1)).view(b, self.heads, t, -1)
        return x + self.dense(mixed.transpose(1, 2).reshape(b, t, d)) + self.dense_4h_to_h(F.gelu(self.dense_h_to_4h(y)))


class ParallelDecoder(nn.Module):
    """Slopes instead of positions, the head tied to the embedding."""

    def __init__(self, vocab=2600, d=144, deep=4, heads=6, remake=False, old=True):
        super().__init__()
        self.word_embeddings, self.first = nn.Embedding(vocab, d), nn.LayerNorm(d)
        self.h, self.ln_f = nn.ModuleList(ParallelBlock(d, heads) for _ in range(deep)), nn.LayerNorm(d)
        self.lm_head, self.heads, self.remake, self.old = nn.Linear(d, vocab, bias=False), heads, remake, old
        self.lm_head.weight = self.word_embeddings.weight

    def forward(self, ids):
        t = ids.shape[1]
        far = (torch.arange(t)[None] - torch.arange(t)[:, None]).to(self.first.weight.dtype)
        slopes = far * 2.0 ** -torch.arange(1, self.heads + 1)[:, None, None].to(far.dtype)
        slopes = slopes.masked_fill(far > 0, torch.finfo(far.dtype).min)
        x = self.first(self.word_embeddings(ids))
        for block in self.h:
            x = checkpoint(block, x, slopes, use_reentrant=self.old) if self.remake else block(x, slopes)
        return self.lm_head(self.ln_f(x))


class WindowBlock(nn.Module):
    """Attention in windows of a picture's patches with a bias per distance."""

    def __init__(self, d, heads, window):
        super().__init__()
        self.heads, self.window = heads, window
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj, self.mlp = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Sequential(
            nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.bias = nn.Parameter(torch.zeros(heads, window ** 2, window ** 2))

    def forward(self, x):
        b, h, w, d = x.shape
        s = self.window
        y = self.norm1(x).view(b, h // s, s, w // s, s, d).permute(0, 1, 3, 2, 4, 5).reshape(-1, s * s, d)
        q, k, v = self.qkv(y).view(-1, s * s, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        p = (q * (d // self.heads) ** -0.5 @ k.transpose(-2, -1) + self.bias).softmax(-1)
        y = self.proj((p @ v).transpose(1, 2).reshape(-1, s * s, d))
        x = x + y.view(b, h // s, w // s, s, s, d).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, d)
        return x + self.mlp(self.norm2(x))


class Windows(nn.Module):
    def __init__(self, d=48, each=(2, 2), heads=3, classes=60):
        super().__init__()
        self.patch, stages = nn.Conv2d(3, d, 4, 4), []
        for i, count in enumerate(each):
            stages += [WindowBlock(d << i, heads << i, 4) for _ in range(count)]
        self.blocks, self.border = nn.ModuleList(stages), each[0]
        self.merge, self.norm, self.head = nn.Linear(4 * d, 2 * d), nn.LayerNorm(2 * d), nn.Linear(2 * d, classes)

    def forward(self, x):
        x = self.patch(x).permute(0, 2, 3, 1)
        for i, block in enumerate(self.blocks):
            if i == self.border:
                x = self.merge(torch.cat([x[:, a::2, c::2] for a in (0, 1) for c in (0, 1)], -1))
            x = block(x)
        return self.head(self.norm(x).mean((1, 2)))


class TimedBlock(nn.Module):
    def __init__(self, a, b, time):
        super().__init__()
        self.norm1, self.conv1, self.time = nn.GroupNorm(4, a), nn.Conv2d(a, b, 3, 1, 1), nn.Linear(time, b)
        self.norm2, self.conv2 = nn.GroupNorm(4, b), nn.Conv2d(b, b, 3, 1, 1)
        self.short = nn.Conv2d(a, b, 1) if a != b else nn.Identity()

    def forward(self, x, t):
        y = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(t))[:, :, None, None]
        return self.conv2(F.silu(self.norm2(y))) + self.short(x)


class Diffusion(nn.Module):
    """Predicts noise: timed blocks, attention in the middle, skips upwards."""

    def __init__(self, w=16):
        super().__init__()
        self.time, self.first = nn.Linear(16, 4 * w), nn.Conv2d(3, w, 3, 1, 1)
        self.down = nn.ModuleList(TimedBlock(a, b, 4 * w) for a, b in ((w, w), (w, 2 * w), (2 * w, 4 * w)))
        self.mid, self.attn = TimedBlock(4 * w, 4 * w, 4 * w), nn.MultiheadAttention(4 * w, 4, batch_first=True)
        self.up = nn.ModuleList(TimedBlock(a, b, 4 * w) for a, b in ((8 * w, 2 * w), (4 * w, w), (2 * w, w)))
        self.last = nn.Conv2d(w, 3, 3, 1, 1)

    def forward(self, x, t):
        t = self.time(torch.cat([t[:, None] * torch.arange(1, 9) / 9, t[:, None] * 2], 1).repeat(1, 2)[:, :16])
        x, skips = self.first(x), []
        for block in self.down:
            x = block(x, t)
            skips.append(x)
            x = F.avg_pool2d(x, 2)
        x = self.mid(x, t)
        flat = x.flatten(2).transpose(1, 2)
        x = x + self.attn(flat, flat, flat)[0].transpose(1, 2).view_as(x)
        for block in self.up:
            x = F.interpolate(x, scale_factor=2.0)
            x = block(torch.cat([x, skips.pop()], 1), t)
        return self.last(x)


class Graph(nn.Module):
    """Messages along edges, summed where they arrive."""

    def __init__(self, d=96, deep=3, classes=10):
        super().__init__()
        self.first = nn.Linear(32, d)
        self.message = nn.ModuleList(nn.Sequential(nn.Linear(2 * d, d), nn.ReLU(), nn.Linear(d, d)) for _ in range(deep))
        self.norms, self.last = nn.ModuleList(nn.BatchNorm1d(d) for _ in range(deep)), nn.Linear(d, classes)

    def forward(self, x, edges, graph, count):
        x = F.relu(self.first(x))
        for message, norm in zip(self.message, self.norms):
            sent = message(torch.cat([x[edges[0]], x[edges[1]]], -1))
            x = x + F.relu(norm(torch.zeros_like(x).index_add(0, edges[1], sent)))
        return self.last(torch.zeros(count, x.shape[1]).index_add(0, graph, x))


class Waves(nn.Module):
    """Dilated convolutions over time, gated, a sum of all skips."""

    def __init__(self, w=48, deep=6, levels=128):
        super().__init__()
        self.embed, self.levels = nn.Embedding(levels, w), levels
        self.dilated = nn.ModuleList(nn.Conv1d(w, 2 * w, 3, padding=2 << i, dilation=1 << i) for i in range(deep))
        self.mixing, self.out = nn.ModuleList(nn.Conv1d(w, 2 * w, 1) for _ in range(deep)), nn.Conv1d(w, levels, 1)

    def forward(self, ids):
        x, total = self.embed(ids).transpose(1, 2), 0
        for dilated, mixing in zip(self.dilated, self.mixing):
            a, b = dilated(x)[..., :x.shape[-1]].chunk(2, 1)
            kept, skip = mixing(torch.tanh(a) * torch.sigmoid(b)).chunk(2, 1)
            x, total = x + kept, total + skip
        return self.out(F.relu(total))


class Speech(nn.Module):
    """Convolutions over a spectrum, an encoder, and a decoder that reads it: the library's layers, one by one."""

    def __init__(self, vocab=2000, d=112, heads=4, deep=3, longest=128):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(40, d, 3, 1, 1), nn.Conv1d(d, d, 3, 2, 1)
        self.encoder = nn.ModuleList(nn.TransformerEncoderLayer(d, heads, 4 * d, 0.0, "gelu", batch_first=True, norm_first=True)
                                     for _ in range(deep))
        self.words, self.places = nn.Embedding(vocab, d), nn.Embedding(longest, d)
        self.decoder = nn.ModuleList(nn.TransformerDecoderLayer(d, heads, 4 * d, 0.0, "gelu", batch_first=True, norm_first=True)
                                     for _ in range(deep))
        self.norm = nn.LayerNorm(d)

    def forward(self, sound, words):
        x = F.gelu(self.conv2(F.gelu(self.conv1(sound)))).transpose(1, 2)
        for layer in self.encoder:
            x = layer(x)
        t = words.shape[1]
        y, mask = self.words(words) + self.places(torch.arange(t)), torch.full((t, t), float("-inf")).triu(1)
        for layer in self.decoder:
            y = layer(y, x, tgt_mask=mask)
        return self.norm(y) @ self.words.weight.t()


class Clicks(nn.Module):
    """Embeddings of many kinds, their products, and a deep part."""

    def __init__(self, kinds=6, rows=4000, d=32, wide=256):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, d) for _ in range(kinds))
        self.dense = nn.Sequential(nn.Linear(13, wide), nn.ReLU(), nn.Linear(wide, d), nn.ReLU())
        pairs = (kinds + 1) * kinds // 2
        self.top = nn.Sequential(nn.Linear(d + pairs, wide), nn.ReLU(), nn.Linear(wide, wide), nn.ReLU(), nn.Linear(wide, 1))

    def forward(self, numbers, ids):
        x = self.dense(numbers)
        rows = torch.stack([x] + [table(ids[:, i]) for i, table in enumerate(self.tables)], 1)
        a, b = torch.triu_indices(rows.shape[1], rows.shape[1], 1)
        return self.top(torch.cat([x, torch.bmm(rows, rows.transpose(1, 2))[:, a, b]], 1))[:, 0]
