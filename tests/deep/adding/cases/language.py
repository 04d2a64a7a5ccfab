# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One more language, of one text: a catalogue alone, which the program offers."""

import json

MOST = 2


def add(tree):
    tree.new("resources/languages/nl.json", json.dumps(
        {"decimal_mark": ",", "group_mark": ".", "language": "nl", "name": "Nederlands", "texts": {"Buckets": "Emmers"}}))


def find(checks, program, tree):
    checks.that("Emmers" in program.text("capabilities", "--language", "nl"), "no Dutch name of buckets")
    checks.that("en, de, nl" in " ".join(program.text("--help").split()), "--help has no nl")
    refused = program.run("capabilities", "--language", "xx")
    checks.that("choose from en, de, nl" in refused.stderr, f"languages to choose from: {refused.stderr}")
    # It lacks all other texts, which the check of catalogues would say.
    (tree.root / "resources/languages/nl.json").unlink()
