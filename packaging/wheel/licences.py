# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Which libraries a static program is made of, by the linker's map, and their licences, by the Debian packages they come
from."""

import pathlib
import re
import subprocess

# Compiled into the program from headers alone, so no map has them.
HEADERS_ONLY = ("libcli11-dev", "libfmt-dev", "libprotozero-dev", "nlohmann-json3-dev")
COMMON = pathlib.Path("/usr/share/common-licenses")


def archives(link_map):
    """The archives of the system that at least one member was taken from. `link_map`: what ld -Map wrote."""
    text = pathlib.Path(link_map).read_text(encoding="utf-8", errors="replace")
    begin = text.find("Archive member included")
    end = text.find("Discarded input sections", begin)
    if begin < 0 or end < 0:
        raise SystemExit(f"{link_map} is no map of a linked program; build the preset static again.")
    members = re.findall(r"^(/\S+\.a)\(", text[begin:end], re.MULTILINE)
    return sorted({str(pathlib.Path(path).resolve()) for path in members if path.startswith("/usr/")})


def owner(path):
    """The package that installed a file; on a merged /usr its list may say /lib."""
    for name in (path, path.removeprefix("/usr")):
        done = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(":", 1)[0]
    raise SystemExit(f"No package owns {path}, so its licence is not known; build with the packages of the group static.")


def described(package):
    """(source package, version) of an installed package."""
    shown = subprocess.run(["dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package],
                           capture_output=True, text=True, check=True).stdout
    source, version = shown.split(" ")
    return source, version


def texts(link_map):
    """{file name: text} of every licence that goes along with the program: one file for each library, those they refer to,
    and a list of what is from where."""
    packages = sorted({owner(path) for path in archives(link_map)} | set(HEADERS_ONLY))
    files, lines, common = {}, [], set()
    for package in packages:
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(encoding="utf-8")
        source, version = described(package)
        files[f"{package}.txt"] = text
        lines.append(f"{package}: {package}.txt; source: Debian package {source}, version {version}\n")
        common |= {name.rstrip(".") for name in re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.-]+)", text)}
    for name in sorted(common):
        if (COMMON / name).is_file():
            files[f"common-licenses/{name}.txt"] = (COMMON / name).read_text(encoding="utf-8")
    files["LIBRARIES.txt"] = (
        "tidemark-cli is one statically linked program under the GNU General Public License, version 3 or later (GPL.txt).\n"
        "It is made of Tidemark's own code and of these libraries; their sources are in the Debian archive\n"
        "(https://snapshot.debian.org keeps every version):\n\n" + "".join(lines) +
        "\nWhat a text calls /usr/share/common-licenses is the folder common-licenses here.\n")
    return files
