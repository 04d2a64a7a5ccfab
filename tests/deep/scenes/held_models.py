# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Models for the held-out pairs, each in the habits of another family of code."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class RmsNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def turn(x, cos, sin):
    """Rotary positions."""
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


class GroupedAttention(nn.Module):
    """Several query heads share a key and a value."""

    def __init__(self, d, heads, kv, library):
        super().__init__()
        self.heads, self.kv, self.size, self.library = heads, kv, d // heads, library
        self.q_proj, self.o_proj = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False)
        self.k_proj, self.v_proj = (nn.Linear(d, kv * self.size, bias=False) for _ in range(2))

    def forward(self, x, cos, sin):
        b, t, _ = x.shape
        q = turn(self.q_proj(x).view(b, t, self.heads, self.size).transpose(1, 2), cos, sin)
        k = turn(self.k_proj(x).view(b, t, self.kv, self.size).transpose(1, 2), cos, sin)
        v = self.v_proj(x).view(b, t, self.kv, self.size).transpose(1, 2)
        k, v = (y.repeat_interleave(self.heads // self.kv, 1) for y in (k, v))
        if self.library:
            out, _ = F._scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(-1, -2) / math.sqrt(self.size)
            scores = scores + torch.full((t, t), float("-inf"), dtype=x.dtype).triu(1)
            out = torch.softmax(scores, -1, dtype=torch.float32).to(q.dtype) @ v
        return self.o_proj(out.transpose(1, 2).reshape(b, t, -1))


class SwiGlu(nn.Module):
    def __init__(self, d, wide):
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(d, wide, bias=False), nn.Linear(d, wide, bias=False)
        self.down_proj = nn.Linear(wide, d, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class DecoderLayer(nn.Module):
    def __init__(self, d, heads, kv, wide, library):
        super().__init__()
        self.input_norm, self.post_norm = RmsNorm(d), RmsNorm(d)
        self.attn, self.mlp = GroupedAttention(d, heads, kv, library), SwiGlu(d, wide)

    def forward(self, x, cos, sin):
        x = x + self.attn(self.input_norm(x), cos, sin)
        return x + self.mlp(self.post_norm(x))


class Decoder(nn.Module):
    """Rotary positions, grouped queries, gated MLP; `remake` checkpoints every n-th layer."""

    def __init__(self, vocab=2048, d=128, deep=4, heads=8, kv=2, wide=352, tied=False, library=False, remake=0, old=False):
        super().__init__()
        self.embed, self.norm, self.vocab = nn.Embedding(vocab, d), RmsNorm(d), vocab
        self.layers = nn.ModuleList(DecoderLayer(d, heads, kv, wide, library) for _ in range(deep))
        self.lm_head = nn.Linear(d, vocab, bias=False)
        if tied:
            self.lm_head.weight = self.embed.weight
        self.remake, self.old = remake, old
        rates = 1e4 ** (-torch.arange(0, d // heads, 2) / (d // heads))
        self.register_buffer("rates", torch.cat([rates, rates]), persistent=False)

    def hidden(self, ids):
        angles = torch.arange(ids.shape[1])[:, None] * self.rates
        cos, sin = angles.cos().to(self.norm.weight.dtype), angles.sin().to(self.norm.weight.dtype)
        x = self.embed(ids)
        for i, layer in enumerate(self.layers):
            if self.remake and self.training and i % self.remake == 0:
                x = checkpoint(layer, x, cos, sin, use_reentrant=self.old)
            else:
                x = layer(x, cos, sin)
        return self.norm(x)

    def forward(self, ids):
        return self.lm_head(self.hidden(ids))


class Conv1D(nn.Module):
    """A linear layer with its weight the other way round."""

    def __init__(self, out, d):
        super().__init__()
        self.in_features, self.out_features = d, out
        self.weight, self.bias = nn.Parameter(torch.randn(d, out) * 0.02), nn.Parameter(torch.zeros(out))

    def forward(self, x):
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(*x.shape[:-1], -1)


class OldBlock(nn.Module):
    def __init__(self, d, heads, drop):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.c_attn, self.c_proj, self.c_fc, self.c_out = Conv1D(3 * d, d), Conv1D(d, d), Conv1D(4 * d, d), Conv1D(d, 4 * d)
        self.attn_drop, self.drop = nn.Dropout(drop), nn.Dropout(drop)

    def attend(self, x, bias):
        b, t, d = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).permute(0, 2, 1, 3) for y in self.c_attn(x).split(d, 2))
        w = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(d // self.heads)
        w = torch.where(bias[:t, :t], w, torch.tensor(-1e4, dtype=w.dtype))
        w = self.attn_drop(F.softmax(w, dim=-1).type(v.dtype))
        return self.drop(self.c_proj(torch.matmul(w, v).permute(0, 2, 1, 3).contiguous().view(b, t, d)))

    def forward(self, x, bias):
        x = x + self.attend(self.ln_1(x), bias)
        y = self.c_fc(self.ln_2(x))
        y = 0.5 * y * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (y + 0.044715 * torch.pow(y, 3.0))))
        return x + self.drop(self.c_out(y))


class OldGpt(nn.Module):
    """Tied head, dropout, an activation written out, the loss inside and on shifted copies."""

    def __init__(self, vocab=1536, d=96, deep=5, heads=6, longest=256, drop=0.1):
        super().__init__()
        self.wte, self.wpe, self.drop = nn.Embedding(vocab, d), nn.Embedding(longest, d), nn.Dropout(drop)
        self.h = nn.ModuleList(OldBlock(d, heads, drop) for _ in range(deep))
        self.ln_f, self.lm_head, self.vocab = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False), vocab
        self.lm_head.weight = self.wte.weight
        self.register_buffer("bias", torch.ones(longest, longest, dtype=torch.bool).tril())

    def forward(self, ids, labels):
        x = self.drop(self.wte(ids) + self.wpe(torch.arange(ids.shape[1])))
        for block in self.h:
            x = block(x, self.bias)
        logits = self.lm_head(self.ln_f(x))
        shifted, wanted = logits[..., :-1, :].contiguous(), labels[..., 1:].contiguous()
        return F.cross_entropy(shifted.view(-1, self.vocab), wanted.view(-1)), logits


class Bert(nn.Module):
    """Library attention, norms after the blocks, a masked-word head tied to the embedding."""

    def __init__(self, vocab=2500, d=144, deep=4, heads=6, longest=160, drop=0.1):
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(vocab, d), nn.Embedding(longest, d), nn.Embedding(2, d)
        self.norm, self.drop, self.vocab = nn.LayerNorm(d), nn.Dropout(drop), vocab
        self.attn = nn.ModuleList(nn.MultiheadAttention(d, heads, drop, batch_first=True) for _ in range(deep))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(2 * deep))
        self.up, self.down = (nn.ModuleList(nn.Linear(*s) for _ in range(deep)) for s in ((d, 4 * d), (4 * d, d)))
        self.transform, self.last, self.bias = nn.Linear(d, d), nn.LayerNorm(d), nn.Parameter(torch.zeros(vocab))

    def forward(self, ids, kinds):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1])) + self.kinds(kinds)
        x = self.drop(self.norm(x))
        for i, attn in enumerate(self.attn):
            x = self.norms[2 * i](x + self.drop(attn(x, x, x, need_weights=False)[0]))
            x = self.norms[2 * i + 1](x + self.drop(self.down[i](F.gelu(self.up[i](x)))))
        return F.linear(self.last(F.gelu(self.transform(x))), self.words.weight, self.bias)


class VitBlock(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.norm1, self.norm2 = heads, nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj, self.fc1, self.fc2 = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        a = ((q * (d // self.heads) ** -0.5) @ k.transpose(-2, -1)).softmax(-1)
        x = x + self.proj((a @ v).transpose(1, 2).reshape(b, n, d))
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class Vit(nn.Module):
    def __init__(self, d=96, deep=6, heads=3, patch=4, side=32, classes=50, remake=False):
        super().__init__()
        self.patch, self.cls = nn.Conv2d(3, d, patch, patch), nn.Parameter(torch.zeros(1, 1, d))
        self.places = nn.Parameter(torch.zeros(1, (side // patch) ** 2 + 1, d))
        self.blocks, self.norm = nn.ModuleList(VitBlock(d, heads) for _ in range(deep)), nn.LayerNorm(d)
        self.head, self.remake = nn.Linear(d, classes), remake

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1) + self.places
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.remake else block(x)
        return self.head(self.norm(x)[:, 0])


class MixerBlock(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.across = nn.Sequential(nn.Linear(n, 2 * n), nn.GELU(), nn.Linear(2 * n, n))
        self.along = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        x = x + self.across(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.along(self.norm2(x))


class Mixer(nn.Module):
    def __init__(self, d=80, deep=5, patch=4, side=32, classes=40):
        super().__init__()
        self.stem = nn.Conv2d(3, d, patch, patch)
        self.blocks = nn.Sequential(*(MixerBlock((side // patch) ** 2, d) for _ in range(deep)))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, classes)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.stem(x).flatten(2).transpose(1, 2))).mean(1))


class Bottleneck(nn.Module):
    def __init__(self, a, b, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(a, b, 1, bias=False), nn.BatchNorm2d(b)
        self.conv2, self.bn2 = nn.Conv2d(b, b, 3, stride, 1, bias=False), nn.BatchNorm2d(b)
        self.conv3, self.bn3 = nn.Conv2d(b, 4 * b, 1, bias=False), nn.BatchNorm2d(4 * b)
        self.relu, self.short = nn.ReLU(inplace=True), None
        if stride > 1 or a != 4 * b:
            self.short = nn.Sequential(nn.Conv2d(a, 4 * b, 1, stride, bias=False), nn.BatchNorm2d(4 * b))

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn3(self.conv3(self.relu(self.bn2(self.conv2(y)))))
        return self.relu(y + (x if self.short is None else self.short(x)))


class BottleNet(nn.Module):
    def __init__(self, w=12, each=(2, 2, 2), classes=30):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, w, 7, 2, 3, bias=False), nn.BatchNorm2d(w)
        layers, a = [], w
        for i, count in enumerate(each):
            for j in range(count):
                layers.append(Bottleneck(a, w << i, 2 if i and not j else 1))
                a = 4 * (w << i)
        self.layers, self.fc = nn.Sequential(*layers), nn.Linear(a, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x)), inplace=True), 3, 2, 1)
        return self.fc(F.adaptive_avg_pool2d(self.layers(x), 1).flatten(1))


class NormedUNet(nn.Module):
    """Three levels, transposed convolutions upwards, skips joined."""

    def __init__(self, w=12, classes=5):
        super().__init__()
        def two(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True),
                                 nn.Conv2d(b, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True))
        self.down = nn.ModuleList(two(a, b) for a, b in ((3, w), (w, 2 * w), (2 * w, 4 * w)))
        self.mid, self.pool = two(4 * w, 8 * w), nn.MaxPool2d(2)
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * a, a, 2, 2) for a in (4 * w, 2 * w, w))
        self.join, self.last = nn.ModuleList(two(2 * a, a) for a in (4 * w, 2 * w, w)), nn.Conv2d(w, classes, 1)

    def forward(self, x):
        skips = []
        for block in self.down:
            x = block(x)
            skips.append(x)
            x = self.pool(x)
        x = self.mid(x)
        for up, block in zip(self.up, self.join):
            x = block(torch.cat([skips.pop(), up(x)], 1))
        return self.last(x)


class RnnModel(nn.Module):
    def __init__(self, vocab=3000, d=128, wide=192, deep=2, kind="LSTM"):
        super().__init__()
        self.embed, self.drop = nn.Embedding(vocab, d), nn.Dropout(0.2)
        self.rnn, self.out = getattr(nn, kind)(d, wide, deep, batch_first=True, dropout=0.2), nn.Linear(wide, vocab)

    def forward(self, ids):
        return self.out(self.drop(self.rnn(self.drop(self.embed(ids)))[0]))


class Translator(nn.Module):
    """The library's encoder and decoder."""

    def __init__(self, vocab=1800, d=112, heads=4, deep=2, longest=128, drop=0.1):
        super().__init__()
        self.embed, self.places = nn.Embedding(vocab, d), nn.Embedding(longest, d)
        self.body = nn.Transformer(d, heads, deep, deep, 3 * d, drop, batch_first=True)
        self.out = nn.Linear(d, vocab)

    def forward(self, source, target):
        place = self.places(torch.arange(max(source.shape[1], target.shape[1])))
        a, b = self.embed(source) + place[:source.shape[1]], self.embed(target) + place[:target.shape[1]]
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        return self.out(self.body(a, b, tgt_mask=mask))


class Towers(nn.Module):
    """Pictures and texts against each other: as many scores as the square of the batch."""

    def __init__(self, vocab=900, d=96, out=64):
        super().__init__()
        self.words, self.text = nn.Embedding(vocab, d), nn.GRU(d, out, batch_first=True)
        self.picture = nn.Sequential(nn.Conv2d(3, d, 3, 2, 1), nn.ReLU(), nn.Conv2d(d, d, 3, 2, 1), nn.ReLU())
        self.join, self.scale = nn.Linear(d, out), nn.Parameter(torch.ones([]))

    def forward(self, pictures, words):
        a = F.normalize(self.join(self.picture(pictures).mean((2, 3))), dim=-1)
        b = F.normalize(self.text(self.words(words))[1][-1], dim=-1)
        return a @ b.t() * self.scale.exp()
