# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Finds tidemark-cli and runs it. The snapshot is read there: no code from a file runs, in it or here."""

import functools
import importlib.metadata
import json
import os
import pathlib
import shutil
import subprocess
from typing import Any


class TidemarkError(Exception):
    """A file that cannot be read or an argument that cannot be used, in the program's own sentence."""


@functools.lru_cache(maxsize=None)
def program() -> str:
    """The path of tidemark-cli: what TIDEMARK_CLI names, else the one that was installed with this package, else one on
    the PATH."""
    named = os.environ.get("TIDEMARK_CLI")
    if named:
        return named
    installed = [file.locate() for file in importlib.metadata.files("tidemark-memory") or () if file.name == "tidemark-cli"]
    # pip install --target moves it after writing down where it is.
    installed.append(pathlib.Path(__file__).resolve().parent.parent / "bin" / "tidemark-cli")
    for path in installed:
        if os.access(path, os.X_OK):
            return os.path.realpath(path)
    found = shutil.which("tidemark-cli")
    if found is None:
        raise TidemarkError("tidemark-cli is not where it was installed; install tidemark-memory again, or name it in TIDEMARK_CLI.")
    return found


def text(command: str, *arguments: str) -> str:
    """What a command prints."""
    try:
        done = subprocess.run([program(), command, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              encoding="utf-8", errors="replace")
    except OSError as error:  # TIDEMARK_CLI names nothing, or a program of another kind of machine
        raise TidemarkError(f"{program()} does not start: {error.strerror}.") from error
    if done.returncode != 0:
        sentence = done.stderr.strip() or f"{command} ended with status {done.returncode}."
        prefix = "tidemark-cli: "
        raise TidemarkError(sentence[len(prefix):] if sentence.startswith(prefix) else sentence)
    return done.stdout


def answer(command: str, *arguments: str) -> Any:
    """What a command says of one file as JSON."""
    lines = text(command, "--json", *arguments).strip("\n").split("\n")
    if len(lines) > 1:  # a folder of another machine, with a job in it
        raise TidemarkError(f"{arguments[-1]} is a folder of {len(lines)} snapshots; give one of them.")
    return json.loads(lines[0])
