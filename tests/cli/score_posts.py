#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_posts.py CLI FILE... [--half=developed|held|unseen] [--least=N] [--quiet]: what `explain` answers to posts with a known end.

A post is answered right where its first cause is an accepted one, the answer names a fix (one of `mention`), and
nothing in it misleads (none of `never`). Files are tests/data/posts.json and, where the data of others is there,
cases/field-dev.json. A post's half is fixed by a hash of its text: rules are written on one, the other only counts.
Posts that say their `half` and their `source`, a public thread, were written down with their causes before the program
read them: the developed ones were mended with, the unseen ones were scored once."""

import hashlib
import json
import pathlib
import re
import sys

import harness


def half_of(post):
    return post.get("half") or ("held" if hashlib.sha256(post["text"].encode()).digest()[0] & 1 else "developed")


def complaints(program, post):
    """Nothing: the answer is right."""
    answered = program.run("explain", "--json", stdin=post["text"])
    shown = program.run("explain", stdin=post["text"])
    if answered.returncode != 0 or shown.returncode != 0:
        return [f"ended with {answered.returncode}, {shown.returncode}: {answered.stderr[:200]}"]
    answer, text = json.loads(answered.stdout), shown.stdout
    wrong = []
    if answer["cause"] not in post["accepted_causes"]:
        trap = answer["trap"]["id"] if answer["trap"] else "no trap"
        wrong.append(f"cause {answer['cause']} ({trap}), accepted are {' '.join(post['accepted_causes'])}")
    flat = " ".join(text.split())
    if not any(re.search(words, form, re.IGNORECASE) for words in post["mention"] for form in (text, flat)):
        wrong.append(f"names none of {post['mention']}")
    wrong += [f"misleads: {words[:60]}" for words in post["never"] if re.search(words, text, re.IGNORECASE)]
    return wrong


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    paths = [a for a in sys.argv[1:] if not a.startswith("--")]
    half = next((o.split("=")[1] for o in options if o.startswith("--half=")), None)
    least = next((float(o.split("=")[1]) for o in options if o.startswith("--least=")), 0)
    program = harness.Program(paths[0])
    right = count = 0
    for path in paths[1:]:
        for i, post in enumerate(json.loads(pathlib.Path(path).read_text(encoding="utf-8"))):
            if half and half_of(post) != half:
                continue
            wrong = complaints(program, post)
            count += 1
            right += not wrong
            if wrong and "--quiet" not in options:
                print(f"✗ {post.get('id') or post.get('trap') or post['source']} #{i}: " + "; ".join(wrong))
    print(f"{right} of {count} posts answered right")
    sys.exit(0 if count and right >= least * count else 1)


if __name__ == "__main__":
    main()
