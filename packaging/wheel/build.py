# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""build.py PROGRAM OUT_DIR [--map LINK_MAP]: packs tidemark-cli, the capture module and their face in Python as a wheel.

PROGRAM is what the preset static builds, LINK_MAP what its linker wrote (tidemark-cli.map in the build folder): the wheel
then has the licences of every library in it. Without a map the program must be a dynamic one, and the wheel is for this
machine alone. Two builds of the same inputs are equal byte for byte."""

import argparse
import base64
import hashlib
import pathlib
import re
import stat
import zipfile

import elf
import licences

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NAME = "tidemark_memory"
# The oldest time that a zip file can tell.
TIME = (1980, 1, 1, 0, 0, 0)


def version():
    return re.search(r"^    VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE).group(1)


def capture_licence():
    """The MIT text that the capture module begins with, less its marks of a comment."""
    lines = (ROOT / "resources/capture/tidemark_capture.py").read_text(encoding="utf-8").splitlines()
    comment = [line for line in lines[:next(i for i, line in enumerate(lines) if not line.startswith("#"))]]
    copyright_line = next(line for line in comment if "SPDX-FileCopyrightText" in line).split(": ", 1)[1]
    text = "\n".join(line[2:] for line in comment if "SPDX-" not in line).strip()
    return f"tidemark_capture.py and the Python files of tidemark_memory:\n\nCopyright {copyright_line}\n\n{text}\n"


def licence_files(link_map):
    files = {"GPL.txt": (ROOT / "LICENSE").read_text(encoding="utf-8"), "MIT.txt": capture_licence()}
    if link_map is not None:
        files |= licences.texts(link_map)
    return files


def metadata(names):
    """`names`: the files of licences. The README is the description."""
    head = [
        "Metadata-Version: 2.4",
        "Name: tidemark-memory",
        f"Version: {version()}",
        "Summary: What filled the GPU in a PyTorch memory snapshot, when, why, and which change would have fitted",
        "Author: Tidemark contributors",
        "License-Expression: GPL-3.0-or-later AND MIT",
        *(f"License-File: {name}" for name in names),
        "Keywords: pytorch,gpu,cuda,memory,out of memory,profiler",
        "Classifier: Environment :: Console",
        "Classifier: Framework :: Jupyter",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Classifier: Topic :: Software Development :: Debuggers",
        "Classifier: Typing :: Typed",
        "Requires-Python: >=3.9",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(head) + "\n\n" + (HERE / "README.md").read_text(encoding="utf-8")


def contents(program, link_map, tags):
    """{path in the wheel: bytes}, without its record."""
    info = f"{NAME}-{version()}.dist-info"
    files = {path.relative_to(HERE).as_posix(): path.read_bytes()
             for path in (HERE / NAME).iterdir() if path.suffix == ".py" or path.name == "py.typed"}
    files |= {path.name: path.read_bytes() for path in (HERE / "start").iterdir() if path.suffix in (".py", ".pth")}
    files["tidemark_capture.py"] = (ROOT / "resources/capture/tidemark_capture.py").read_bytes()
    files[f"{NAME}/SKILL.md"] = (ROOT / "docs/SKILL.md").read_bytes()
    files[f"{NAME}-{version()}.data/scripts/tidemark-cli"] = program
    texts = licence_files(link_map)
    files |= {f"{info}/licenses/{name}": text.encode() for name, text in texts.items()}
    files[f"{info}/METADATA"] = metadata(sorted(texts)).encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\ntidemark-run = tidemark_run:main\n"
    files[f"{info}/WHEEL"] = "\n".join(
        ["Wheel-Version: 1.0", f"Generator: tidemark ({version()})", "Root-Is-Purelib: false",
         *(f"Tag: py3-none-{tag}" for tag in tags), ""]).encode()
    return files


def record(files, path):
    """Each file with its hash and size, as the installer checks them (PEP 376, 427)."""
    lines = []
    for name, content in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join(lines) + f"{path},,\n"


def write(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        # The description comes last, as PEP 427 recommends.
        for name in sorted(files, key=lambda name: (".dist-info/" in name, name)):
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whose modes follow
            entry.external_attr = (stat.S_IFREG | (0o755 if "/scripts/" in name else 0o644)) << 16
            wheel.writestr(entry, files[name])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("out_dir", type=pathlib.Path)
    parser.add_argument("--map", type=pathlib.Path, help="what the linker wrote beside the program")
    arguments = parser.parse_args()
    program = arguments.program.read_bytes()
    tags = elf.platform_tags(program)
    if elf.is_static(program) and arguments.map is None:
        parser.error("a static program holds libraries, whose licences go along: give the linker's --map")
    files = contents(program, arguments.map, tags)
    record_path = f"{NAME}-{version()}.dist-info/RECORD"
    files[record_path] = record(files, record_path).encode()
    arguments.out_dir.mkdir(parents=True, exist_ok=True)
    path = arguments.out_dir / f"{NAME}-{version()}-py3-none-{'.'.join(tags)}.whl"
    write(path, files)
    print(path)


if __name__ == "__main__":
    main()
