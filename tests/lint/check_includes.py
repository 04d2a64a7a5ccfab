# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Which folder may include what. The table is the one in ARCHITECTURE.md; a change to it is a decision."""

import re

import project

# core/<folder> -> the core folders it may include directly; what those may include is open to it too.
CORE = {
    "base": [],
    "remote": ["base"],
    "config": ["base"],
    "trace": ["base"],
    "reader": ["trace"],
    "replay": ["trace"],
    "program": ["replay"],
    "label": ["program"],
    "query": ["label"],
    "curves": ["label"],
    "allocator": ["replay"],
    "walk": ["label", "allocator"],
    "shapes": ["walk"],
    "fit": ["shapes"],
    "message": ["base"],
    "diagnose": ["config", "curves", "allocator", "fit", "message"],
    "plan": ["diagnose"],
    "compare": ["diagnose"],
    "pipeline": ["reader", "diagnose", "compare"],
    "job": ["pipeline", "plan"],
    "projection": ["curves", "allocator"],
    "report": ["job", "projection", "plan", "query"],
    "export": ["report"],
    "check": ["report"],
}

# <folder>/<room> -> the rooms of its folder that it may include; what lies in the folder itself is open to all.
ROOMS = {
    "core/label": {
        "stacks": [],
        "frameless": [],
        "runs": ["stacks", "frameless"],
        "captured": ["runs"],
        "assign": ["runs"],
        "earlier": ["assign"],
        "corrections": ["stacks"],
        "modules": ["captured"],
    },
    "core/diagnose": {
        "facts": [],
        "predict": ["facts"],
        "causes": ["predict"],
        "fixes": ["causes"],
    },
    "ui/views": {
        "look": [],
        "timeline": ["look"],
        "panels": ["timeline"],
        "compare": ["panels"],
        "memory_map": ["panels"],
        "job": ["look"],
        "dialogs": ["look"],
        "window": ["compare", "memory_map", "job", "dialogs"],
    },
}

# ui/<folder> -> the ui folders it may include; each may include all of core.
UI = {
    "models": [],
    "views": ["models"],
    "report": ["models", "views"],
}

# Third-party headers -> where they may be included: folders, or single files.
THIRD_PARTY = [
    (r"Python\.h|structmember\.h", ["core/reader"]),
    (r"archive(_entry)?\.h", ["core/export", "core/reader", "tests/support"]),
    (r"protozero/.*", ["core/export"]),
    (r"nlohmann/.*", ["core/base", "core/config", "core/reader", "core/label", "core/diagnose", "core/fit", "core/message", "core/job", "core/pipeline", "core/plan", "core/shapes", "core/report", "core/check", "tests", "ui/report", "app"]),
    (r"sqlite3\.h", ["core/export"]),
    (r"CLI/.*", ["app"]),
    (r"qpdf/.*", ["ui/report", "tests"]),
    (r"qcustomplot\.h", ["ui"]),
    (r"Q[A-Z].*|Qt[A-Z].*|q[a-z]+\.h", ["ui", "app", "tests"]),
]

# Headers that only one file in the whole project includes.
ONE_FILE_ONLY = ["Python.h", "qcustomplot.h"]

# What knows Python's types: <Python.h> comes in through PYTHON_HEADER alone, and these headers are for each other
# and for the files named so.
PYTHON_HEADER = "core/reader/python_object.h"
PYTHON_HEADERS = re.compile(r"core/reader/python_\w+\.h")
PYTHON_FILES = re.compile(r"core/reader/(python_\w+\.(h|cpp)|cpython_reader\.cpp)")

# What other people's programs import, under the licence that allows any of them to.
MIT_FOLDERS = ("packaging/wheel/tidemark_memory", "packaging/wheel/start")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
OURS = ("core/", "ui/", "app/", "tests/", "resources/")


def open_to(table, folder):
    """The folders of `table` that `folder` may include: itself and, step by step, what its row names."""
    reached, todo = set(), [folder]
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo += table.get(name, [])
    return reached


def complaint_about_ours(path, target):
    """Why the project file `path` may not include the project file `target`, or None."""
    top, wanted = path.parts[0], target.split("/")
    if top == "tests" or wanted[0] == "resources":
        return None
    if wanted[0] == "tests":
        return "only tests may include tests/"
    if PYTHON_HEADERS.fullmatch(target) and not PYTHON_FILES.fullmatch(str(path)):
        return f"{target} is for core/reader/python_* and cpython_reader.cpp: Python's names must not leak"
    if top == "core":
        if wanted[0] != "core":
            return f"core may not include {wanted[0]}/"
        if path.parts[1] not in CORE:
            return f"core/{path.parts[1]} has no row in the table of tests/lint/check_includes.py"
        if wanted[1] not in open_to(CORE, path.parts[1]):
            return f"core/{path.parts[1]} may not include core/{wanted[1]}"
    if top == "ui":
        if wanted[0] == "app":
            return "ui may not include app/"
        if wanted[0] == "ui":
            if path.parts[1] not in UI:
                return f"ui/{path.parts[1]} has no row in the table of tests/lint/check_includes.py"
            if wanted[1] not in open_to(UI, path.parts[1]):
                return f"ui/{path.parts[1]} may not include ui/{wanted[1]}"
    return complaint_about_room(path, wanted)


def complaint_about_room(path, wanted):
    folder = "/".join(path.parts[:2])
    rooms = ROOMS.get(folder, {})
    if wanted[:2] == folder.split("/") and path.parts[2] in rooms and wanted[2] in rooms:
        if wanted[2] not in open_to(rooms, path.parts[2]):
            return f"{folder}/{path.parts[2]} may not include {wanted[2]}/"
    return None


def complaint_about_others(path, header):
    """Why the project file `path` may not include somebody else's `header`, or None."""
    for pattern, places in THIRD_PARTY:
        if re.fullmatch(pattern, header):
            if not any(path.is_relative_to(place) for place in places):
                return f"<{header}> belongs in {', '.join(places)}"
            if path.is_relative_to("tests/fuzz") and header.startswith("Q"):
                return "fuzz targets are built without Qt"
            if header == "Python.h" and str(path) != PYTHON_HEADER:
                return f"<Python.h> comes in through {PYTHON_HEADER}"
            return None
    return None


def check(root):
    complaints = []
    users = {header: [] for header in ONE_FILE_ONLY}
    for path in project.files(root, (".cpp", ".h"), ("core", "ui", "app", "tests")):
        content = project.text(root / path)
        if not content.startswith("// SPDX-License-Identifier: GPL-3.0-or-later\n// SPDX-FileCopyrightText: "):
            complaints.append(f"{path}: does not start with the two SPDX lines")
        if path.suffix == ".h" and "#pragma once" not in content:
            complaints.append(f"{path}: has no #pragma once")
        for match in INCLUDE.finditer(content):
            bracket, target = match.groups()
            where = f"{path}:{content.count(chr(10), 0, match.start()) + 1}"
            if bracket == "<":
                reason = complaint_about_others(path, target)
                if target in users:
                    users[target].append(str(path))
            elif target.endswith(".moc"):
                reason = None
            elif not target.startswith(OURS):
                reason = f'"{target}" is not written from the project root'
            elif not target.startswith("resources/") and not (root / target).is_file():
                reason = f'"{target}" does not exist'
            else:
                reason = complaint_about_ours(path, target)
            if reason:
                complaints.append(f"{where}: {reason}")
    for path in project.files(root, (".py", ".sh", ".cmake", "CMakeLists.txt")):
        licence = "MIT" if any(path.is_relative_to(folder) for folder in MIT_FOLDERS) else "GPL-3.0-or-later"
        if f"SPDX-License-Identifier: {licence}" not in project.text(root / path)[:300]:
            complaints.append(f"{path}: does not start with the SPDX lines")
    for header, paths in users.items():
        if len(set(paths)) > 1:
            complaints.append(f"<{header}> is included by more than one file: {', '.join(sorted(set(paths)))}")
    return complaints


def self_test():
    spdx = "// SPDX-License-Identifier: GPL-3.0-or-later\n// SPDX-FileCopyrightText: 2026 Tidemark contributors\n"
    header = spdx + "#pragma once\n"
    good = {
        "core/base/id.h": header,
        "core/trace/snapshot.h": header + '#include "core/base/id.h"\n#include <vector>\n',
        "core/replay/run.cpp": spdx + '#include "core/trace/snapshot.h"\n#include "core/base/id.h"\n',
        PYTHON_HEADER: header + "#include <Python.h>\n",
        "core/reader/python_tree.h": header + f'#include "{PYTHON_HEADER}"\n',
        "core/reader/cpython_reader.cpp": spdx + '#include "core/reader/python_tree.h"\n',
        "core/diagnose/causes/a.h": header + '#include "core/diagnose/facts/b.h"\n',
        "core/diagnose/facts/b.h": header + '#include "core/diagnose/analysis.h"\n',
        "core/diagnose/analysis.h": header,
        "ui/views/timeline/plot.h": header,
        "ui/views/view.cpp": spdx + '#include "core/trace/snapshot.h"\n#include <QtWidgets/QWidget>\n',
        "tests/core/tst_a.cpp": spdx + '#include "core/base/id.h"\n#include <QtTest/QTest>\n#include "tst_a.moc"\n',
    }
    project.expect(check, good, None)
    for path, content, fragment in [
        ("core/base/bad.h", header + '#include "core/trace/snapshot.h"\n', "core/base may not include core/trace"),
        ("core/trace/bad.h", header + '  #  include "core/replay/run.h"\n', "does not exist"),
        ("core/label/bad.cpp", spdx + '#include "ui/views/view.cpp"\n', "core may not include ui/"),
        ("core/label/bad.cpp", spdx + "#include <QString>\n", "<QString> belongs in"),
        ("core/label/bad.cpp", spdx + "#include <QtCore/QString>\n", "belongs in"),
        ("core/label/bad.cpp", spdx + "#include <Python.h>\n", "<Python.h> belongs in core/reader"),
        ("core/reader/python_tree.cpp", spdx + "#include <Python.h>\n", "comes in through"),
        ("core/reader/bad.h", header + f'#include "{PYTHON_HEADER}"\n', "must not leak"),
        ("core/reader/bad.cpp", spdx + '#include "core/reader/python_tree.h"\n', "must not leak"),
        ("ui/views/bad.cpp", spdx + f'#include "{PYTHON_HEADER}"\n', "must not leak"),
        ("core/news/bad.cpp", spdx + '#include "core/base/id.h"\n', "has no row"),
        ("core/diagnose/facts/bad.cpp", spdx + '#include "core/diagnose/causes/a.h"\n', "facts may not include causes/"),
        ("core/base/bad.cpp", spdx + '#include "../trace/snapshot.h"\n', "not written from the project root"),
        ("core/base/bad.cpp", spdx + '#include "id.h"\n', "not written from the project root"),
        ("core/base/bad.cpp", "int x;\n", "SPDX"),
        *((f"{folder}/bad.py", "# SPDX-License-Identifier: GPL-3.0-or-later\n", "SPDX") for folder in MIT_FOLDERS),
        ("packaging/wheel/bad.py", "# SPDX-License-Identifier: MIT\n", "SPDX"),
        ("core/base/bad.h", spdx, "no #pragma once"),
        ("core/allocator/bad.cpp", spdx + "#include <nlohmann/json.hpp>\n", "belongs in"),
        ("ui/models/bad.cpp", spdx + '#include "ui/views/view.cpp"\n', "ui/models may not include ui/views"),
        ("ui/views/look/bad.cpp", spdx + '#include "ui/views/timeline/plot.h"\n', "look may not include timeline/"),
        ("tests/fuzz/bad.cpp", spdx + "#include <QtTest/QTest>\n", "without Qt"),
        ("tests/lint/bad.py", "import os\n", "SPDX"),
    ]:
        project.expect(check, {**good, path: content}, fragment)
    with_app = {**good, "app/window.h": header, "ui/views/bad.cpp": spdx + '#include "app/window.h"\n'}
    project.expect(check, with_app, "ui may not include app/")
    beside = {"remote", "export", "check"}
    assert open_to(CORE, "report") | beside == set(CORE), "report may include all of core but what fetches files or stands on it"
    for folder, row in CORE.items():
        assert not any(folder in open_to(CORE, name) for name in row), f"core/{folder} is part of a circle"
    for rooms in ROOMS.values():
        for room, row in rooms.items():
            assert not any(room in open_to(rooms, name) for name in row), f"the room {room} is part of a circle"


if __name__ == "__main__":
    project.main(check, self_test)
