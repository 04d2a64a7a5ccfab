# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Scenes that do not train."""

import torch
from models import Cached, Encoder, UNet
from truth import Truth


def predictions_thrown_away(rec):
    t, model = Truth(rec), Encoder(deep=4).eval()
    t.weights(model)
    with torch.no_grad():
        for _ in range(6):
            t.now("input")
            x = torch.randint(2000, (64, 64))
            t.mark("input", x)
            t.now("inference")
            model(x).argmax(-1).sum().item()


def predictions_kept(rec):
    t, model, kept = Truth(rec), UNet(w=8).eval(), []
    t.weights(model)
    with torch.inference_mode():
        for _ in range(12):
            t.now("input")
            x = torch.randn(8, 3, 64, 64)
            t.mark("input", x)
            t.now("inference")
            y = model(x)
            kept.append(y)
            t.mark("output", y)
    t.dump()


def generation_with_a_static_cache(rec):
    t, model = Truth(rec), Cached().eval()
    t.weights(model)
    t.now("inference")
    with torch.no_grad():
        cache_k = [torch.zeros(32, 256, 128) for _ in range(3)]
        cache_v = [torch.zeros(32, 256, 128) for _ in range(3)]
        t.mark("kv_cache", *cache_k, *cache_v)
        token = torch.zeros(32, dtype=torch.long)
        t.mark("input", token)
        for at in range(40):
            token = model(token, at, cache_k, cache_v).argmax(-1)
    t.dump()


def inference_recorded_late(rec):
    rec.on = False
    t, model = Truth(rec), Encoder(deep=4).eval()
    t.weights(model)
    rec.on = True
    with torch.no_grad():
        for _ in range(4):
            t.now("input")
            x = torch.randint(2000, (128, 64))
            t.mark("input", x)
            t.now("inference")
            model(x).argmax(-1)
    t.dump()
