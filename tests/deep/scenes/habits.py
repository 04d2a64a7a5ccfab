# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Training and inference as people write them. Loops are written out as scripts have them, so that no helper's name
tells a rule what a line is for."""

import copy

import torch
import torch.nn.functional as F
from models import Encoder, Mlp, Tagger, UNet
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential
from truth import Truth


def mlp_sgd_zero_first(rec):
    t, model = Truth(rec), Mlp()
    t.weights(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(256, 512), torch.randint(64, (256,))
        t.mark("input", x, y)
        optimizer.zero_grad(set_to_none=True)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()


def mlp_adam_keeps_grads(rec):
    t, model = Truth(rec), Mlp()
    t.weights(model)
    optimizer = torch.optim.Adam(model.parameters(), foreach=False)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(256, 512), torch.randint(64, (256,))
        t.mark("input", x, y)
        optimizer.zero_grad(set_to_none=False)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)


def encoder_rmsprop_clipped(rec):
    t, model = Truth(rec), Encoder()
    t.weights(model)
    optimizer = torch.optim.RMSprop(model.parameters(), momentum=0.9, foreach=True)
    for _ in range(3):
        t.now("input")
        x, y = torch.randint(2000, (32, 64)), torch.randint(20, (32,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()


def tagger_adagrad(rec):
    t, model = Truth(rec), Tagger()
    t.weights(model)
    optimizer = torch.optim.Adagrad(model.parameters(), foreach=False)
    t.states(optimizer)
    for _ in range(3):
        t.now("input")
        x, y = torch.randint(3000, (16, 40)), torch.randint(30, (16, 40))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def autocast(rec):
    t, model = Truth(rec), Mlp(wide=768)
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(3):
        t.now("input")
        x, y = torch.randn(128, 768), torch.randint(64, (128,))
        t.mark("input", x, y)
        t.now("forward")
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(x).float(), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)


def frozen_features(rec):
    t, body, head = Truth(rec), UNet(w=24), nn.Linear(3 * 32 * 32, 10)
    for p in body.parameters():
        p.requires_grad_(False)
    t.weights(body, head)
    optimizer = torch.optim.Adam(head.parameters(), foreach=False)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(16, 3, 32, 32), torch.randint(10, (16,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(head(body(x).flatten(1)), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(head)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()


def moving_average(rec):
    t, model = Truth(rec), Mlp(wide=640)
    average = copy.deepcopy(model)
    for p in average.parameters():
        p.requires_grad_(False)
    t.weights(model, average)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(128, 640), torch.randint(64, (128,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            for a, p in zip(average.parameters(), model.parameters()):
                a.mul_(0.99).add_(p, alpha=0.01)
    t.dump()


def epochs_with_validation(rec):
    t, model = Truth(rec), UNet()
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(2):
        model.train()
        for _ in range(3):
            t.now("input")
            x, y = torch.randn(8, 3, 64, 64), torch.randn(8, 3, 64, 64)
            t.mark("input", x, y)
            t.now("forward")
            loss = F.mse_loss(model(x), y)
            t.backward_begins()
            loss.backward()
            t.optimizer_begins(model)
            optimizer.step()
            t.states(optimizer)
            optimizer.zero_grad(set_to_none=True)
        del loss
        model.eval()
        with torch.no_grad():
            for _ in range(2):
                t.now("input")
                x, y = torch.randn(24, 3, 64, 64), torch.randn(24, 3, 64, 64)
                t.mark("input", x, y)
                t.now("evaluation")
                F.mse_loss(model(x), y).item()


def accumulation_zero_first(rec):
    t, model = Truth(rec), Encoder()
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        for _ in range(4):
            t.now("input")
            x, y = torch.randint(2000, (8, 64)), torch.randint(20, (8,))
            t.mark("input", x, y)
            t.now("forward")
            loss = F.cross_entropy(model(x), y) / 4
            t.backward_begins()
            loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)


def checkpointed_reentrant(rec):
    t = Truth(rec)
    model = nn.Sequential(*(nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256)) for _ in range(6)))
    t.weights(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, foreach=False)
    for _ in range(3):
        t.now("input")
        x, y = torch.randn(512, 256, requires_grad=True), torch.randn(512, 256)
        t.mark("input", x, y)
        t.now("forward")
        loss = F.mse_loss(checkpoint_sequential(model, 3, x), y)
        t.backward_begins()
        loss.backward()
        t.mark("gradient", x.grad)
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)


def recorded_from_the_middle(rec):
    rec.on = False
    t, model = Truth(rec), Encoder(deep=4)
    t.weights(model)
    optimizer = torch.optim.Adam(model.parameters(), foreach=True)
    for i in range(5):
        rec.on = i >= 3
        t.now("input")
        x, y = torch.randint(2000, (16, 64)), torch.randint(20, (16,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=i < 2)
    t.dump()


def resumed_from_a_checkpoint(rec):
    t, model = Truth(rec), Encoder(deep=3)
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    saved = {k: v.clone() for k, v in model.state_dict().items()}
    model.load_state_dict(saved)
    del saved
    for _ in range(3):
        t.now("input")
        x, y = torch.randint(2000, (16, 64)), torch.randint(20, (16,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)


def data_set_on_the_card(rec):
    t, model = Truth(rec), Mlp(wide=256)
    t.now("input")
    images, classes = torch.randn(20000, 256), torch.randint(64, (20000,))
    t.mark("input", images, classes)
    t.now("setup")
    t.weights(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, foreach=False)
    for i in range(5):
        t.now("input")
        picked = torch.randint(20000, (512,))
        x, y = images[picked], classes[picked]
        t.mark("input", picked, x, y)
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()


def diffusion(rec):
    t, model = Truth(rec), UNet()
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(3):
        t.now("input")
        clean = torch.randn(8, 3, 64, 64)
        t.mark("input", clean)
        noise = torch.randn_like(clean)
        noisy = clean * 0.7 + noise * 0.3
        t.mark("input", noise, noisy)
        t.now("forward")
        loss = F.mse_loss(model(noisy), noise)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()
