# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""long_pairs.py OUT_DIR [PAIR...]: the draws of drawn_pairs.py with sequences so long that attention matrices are the
largest of what a block makes."""

import functools

import drawn_pairs
import pairs
from more_given_runs import gpt

SEEDS = range(5000, 5160)


def long_shape(draw):
    heads = draw.choice((2, 4, 8))
    return {"d": heads * draw.choice((8, 16, 24)), "h": heads, "n": draw.randint(1, 4),
            "vocab": draw.choice((256, 512, 1000)), "T": draw.choice((128, 160, 192, 256)), "B": draw.choice((2, 4)),
            "steps": draw.choice((2, 2, 3)), "opt": draw.choice(drawn_pairs.OPTIMIZERS)}


long_texts = functools.partial(drawn_pairs.of_texts, shape=long_shape)
DRAWN = {f"long_{seed}": drawn_pairs.drawn(seed, long_texts) for seed in SEEDS}
PAIRS = {name: drawn for name, drawn in DRAWN.items() if drawn[0] is gpt}

if __name__ == "__main__":
    pairs.SCALE = 16  # as the data folder's tool has it
    pairs.main(PAIRS, may_live=True)
