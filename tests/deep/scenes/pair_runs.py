# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Trainings with switches for what a pair of runs may differ by. Loops are written out as scripts have them."""

import math

import torch
import torch.nn.functional as F
from autocast import autocast as on_a_gpu
from models import Encoder, Mlp, UNet
from torch import nn
from torch.utils.checkpoint import checkpoint

OPTIMIZERS = {
    "adamw": lambda p: torch.optim.AdamW(p, lr=1e-3, foreach=False),
    "adamw_foreach": lambda p: torch.optim.AdamW(p, lr=1e-3, foreach=True),
    "adam_foreach": lambda p: torch.optim.Adam(p, foreach=True),
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, foreach=False),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, foreach=False),
    "rmsprop": lambda p: torch.optim.RMSprop(p, foreach=False),
    "adagrad": lambda p: torch.optim.Adagrad(p, foreach=False),
}


class StreamedAttention(torch.autograd.Function):
    """Attention tile by tile as fused kernels do it: keeps its inputs, its result and one number per row."""

    TILE = 8

    @staticmethod
    def forward(ctx, q, k, v):
        out, norm = torch.empty_like(q), q.new_empty(q.shape[:-1])
        for rows in range(0, q.shape[2], StreamedAttention.TILE):
            end = rows + StreamedAttention.TILE
            scores = q[:, :, rows:end] @ k[:, :, :end].transpose(-2, -1) * q.shape[-1] ** -0.5
            norm[:, :, rows:end] = torch.logsumexp(scores, -1)
            out[:, :, rows:end] = torch.exp(scores - norm[:, :, rows:end, None]) @ v[:, :, :end]
            del scores
        ctx.save_for_backward(q, k, v, out, norm)
        return out

    @staticmethod
    def backward(ctx, grad):
        q, k, v, out, norm = ctx.saved_tensors
        scale = q.shape[-1] ** -0.5
        gq, gk, gv = torch.empty_like(q), torch.zeros_like(k), torch.zeros_like(v)
        delta = torch.einsum("bhtd,bhtd->bht", grad, out)
        for rows in range(0, q.shape[2], StreamedAttention.TILE):
            end = rows + StreamedAttention.TILE
            p = torch.exp(q[:, :, rows:end] @ k[:, :, :end].transpose(-2, -1) * scale - norm[:, :, rows:end, None])
            gv[:, :, :end] += p.transpose(-2, -1) @ grad[:, :, rows:end]
            ds = p * (grad[:, :, rows:end] @ v[:, :, :end].transpose(-2, -1) - delta[:, :, rows:end, None]) * scale
            gq[:, :, rows:end] = ds @ k[:, :, :end]
            gk[:, :, :end] += ds.transpose(-2, -1) @ q[:, :, rows:end]
            del p, ds
        return gq, gk, gv


class ChunkedCrossEntropy(torch.autograd.Function):
    """Head and cross entropy in parts, each with its gradient at once, as the fused losses of the packages do it."""

    @staticmethod
    def forward(ctx, hidden, weight, target, chunks):
        step = math.ceil(hidden.shape[0] / chunks)
        loss, grad_hidden = hidden.new_zeros(()), torch.empty_like(hidden)
        grad_weight = torch.zeros_like(weight) if ctx.needs_input_grad[1] else None
        for begin in range(0, hidden.shape[0], step):
            part, wanted = hidden[begin:begin + step], target[begin:begin + step]
            logits = part @ weight.t()
            norm = torch.logsumexp(logits, -1)
            loss += (norm - logits.gather(1, wanted[:, None])[:, 0]).sum()
            logits.sub_(norm[:, None]).exp_()
            logits[torch.arange(len(wanted)), wanted] -= 1
            logits.div_(hidden.shape[0])
            grad_hidden[begin:begin + step] = logits @ weight
            if grad_weight is not None:
                torch.addmm(grad_weight, logits.t(), part, out=grad_weight)
            del logits
        ctx.save_for_backward(grad_hidden, grad_weight)
        return loss / hidden.shape[0]

    @staticmethod
    def backward(ctx, grad):
        grad_hidden, grad_weight = ctx.saved_tensors
        return grad_hidden.mul_(grad), None if grad_weight is None else grad_weight.mul_(grad), None, None


class Adapter(nn.Module):
    """A linear layer that stays as it is, and a small one beside it that is trained."""

    def __init__(self, base, rank):
        super().__init__()
        self.base = base
        self.a = nn.Parameter(torch.randn(base.in_features, rank) * 0.01)
        self.b = nn.Parameter(torch.zeros(rank, base.out_features))

    def forward(self, x):
        return self.base(x) + (x @ self.a) @ self.b


class Block(nn.Module):
    """Pre-norm transformer block; gated and with a root-mean-square norm on demand."""

    def __init__(self, d, heads, gated, flash):
        super().__init__()
        self.heads, self.gated, self.flash = heads, gated, flash
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.query, self.key, self.value, self.out = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(d, 3 * d if gated else 4 * d), nn.Linear(3 * d if gated else 4 * d, d)
        if gated:
            self.gate = nn.Linear(d, 3 * d)

    def attend(self, x, mask):
        q, k, v = (f(x).view(*x.shape[:2], self.heads, -1).transpose(1, 2) for f in (self.query, self.key, self.value))
        if self.flash:
            mixed = StreamedAttention.apply(q, k, v)
        else:
            scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.shape[-1]) + mask
            mixed = torch.matmul(F.softmax(scores, dim=-1), v)
        return self.out(mixed.transpose(1, 2).reshape(x.shape))

    def forward(self, x, mask):
        x = x + self.attend(self.norm1(x), mask)
        y = self.norm2(x)
        y = F.silu(self.gate(y)) * self.up(y) if self.gated else F.gelu(self.up(y))
        return x + self.down(y)


class Llm(nn.Module):
    """A language model with rotary-free learned positions as long as its longest text."""

    def __init__(self, d=128, deep=4, heads=4, vocab=2048, longest=128, gated=False, flash=False, remake=False):
        super().__init__()
        self.embed, self.places = nn.Embedding(vocab, d), nn.Embedding(longest, d)
        self.blocks = nn.ModuleList(Block(d, heads, gated, flash) for _ in range(deep))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)
        self.vocab, self.remake = vocab, remake

    def hidden(self, ids):
        t = ids.shape[1]
        x = self.embed(ids) + self.places(torch.arange(t))
        mask = torch.full((t, t), float("-inf"), dtype=x.dtype).triu(1)
        for block in self.blocks:
            x = checkpoint(block, x, mask, use_reentrant=False) if self.remake else block(x, mask)
        return self.norm(x)

    def forward(self, ids):
        return self.head(self.hidden(ids))


def adapters(model, rank):
    for p in model.parameters():
        p.requires_grad_(False)
    for block in model.blocks:
        for name in ("query", "key", "value", "up", "gate"):
            if hasattr(block, name):
                setattr(block, name, Adapter(getattr(block, name), rank))


def llm(rec, B=8, T=64, steps=2, micro=1, opt="adamw", lora=0, chunks=0, zeroes=False, autocast=False, pure=False, **shape):
    model = Llm(longest=max(T, shape.pop("longest", 128)), **shape)
    if lora:
        adapters(model, lora)
    if pure:
        model.bfloat16()
    optimizer = OPTIMIZERS[opt]([p for p in model.parameters() if p.requires_grad])
    for _ in range(steps):
        for _ in range(micro):
            batch = torch.randint(model.vocab, (B, T + 1))
            x, y = batch[:, :-1].contiguous(), batch[:, 1:].contiguous()
            with on_a_gpu(autocast):
                if chunks:
                    hidden = model.hidden(x)
                    loss = ChunkedCrossEntropy.apply(hidden.view(-1, hidden.shape[-1]), model.head.weight, y.view(-1), chunks)
                    del hidden
                else:
                    logits = model(x)
                    loss = F.cross_entropy(logits.view(-1, logits.shape[-1]), y.view(-1))
                    del logits
            loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=not zeroes)


def encoder(rec, B=16, T=32, steps=3, opt="adamw", micro=1, zeroes=False, **shape):
    model = Encoder(**shape)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=not zeroes)
        for _ in range(micro):
            x, y = torch.randint(2000, (B, T)), torch.randint(20, (B,))
            loss = F.cross_entropy(model(x), y) / micro
            loss.backward()
        optimizer.step()


def mlp(rec, B=128, wide=256, deep=4, steps=3, opt="adamw", micro=1, zeroes=False):
    model = Mlp(wide, deep)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        for _ in range(micro):
            x, y = torch.randn(B, wide), torch.randint(64, (B,))
            loss = F.cross_entropy(model(x), y)
            loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=not zeroes)


def unet(rec, B=8, side=32, w=16, steps=2, opt="adamw", micro=1):
    model = UNet(w=w)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        for _ in range(micro):
            clean = torch.randn(B, 3, side, side)
            noise = torch.randn_like(clean)
            loss = F.mse_loss(model(clean + noise), noise)
            loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def collecting(rec, batches=24, keep=0, B=8, T=32, vocab=1024):
    """Trains two steps, then evaluates and keeps the logits; with `keep` they leave the card after so many batches."""
    model = Llm(d=64, deep=2, heads=2, vocab=vocab, longest=T)
    optimizer = OPTIMIZERS["adamw"](model.parameters())
    for _ in range(2):
        x, y = torch.randint(vocab, (B, T)), torch.randint(vocab, (B, T))
        F.cross_entropy(model(x).view(-1, vocab), y.view(-1)).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    model.eval()
    results, on_host = [], []
    with torch.no_grad():
        for i in range(batches):
            x = torch.randint(vocab, (B, T))
            out = model(x)
            results.append(out)
            if keep and (i + 1) % keep == 0:
                on_host.extend(r.numpy().copy() for r in results)
                results.clear()
