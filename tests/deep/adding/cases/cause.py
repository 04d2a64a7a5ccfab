# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One more cause, without the rule that finds it: it is listed by its title, in both languages."""


def add(tree):
    tree.before("core/message/cause.h", "    unclear,\n};", "    uneven_experts,\n")
    tree.before("core/message/cause.h", '    CauseInfo{Cause::unclear,', '    CauseInfo{Cause::uneven_experts, "uneven-experts", true},\n')
    tree.before("resources/causes.json", '    "unclear": {', """    "uneven-experts": {
      "title": "Uneven experts",
      "sure": "Record the router's counts.",
      "headline": "one expert takes «share» of «room»",
      "evidence": {"share": "One expert takes «bytes»."}
    },
""")
    tree.before("docs/diagnosis.md", "| `unclear` |", "| `uneven-experts` | one expert got most of the tokens | – |\n")
    tree.german({
        "Uneven experts": "Ungleiche Experten", "Record the router's counts.": "Die Zahlen des Routers aufzeichnen.",
        "one expert takes «share» of «room»": "ein Experte belegt «share» von «room»",
        "One expert takes «bytes».": "Ein Experte belegt «bytes»."})


def find(checks, program, tree):
    for language, title in (("en", "Uneven experts"), ("de", "Ungleiche Experten")):
        known = {word["id"]: word["title"] for word in program.json("capabilities", "--language", language)["causes"]}
        checks.equal(f"title in {language}", known.get("uneven-experts"), title)
