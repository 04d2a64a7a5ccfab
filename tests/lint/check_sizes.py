# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Files stay short enough to be read in one go: one idea per file."""

import project

LIMITS = {".cpp": 500, ".h": 250, ".py": 400, ".sh": 400, "CMakeLists.txt": 120}

# Path -> (lines allowed, why it is one idea all the same).
EXCEPTIONS = {
    "core/program/constants.h": (300, "the one table of every number that the search was given"),
}

# Folders -> lines in all, which only fall: every new law there pays with one that goes.
CAPS = {("core/diagnose/facts", "core/diagnose/predict"): 12_459}


def check(root):
    complaints = []
    for path in project.files(root, LIMITS) + ["CMakeLists.txt"]:
        if not (root / path).is_file():
            continue
        suffix = next(suffix for suffix in LIMITS if str(path).endswith(suffix))
        limit, _ = EXCEPTIONS.get(str(path), (LIMITS[suffix], ""))
        lines = project.text(root / path).count("\n")
        if lines > limit:
            complaints.append(f"{path}: {lines} lines, {limit} allowed; split it by idea")
    for folders, cap in CAPS.items():
        lines = sum(project.text(root / path).count("\n") for path in project.files(root, (".cpp", ".h"), folders))
        if lines > cap:
            complaints.append(f"{' and '.join(folders)}: {lines} lines, {cap} allowed in all")
    complaints += [f"{path}: has an exception but does not exist" for path in EXCEPTIONS if not (root / path).is_file()]
    return complaints


def self_test():
    assert all(reason for _, reason in EXCEPTIONS.values()), "an exception needs a reason"
    kept = {path: "" for path in EXCEPTIONS}
    project.expect(check, {**kept, "core/base/a.cpp": "\n" * 500, "core/base/a.h": "\n" * 250}, None)
    project.expect(check, {**kept, "core/base/a.cpp": "\n" * 501}, "501 lines, 500 allowed")
    project.expect(check, {**kept, "ui/views/a.h": "\n" * 251}, "251 lines, 250 allowed")
    project.expect(check, {**kept, "CMakeLists.txt": "\n" * 121}, "121 lines, 120 allowed")
    for folders, cap in CAPS.items():
        files = {f"{folders[0]}/{i}.cpp": "\n" * 500 for i in range(cap // 500 + 1)}
        project.expect(check, {**kept, **files}, f"{cap} allowed in all")


if __name__ == "__main__":
    project.main(check, self_test)
