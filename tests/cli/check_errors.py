# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_errors.py TIDEMARK_CLI EXAMPLE: what cannot be used ends with one sentence and status 2; no data folder needed."""

import os
import pathlib
import pickle
import sys
import tempfile

import harness


class Evil:
    def __reduce__(self):
        return os.system, ("touch executed",)


def bad_files(folder):
    """Name -> content; None: there is no such file."""
    good = {"segments": [], "device_traces": [[]]}
    return {
        "missing.pickle": None,
        "empty.pickle": b"",
        "text.pickle": b"epoch 1, loss 3.2\n",
        "random.pickle": bytes(range(256)) * 8,
        "number.pickle": pickle.dumps(17),
        "strings.pickle": pickle.dumps({"model": "weights"}),
        "cut.pickle": pickle.dumps(good)[:-3],
        "refused.pickle": pickle.dumps(Evil()),
        "refused_inside.pickle": pickle.dumps({**good, "more": Evil()}),
        "page.html": b"<!DOCTYPE html><html><body>hello</body></html>",
    }


def expect_error(checks, program, what, arguments, *fragments, code=2):
    done = program.run(*arguments)
    checks.equal(f"{what}: exit code", done.returncode, code)
    checks.equal(f"{what}: standard output", done.stdout, "")
    checks.equal(f"{what}: lines on standard error ({done.stderr!r})", done.stderr.count("\n"), 1)
    checks.that(done.stderr.startswith("tidemark-cli: "), f"{what}: {done.stderr!r}")
    for fragment in fragments:
        checks.that(fragment in done.stderr, f"{what}: {done.stderr!r} does not say {fragment!r}")


def check_files(checks, program, folder):
    for name, content in bad_files(folder).items():
        path = folder / name
        if content is not None:
            path.write_bytes(content)
        expect_error(checks, program, name, ["summary", path], str(path))
        expect_error(checks, program, name, ["diagnose", "--json", path], str(path))
    expect_error(checks, program, "a folder", ["summary", folder], str(folder))
    expect_error(checks, program, "a refused file", ["summary", folder / "refused.pickle"], "system")
    checks.that(not (folder / "executed").exists() and not pathlib.Path("executed").exists(), "code of a file was run")
    if os.geteuid() != 0:
        locked = folder / "locked.pickle"
        locked.write_bytes(b"x")
        locked.chmod(0)
        expect_error(checks, program, "no permission", ["summary", locked], str(locked))


def check_arguments(checks, program, example, folder):
    wrong = {
        "no command": [],
        "an unknown command": ["guess", example],
        "a command that does not exist yet": ["convert", example],
        "no file": ["summary"],
        "an unknown option": ["summary", example, "--fast"],
        "no such reader": ["summary", example, "--reader", "torch"],
        "no number": ["timeline", example, "--points", "many"],
        "no points": ["timeline", example, "--points", "0"],
        "an octal number": ["timeline", example, "--points", "010"],
        "fewer than no allocations": ["allocations", example, "--top", "-1"],
        "more rows than any": ["labels", example, "--top", "99999999999999999999"],
        "fewer than no dumps": ["watch", folder, "--count", "-1"],
        "a time beyond any clock": ["convert", example, "-o", folder / "out.pftrace", "--base-time", "999999999999999999999"],
        "folded stacks as JSON": ["stacks", example, "--folded", "--json"],
        "no such device": ["timeline", example, "--device", "7"],
        "no device at all": ["labels", example, "--device", "first"],
        "no moment": ["allocations", example, "--at", "noon"],
        "beyond the end": ["allocations", example, "--at", "99999999"],
        "before the start": ["allocations", example, "--at", "-2"],
        "no key": ["allocations", example, "--query", "weight:5"],
        "no size": ["allocations", example, "--query", "size>10MB"],
        "no group": ["allocations", example, "--group-by", "weight"],
        "no column": ["allocations", example, "--sort", "weight"],
        "no column of groups": ["allocations", example, "--group-by", "line", "--sort", "made"],
        "no bucket": ["allocations", example, "--bucket", "weights"],
        "no amount": ["diagnose", example, "--capacity", "lots"],
        "no message": ["diagnose", example, "--message", "it just crashed"],
        "no log": ["diagnose", example, "--message", f"@{folder / 'no.log'}"],
        "no GPUs": ["diagnose", example, "--gpus", "0"],
        "no change": ["predict", example, "--apply", ","],
        "an unknown change": ["predict", example, "--apply", "magic=on"],
        "a change without a value": ["predict", example, "--apply", "micro-batch"],
        "unknown settings": ["simulate", example, "--set", "magic:True"],
        "settings out of range": ["simulate", example, "--set", "max_split_size_mb:5"],
        "simulated host memory": ["simulate", example, "--device", "host"],
        "no output": ["report", example],
        "a PDF": ["report", example, "-o", folder / "out.pdf"],
        "no ending": ["report", example, "-o", folder / "out"],
        "no such folder": ["report", example, "-o", folder / "none/out.html"],
        "sections of the finding": ["report", example, "-o", "-", "--sections", "verdict"],
        "the finding's paper": ["report", example, "-o", "-", "--paper", "a4"],
        "two files as CSV": ["report", example, example, "-o", folder / "out.csv"],
    }
    for what, arguments in wrong.items():
        expect_error(checks, program, what, arguments)
    expect_error(checks, program, "an unknown change", ["predict", example, "--apply", "magic=on"], "magic")
    expect_error(checks, program, "an unknown command", ["guess", example], "Unknown command 'guess'.")
    expect_error(checks, program, "no end", ["explain", "/dev/zero"], "This is not text")
    still = folder / "still.pickle"  # a state without a trace
    still.write_bytes(pickle.dumps({"segments": [{"device": 0, "address": 1 << 40, "total_size": 2 << 20, "blocks": []}],
                                    "device_traces": [[]]}))
    expect_error(checks, program, "a range of no events", ["convert", still, "-o", folder / "out.csv", "--range", "0:1"],
                 "The trace of GPU 0 has no events")
    expect_error(checks, program, "an event of none", ["compare", still, still, "--at", "0"], "A has no events")
    for steps, words in (("99:1", "A has no step 99; choose 1 to 2."), ("2:3", "B has no step 3; choose 1 to 2.")):
        expect_error(checks, program, f"steps {steps}", ["compare", example, example, "--align", f"step={steps}"], words)
    expect_error(checks, program, "steps of none", ["compare", example, still, "--align", "step=1:1"], "B has no steps")
    cut = folder / "one step.pickle"
    program.text("convert", example, "-o", cut, "--range", "0:600")
    expect_error(checks, program, "another step than the one", ["compare", cut, example, "--align", "step=2:2"], "A has no step 2; it has one")
    checks.equal("steps that are there", program.run("compare", example, example, "--align", "step=2:1").returncode, 0)
    expect_error(checks, program, "no host memory", ["timeline", example, "--device", "host"],
                 "There is no device host; this file has 0.")
    states = program.run("states", "7e9", "--capacity", "1GiB", "--language", "de").stdout
    checks.that(states and "none" not in states, f"the German fewest GPUs: {states!r}")
    # Of a GPU by name its context is taken off beforehand, of an amount it is not.
    for capacity, counts in (("80GB", False), ("A100-80GB", False), ("70GiB", True)):
        said = " ".join(program.run("states", "7B", "--capacity", capacity).stdout.split())
        checks.equal(f"the context of {capacity} is not counted", "GiB of CUDA context." in said, counts)
    settings = '{"train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true}}'
    piped = program.run("diagnose", example, "--config", "/dev/stdin", stdin=settings)
    checks.equal("a configuration through a pipe", (piped.returncode, piped.stderr), (0, ""))
    checks.equal("left behind", [path.name for path in folder.iterdir() if path.name.startswith("out")], [])


# What the parser of the command line finds, in English and in German.
PARSED = {
    "a misspelt command": (["diagnoze"], "Unknown command 'diagnoze'. Did you mean 'diagnose'? (see tidemark-cli --help",
                           "Einen Befehl 'diagnoze' gibt es nicht; ist 'diagnose' gemeint? (siehe tidemark-cli --help"),
    "an unknown option": (["summary", "FILE", "--fast"], "Unknown option '--fast'. (see tidemark-cli summary --help",
                          "Eine Option '--fast' gibt es nicht. (siehe tidemark-cli summary --help"),
    "a misspelt option": (["diagnose", "FILE", "--capcity=24"], "Unknown option '--capcity'. Did you mean --capacity?",
                          "Eine Option '--capcity' gibt es nicht; ist --capacity gemeint?"),
    "one word too many": (["capture-module", "there"], "Unexpected argument 'there'.", "'there' ist hier überzählig."),
    "no file": (["summary"], "FILE is missing.", "FILE fehlt."),
    "no output": (["report", "FILE"], "--output is missing.", "--output fehlt."),
    "no value": (["diagnose", "FILE", "--capacity"], "--capacity needs a value.", "--capacity braucht einen Wert."),
    "two values": (["diagnose", "FILE", "--gpus", "1", "--gpus", "2"], "Give --gpus only once.",
                   "--gpus darf nur einmal angegeben werden."),
    "one run to compare": (["compare", "FILE"], "FILE takes 2 values, not 1.", "FILE nimmt 2 Werte, nicht 1."),
    "three runs to compare": (["compare", "FILE", "FILE", "FILE"], "FILE takes 2 values, not 3.", "FILE nimmt 2 Werte, nicht 3."),
    "a flag's value": (["summary", "FILE", "--json=maybe"], "--json takes no value.", "--json nimmt keinen Wert."),
    "no number": (["timeline", "FILE", "--points", "many"], "'many' is not an integer from 1 to 10000000.",
                  "'many' ist keine ganze Zahl von 1 bis 10000000."),
    "fewer than no rows": (["stacks", "FILE", "--top", "-5"], "'-5' is not an integer from 1 to 1000000000.",
                           "'-5' ist keine ganze Zahl von 1 bis 1000000000."),
    "out of range": (["watch", "FILE", "--every", "0"], "'0' is not a number from 0.05 to 3600.", "'0' ist keine Zahl von 0,05 bis 3600."),
    "no such word": (["summary", "FILE", "--reader", "torch"], "Unknown value 'torch'; use auto, cpython, native.",
                     "Unbekannter Wert 'torch'; möglich: auto, cpython, native."),
    "no GPUs to divide by": (["plan", "FILE", "--tensor-parallel", "0"], "'0' is not an integer from 1 to 4096.",
                             "'0' ist keine ganze Zahl von 1 bis 4096."),
    "no such section": (["report", "FILE", "-o", "out.html", "--sections", "foo"], "Unknown value 'foo'; use verdict, ",
                        "Unbekannter Wert 'foo'; möglich: verdict, "),
    "half of a pair": (["states", "7B", "--hidden", "4096"], "--hidden only works with --layers.",
                       "--hidden geht nur zusammen mit --layers."),
    "one or the other": (["allocations", "FILE", "--csv", "--json"], "Give either --json or --csv, not both.",
                         "Nur --json oder --csv angeben, nicht beides."),
}


def check_parsed(checks, program, example):
    for what, (words, english, german) in PARSED.items():
        arguments = [example if word == "FILE" else word for word in words]
        expect_error(checks, program, what, arguments, english)
        expect_error(checks, program, f"{what} in German", ["--language", "de", *arguments], german)
    help_text = program.run("timeline", "--help", "--language", "de").stdout
    message = "CUDA out of memory. Tried to allocate 512 bytes (GPU 0; 23.69 GiB total capacity; 22.00 GiB already allocated; " \
              "1024 bytes free; 22.10 GiB reserved in total by PyTorch)"
    for what, words, english in (("help of --query", ["allocations", "--help"], "of the whole run"),
                                 ("table over time", ["timeline", example], " start "),
                                 ("figures of a message", ["explain"], "exact\n")):
        said = program.run(*words, "--language", "de", stdin=message).stdout
        checks.that(said and english not in said, f"the German {what} says {english!r}")
    for english in ("Usage", "Positionals", "Options", "OPTIONS", "REQUIRED", "Excludes", "Print"):
        checks.that(english not in help_text, f"the German help has {english!r}")


def main():
    program, example = harness.Program(sys.argv[1]), sys.argv[2]
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as name:
        check_files(checks, program, pathlib.Path(name))
        check_arguments(checks, program, example, pathlib.Path(name))
        check_parsed(checks, program, example)
    checks.finish()


main()
