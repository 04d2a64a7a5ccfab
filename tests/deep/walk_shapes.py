# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The shape of a model of transformers from the weights that `program` infers, as its config.json says it (walk_fit.py). Keys that begin
with an underscore are what the weights leave open, and widths."""

import collections
import math

UNGATED = ("phi", "starcoder2", "gpt_neox", "gpt2", "opt", "bloom", "bert", "roberta", "xlm-roberta", "camembert", "distilbert", "vit")
LEARNED = {"gpt2": 0, "opt": 2, "bert": 0, "roberta": 0, "xlm-roberta": 0, "camembert": 0, "distilbert": 0, "bart": 2}  # rows more than positions
ROTARY = {"gpt_neox": 0.25, "phi": 0.5, "stablelm": 0.25}
WINDOW = {"mistral": 4096, "gemma2": 4096, "mixtral": None}  # transformers' own defaults


class Refused(Exception):
    """Why no walk is fitted."""


class Weights:
    """Matrices by their rows, beside the hidden size."""

    def __init__(self, recording):
        if not recording.models:
            raise Refused("no model is inferred")
        self.model = recording.models[0]
        if len(recording.models) > 1 and recording.models[1]["parameters"] * 10 > self.model["parameters"]:
            raise Refused("two models")
        every = self.model["weights"]
        self.adapts = self.model["trainable"] < 0.5 * self.model["parameters"]
        frozen = [w for w in every if not (self.adapts and w["trainable"])]
        self.adapters = [w for w in every if self.adapts and w["trainable"]]
        self.width = 2 if any("16" in w["dtype"] for w in every if w["shape"] and not (self.adapts and w["trainable"])) else 4
        columns = collections.Counter()
        for w in frozen:
            if w["shape"] and len(w["shape"]) == 2 and w["shape"][0] >= 8:
                columns[w["shape"][1]] += w["count"]
        vectors = collections.Counter()  # Norms are the most frequent weights.
        for w in frozen:
            vectors[w["bytes"] // self.width] += w["count"]
        self.hidden = columns.most_common(1)[0][0] if columns else vectors.most_common(1)[0][0]
        self.rows, self.bytes = collections.Counter(), collections.Counter()
        for w in frozen:
            elements = w["bytes"] // self.width
            self.bytes[w["bytes"]] += w["count"]
            if elements % self.hidden == 0 and elements // self.hidden > 8:
                self.rows[elements // self.hidden] += w["count"]
        self.trained_bytes = {w["bytes"] for w in self.adapters}

    def rank(self):
        """The smallest side of what is trained."""
        sides = collections.Counter(min(w["shape"]) for w in self.adapters if w["shape"] and len(w["shape"]) == 2)
        return sides.most_common(1)[0][0] if sides else 0


def shape_of(recording, family, w):
    """What a family's configuration says of the model, as far as weights tell; lists where they leave a choice."""
    hidden, rows = w.hidden, dict(w.rows)
    if family == "vit":
        return shape_of_vit(recording, w)
    tables = sorted((r for r, n in rows.items() if n <= 2), reverse=True)
    if not tables:
        raise Refused("no table of words")
    vocabulary = tables[0]
    tied = rows.pop(vocabulary) == 1
    positions = 131072
    if family in LEARNED:
        places = [r for r, n in rows.items() if n == (2 if family == "bart" else 1) and r != hidden]
        if not places:
            raise Refused("no table of positions")
        positions = max(places) - LEARNED[family]
        rows.pop(max(places))
    if family == "t5":
        return shape_of_t5(recording, w, vocabulary, tied, rows)
    joint = 3 * hidden if family in ("gpt2", "gpt_neox", "bloom") else 0
    each = 2 if family in UNGATED or family == "bart" else 3
    if family == "mixtral":
        return shape_of_mixtral(recording, w, vocabulary, tied)
    if family == "phi3":
        inner = min((r for r in rows if 2 * r in rows and rows[2 * r] == rows[r]), default=0)
        if not inner:
            raise Refused("no feed-forward")
        layers = rows[inner]
        rest = [r for r, n in rows.items() if n == layers and r not in (inner, 2 * inner)]
        query, keys = hidden, (max(rest, default=3 * hidden) - hidden) // 2
    else:
        inner, layers, query, keys = solved(recording, rows, hidden, joint, each)
    if not layers:
        raise Refused("no layers")
    # Angles are buffers of half the width that is turned: fp32, or 16 bits where the whole model was cast.
    share = ROTARY.get(family, 1)
    angles = [int(2 * b / e / share) for b, n in w.bytes.items() for e in {4, w.width} if n in (1, 2, 4) and b <= 1024 and 2 * b / e / share >= 8]
    widths = [a for a in angles if query % a == 0 and keys % a == 0] if family not in LEARNED else []
    heads = list(dict.fromkeys([*(query // a for a in widths), *recording.values("heads"),
                                *(query // a for a in (64, 32, 128, 80, 40, 96) if query % a == 0)]))
    heads = [h for h in heads if query % h == 0 and keys % (query // h) == 0][:1 if widths else 5]
    if not heads:
        raise Refused("no number of heads fits")
    config = {"model_type": family, "hidden_size": hidden, "intermediate_size": inner, "num_hidden_layers": layers, "vocab_size": vocabulary,
              "tie_word_embeddings": tied, "max_position_embeddings": positions, "_heads": heads, "_query": query, "_keys": keys}
    if family in WINDOW:
        config["sliding_window"] = WINDOW[family]
    if family == "gpt2":
        config.update(n_embd=hidden, n_layer=layers, n_inner=inner, n_positions=positions)
    elif family == "opt":
        config.update(ffn_dim=inner)
    elif family == "distilbert":
        config.update(dim=hidden, hidden_dim=inner, n_layers=layers)
    elif family == "bart":
        config.update(d_model=hidden, encoder_layers=layers // 2, decoder_layers=layers - layers // 2, encoder_ffn_dim=inner, decoder_ffn_dim=inner)
    return config


def solved(recording, rows, hidden, joint, each):
    """(feed-forward, layers, width of queries, of keys) such that attention and feed-forward use up the matrices, with the fewest left."""
    found = []
    for inner in rows:
        for layers in {recording.value("layers") or 0, rows[inner] // each, *([rows[joint]] if joint in rows else [])} - {0}:
            left = collections.Counter(rows)
            left[inner] -= each * layers
            if joint:
                left[joint] -= layers
                left[hidden] -= layers
                query = keys = hidden
            else:
                wide = sorted((r for r, n in left.items() if n >= 2 * layers), reverse=True)
                if not wide:
                    continue
                query, keys = (wide[0], wide[0]) if left[wide[0]] >= 4 * layers or len(wide) == 1 else (wide[0], wide[1])
                left[query] -= 2 * layers
                left[keys] -= 2 * layers
            if min(left.values()) >= 0:
                found.append((sum(left.values()), inner < hidden, abs(query - hidden), -layers, inner, query, keys))
    if not found:
        raise Refused("matrices are no attention and feed-forward")
    _, _, _, layers, inner, query, keys = min(found)
    return inner, -layers, query, keys


def shape_of_mixtral(recording, w, vocabulary, tied):
    rows = w.rows
    layers = recording.value("layers") or min(n for r, n in rows.items() if r > w.hidden and n > 2)
    wide = sorted((r for r, n in rows.items() if n == layers and r != vocabulary), reverse=True)
    experts = next((b // w.width // w.hidden for b, n in w.bytes.items() if n == layers and b // w.width // w.hidden <= 64), 0)
    if len(wide) < 2 or not experts:
        raise Refused("no experts")
    keys = [r for r, n in rows.items() if n >= 2 * layers and r < w.hidden]
    query, keys = w.hidden, keys[0] if keys else w.hidden
    widths = [b * 2 // 4 for b, n in w.bytes.items() if n in (1, 2) and b <= 512 and query % max(1, b // 2) == 0]
    heads = [query // a for a in widths if a and keys % a == 0] or recording.values("heads")
    if not heads:
        raise Refused("no number of heads fits")
    return {"model_type": "mixtral", "hidden_size": w.hidden, "intermediate_size": wide[1] // experts, "num_hidden_layers": layers, "vocab_size": vocabulary,
            "tie_word_embeddings": tied, "num_local_experts": experts, "num_experts_per_tok": 2, "_heads": heads[:2], "_query": query, "_keys": keys,
            "max_position_embeddings": 131072}


def shape_of_t5(recording, w, vocabulary, tied, rows):
    heads = [b // w.width // 32 for b, n in w.bytes.items() if n == 2 and b // w.width % 32 == 0 and b // w.width // 32 <= 64]
    inner = max(rows, key=lambda r: (r > w.hidden, rows[r]))
    attention = max((r for r in rows if r != inner), key=lambda r: rows[r], default=0)
    if not heads or not attention or rows[attention] % 12:
        raise Refused("T5 whose halves differ")
    layers = rows[attention] // 12
    gated = rows[inner] == 6 * layers
    if not gated and rows[inner] != 4 * layers:
        raise Refused("T5 whose halves differ")
    return {"model_type": "t5", "d_model": w.hidden, "d_kv": attention // heads[0], "d_ff": inner, "num_layers": layers, "num_heads": heads[0],
            "vocab_size": vocabulary, "tie_word_embeddings": tied, "feed_forward_proj": "gated-gelu" if gated else "relu", "_heads": heads[:1],
            "_query": attention, "_keys": attention}


def shape_of_vit(recording, w):
    hidden, rows = w.hidden, dict(w.rows)
    inner = max((r for r in rows if r > hidden and rows[r] % 2 == 0), key=lambda r: rows[r], default=0)
    if not inner:
        raise Refused("no feed-forward")
    layers = rows.pop(inner) // 2
    for patch in (16, 8, 14, 32, 4, 12):
        area = 3 * patch * patch
        left = {r: n - (4 * layers if r == hidden else 0) for r, n in rows.items()}
        if left.get(area, 0) < 1:
            continue
        places = [r for r, n in left.items() if n == 1 and r != area and math.isqrt(r - 1) ** 2 == r - 1]
        if not places:
            continue
        side = math.isqrt(max(places) - 1) * patch
        batches = [b for b in range(1, 513) if recording.sizes[b * 3 * side * side * w.width]]
        labels = [r for r, n in left.items() if n == 1 and r not in (area, max(places))]
        small = [b // w.width // hidden for b in w.bytes if b // w.width % hidden == 0 and b // w.width // hidden in range(1, 9)]
        labels = labels or [s for s in small if s * w.width in w.bytes] or [2]
        return {"model_type": "vit", "hidden_size": hidden, "intermediate_size": inner, "num_hidden_layers": layers, "image_size": side, "patch_size": patch,
                "num_labels": labels[0], "_batches": batches[-2:], "_query": hidden, "_keys": hidden,
                "_heads": list(dict.fromkeys([*recording.values("heads"), *(hidden // a for a in (64, 32, 128, 80, 40) if hidden % a == 0)]))[:5]}
    raise Refused("no table of patches")
