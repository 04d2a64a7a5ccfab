# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One more fix, judged as another one: it is listed, and the ladder says why it does not apply."""

import json

ENTRY = {
    "id": "cudnn-limit", "knowledge": "X-CUDNN", "rung": 4, "changes_science": False, "when": {"runs": ["any"]},
    "title": "Limit convolution workspaces", "why": "Convolution workspaces take «bytes».", "missing": "No convolution is that large.",
    "cost": "Convolutions may be slower.", "verify": "", "conflicts": [], "needs": {}, "how": {"PyTorch": "torch.backends.cudnn.benchmark_limit = 1"}}


def add(tree):
    tree.before("resources/fixes.json", '    {\n      "id": "cudnn-benchmark-off",', json.dumps(ENTRY, ensure_ascii=False) + ",\n")
    tree.before("core/diagnose/fixes/fix_rules_direct.cpp", '    aloneRule("cudnn-benchmark-off",',
                '    aloneRule("cudnn-limit", seeConvolutionWorkspace, effectOfConvolutionWorkspace),\n')
    tree.german({
        "Limit convolution workspaces": "Arbeitsspeicher der Faltungen begrenzen", "Convolution workspaces take «bytes».": "Arbeitsspeicher der Faltungen belegt «bytes».",
        "No convolution is that large.": "Keine Faltung ist so groß.", "Convolutions may be slower.": "Faltungen können langsamer werden."})


def find(checks, program, tree):
    checks.that("cudnn-limit" in {fix["id"] for fix in program.json("capabilities")["fixes"]}, "capabilities has no cudnn-limit")
    fix = next(fix for fix in program.json("diagnose", tree.example())["fixes"] if fix["id"] == "cudnn-limit")
    checks.equal("status and reason", (fix["status"], fix["why"]), ("not-applicable", "No convolution is that large."))
