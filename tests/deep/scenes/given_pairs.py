# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""given_pairs.py OUT_DIR [PAIR...]: pairs as the data folder's own tool makes them, of its models in other sizes. They were
recorded before any of their predictions was looked at."""

import pair_runs
import pairs
import scenes
import torch
from pairs import FULL, HALF, QUARTER, TWICE, pair

GPT = {"d": 256, "n": 4, "h": 8, "vocab": 4096, "steps": 2, "B": 8, "T": 128}
OPTIMIZERS = {
    **pair_runs.OPTIMIZERS,
    "default": torch.optim.AdamW,
    "adam": torch.optim.Adam,
    "adam_foreach": lambda p: torch.optim.Adam(p, foreach=True),
    "sgd": lambda p: torch.optim.SGD(p, 0.1, foreach=False),
    "momentum_foreach": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, foreach=True),
}


def gpt(rec, opt="default", **options):
    scenes.gpt_adamw(rec, opt=OPTIMIZERS[opt], **{**GPT, **options})


def conv(rec, B=16, side=40, opt="default", w=48, micro=1, steps=3):
    model = scenes.ConvNet(w=w)
    run = scenes.Run(rec, model, OPTIMIZERS[opt](model.parameters()), scenes.F.cross_entropy)
    for _ in range(steps):
        rec.set_phase("input")
        x, y = torch.randn(B, 3, side, side), torch.randint(100, (B,))
        rec.mark(x, "input")
        run.train_step(x, y, micro=micro)


def adapted(rec, rank=0, B=8, T=128, steps=3, **shape):
    """All weights trained, or adapters as the given scene has them."""
    model = scenes.GPT(**{"d": 256, "h": 8, **shape})
    if rank:
        model.requires_grad_(False)
        for layer in model.layers:
            layer.attn.qkv, layer.mlp[0] = (scenes.LoRALinear(m, rank) for m in (layer.attn.qkv, layer.mlp[0]))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
    run = scenes.Run(rec, model, optimizer, scenes.ce)
    for _ in range(steps):
        run.train_step(*scenes.tokens(rec, B, T, model.vocab))


def evaluated(rec, keep=0, batches=120, B=4, T=128, vocab=8192):
    """The given evaluation that keeps its logits; with `keep` they leave the card after so many batches."""
    model = scenes.GPT(vocab=vocab)
    run = scenes.Run(rec, model, torch.optim.AdamW(model.parameters()), scenes.ce)
    for _ in range(2):
        run.train_step(*scenes.tokens(rec, B, T, vocab))
    model.eval()
    outs, away = [], []
    with torch.no_grad():
        for i in range(batches):
            x, _ = scenes.tokens(rec, B, T, vocab)
            rec.set_phase("evaluation")
            outs.append(model(x))
            if keep and (i + 1) % keep == 0:
                away += [o.numpy()[0, 0, 0].item() for o in outs]
                outs.clear()


SMALL_BATCH = {"B": 1, "T": 64, "d": 384}

PAIRS = {
    "given_gpt_batch_8_to_2": pair(gpt, QUARTER, {"B": 2}),
    "given_gpt_batch_4_to_8": pair(gpt, TWICE, {"B": 8}, B=4),
    "given_gpt_batch_12_to_3_narrow": pair(gpt, QUARTER, {"B": 3}, B=12, d=128, n=6, h=4, vocab=8192),
    "given_gpt_batch_half_default_sizes": pair(gpt, HALF, {"B": 4}, d=192, n=6, h=6),
    "given_gpt_batch_half_square_heads": pair(gpt, HALF, {"B": 3}, B=6, d=128, n=3, h=1, T=128),
    "given_gpt_batch_half_long": pair(gpt, HALF, {"B": 1}, B=2, T=384, d=192, n=3, h=6),
    "given_gpt_batch_half_states": pair(gpt, HALF, {"B": 1}, B=2, T=32, d=512, n=3, h=8, vocab=2048),
    "given_gpt_batch_half_momentum": pair(gpt, HALF, {"B": 4}, opt="momentum_foreach", d=320, h=10),
    "given_gpt_batch_half_checkpointed": pair(gpt, HALF, {"B": 4}, ckpt=True, n=6),
    "given_gpt_batch_half_one_layer": pair(gpt, HALF, {"B": 4}, n=1),
    "given_gpt_accumulation_2": pair(gpt, "micro-batch=0.5,accumulation=2", {"B": 4, "micro": 2}, n=3),
    "given_gpt_accumulation_4_states": pair(gpt, "accumulation=4", {"micro": 4}, **SMALL_BATCH),
    "given_conv_accumulation_2": pair(conv, "micro-batch=0.5,accumulation=2", {"B": 8, "micro": 2}),
    "given_conv_batch_half": pair(conv, HALF, {"B": 8}),
    "given_conv_batch_twice": pair(conv, TWICE, {"B": 8}, B=4, side=32),
    "given_conv_batch_quarter_narrow": pair(conv, QUARTER, {"B": 8}, B=32, w=24),
    "given_conv_sgd": pair(conv, "optimizer=sgd", {"opt": "sgd"}, B=2, side=16),
    "given_gpt_sequence_half": pair(gpt, "sequence=0.5", {"T": 64}),
    "given_gpt_sequence_twice": pair(gpt, "sequence=2", {"T": 256}, B=4, n=3),
    "given_gpt_sequence_quarter_long": pair(gpt, "sequence=0.25", {"T": 128}, B=2, T=512, d=128, n=3, h=4),
    "given_gpt_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, B=1, T=64, d=320, h=10, n=5),
    "given_gpt_momentum": pair(gpt, "optimizer=sgd-momentum", {"opt": "momentum"}, **SMALL_BATCH),
    "given_gpt_foreach_to_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, opt="adam_foreach", **SMALL_BATCH),
    "given_gpt_foreach_off": pair(gpt, "foreach=off", {"opt": "adam"}, opt="adam_foreach", **SMALL_BATCH),
    "given_gpt_checkpointing_12": pair(gpt, FULL, {"ckpt": True}, n=12, d=128, h=4),
    "given_gpt_checkpointing_2": pair(gpt, FULL, {"ckpt": True}, n=2),
    "given_gpt_checkpointing_long": pair(gpt, FULL, {"ckpt": True}, n=6, d=128, h=4, B=2, T=384),
    "given_gpt_adapters_8": pair(adapted, "lora=8", {"rank": 8}),
    "given_gpt_adapters_16_states": pair(adapted, "lora=16", {"rank": 16}, B=1, T=64, d=384, n=4),
    "given_gpt_adapters_4_wide": pair(adapted, "lora=4", {"rank": 4}, B=2, T=96, d=512, n=3),
    "given_results_leave_after_2": pair(evaluated, "eval-accumulation=2", {"keep": 2}),
    "given_gpt_dies_batch_half": pair(gpt, HALF, {"B": 8}, room=0.9, B=16, T=192, n=5),
    "given_gpt_dies_in_forward_batch_quarter": pair(gpt, QUARTER, {"B": 4}, room=0.6, B=16, n=6),
    "given_gpt_dies_early_batch_half": pair(gpt, HALF, {"B": 8}, room=0.35, B=16, n=8),
    "given_gpt_dies_in_first_step_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, room=0.7, **SMALL_BATCH),
    "given_gpt_dies_sequence_half": pair(gpt, "sequence=0.5", {"T": 96}, room=0.8, T=192),
    "given_gpt_dies_checkpointing": pair(gpt, FULL, {"ckpt": True}, room=0.8, n=8),
    "given_conv_dies_batch_half": pair(conv, HALF, {"B": 16}, room=0.85, B=32),
    "given_conv_dies_in_forward_batch_quarter": pair(conv, QUARTER, {"B": 8}, room=0.5, B=32),
}

if __name__ == "__main__":
    pairs.SCALE = 16  # as the data folder's tool has it
    pairs.main(PAIRS)
