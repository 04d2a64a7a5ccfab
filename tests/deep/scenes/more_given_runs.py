# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The models of the data folder's own tool in trainings with more switches: how gradients are cleared, what is frozen,
what is made again, how the loss is computed, what is evaluated, from where and how long it is recorded."""

import math

import pair_runs
import scenes
import torch
import torch.nn.functional as F
from autocast import autocast as on_a_gpu
from scenes import checkpoint
from torch import nn


class Lion(torch.optim.Optimizer):
    """Signs of an average of the gradients: one state per weight."""

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
                    state["average"] = torch.zeros_like(p)
                update = state["average"].clone().mul_(0.9).add_(p.grad, alpha=0.1).sign_()
                p.add_(update, alpha=-group["lr"])
                state["average"].mul_(0.99).add_(p.grad, alpha=0.01)


class Adafactor(torch.optim.Optimizer):
    """Second moments by row and by column, no first one."""

    def __init__(self, params, lr=1e-3):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                squared = p.grad ** 2 + 1e-30
                if p.dim() >= 2:
                    if not state:
                        state["row"], state["column"] = squared.new_zeros(p.shape[:-1]), squared.new_zeros(p.shape[:-2] + p.shape[-1:])
                    state["row"].mul_(0.9).add_(squared.mean(-1), alpha=0.1)
                    state["column"].mul_(0.9).add_(squared.mean(-2), alpha=0.1)
                    rows = (state["row"] / state["row"].mean(-1, keepdim=True)).rsqrt_().unsqueeze(-1)
                    update = rows * state["column"].unsqueeze(-2).rsqrt()
                    update.mul_(p.grad)
                else:
                    if not state:
                        state["square"] = torch.zeros_like(p)
                    state["square"].mul_(0.9).add_(squared, alpha=0.1)
                    update = state["square"].rsqrt().mul_(p.grad)
                del squared
                p.add_(update, alpha=-group["lr"])


OPTIMIZERS = {
    **pair_runs.OPTIMIZERS,
    "default": torch.optim.AdamW,
    "adam": torch.optim.Adam,
    "amsgrad": lambda p: torch.optim.AdamW(p, amsgrad=True),
    "adam_foreach": lambda p: torch.optim.Adam(p, foreach=True),
    "momentum_foreach": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, foreach=True),
    "rmsprop_foreach": lambda p: torch.optim.RMSprop(p, foreach=True),
    "lion": Lion,
    "adafactor": Adafactor,
}


def streamed(attention):
    def forward(x, cache=None):
        b, t, c = x.shape
        q, k, v = (part.view(b, t, attention.h, c // attention.h).transpose(1, 2) for part in attention.qkv(x).split(c, 2))
        return attention.proj(pair_runs.StreamedAttention.apply(q, k, v).transpose(1, 2).reshape(b, t, c))

    return forward


class Gpt(scenes.GPT):
    """As given; `again` says what is made again in backward: whole layers (also the older way), or only the attention."""

    def __init__(self, again="", flash=False, **shape):
        super().__init__(**shape)
        self.again = again
        for layer in self.layers if flash else ():
            layer.attn.forward = streamed(layer.attn)

    def hidden(self, ids):
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        for layer in self.layers:
            if self.again == "attention":
                x = x + checkpoint(layer.attn, layer.n1(x), use_reentrant=False)
                x = x + layer.mlp(layer.n2(x))
            elif self.again and self.training:
                x = checkpoint(layer, x, use_reentrant=self.again == "older")
            else:
                x = layer(x)
        return self.norm(x)

    def forward(self, ids, caches=None):
        return self.head(self.hidden(ids))


def in_parts(model, x, y, parts):
    """The loss over parts of the tokens, the logits of each made again in backward."""
    hidden, loss = model.hidden(x), 0.0

    def of_part(h, wanted):
        return F.cross_entropy(model.head(h), wanted, reduction="sum")

    for h, wanted in zip(hidden.reshape(-1, hidden.shape[-1]).chunk(parts), y.reshape(-1).chunk(parts)):
        loss = loss + checkpoint(of_part, h, wanted, use_reentrant=False)
    return loss / y.numel()


def fused(model, x, y, parts):
    hidden = model.hidden(x)
    return pair_runs.ChunkedCrossEntropy.apply(hidden.view(-1, hidden.shape[-1]), model.head.weight, y.view(-1), parts)


def losses_of(model, kind, parts):
    if kind == "parts":
        return lambda x, y: in_parts(model, x, y, parts)
    if kind == "fused":
        return lambda x, y: fused(model, x, y, parts)
    return lambda x, y: scenes.ce(model(x), y)


def train(model, optimizer, loss_of, x, y, micro=1, zeroes=False, autocast=False):
    for _ in range(micro):
        with on_a_gpu(autocast):
            loss = loss_of(x, y)
        loss.backward()
        del loss
    optimizer.step()
    optimizer.zero_grad(set_to_none=not zeroes)


def gpt(rec, B=8, T=128, steps=2, micro=1, opt="default", zeroes=False, frozen=0, rank=0, kind="", parts=8, autocast=False,
        pure=False, lengths=(), batches=(), record_from=0, entries=None, validate=0, **shape):
    """`frozen`: so many layers and the embeddings are not trained; `lengths` and `batches`: of each step; `validate`:
    so many batches are evaluated at the end; `entries`: of the ring, which forgets what came before them."""
    rec.on, rec.max_entries = record_from == 0, entries
    model = Gpt(**{"d": 256, "n": 4, "h": 8, "vocab": 4096, "T": max(512, T, *lengths), **shape})
    if rank:
        model.requires_grad_(False)
        for layer in model.layers:
            layer.attn.qkv, layer.mlp[0] = (scenes.LoRALinear(m, rank) for m in (layer.attn.qkv, layer.mlp[0]))
    if frozen:
        for part in (model.tok, model.pos, *model.layers[:frozen]):
            part.requires_grad_(False)
    if pure:
        model.bfloat16()
    optimizer = OPTIMIZERS[opt]([p for p in model.parameters() if p.requires_grad])
    loss_of = losses_of(model, kind, parts)
    for i in range(steps):
        rec.on = rec.on or i == record_from
        x, y = scenes.tokens(rec, batches[i] if batches else B, lengths[i] if lengths else T, model.vocab)
        train(model, optimizer, loss_of, x, y, micro, zeroes, autocast)
    model.eval()
    with torch.no_grad():
        for _ in range(validate):
            x, y = scenes.tokens(rec, B, T, model.vocab)
            scenes.ce(model(x), y).item()


def conv(rec, B=16, side=32, steps=3, opt="default", w=48, micro=1, zeroes=False, again=False, evaluated=0, record_from=0):
    """`evaluated`: then so many batches twice as large without gradients, as the given scene has it."""
    rec.on = record_from == 0
    model = scenes.ConvNet(w=w)
    optimizer = OPTIMIZERS[opt](model.parameters())

    def forward(x):
        for block in model.body:
            x = checkpoint(block, x, use_reentrant=False) if again else block(x)
        return model.fc(x.mean((2, 3)))

    def loss_of(x, y):
        return F.cross_entropy(forward(x) if again else model(x), y)

    for i in range(steps):
        rec.on = rec.on or i == record_from
        x, y = torch.randn(B, 3, side, side), torch.randint(100, (B,))
        train(model, optimizer, loss_of, x, y, micro, zeroes)
    model.eval()
    with torch.no_grad():
        for _ in range(evaluated):
            x = torch.randn(2 * B, 3, side, side)
            model(x)


def evaluated(rec, keep=0, batches=60, rounds=1, B=4, T=128, steps=2, **shape):
    """Trains and then collects the logits of an evaluation, in several rounds; with `keep` they leave the card after so
    many batches. A finished round's results are averaged and dropped."""
    model = Gpt(**{"d": 192, "n": 6, "h": 6, "vocab": 8192, **shape})
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(rounds):
        model.train()
        for _ in range(steps):
            train(model, optimizer, losses_of(model, "", 0), *scenes.tokens(rec, B, T, model.vocab))
        model.eval()
        outs, away = [], []
        with torch.no_grad():
            for i in range(batches):
                x, _ = scenes.tokens(rec, B, T, model.vocab)
                outs.append(model(x))
                if keep and (i + 1) % keep == 0:
                    away += [o.numpy()[0, 0, 0].item() for o in outs]
                    outs.clear()
        math.fsum(o[0, 0, 0].item() for o in outs)
