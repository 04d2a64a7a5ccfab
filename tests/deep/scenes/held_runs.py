# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Trainings for the held-out pairs: loops as trainers, closures and notebooks write them."""

import held_models as models
import torch
import torch.nn.functional as F
from models import Lion, Segmenter, Tagger, Vae
from pair_runs import Adapter
from torch import nn
from torch.utils.checkpoint import checkpoint

OPTIMIZERS = {
    "adam": lambda p: torch.optim.Adam(p, lr=1e-3),
    "adamw": lambda p: torch.optim.AdamW(p, lr=1e-3, weight_decay=0.1),
    "adamw_foreach": lambda p: torch.optim.AdamW(p, lr=1e-3, foreach=True),
    "amsgrad": lambda p: torch.optim.Adam(p, amsgrad=True),
    "nadam": lambda p: torch.optim.NAdam(p),
    "sgd": lambda p: torch.optim.SGD(p, lr=0.05),
    "sgd_decay": lambda p: torch.optim.SGD(p, lr=0.05, weight_decay=1e-4),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
    "nesterov": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4),
    "momentum_foreach": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, foreach=True),
    "rmsprop_foreach": lambda p: torch.optim.RMSprop(p, foreach=True),
    "centered": lambda p: torch.optim.RMSprop(p, centered=True, momentum=0.9),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.01),
    "lion": lambda p: Lion(p),
}


def trained(model):
    return [p for p in model.parameters() if p.requires_grad]


class Trainer:
    """One step after the other, gradients cleared before the optimizer's next turn."""

    def __init__(self, model, opt, clip=0.0, schedule=False, micro=1):
        self.model, self.optimizer = model, OPTIMIZERS[opt](trained(model))
        self.clip, self.micro = clip, micro
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 100) if schedule else None
        self.total = 0.0

    def training_step(self, batch):
        self.model.train()
        loss = self.compute_loss(*batch)
        if self.micro > 1:
            loss = loss / self.micro
        loss.backward()
        return loss.detach()

    def fit(self, batches):
        for i, batch in enumerate(batches):
            self.total += self.training_step(batch).item()
            if (i + 1) % self.micro == 0:
                if self.clip:
                    nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
                self.optimizer.step()
                if self.schedule:
                    self.schedule.step()
                self.model.zero_grad(set_to_none=True)


class OldGptTrainer(Trainer):
    def compute_loss(self, ids):
        return self.model(ids, ids)[0]


class DecoderTrainer(Trainer):
    def compute_loss(self, ids):
        logits = self.model(ids[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


class FloatLossTrainer(Trainer):
    """The logits are made 32 bits wide before the loss."""

    def compute_loss(self, ids):
        logits = self.model(ids[:, :-1]).float()
        return F.cross_entropy(logits.view(-1, logits.size(-1)), ids[:, 1:].reshape(-1))


class PartLossTrainer(Trainer):
    """Head and loss for a part of the tokens at a time, each made again in backward."""

    def compute_loss(self, ids):
        hidden, wanted = self.model.hidden(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()
        parts = zip(hidden.chunk(8), wanted.chunk(8))
        return sum(checkpoint(self.part, h, y, use_reentrant=False) for h, y in parts) / len(wanted)

    def part(self, hidden, wanted):
        return F.cross_entropy(self.model.lm_head(hidden), wanted, reduction="sum")


def token_batches(count, B, T, vocab):
    for _ in range(count):
        yield (torch.randint(vocab, (B, T)),)


def old_gpt(rec, B=6, T=96, steps=3, opt="adamw", micro=1, clip=1.0, schedule=True, rank=0, **shape):
    model = models.OldGpt(**shape)
    if rank:
        model.requires_grad_(False)
        for block in model.h:
            block.c_attn = Adapter(block.c_attn, rank)
    OldGptTrainer(model, opt, clip, schedule, micro).fit(token_batches(steps * micro, B, T, model.vocab))


def adapted(model, rank):
    model.requires_grad_(False)
    for layer in model.layers:
        for name in ("q_proj", "v_proj"):
            base = getattr(layer.attn, name)
            setattr(layer.attn, name, Adapter(base, rank))


def decoder(rec, B=4, T=96, steps=3, opt="adamw", micro=1, clip=0.0, rank=0, loss="whole", half=False, **shape):
    model = models.Decoder(**shape)
    if half:
        model.to(torch.bfloat16)
    if rank:
        adapted(model, rank)
        model.embed.weight.requires_grad_(bool(shape.get("remake")))
    kinds = {"whole": DecoderTrainer, "float": FloatLossTrainer, "parts": PartLossTrainer}
    kinds[loss](model, opt, clip, micro=micro).fit(token_batches(steps * micro, B, T + 1, model.vocab))


def bert(rec, B=10, T=80, steps=3, opt="adamw", micro=1, **shape):
    model = models.Bert(**shape)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for step in range(steps * micro):
        ids, kinds = torch.randint(model.vocab, (B, T)), torch.zeros(B, T, dtype=torch.long)
        labels = torch.where(torch.rand(B, T) < 0.15, ids, torch.tensor(-100))
        scores = model(ids, kinds)
        loss = F.cross_entropy(scores.view(-1, model.vocab), labels.view(-1), ignore_index=-100)
        (loss / micro).backward()
        if (step + 1) % micro == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)


def pictures(model, B, side, classes, steps, opt, micro=1):
    optimizer, criterion = OPTIMIZERS[opt](model.parameters()), nn.CrossEntropyLoss(label_smoothing=0.1)
    model.train()
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        for _ in range(micro):
            images, labels = torch.rand(B, 3, side, side), torch.randint(classes, (B,))
            output = model(images)
            loss = criterion(output, labels)
            loss.backward()
        optimizer.step()
    return model


def vit(rec, B=12, side=32, steps=3, opt="adamw", micro=1, **shape):
    pictures(models.Vit(side=side, **shape), B, side, 50, steps, opt, micro)


def mixer(rec, B=16, side=32, steps=3, opt="adam", micro=1, **shape):
    pictures(models.Mixer(side=side, **shape), B, side, 40, steps, opt, micro)


def bottle(rec, B=12, side=48, steps=3, opt="nesterov", micro=1, evaluated=0, **shape):
    model = pictures(models.BottleNet(**shape), B, side, 30, steps, opt, micro)
    model.eval()
    with torch.no_grad():
        for _ in range(2 if evaluated else 0):
            model(torch.rand(evaluated, 3, side, side)).argmax(1)


def normed_unet(rec, B=6, side=48, steps=3, opt="adam", micro=1, **shape):
    net = models.NormedUNet(**shape)
    optimizer = OPTIMIZERS[opt](net.parameters())
    for _ in range(steps):
        for _ in range(micro):
            x, y = torch.rand(B, 3, side, side), torch.randint(5, (B, side, side))
            out = net(x)
            overlap = (out.softmax(1) * F.one_hot(y, 5).permute(0, 3, 1, 2)).sum((2, 3))
            loss = F.cross_entropy(out, y) + 1 - overlap.mean() / side ** 2
            loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def segmenter(rec, B=8, side=40, steps=3, opt="momentum"):
    net = Segmenter()
    optimizer = OPTIMIZERS[opt](net.parameters())
    for _ in range(steps):
        x, y = torch.rand(B, 3, side, side), torch.randint(8, (B, side, side))
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(net(x), y).backward()
        optimizer.step()


def rnn(rec, B=12, T=40, steps=3, opt="adam", micro=1, **shape):
    model = models.RnnModel(**shape)
    optimizer, vocab = OPTIMIZERS[opt](model.parameters()), model.out.out_features
    for _ in range(steps):
        for _ in range(micro):
            data = torch.randint(vocab, (B, T + 1))
            loss = F.cross_entropy(model(data[:, :-1]).reshape(-1, vocab), data[:, 1:].reshape(-1))
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def tagger(rec, B=16, T=48, steps=3, opt="adagrad"):
    model = Tagger(vocab=1500, d=96)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        x, y = torch.randint(1500, (B, T)), torch.randint(30, (B, T))
        F.cross_entropy(model(x).transpose(1, 2), y).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def translator(rec, B=8, T=48, steps=3, opt="adam", micro=1, **shape):
    model = models.Translator(**shape)
    optimizer, vocab = OPTIMIZERS[opt](model.parameters()), model.out.out_features
    for _ in range(steps):
        for _ in range(micro):
            source, target = torch.randint(vocab, (B, T)), torch.randint(vocab, (B, T + 1))
            scores = model(source, target[:, :-1])
            loss = F.cross_entropy(scores.transpose(1, 2), target[:, 1:])
            loss.backward()
            del scores, loss
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def towers(rec, B=48, steps=3, opt="adamw"):
    model = models.Towers()
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        pictures_, words = torch.rand(B, 3, 32, 32), torch.randint(900, (B, 20))
        scores = model(pictures_, words)
        wanted = torch.arange(B)
        loss = (F.cross_entropy(scores, wanted) + F.cross_entropy(scores.t(), wanted)) / 2
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def vae_closure(rec, B=256, steps=3, opt="adam", wide=400):
    """The optimizer calls the loss."""
    model = Vae(wide)
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        x = torch.rand(B, 784)

        def closure():
            optimizer.zero_grad(set_to_none=True)
            y, mu, logvar = model(x)
            loss = F.binary_cross_entropy(y, x, reduction="sum") - 0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum()
            loss.backward()
            return loss

        optimizer.step(closure)


def losses_kept(rec, B=4, T=64, steps=4, keeps=True, opt="adamw"):
    """Losses are kept for a plot, with all that hangs on them."""
    model, seen = models.Decoder(d=96, deep=2, heads=4, kv=4, wide=256, vocab=1024), []
    optimizer = OPTIMIZERS[opt](model.parameters())
    for _ in range(steps):
        ids = torch.randint(1024, (B, T + 1))
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        seen.append(loss if keeps else loss.item())


def predictions(rec, batches=30, keep=0, B=24, side=32, opt="momentum"):
    """Trains, then collects what a network of pictures says, with the logits and what they came from."""
    model = pictures(models.BottleNet(w=8, each=(1, 1), classes=1000), 8, side, 1000, 2, opt)
    model.eval()
    kept, away = [], []
    for i in range(batches):
        with torch.no_grad():
            said = model(torch.rand(B, 3, side, side))
        kept += [F.softmax(said, 1), said]
        del said
        if keep and (i + 1) % keep == 0:
            away += [k.numpy().copy() for k in kept]
            kept.clear()


def validated(rec, B=4, checked=16, T=64, steps=2, vocab=1600):
    """A larger batch in evaluation than in training."""
    model = models.OldGpt(vocab=vocab, d=96, deep=3)
    trainer = OldGptTrainer(model, "adamw")
    trainer.fit(token_batches(steps, B, T, vocab))
    model.eval()
    with torch.no_grad():
        for (ids,) in token_batches(2, checked, T, vocab):
            model(ids, ids)
