# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Scenes in which people wrote more of the step themselves."""

import torch
import torch.nn.functional as F
from models import Encoder, Lion, Mlp, Vae
from truth import Truth


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


def weights_without_modules(rec):
    t = Truth(rec)
    w1 = (torch.randn(784, 512) * 0.03).requires_grad_()
    b1 = torch.zeros(512, requires_grad=True)
    w2 = (torch.randn(512, 256) * 0.03).requires_grad_()
    b2 = torch.zeros(256, requires_grad=True)
    t.mark("parameter", w1, b1, w2, b2)
    for _ in range(5):
        t.now("input")
        x, y = torch.randn(256, 784), torch.randn(256, 256)
        t.mark("input", x, y)
        t.now("forward")
        h = (x @ w1 + b1).relu()
        loss = ((h @ w2 + b2 - y) ** 2).mean()
        del h
        t.backward_begins()
        loss.backward()
        t.mark("gradient", w1.grad, b1.grad, w2.grad, b2.grad)
        t.optimizer_begins()
        with torch.no_grad():
            for p in (w1, b1, w2, b2):
                p -= 0.1 * p.grad
                p.grad = None


def two_losses_one_graph(rec):
    t, model = Truth(rec), Mlp(wide=512)
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), amsgrad=True, foreach=False)
    for _ in range(3):
        t.now("input")
        x, y = torch.randn(256, 512), torch.randint(64, (256,))
        t.mark("input", x, y)
        t.now("forward")
        out = model(x)
        loss, other = F.cross_entropy(out, y), out.pow(2).mean()
        t.backward_begins()
        loss.backward(retain_graph=True)
        other.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
        del out, loss, other
