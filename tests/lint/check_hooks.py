# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Every check of tests/lint that needs no build runs before a commit, too."""

import re

import project

HOOKS = ".pre-commit-config.yaml"
# What needs the build's tools, and this check itself.
NOT_BEFORE_A_COMMIT = {"translations", "hooks"}


def check(root):
    hooks = project.text(root / HOOKS)
    named = set(re.findall(r"tests/lint/check_(\w+)\.(?:py|sh)", hooks))
    there = {path.stem.removeprefix("check_") for path in (root / "tests/lint").glob("check_*")}
    complaints = [f"{HOOKS}: check_{name} does not run before a commit" for name in there - named - NOT_BEFORE_A_COMMIT]
    complaints += [f"{HOOKS}: there is no tests/lint/check_{name}" for name in named - there]
    return sorted(complaints)


def self_test():
    script = "tests/lint/check_a.py"
    project.expect(check, {HOOKS: f"entry: {script} .", script: ""}, None)
    project.expect(check, {HOOKS: "", script: ""}, "check_a does not run before a commit")
    project.expect(check, {HOOKS: f"entry: {script} .", "tests/lint/check_hooks.py": ""}, "no tests/lint/check_a")


if __name__ == "__main__":
    project.main(check, self_test)
