# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""drawn_pairs.py OUT_DIR [PAIR...]: pairs of the data folder's own models drawn by chance: sizes, habits, changes. The
numbers of SEEDS are the draws; nobody chose what they hold, and their predictions were looked at only when all had been
recorded."""

import random

import pairs
from more_given_runs import conv, evaluated, gpt
from pairs import pair

SEEDS = range(1140)
CHANGES = ("batch", "batch", "batch", "accumulation", "sequence", "optimizer", "optimizer", "foreach", "lora",
           "checkpointing", "checkpointing", "loss", "none", "two", "two")
CONFIGS = {"momentum": "optimizer: sgd\nmomentum: 0.9\n", "momentum_foreach": "optimizer: sgd\nmomentum: 0.9\n",
           "rmsprop_foreach": "optimizer: rmsprop\n"}  # of what is not Adam
OPTIMIZERS = ("default", "default", "adam", "adam_foreach", "momentum_foreach", "momentum", "amsgrad")


def shape_of(draw):
    heads = draw.choice((1, 2, 4, 6, 8))
    return {"d": heads * draw.choice((16, 24, 32)), "h": heads, "n": draw.randint(1, 5),
            "vocab": draw.choice((512, 1000, 2048, 3000, 5000)), "T": draw.choice((32, 48, 64, 96)),
            "B": draw.choice((2, 4, 6, 8)), "steps": draw.choice((2, 2, 3)), "opt": draw.choice(OPTIMIZERS)}


def habits_of(draw):
    return draw.choice(({}, {}, {}, {"zeroes": True}, {"frozen": 1}, {"again": "layers"}, {"validate": 2},
                        {"record_from": 1, "steps": 3}))


def ratio_of(draw, number):
    after = draw.choice([b for b in range(1, 2 * number + 1) if b != number])
    return f"{after}/{number}", after


def batch(draw, before):
    ratio, after = ratio_of(draw, before["B"])
    return f"micro-batch={ratio}", {"B": after}


def accumulation(draw, before):
    parts = draw.choice([n for n in (2, 3, 4, 6) if before["B"] % n == 0])
    return f"micro-batch=1/{parts},accumulation={parts}", {"B": before["B"] // parts, "micro": parts}


def sequence(draw, before):
    ratio, after = draw.choice((("0.5", before["T"] // 2), ("2", before["T"] * 2), ("1.5", before["T"] * 3 // 2)))
    return f"sequence={ratio}", {"T": after}


def optimizer(draw, before):
    return draw.choice((("optimizer=sgd", {"opt": "sgd"}), ("optimizer=sgd-momentum", {"opt": "momentum"})))


def foreach(draw, before):
    before["opt"] = "adam_foreach"
    return "foreach=off", {"opt": "adam"}


def lora(draw, before):
    before.pop("frozen", None)
    rank = draw.choice((4, 8, 16, 32))
    return f"lora={rank}", {"rank": rank}


def checkpointing(draw, before):
    before.pop("again", None)
    before["n"] = max(2, before["n"])
    return "checkpointing=full", {"again": "layers"}


def loss(draw, before):
    parts = draw.choice((4, 8, 16))
    kind = draw.choice(("parts", "fused"))
    return f"fused-loss={'recompute-' if kind == 'parts' else ''}{parts}", {"kind": kind, "parts": parts}


def none(draw, before):
    before["zeroes"] = True
    return "set-to-none=on", {"zeroes": False}


def two(draw, before):
    """Of two of them, which touch different things."""
    first, second = draw.sample((batch, optimizer, checkpointing, loss), 2)
    words, after = zip(first(draw, before), second(draw, before))
    return ",".join(words), after[0] | after[1]


def of_pictures(draw):
    before = {"B": draw.choice((4, 6, 8)), "side": draw.choice((16, 24, 32)), "w": draw.choice((12, 16, 24)),
              "opt": draw.choice(("default", "adam", "momentum_foreach", "rmsprop_foreach")), "steps": 3}
    change = draw.choice((batch, accumulation, optimizer, none))
    return conv, before, *change(draw, before)


def of_results(draw):
    keep = draw.randint(1, 5)
    return evaluated, {"batches": draw.randint(10, 30), "vocab": 1000, "T": 48}, f"eval-accumulation={keep}", {"keep": keep}


def of_texts(draw, shape=shape_of):
    before = shape(draw) | habits_of(draw)
    change = globals()[draw.choice(CHANGES)]
    return gpt, before, *change(draw, before)


def drawn(seed, texts=of_texts):
    draw = random.Random(seed)
    scene, before, change, after = draw.choices((texts, of_pictures, of_results), (12, 3, 1))[0](draw)
    room = draw.choice((None, None, None, 0.9, 0.75)) if scene is not evaluated else None
    if "micro-batch" in change and int(after["B"]) > before["B"]:
        room = None  # what died would only die again
    config = CONFIGS.get(before.get("opt"), "") if room else ""
    return pair(scene, change, after, room=room, config=config, **before)


PAIRS = {f"drawn_{seed:02}": drawn(seed) for seed in SEEDS}

if __name__ == "__main__":
    pairs.SCALE = 16  # as the data folder's tool has it
    pairs.main(PAIRS, may_live=True)
