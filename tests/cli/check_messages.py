# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_messages.py TIDEMARK_CLI MESSAGES: what `explain` makes of texts that programs printed on a real GPU (tests/data/gpu)."""

import json
import pathlib
import sys

import harness

# What each program was made to run into.
CAUSES = {
    "plain_beside_another": {"other-process"}, "plain": {"single-huge-tensor"}, "fraction": {"memory-fraction"},
    "expandable": {"unclear"}, "async": {"unclear"}, "no_cublas": {"library-no-memory"},
    "no_cudnn": {"library-no-memory"}, "no_kernel": {"library-no-memory"},
    "no_context": {"non-pytorch-memory"}, "no_nccl": {"non-pytorch-memory"}, "no_nccl_warned": {"non-pytorch-memory"},
    "graph": {"memory-fraction"}, "graph_replayed": {"memory-fraction"}, "host": {"host-memory"}, "device_assert": {"not-gpu-memory"},
    "jax": {"not-gpu-memory"}, "cupy": {"not-gpu-memory"},
}


def main():
    program = harness.Program(sys.argv[1])
    recorded = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    checks = harness.Checks()
    explain = lambda text: json.loads(program.run("explain", "--json", "-", stdin=text).stdout)
    for name, causes in CAUSES.items():
        cause = explain(recorded["programs"][name]["stderr"])["cause"]
        checks.that(cause in causes, f"{name}: {cause}, expected {sorted(causes)}")
    # Whatever nvidia-smi says beside it, another program has most of the card.
    message = recorded["programs"]["plain_beside_another"]["stderr"]
    for command, table in recorded["tables"].items():
        checks.equal(command, explain(f"{message}\n$ {command}\n{table}")["cause"], "other-process")
    checks.finish()


main()
