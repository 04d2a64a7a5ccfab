# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Scenes in other styles: trainers as classes, several passes to a step, measuring as one goes."""

import torch
import torch.nn.functional as F
from models import Encoder, Mlp, Recommender, ResNet, UNet
from truth import Truth


class Trainer:
    """What people build around their loops."""

    def __init__(self, rec, model, lr=1e-3):
        self.t, self.model, self.optimizer = Truth(rec), model, None
        self.t.weights(model)
        self.lr, self.log = lr, []

    def configure_optimizers(self):
        self.optimizer = torch.optim.NAdam(self.model.parameters(), lr=self.lr, foreach=True)

    def batch(self, size):
        self.t.now("input")
        x, y = torch.randint(2000, (size, 64)), torch.randint(20, (size,))
        self.t.mark("input", x, y)
        return x, y

    def training_step(self, batch):
        x, y = batch
        self.t.now("forward")
        return F.cross_entropy(self.model(x), y)

    @torch.no_grad()
    def validation_step(self, batch):
        x, y = batch
        self.t.now("evaluation")
        return (self.model(x).argmax(-1) == y).float().mean().item()

    def fit(self, epochs, steps):
        self.configure_optimizers()
        for _ in range(epochs):
            self.model.train()
            for _ in range(steps):
                loss = self.training_step(self.batch(16))
                self.t.backward_begins()
                loss.backward()
                self.t.optimizer_begins(self.model)
                self.optimizer.step()
                self.t.states(self.optimizer)
                self.optimizer.zero_grad(set_to_none=True)
                self.log.append(float(loss))
            self.model.eval()
            for _ in range(2):
                self.validation_step(self.batch(48))


def trainer_class(rec):
    trainer = Trainer(rec, Encoder())
    trainer.fit(2, 3)
    trainer.t.dump()


def two_views_of_each_image(rec):
    t, model = Truth(rec), ResNet()
    t.weights(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, nesterov=True, foreach=True)
    for _ in range(3):
        t.now("input")
        one, two = torch.randn(24, 3, 32, 32), torch.randn(24, 3, 32, 32)
        t.mark("input", one, two)
        t.now("forward")
        a, b = model(one), model(two)
        loss = F.cross_entropy(a @ b.T, torch.arange(24))
        del a, b
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()


def measured_after_every_step(rec):
    t, model = Truth(rec), Mlp(wide=512)
    t.weights(model)
    optimizer = torch.optim.Adamax(model.parameters(), foreach=False)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(256, 512), torch.randint(64, (256,))
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
            t.now("evaluation")
            (model(x).argmax(-1) == y).float().mean().item()
    t.dump()


def large_embeddings(rec):
    t, model = Truth(rec), Recommender()
    t.weights(model)
    optimizer = torch.optim.Adagrad(model.parameters(), foreach=False)
    t.states(optimizer)
    for _ in range(3):
        t.now("input")
        users, items, y = torch.randint(20000, (512,)), torch.randint(5000, (512,)), torch.rand(512)
        t.mark("input", users, items, y)
        t.now("forward")
        loss = F.binary_cross_entropy_with_logits(model(users, items), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    t.dump()


def unfrozen_later(rec):
    t, model = Truth(rec), UNet(w=12)
    t.weights(model)
    for p in model.down1.parameters():
        p.requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters(), foreach=False)
    for i in range(4):
        if i == 2:
            for p in model.down1.parameters():
                p.requires_grad_(True)
        t.now("input")
        x = torch.randn(8, 3, 64, 64)
        t.mark("input", x)
        t.now("forward")
        loss = F.l1_loss(model(x), x)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()
