# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The documents name files that exist and commands that work: those CI runs."""

import re

import project

DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
TOP_FOLDERS = ("core", "ui", "app", "resources", "tests", "packaging", "cmake", "docs", ".ci")

CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)")
FENCED = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def named_paths(content):
    """The paths below the project root that a document names in code spans or links to."""
    prose = FENCED.sub("", content)
    for span in CODE.findall(prose):
        path = span.strip().rstrip("/").removeprefix("./").split(" ")[0]
        # A pattern or a placeholder is no path.
        if path.split("/")[0] in TOP_FOLDERS and not re.search(r"[*<>{}…]", path) and ("/" in path or path == span):
            yield path
    for link in LINK.findall(prose):
        if "://" not in link and not link.startswith("mailto:"):
            yield link.removeprefix("./")


def readme_commands(readme):
    """The calls of the set-up script in README's code blocks."""
    lines = [line.strip() for block in FENCED.findall(readme) for line in block.splitlines()]
    return [line.split("#")[0].strip().removeprefix("./") for line in lines if "packaging/setup.sh" in line]


def check(root):
    complaints = []
    for name in DOCUMENTS:
        if not (root / name).is_file():
            complaints.append(f"{name}: does not exist")
            continue
        content = project.text(root / name)
        for path in sorted(set(named_paths(content))):
            if not (root / path).exists():
                complaints.append(f"{name}: names {path}, which does not exist")
    if (root / "README.md").is_file():
        readme = project.text(root / "README.md")
        if readme.count("\n") > 150:
            complaints.append("README.md: more than 150 lines")
        ci = [line.strip() for line in project.text(root / ".ci/run").splitlines()]
        commands = readme_commands(readme)
        for command in ("packaging/setup.sh run", "packaging/setup.sh test"):
            if command not in commands:
                complaints.append(f"README.md: does not show the command '{command}'")
        for command in commands:
            if command not in ci:
                complaints.append(f"README.md: shows '{command}', which .ci/run does not run")
    return complaints


def self_test():
    commands = "packaging/setup.sh run\npackaging/setup.sh test\n"
    good = {
        "README.md": f"```sh\n{commands}```\nSee [the design](ARCHITECTURE.md) and [us](https://example.org/x).\n",
        "ARCHITECTURE.md": "`core/base` holds `core/base/id.h`; a test is `tests/core/<folder>/tst_<unit>.cpp`.\n",
        "CONTRIBUTING.md": "`packaging/setup.sh test` and `core`\n",
        ".ci/run": f"#!/bin/bash\n{commands}",
        "packaging/setup.sh": "",
        "core/base/id.h": "",
    }
    project.expect(check, good, None)
    for path, content, fragment in [
        ("ARCHITECTURE.md", "`core/base/gone.h`\n", "core/base/gone.h, which does not exist"),
        ("ARCHITECTURE.md", "see `resources`\n", "resources, which does not exist"),
        ("CONTRIBUTING.md", "[a](docs/gone.md)\n", "docs/gone.md, which does not exist"),
        ("README.md", "```\npackaging/setup.sh run\n```\n", "does not show the command 'packaging/setup.sh test'"),
        ("README.md", f"```\n{commands}packaging/setup.sh fly\n```\n", "which .ci/run does not run"),
        ("README.md", f"```\n{commands}```\n" + "\n" * 150, "more than 150 lines"),
        (".ci/run", "packaging/setup.sh test\n", "'packaging/setup.sh run', which .ci/run does not run"),
    ]:
        project.expect(check, {**good, path: content}, fragment)
    project.expect(check, {key: value for key, value in good.items() if key != "README.md"}, "README.md: does not exist")


if __name__ == "__main__":
    project.main(check, self_test)
