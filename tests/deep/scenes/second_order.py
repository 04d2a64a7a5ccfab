# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Gradients of gradients: what torch.autograd.grad(create_graph=True) makes is part of forward, as the backward that goes
through it sees it; without create_graph it is gradients."""

import torch
import torch.nn.functional as F
from models import Critic, Mlp
from torch.nn.utils.stateless import functional_call
from truth import Truth


def penalty_of_a_critic(rec):
    t, critic = Truth(rec), Critic()
    t.weights(critic)
    optimizer = torch.optim.Adam(critic.parameters(), lr=1e-4, foreach=False)
    for _ in range(4):
        t.now("input")
        real, fake = torch.randn(24, 3, 32, 32), torch.randn(24, 3, 32, 32)
        t.mark("input", real, fake)
        optimizer.zero_grad(set_to_none=True)
        t.now("forward")
        loss = critic(fake).mean() - critic(real).mean()
        mixed = (0.3 * real + 0.7 * fake).requires_grad_()
        score = critic(mixed).sum()
        (slope,) = torch.autograd.grad(score, [mixed], create_graph=True)
        loss = loss + 10 * (slope.flatten(1).norm(dim=1) - 1).square().mean()
        t.backward_begins()
        loss.backward()
        del slope, score, mixed
        t.optimizer_begins(critic)
        optimizer.step()
        t.states(optimizer)
    t.dump()


def inner_steps_of_modules(rec):
    t, model = Truth(rec), Mlp()
    t.weights(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=False)
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        fast = dict(model.named_parameters())
        for _ in range(3):
            t.now("input")
            seen, wanted = torch.randn(64, 512), torch.randint(64, (64,))
            t.mark("input", seen, wanted)
            t.now("forward")
            inner = F.cross_entropy(functional_call(model, fast, (seen,)), wanted)
            slopes = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
            fast = {name: w - 0.1 * s for (name, w), s in zip(fast.items(), slopes)}
            del slopes, inner
        t.now("input")
        seen, wanted = torch.randn(64, 512), torch.randint(64, (64,))
        t.mark("input", seen, wanted)
        t.now("forward")
        loss = F.cross_entropy(functional_call(model, fast, (seen,)), wanted)
        del fast
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
    t.dump()


def inner_steps_in_plain_code(rec):
    t, weight = Truth(rec), torch.randn(512, 512, requires_grad=True)
    t.mark("parameter", weight)
    optimizer = torch.optim.Adam([weight], lr=1e-3, foreach=False)
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        fast = weight
        for _ in range(4):
            t.now("forward")
            inner = torch.tanh(torch.randn(256, 512) @ fast).square().mean()
            (slope,) = torch.autograd.grad(inner, [fast], create_graph=True)
            fast = fast - 0.1 * slope
            del slope, inner
        loss = torch.tanh(torch.randn(256, 512) @ fast).square().mean()
        del fast
        t.backward_begins()
        loss.backward()
        t.mark("gradient", weight.grad)
        t.now("optimizer")
        t.rec.steps += t.rec.on
        optimizer.step()
        t.states(optimizer)
    t.dump()


def gradients_as_a_tuple(rec):
    t, model = Truth(rec), Mlp()
    t.weights(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=False)
    for _ in range(4):
        t.now("input")
        seen, wanted = torch.randn(64, 512), torch.randint(64, (64,))
        t.mark("input", seen, wanted)
        optimizer.zero_grad(set_to_none=True)
        t.now("forward")
        loss = F.cross_entropy(model(seen), wanted)
        t.backward_begins()
        for weight, slope in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()))):
            weight.grad = slope
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
    t.dump()
