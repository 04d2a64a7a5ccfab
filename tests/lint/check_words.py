# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Words that texts for people do not use; CONTRIBUTING.md has the vocabulary.

Checked are the texts of core, app and window and those of the resources, in any case, between word boundaries. An exception
is in the list itself, as the beginning of the text that may use the word.
"""

import re

import languages
import project

# Pattern -> (what to write instead, beginnings of texts that may have it).
UNWANTED = {
    r"at the moment that counts": ("at the peak", ()),
    r"come and go|came and went": ("allocated and freed", ()),
    r"taken back|(given|give|gives|gave) back": ("freed, unmapped", ()),
    r"(made|make|makes) (again|anew)|remade": ("recomputed, reallocated", ()),
    r"of (it|them) not in use": ("unused", ()),
    r"(had|asked for) again": ("reallocated", ()),
    r"(lie|lies|stand|stands) (beside|outside|there)": ("is", ()),
    r"cache of keys and values|key-value cache": ("KV cache", ()),
    r"(quanti|recogni|optimi|initiali|normali|utili)s(e|es|ed|ing|ation|ations)": ("American spelling, as in PyTorch", ()),
    r"remed(y|ies)|cheapest changes?|no change is needed": ("fix", ()),
    r"wants a": ("takes a", ()),
    r"is (no|none)[;,] (known|there) (are|is)": ("is not a …; use …", ()),
    r"not planned": ("not supported", ()),
    r"corrected by a person": ("corrected manually", ()),
    r"(the|a|one|each|its|whole|graphics) card": ("the GPU", ()),
}

# The same for the texts of the window, which are labels, hints and buttons more than sentences.
UNWANTED_IN_WINDOW = {
    r"confidence (high|medium|low|%\d)": ("the mark ≈, the reason as a tool tip", ()),
    r"mind(?=:)": ("caution", ()),
    r"chosen": ("selected", ("Language of the window",)),
    r"asked (for )?%\d|%\d asked": ("requested", ()),
    r"(is|are|largest) alive|alive at": ("live, allocated", ()),
    r"still to come|(is|was|were) to come": ("needed later", ()),
    r"in all": ("in total", ()),
    r"of (it|them)": ("the noun, or nothing", ()),
    r"stays? free": ("free", ()),
    r"largest totals?": ("peak", ()),
    r"by hand": ("manually", ()),
    r"held against": ("compared with", ()),
    r"(below|beside) each other": ("stacked, side by side", ()),
    r"what (was|lives|came|went|comes|goes|moved)": ("the noun", ()),
    r"(is|are) no (size|file|text|view|address|number)": ("is not a …", ()),
    r"colour\w*|neighbour\w*|(re)?labell(ed|ing)|behaviour": ("American spelling", ()),
    r"as (it was|they were|they stood)": ("as recorded", ()),
    r"lies? (here|there|elsewhere)|where .* lies": ("is; locate", ()),
    r"(seen|made) (in|at|by|before|to)": ("found; allocated", ()),
}
WINDOW = ("ui/models/", "ui/views/", "app/tidemark/")


def unwanted_in(path):
    name = str(path)
    is_window = name.startswith(WINDOW)
    return UNWANTED | UNWANTED_IN_WINDOW if is_window else UNWANTED


def check(root):
    complaints = []
    for text, path in languages.templates(root).items():
        for pattern, (better, allowed) in unwanted_in(path).items():
            found = re.search(rf"\b(?:{pattern})\b", text, re.IGNORECASE)
            if found and not text.startswith(allowed or ("\0",)):
                complaints.append(f"{path}: “{found[0]}” in “{text}”; write: {better}")
        if re.match(r"Of (?!two runs|the peak$)", text):
            complaints.append(f"{path}: “{text}” begins with “Of”; begin with the subject")
    return complaints


def self_test():
    said = 'const auto text = say("{}");'
    for good in ("Needs {} of {}", "Prints what a plan wants"):
        project.expect(check, tree_saying(said, good), None)
    for bad, word in (("Little is live at the moment that counts.", "at the peak"), ("Weights are quantised", "American"),
                      ("Segments are GIVEN BACK", "freed"), ("It lies outside PyTorch", "is"),
                      ("Of {} blocks {} are free", "subject")):
        project.expect(check, tree_saying(said, bad), word)
    window = {**EMPTY, "ui/views/a.cpp": 'f(tr("%1 of the card"));'}
    project.expect(check, window, "the GPU")
    project.expect(check, {**window, "ui/views/a.cpp": 'f(tr("%1 of the GPU"));'}, None)
    title = '{{"fixes": [{{"id": "remedy", "title": "{}"}}]}}'
    project.expect(check, {**EMPTY, "resources/fixes.json": title.format("Offload weights")}, None)
    project.expect(check, {**EMPTY, "resources/fixes.json": title.format("A remedy")}, "fix")


EMPTY = {f"resources/{name}": "{}" for name in languages.SPOKEN}


def tree_saying(code, text):
    return {**EMPTY, "core/a.cpp": code.replace("{}", text, 1)}


if __name__ == "__main__":
    project.main(check, self_test)
