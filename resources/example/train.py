# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
import torch
from model import GPT

BATCH, CONTEXT, VOCABULARY = 8, 640, 32000
DEVICE = "cuda"


def batches():
    while True:
        ids = torch.randint(VOCABULARY, (BATCH, CONTEXT + 1), device=DEVICE)
        yield ids[:, :-1], ids[:, 1:]


def train(steps):
    model = GPT(VOCABULARY).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for _, (ids, targets) in zip(range(steps), batches()):
        loss = model(ids, targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    train(steps=100)
