# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One more change word, with the law of another: it is parsed, listed and predicted."""

HELP = "Tokens per sample, by another word."


def add(tree):
    tree.after("core/diagnose/predict/change.h", "    eval_accumulation,\n", "    context,\n")
    tree.before("core/diagnose/predict/change_words.cpp", "    };\n}\n\n} // namespace\n\nconst", f"""        {{.kind = context,
         .id = "context",
         .group = step,
         .title = toSay("Context"),
         .help = toSay("{HELP}"),
         .no_effect = toSay("Nothing in this run was seen to follow the batch."),
         .form = ValueForm::ratio,
         .unit = "R",
         .largest = kLargestRatio}},
""")
    tree.before("core/diagnose/predict/laws.cpp", "    case ChangeKind::checkpointing:\n",
                "    case ChangeKind::context:\n        return sequenceLaw(facts, change.number);\n")
    tree.german({"Context": "Kontext", HELP: "Tokens je Beispiel, mit einem anderen Wort."})


def find(checks, program, tree):
    known = {word["id"]: word["apply"] for word in program.json("capabilities")["changes"]}
    checks.equal("its grammar", known.get("context"), "context=R")
    checks.that("context=R" in program.text("predict", "--help"), "predict --help has no context")
    added, known = (program.json("predict", tree.example(), "--apply", f"{name}=0.5")["devices"][0]["after"] for name in ("context", "sequence"))
    checks.equal("its prediction", added, known)
