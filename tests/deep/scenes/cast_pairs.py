# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""cast_pairs.py OUT_DIR [PAIR...]: the draws of drawn_pairs.py and long_pairs.py with autocast, adapters and streamed
attention, before the change or as the change."""

import random

import drawn_pairs
import pairs
from long_pairs import long_shape
from more_given_runs import gpt
from pairs import pair

SEEDS = range(7000, 7540)
SHAPES = (drawn_pairs.shape_of, long_shape)


def flash(draw, before):
    before["flash"] = False
    return "attention=flash", {"flash": True}


def autocast(draw, before):
    before["autocast"] = False
    return "precision=bf16", {"autocast": True}


def lora(draw, before):
    before["rank"] = 0
    return drawn_pairs.lora(draw, before)


def checkpointing(draw, before):
    before["autocast"] = False  # under it this torch's CPU makes blocks again in 32 bits
    return drawn_pairs.checkpointing(draw, before)


def loss(draw, before):
    before["autocast"] = False  # the fused one has it not
    parts = draw.choice((4, 8, 16))
    return f"fused-loss={parts}", {"kind": "fused", "parts": parts}


def two(draw, before):
    first, second = draw.sample((drawn_pairs.batch, drawn_pairs.sequence, drawn_pairs.optimizer, autocast, flash), 2)
    words, after = zip(first(draw, before), second(draw, before))
    return ",".join(words), after[0] | after[1]


CHANGES = (drawn_pairs.batch, drawn_pairs.batch, drawn_pairs.sequence, drawn_pairs.sequence, drawn_pairs.accumulation,
           drawn_pairs.optimizer, flash, autocast, lora, checkpointing, loss, two, two)


def drawn(seed):
    draw = random.Random(seed)
    before = draw.choice(SHAPES)(draw) | draw.choice(({}, {}, {"zeroes": True}, {"frozen": 1}, {"validate": 2}))
    before |= {"autocast": draw.random() < 0.7, "flash": draw.random() < 0.25}
    if "frozen" not in before and draw.random() < 0.3:
        before["rank"] = draw.choice((4, 8, 16))
    change, after = draw.choice(CHANGES)(draw, before)
    room = draw.choice((None, None, None, 0.9, 0.75))
    if "micro-batch" in change and int(after["B"]) > before["B"] or "sequence" in change and after["T"] > before["T"]:
        room = None  # what died would only die again
    config = drawn_pairs.CONFIGS.get(before["opt"], "") if room else ""
    return pair(gpt, change, after, room=room, config=config, **before)


PAIRS = {f"cast_{seed}": drawn(seed) for seed in SEEDS}

if __name__ == "__main__":
    pairs.SCALE = 16  # as the data folder's tool has it
    pairs.main(PAIRS, may_live=True)
