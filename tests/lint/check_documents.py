# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The documents name files that exist and commands that work: those CI runs. Pages of docs link to pages, pictures and headings that
are there and in the site's navigation, and each page is short enough to be read."""

import re

import project

DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
SITE = "packaging/mkdocs.yml"
LINES = {"README.md": 120, "ARCHITECTURE.md": 150, **{f"docs/{name}.md": 120 for name in ("predictions", "labels", "diagnosis", "program")}}
TOP_FOLDERS = ("core", "ui", "app", "resources", "tests", "packaging", "cmake", "docs", ".ci")

CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
FENCED = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def prose_of(content):
    return FENCED.sub("", content)


def named_paths(content):
    """The paths below the project root that a document names in code spans."""
    for span in CODE.findall(prose_of(content)):
        path = span.strip().rstrip("/").removeprefix("./").split(" ")[0]
        # A pattern or a placeholder is no path.
        if path.split("/")[0] in TOP_FOLDERS and not re.search(r"[*<>{}…]", path) and ("/" in path or path == span):
            yield path


def anchors(content):
    """The ids that MkDocs and GitHub give the headings: words in lower case, joined by hyphens."""
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in HEADING.findall(prose_of(content))}


def link_complaints(root, name, content):
    """Links are relative to the document. A page of docs links to docs only: the site has nothing else."""
    for link in sorted(set(LINK.findall(prose_of(content)))):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (root / name).parent / path if path else root / name
        if not target.exists():
            yield f"{name}: links to {path}, which does not exist"
        elif name.startswith("docs/") and (root / "docs").resolve() not in target.resolve().parents:
            yield f"{name}: links to {path}, which is not in docs"
        elif anchor and anchor not in anchors(project.text(target)):
            yield f"{name}: links to {link}, which has no such heading"


def site_complaints(root):
    """Every page is in the navigation, and what the navigation names is there."""
    pages = {path.relative_to(root / "docs").as_posix() for path in (root / "docs").rglob("*.md")}
    named = re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", project.text(root / SITE), re.MULTILINE)
    for page in sorted(pages - set(named)):
        # The site's list of decisions is docs/adr/README.md.
        if not re.match(r"adr/\d{4}-", page):
            yield f"{SITE}: does not name {page}"
    for page in sorted(set(named) - pages):
        yield f"{SITE}: names {page}, which does not exist"


def readme_commands(readme):
    """The calls of the set-up script in README's code blocks."""
    lines = [line.strip() for block in FENCED.findall(readme) for line in block.splitlines()]
    return [line.split("#")[0].strip().removeprefix("./") for line in lines if "packaging/setup.sh" in line]


def check(root):
    complaints = [f"{name}: does not exist" for name in DOCUMENTS if not (root / name).is_file()]
    pages = [path.relative_to(root).as_posix() for path in sorted((root / "docs").rglob("*.md"))]
    for name in [name for name in DOCUMENTS if (root / name).is_file()] + pages:
        content = project.text(root / name)
        for path in sorted(set(named_paths(content))):
            if not (root / path).exists():
                complaints.append(f"{name}: names {path}, which does not exist")
        complaints += link_complaints(root, name, content)
        if content.count("\n") > LINES.get(name, 10000):
            complaints.append(f"{name}: more than {LINES[name]} lines")
    if (root / SITE).is_file():
        complaints += site_complaints(root)
    if (root / "README.md").is_file():
        readme = project.text(root / "README.md")
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
        "CHANGELOG.md": "",
        "docs/page.md": "# Page\n\n## What it costs, in all\n\n[a](#what-it-costs-in-all), [b](adr/0001-one.md)\n",
        "docs/adr/0001-one.md": "[c](../page.md#page)\n",
        SITE: "nav:\n  - Page: page.md\n",
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
        ("README.md", f"```\n{commands}```\n" + "\n" * 120, "more than 120 lines"),
        ("docs/page.md", "[a](#gone)\n", "#gone, which has no such heading"),
        ("docs/page.md", "[a](../README.md)\n", "../README.md, which is not in docs"),
        ("docs/page.md", "![a](gone.png)\n", "gone.png, which does not exist"),
        ("docs/page.md", "`core/gone.h`\n", "core/gone.h, which does not exist"),
        (SITE, "nav:\n  - page.md\n  - Gone: gone.md\n", "names gone.md, which does not exist"),
        (SITE, "nav:\n", "does not name page.md"),
        (".ci/run", "packaging/setup.sh test\n", "'packaging/setup.sh run', which .ci/run does not run"),
    ]:
        project.expect(check, {**good, path: content}, fragment)
    project.expect(check, {key: value for key, value in good.items() if key != "README.md"}, "README.md: does not exist")


if __name__ == "__main__":
    project.main(check, self_test)
