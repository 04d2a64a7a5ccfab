# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One more family of models, built as llama is: it is planned, and listed where a type is unknown."""

import json

CONFIG = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 1000}


def add(tree):
    tree.before("core/shapes/families.cpp", '    Family{.model_type = "mistral",', '    Family{.model_type = "exaone4"},\n')
    tree.before("docs/plan.md", "`mistral`, `qwen2`, `qwen3`, `gemma`", "`exaone4`, ")


def find(checks, program, tree):
    def plan(model_type):
        path = tree.root / f"build/{model_type}.json"
        path.write_text(json.dumps({"model_type": model_type, **CONFIG}), encoding="utf-8")
        return program.run("plan", path, "--batch", "1", "--sequence", "32", "--json")

    as_llama, added = (json.loads(plan(name).stdout) for name in ("llama", "exaone4"))
    checks.equal("weights", added["model"]["parameters"], as_llama["model"]["parameters"])
    checks.that("exaone4" in plan("mamba").stderr, "an unknown type does not list exaone4")
