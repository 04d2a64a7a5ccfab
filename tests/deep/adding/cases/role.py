# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One more role of weights: it is listed, can be asked for and corrected to, by a report too."""

WHAT = "Weights of one expert of several."


def add(tree):
    tree.after("core/label/bucket.h", "    master,\n", "    expert,\n")
    tree.after("core/label/bucket.cpp", 'toSay("An fp32 copy of 16-bit weights.")},\n', f"""    {{Role::expert, "expert", toSay("expert"),
     toSay("{WHAT}")}},
""")
    tree.before("core/label/bucket.cpp", "Role::trainable, Role::frozen, Role::ema,", "Role::expert, ")
    tree.before("docs/rules.md", "| `accumulated` |", f"| `expert` | {WHAT} |\n")
    tree.before("docs/rules.md", "`trainable`, `frozen`, `ema`", "`expert`, ")
    tree.german({"expert": "Experte", WHAT: "Gewichte eines von mehreren Experten."})


def find(checks, program, tree):
    known = program.json("capabilities")
    checks.that("expert" in {word["id"] for word in known["roles"]}, "capabilities has no role expert")
    weights = next(word for word in known["buckets"] if word["id"] == "parameter")
    checks.that("expert" in weights["roles"], "weights cannot be an expert's")
    rules = tree.rules({"match": {"bucket": "parameter"}, "bucket": "parameter", "role": "expert"})
    asked = ("--rules", rules, "--query", "role:expert", "--top", "3")
    rows = program.json("allocations", tree.example(), *asked)["devices"][0]["allocations"]
    checks.equal("roles found by a query", {row["role"] for row in rows}, {"expert"})
    wrong = tree.rules({"match": {"bucket": "input"}, "bucket": "input", "role": "expert"})
    refused = program.run("labels", tree.example(), "--rules", wrong)
    checks.that("'expert' is not a role of bucket input" in refused.stderr, f"an input may be an expert's: {refused.stderr}")
