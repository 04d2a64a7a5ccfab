# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_wheel.py ROOT PROGRAM VERSION [LINK_MAP]: the wheel around a tidemark-cli is what the packaging standards say, equal
in two builds, small, and has its licences; unpacked, its Python does what it says."""

import base64
import csv
import email
import hashlib
import io
import pathlib
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path[:0] = [str(ROOT / "tests/cli"), str(ROOT / "packaging/wheel")]

import elf  # noqa: E402
from harness import Checks  # noqa: E402

LARGEST = 15_000_000
# What a static program cannot be without; more is in the list that the map gives.
LIBRARIES = ("libarchive-dev", "libc6-dev", "libprotozero-dev", "libsqlite3-dev", "libstdc++-12-dev", "libyaml-cpp-dev", "libzstd-dev", "zlib1g-dev", "libfmt-dev")


def build(program, out, *more):
    return subprocess.run([sys.executable, "-B", ROOT / "packaging/wheel/build.py", program, out, *more],
                          capture_output=True, text=True, check=False)


def check_record(checks, wheel, info):
    """RECORD lists every file with its hash and size, and itself without."""
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode()))}
    checks.equal("files of RECORD", sorted(rows), sorted(wheel.namelist()))
    for name in wheel.namelist():
        content = wheel.read(name)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        expected = ["", ""] if name == f"{info}/RECORD" else [f"sha256={digest}", str(len(content))]
        checks.equal(f"RECORD of {name}", rows.get(name), expected)
        mode = wheel.getinfo(name).external_attr >> 16
        checks.equal(f"mode of {name}", oct(mode), oct(0o100755 if name.endswith("/tidemark-cli") else 0o100644))


def check_metadata(checks, wheel, info, version, tags):
    metadata = email.message_from_bytes(wheel.read(f"{info}/METADATA"))
    for name, expected in (("Name", "tidemark-memory"), ("Version", version), ("Requires-Python", ">=3.9"),
                           ("License-Expression", "GPL-3.0-or-later AND MIT"), ("Requires-Dist", None)):
        checks.equal(name, metadata[name], expected)
    checks.equal("description", metadata.get_payload(), (ROOT / "packaging/wheel/README.md").read_text(encoding="utf-8"))
    held = {name.removeprefix(f"{info}/licenses/") for name in wheel.namelist() if name.startswith(f"{info}/licenses/")}
    checks.equal("License-File", set(metadata.get_all("License-File")), held)
    described = email.message_from_bytes(wheel.read(f"{info}/WHEEL"))
    checks.equal("Tag", described.get_all("Tag"), [f"py3-none-{tag}" for tag in tags])
    checks.equal("Root-Is-Purelib", described["Root-Is-Purelib"], "false")


def check_licences(checks, wheel, info, link_map):
    checks.equal("GPL.txt", wheel.read(f"{info}/licenses/GPL.txt"), (ROOT / "LICENSE").read_bytes())
    mit = wheel.read(f"{info}/licenses/MIT.txt").decode()
    for fragment in ("Copyright 2026", "Permission is hereby granted", "THE SOFTWARE IS PROVIDED", "OTHER DEALINGS IN THE SOFTWARE."):
        checks.that(fragment in mit, f"MIT.txt does not say {fragment!r}")
    if link_map:
        listed = wheel.read(f"{info}/licenses/LIBRARIES.txt").decode()
        for package in LIBRARIES:
            checks.that(f"{package}: {package}.txt; source:" in listed, f"LIBRARIES.txt has no {package}")
            checks.that(len(wheel.read(f"{info}/licenses/{package}.txt")) > 500, f"{package}.txt is empty")
        checks.that(f"{info}/licenses/common-licenses/LGPL-2.1.txt" in wheel.namelist(), "the LGPL of the C library is missing")


def check_skill(checks, wheel):
    """The page for agents goes along, and names commands that there are."""
    page = wheel.read("tidemark_memory/SKILL.md").decode()
    checks.that(page.startswith("---\nname: tidemark\n") and "tidemark-cli diagnose" in page, "SKILL.md is no skill")


def check_python(checks, wheel, folder):
    """The face runs from the unpacked files, as from where an installer puts them."""
    wheel.extractall(folder)
    next(folder.glob("*.data/scripts/tidemark-cli")).chmod(0o755)
    for name in wheel.namelist():
        if name.endswith(".py"):
            code = wheel.read(name)
            checks.that(b"SPDX-License-Identifier: MIT" in code[:200], f"{name} is not under the MIT licence")
            compile(code, name, "exec")
    done = subprocess.run([sys.executable, "-B", ROOT / "tests/package/wheel_face.py", ROOT],
                          env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
                          capture_output=True, text=True, check=False)
    checks.equal(f"wheel_face.py:\n{done.stdout}{done.stderr}", done.returncode, 0)
    checks.that(str(folder) in done.stdout.splitlines()[0], f"another package was tested: {done.stdout}")


def main():
    program, version, *more = sys.argv[2:]
    checks = Checks()
    link_map = ["--map", more[0]] if more else []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stripped = folder / "tidemark-cli"  # a developer's program is mostly symbols
        subprocess.run(["strip", "-o", stripped, program], check=True)
        check(checks, stripped, version, link_map, folder)
    checks.finish()


def check(checks, program, version, link_map, folder):
    data = program.read_bytes()
    tags = (["manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"] if elf.is_static(data)
            else ["linux_x86_64"])
    built = [build(program, folder / out, *link_map) for out in ("a", "b")]
    for done in built:
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
    first, second = (pathlib.Path(done.stdout.strip()) for done in built)
    checks.equal("name", first.name, f"tidemark_memory-{version}-py3-none-{'.'.join(tags)}.whl")
    checks.that(first.read_bytes() == second.read_bytes(), "two builds differ")
    if elf.is_static(data):
        checks.that(first.stat().st_size <= LARGEST, f"{first.stat().st_size} bytes, {LARGEST} allowed")
        checks.that(build(program, folder / "c").returncode != 0, "a static program was packed without its licences")
    info = f"tidemark_memory-{version}.dist-info"
    with zipfile.ZipFile(first) as wheel:
        checks.equal("damaged file", wheel.testzip(), None)
        checks.equal("the program", wheel.read(f"tidemark_memory-{version}.data/scripts/tidemark-cli"), data)
        checks.equal("entry points", wheel.read(f"{info}/entry_points.txt"), b"[console_scripts]\ntidemark-run = tidemark_run:main\n")
        for start in ("tidemark_start.pth", "tidemark_start.py", "tidemark_run.py"):
            checks.equal(start, wheel.read(start), (ROOT / "packaging/wheel/start" / start).read_bytes())
        checks.that("tidemark_memory/py.typed" in wheel.namelist(), "py.typed is missing")
        check_record(checks, wheel, info)
        check_metadata(checks, wheel, info, version, tags)
        check_licences(checks, wheel, info, link_map)
        check_skill(checks, wheel)
        check_python(checks, wheel, folder / "unpacked")
    print(f"{first.name}: {first.stat().st_size / 1e6:.1f} MB")


main()
