# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One more language, of two texts: a catalogue alone, which both programs offer."""

import json

MOST = 1
WINDOW = True


def add(tree):
    tree.new("resources/languages/nl.json", json.dumps(
        {"decimal_mark": ",", "group_mark": ".", "language": "nl", "name": "Nederlands",
         "texts": {"Buckets": "Emmers", "Print this help message and exit": "Toont deze hulp"}}))


def find(checks, program, tree):
    checks.that("Emmers" in program.text("capabilities", "--language", "nl"), "no Dutch name of buckets")
    checks.that("en, de, nl" in " ".join(program.text("--help").split()), "--help has no nl")
    refused = program.run("capabilities", "--language", "xx")
    checks.that("choose from en, de, nl" in refused.stderr, f"languages to choose from: {refused.stderr}")
    window = tree.window()
    checks.that("Toont deze hulp" in window.text("--language", "nl", "--help"), "no Dutch help of the window")
    checks.that("en, de, nl" in " ".join(window.text("--help").split()), "the window's --help has no nl")
    refused = window.run("--language", "xx", "--screenshot", "x.png", tree.example())
    checks.that("use en, de, nl" in refused.stderr, f"languages of the window: {refused.stderr}")
    checks.equal("the test of all languages", tree.ui_test("tst_menus", "everyLanguageIsOffered:nl"), 0)
    # It lacks all other texts, which the check of catalogues would say.
    (tree.root / "resources/languages/nl.json").unlink()
