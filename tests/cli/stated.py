# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What `program` states of a recording's dimensions, held against what is true. Truth without any dimension: none may be stated."""

NAMES = ("hidden", "feed_forward", "layers", "heads", "kv_heads", "vocabulary", "tokens", "batch", "sequence")


class Score:
    def __init__(self):
        self.counts = {name: {"right": 0, "wrong": 0, "alt": 0, "not stated": 0} for name in NAMES}

    def add(self, truth, stated):
        """Counts one recording; returns what is wrong and what is left out, for people."""
        if truth.get("batch") and truth.get("sequence"):
            truth = {**truth, "tokens": truth["batch"] * truth["sequence"]}
        remarks = []
        for name in NAMES:
            said, true = stated.get(name), truth.get(name)
            if true is None and (truth or said is None):
                continue
            count = self.counts[name]
            if said is None:
                count["not stated"] += 1
                remarks.append(f"{name} -({true})")
            elif said["value"] == true:
                count["right"] += 1
            else:
                count["wrong"] += 1
                count["alt"] += any(a["value"] == true for a in said["alternatives"])
                remarks.append(f"{name} {said['value']}({true}) at {said['confidence']}")
        return remarks

    def total(self, what):
        return sum(count[what] for count in self.counts.values())

    def shares(self):
        known = self.total("right") + self.total("wrong") + self.total("not stated")
        stated = self.total("right") + self.total("wrong")
        return self.total("right") / max(1, known), self.total("wrong") / max(1, stated)

    def print(self, title):
        print(f"{title:14}" + "".join(f"{what:>12}" for what in ("right", "wrong", "alt", "not stated")))
        for name in (*NAMES, "all"):
            row = [self.total(w) if name == "all" else self.counts[name][w] for w in ("right", "wrong", "alt", "not stated")]
            print(f"{name:14}" + "".join(f"{number:12}" for number in row))


def by(program, path):
    answer = program.json("program", path)
    busiest = max(answer["devices"], key=lambda d: sum(s["count"] for s in d["sizes"]))
    return {d["name"]: d for d in busiest["dimensions"]}
