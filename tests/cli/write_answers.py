# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""write_answers.py TIDEMARK_CLI TIDEMARK_ANSWERS DATA_DIR FOLDER: what the program says of every recording, read once, for the
scripts that ask for it (Program.json of harness.py); of one recording it must be what tidemark-cli prints."""

import pathlib
import shutil
import subprocess
import sys

import harness


def main():
    program, answers, argument, target = sys.argv[1:]
    data, checks = harness.data_dir(argument), harness.Checks()
    shutil.rmtree(target, ignore_errors=True)
    pathlib.Path(target).mkdir(parents=True)
    files = [path for path in harness.snapshot_files(data) if path.suffix != ".html"]
    if not harness.is_of_others():
        files += [path for part in ("gpu/runs", "gpu/pairs", "gpu/others", "pairs")
                  for path in sorted((data / part).glob("*.pickle*"))]
    done = subprocess.run([answers, target, *map(str, files)], check=False)
    checks.equal("exit code", done.returncode, 0)
    smallest = min(files, key=lambda path: path.stat().st_size)
    for command in harness.ANSWERED:
        written = harness.answer_file(target, smallest, command).read_text(encoding="utf-8")
        checks.equal(f"{command} of {smallest.name}", written, harness.Program(program).text(command, "--json", smallest))
    print(f"{len(files)} recordings")
    checks.finish()


main()
