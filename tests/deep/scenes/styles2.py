# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""More architectures and habits: adversaries, teachers, policies, sparse gradients, functional calls, prefetching."""

import copy

import torch
import torch.nn.functional as F
from models import Critic, Generator, Language, Mlp, Policy, ResNet, Segmenter, Seq2Seq, TextEncoder
from torch import nn
from torch.nn.utils.stateless import functional_call
from truth import Truth


def translation_clipped(rec):
    t, model = Truth(rec), Seq2Seq()
    t.weights(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=False)
    for _ in range(4):
        t.now("input")
        source, target = torch.randint(2000, (24, 30)), torch.randint(2000, (24, 26))
        t.mark("input", source, target)
        optimizer.zero_grad(set_to_none=True)
        t.now("forward")
        logits = model(source, target[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), target[:, 1:].reshape(-1))
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        t.states(optimizer)
    t.dump()


def adversaries(rec):
    t, maker, judge = Truth(rec), Generator(), Critic()
    t.weights(maker, judge)
    of_judge = torch.optim.Adam(judge.parameters(), lr=2e-4, betas=(0.5, 0.999), foreach=False)
    of_maker = torch.optim.Adam(maker.parameters(), lr=2e-4, betas=(0.5, 0.999), foreach=False)
    for _ in range(4):
        of_judge.zero_grad(set_to_none=True)
        t.now("input")
        real = torch.randn(32, 3, 32, 32)
        label = torch.full((32,), 1.0)
        t.mark("input", real, label)
        t.now("forward")
        error_real = F.binary_cross_entropy_with_logits(judge(real), label)
        t.backward_begins()
        error_real.backward()
        t.now("input")
        noise = torch.randn(32, 64, 1, 1)
        t.mark("input", noise)
        t.now("forward")
        fake = maker(noise)
        label.fill_(0.0)
        error_fake = F.binary_cross_entropy_with_logits(judge(fake.detach()), label)
        t.backward_begins()
        error_fake.backward()
        t.optimizer_begins(judge)
        of_judge.step()
        t.states(of_judge)
        of_maker.zero_grad(set_to_none=True)
        label.fill_(1.0)
        t.now("forward")
        error = F.binary_cross_entropy_with_logits(judge(fake), label)
        t.backward_begins()
        error.backward()
        t.optimizer_begins(maker, judge)
        of_maker.step()
        t.states(of_maker)
    t.dump()


def image_and_text(rec):
    t, images, texts = Truth(rec), ResNet(w=32), TextEncoder()
    t.weights(images, texts)
    weights = [*images.parameters(), *texts.parameters()]
    optimizer = torch.optim.AdamW(weights, lr=1e-3, foreach=False)
    warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: min(1.0, (i + 1) / 3))
    for _ in range(4):
        t.now("input")
        picture, words = torch.randn(24, 3, 32, 32), torch.randint(1500, (24, 40))
        t.mark("input", picture, words)
        t.now("forward")
        a, b = F.normalize(images(picture), dim=-1), F.normalize(texts(words), dim=-1)
        logits = a @ b.T / 0.07
        y = torch.arange(24)
        loss = (F.cross_entropy(logits, y) + F.cross_entropy(logits.T, y)) / 2
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(images, texts)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
        warmup.step()
    t.dump()


def policy_with_a_reference(rec):
    t, policy = Truth(rec), Policy()
    reference = copy.deepcopy(policy).eval()
    t.weights(policy, reference)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-4, foreach=False)
    for _ in range(3):
        t.now("input")
        seen = torch.randint(1000, (16, 48))
        t.mark("input", seen)
        with torch.no_grad():
            t.now("evaluation")
            logits, value = policy(seen)
            old = logits.log_softmax(-1).gather(-1, seen.unsqueeze(-1)).squeeze(-1)
            wanted = reference(seen)[0].log_softmax(-1).gather(-1, seen.unsqueeze(-1)).squeeze(-1)
            reward = torch.randn_like(value)
            advantage = reward - value
            t.mark("input", old, wanted, reward, advantage)
            del logits, value
        for _ in range(2):
            t.now("forward")
            logits, value = policy(seen)
            new = logits.log_softmax(-1).gather(-1, seen.unsqueeze(-1)).squeeze(-1)
            ratio = (new - old).exp()
            clipped = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
            loss = -clipped.mean() + F.mse_loss(value, reward) + 0.1 * (new - wanted).mean()
            t.backward_begins()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            t.optimizer_begins(policy)
            optimizer.step()
            t.states(optimizer)
    t.dump()


def scaled_half_precision(rec):
    t, model = Truth(rec), ResNet(w=48)
    t.weights(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4, foreach=False)
    scale = torch.tensor(1024.0)
    t.mark("optimizer_state", scale)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(32, 3, 32, 32), torch.randint(64, (32,))
        t.mark("input", x, y)
        optimizer.zero_grad(set_to_none=True)
        t.now("forward")
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(x).float(), y)
        scaled = loss * scale
        t.backward_begins()
        scaled.backward()
        t.optimizer_begins(model)
        with torch.no_grad():
            found = torch.zeros(())
            for p in model.parameters():
                p.grad.mul_(1 / scale)
                found += (~torch.isfinite(p.grad)).any()
        if not found.item():
            optimizer.step()
        t.states(optimizer)
    t.dump()


def mean_teacher(rec):
    t, student = Truth(rec), Segmenter()
    teacher = copy.deepcopy(student)
    for p in teacher.parameters():
        p.requires_grad_(False)
    t.weights(student, teacher)
    optimizer = torch.optim.SGD(student.parameters(), 0.05, momentum=0.9, foreach=True)
    for _ in range(4):
        t.now("input")
        x, y, unlabelled = torch.randn(8, 3, 64, 64), torch.randint(8, (8, 64, 64)), torch.randn(8, 3, 64, 64)
        t.mark("input", x, y, unlabelled)
        t.now("forward")
        with torch.no_grad():
            aim = teacher(unlabelled).softmax(1)
        supervised = F.cross_entropy(student(x), y)
        consistency = F.mse_loss(student(unlabelled + 0.1 * torch.randn_like(unlabelled)).softmax(1), aim)
        loss = supervised + 0.5 * consistency
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(student)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            for a, p in zip(teacher.parameters(), student.parameters()):
                a.mul_(0.99).add_(p, alpha=0.01)
    t.dump()


def sparse_embeddings(rec):
    t = Truth(rec)
    table = nn.EmbeddingBag(30000, 64, mode="sum", sparse=True)
    top = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 1))
    t.weights(table, top)
    of_table = torch.optim.SparseAdam(list(table.parameters()))
    of_top = torch.optim.Adam(top.parameters(), foreach=False)
    for _ in range(4):
        t.now("input")
        clicks, y = torch.randint(30000, (1024, 12)), torch.rand(1024, 1)
        t.mark("input", clicks, y)
        of_table.zero_grad(set_to_none=True)
        of_top.zero_grad(set_to_none=True)
        t.now("forward")
        loss = F.binary_cross_entropy_with_logits(top(table(clicks)), y)
        t.backward_begins()
        loss.backward()
        t.mark("gradient", table.weight.grad._values())  # Its indices are the batch's.
        t.optimizer_begins(top)
        of_table.step()
        of_top.step()
        t.states(of_table, of_top)
    t.dump()


def called_functionally(rec):
    t, model = Truth(rec), Mlp(wide=320)
    t.weights(model)
    weights = {name: p.detach().clone().requires_grad_() for name, p in model.named_parameters()}
    t.mark("parameter", *weights.values())
    optimizer = torch.optim.Adam(weights.values(), foreach=False)
    for _ in range(4):
        t.now("input")
        x, y = torch.randn(384, 320), torch.randint(64, (384,))
        t.mark("input", x, y)
        t.now("forward")
        loss = F.cross_entropy(functional_call(model, weights, x), y)
        t.backward_begins()
        loss.backward()
        t.mark("gradient", *(p.grad for p in weights.values()))
        t.optimizer_begins()
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()


def language_evaluated_midway(rec):
    t, model = Truth(rec), Language()
    t.weights(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, foreach=True)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=4)
    for i in range(6):
        t.now("input")
        tokens = torch.randint(1200, (12, 65))
        t.mark("input", tokens)
        x, y = tokens[:, :-1], tokens[:, 1:]
        t.now("forward")
        logits = model(x)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        t.states(optimizer)
        warmup.step()
        optimizer.zero_grad(set_to_none=True)
        if i % 2 == 1:
            model.eval()
            total = 0.0
            for _ in range(2):
                t.now("input")
                tokens = torch.randint(1200, (20, 65))
                t.mark("input", tokens)
                t.now("evaluation")
                with torch.no_grad():
                    logits = model(tokens[:, :-1])
                    total += F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).item()
            model.train()
    t.dump()


class Prefetcher:
    """Copies the next batch to the card while the current one is worked on."""

    def __init__(self, t, batches):
        self.t, self.left, self.next = t, batches, None
        self.preload()

    def preload(self):
        self.next = None
        if self.left:
            self.left -= 1
            self.t.now("input")
            x, y = torch.randn(16, 3, 48, 48), torch.randint(64, (16,))
            self.t.mark("input", x, y)
            self.next = x, y

    def __iter__(self):
        return self

    def __next__(self):
        batch = self.next
        if batch is None:
            raise StopIteration
        self.preload()
        return batch


def batches_fetched_ahead(rec):
    t, model = Truth(rec), ResNet(w=40)
    t.weights(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, foreach=False)
    for x, y in Prefetcher(t, 5):
        t.now("forward")
        loss = F.cross_entropy(model(x), y)
        t.backward_begins()
        loss.backward()
        t.optimizer_begins(model)
        optimizer.step()
        t.states(optimizer)
        optimizer.zero_grad(set_to_none=True)
    t.dump()
