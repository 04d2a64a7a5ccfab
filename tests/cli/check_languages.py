# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Every sentence of tidemark-cli is in the chosen language, and nothing else changes with it.

A catalogue that writes each text in other letters shows what bypasses the catalogues: what is left in Latin letters is
data (names of functions and files, ids, lines to paste) or a sentence that nobody can translate.
"""

import json
import pathlib
import re
import sys
import tempfile

import harness
import page_data

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lint"))
import languages  # noqa: E402  (the templates, as the lint collects them)

FILES = ("conv_train_eval", "eval_accumulation", "fragmentation", "gpt_ring_truncated", "longest_batch", "lora_train")
# Words that only sentences have.
ENGLISH = re.compile(r"\b(the|of|is|are|was|were|and|not|with|from|that|this|which|what|has|have|its|but|than|only)\b")


def lettered(text):
    """The text with its letters replaced, its arguments as they are."""
    def other(letters):
        return "".join(
            chr(0x430 + ord(c) - ord("a")) if "a" <= c <= "z" else chr(0x410 + ord(c) - ord("A")) if "A" <= c <= "Z" else c
            for c in letters)

    parts = []
    end = 0
    for found in languages.ARGUMENT.finditer(text):
        parts += [other(text[end:found.start()]), found[0]]
        end = found.end()
    return "".join(parts) + other(text[end:])


def other_catalogue(folder):
    path = folder / "lettered.json"
    texts = {text: lettered(text) for text in languages.templates(ROOT)}
    path.write_text(json.dumps({"language": "xx", "decimal_mark": ",", "group_mark": ".", "texts": texts}), encoding="utf-8")
    return path


def without_code(text):
    """Lines to paste and stacks are the same in every language; reports indent them."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(("    ", "\t")))


def leaks(text, titles):
    """What of a text in other letters is English: sentences, and cells of a table that are nothing but a title."""
    found = [line.strip() for line in text.splitlines() if ENGLISH.search(line)]
    cells = (cell.strip(" :.") for line in text.splitlines() for cell in re.split(r"\s{2,}|\|", line))
    return found + [cell for cell in cells if cell in titles]


def texts_of(value, key=""):
    """The strings of a JSON value with the keys they stand under, but for lines to paste and stacks."""
    if isinstance(value, str):
        yield key, value.partition(": ")[2] if key == "reason" and re.match(r"[\w-]+: ", value) else value
    elif isinstance(value, dict):
        for name, part in value.items():
            if name not in ("how", "line", "stack", "file", "frames", "name", "conf", "words", "apply"):
                yield from texts_of(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from texts_of(part, key)


def check_leaks(program, files, checks, folder):
    catalogue = other_catalogue(folder)
    titles = {text for text in languages.templates(ROOT)
              if re.fullmatch(r"[A-Z][a-z]+( [a-z]+)*", text) and len(text) > 4}
    # Names that PyTorch's users write the same, and that data have.
    titles -= {"Backward", "Forward", "Optimizer", "Adam"}
    calls = [[command, file] for file in files for command in ("summary", "diagnose", "timeline", "stacks", "program", "predict")]
    calls += [["allocations", files[0], "--query", "size>1MiB"], ["allocations", files[0], "--group-by", "line"],
              ["compare", files[0], files[1]], ["simulate", files[0]], ["states", "7B", "--gpus", "8", "--capacity", "80GiB"],
              ["plan", "Qwen/Qwen2.5-0.5B", "--capacity", "24GiB"], ["labels", files[0], "--json"]]
    for call in calls:
        done = program.run(*call, "--language", catalogue)
        checks.that(done.returncode in (0, 1), f"{call}: ended with {done.returncode}: {done.stderr}")
        for leak in leaks(without_code(done.stdout), titles)[:8] if "--json" not in call else []:
            checks.that(False, f"{' '.join(map(str, call))}: English: {leak}")
        checks.count += 1
    for command in ("diagnose", "summary", "labels"):
        for file in files:
            for line in program.text(command, "--json", file, "--language", catalogue).splitlines():
                for key, text in texts_of(json.loads(line)):
                    if " " in text and ENGLISH.search(text):
                        checks.that(False, f"{command} --json {file}: {key}: English: {text}")
    for ending in ("html", "md"):
        report = folder / f"report.{ending}"
        program.text("report", files[0], "-o", report, "--language", catalogue)
        text = re.sub(r"<style>.*?</style>|<script.*?</script>|<pre>.*?</pre>|<[^>]*>|^```.*?^```|`[^`]*`", "", report.read_text(encoding="utf-8"),
                      flags=re.DOTALL | re.MULTILINE)
        for leak in leaks(without_code(text), titles)[:8]:
            checks.that(False, f"report.{ending}: English: {leak}")
    data = page_data.of_page((folder / "report.html").read_text(encoding="utf-8"))
    said = [*data["words"].items(), *((m["id"], m["title"]) for m in data["moments"]), *((b["id"], b["name"]) for b in data["buckets"])]
    for key, text in said:  # "OOM" is the same everywhere.
        checks.that(not re.search(r"[a-z]{3}", re.sub(r"\{\w*\}", "", text)), f"the page's {key}: English: {text}")
    done = program.run("--help", "--language", catalogue)
    for leak in leaks(re.sub(r"\[[^]]*\]", "", done.stdout), titles):
        checks.that(False, f"--help: English: {leak}")


def same_but_sentences(one, other, place, checks):
    """Two JSON values of two languages: equal but for strings that are sentences or words for people."""
    if isinstance(one, dict) and isinstance(other, dict):
        checks.equal(f"{place}: keys", list(other), list(one))
        for key in one.keys() & other.keys():
            same_but_sentences(one[key], other[key], f"{place}.{key}", checks)
    elif isinstance(one, list) and isinstance(other, list):
        checks.equal(f"{place}: length", len(other), len(one))
        for i, (a, b) in enumerate(zip(one, other)):
            same_but_sentences(a, b, f"{place}[{i}]", checks)
    elif isinstance(one, str) and isinstance(other, str):
        # What a change is from and to is said in words, and a sentence may have one.
        is_id = re.fullmatch(r"[\w.:/=,+-]*", one) is not None and not one.endswith(".") and place.rsplit(".", 1)[-1].partition("[")[0] not in ("from", "to")
        checks.that(one == other or not is_id, f"{place}: the id {one!r} is {other!r} in German")
    else:
        checks.equal(place, other, one)


def check_machines(program, files, checks):
    """Ids, keys, numbers and CSV are the same in German."""
    for call in (["summary", files[0]], ["diagnose", *files], ["labels", files[0]], ["allocations", files[0], "--query", "size>1MiB"],
                 ["compare", files[0], files[1]], ["predict", files[0], "--apply", "micro-batch=0.5"], ["program", files[0]],
                 ["stacks", files[0]], ["simulate", files[0]], ["timeline", files[0]], ["plan", "Qwen/Qwen2.5-0.5B"]):
        both = []
        for language in ("en", "de"):
            done = program.run(call[0], "--json", *call[1:], "--language", language)
            both.append([json.loads(line) for line in done.stdout.splitlines()])
        checks.that(both[0] and both[0] != [None], f"{call}: no JSON")
        same_but_sentences(*both, call[0], checks)
    csv = [program.text("allocations", "--csv", files[0], "--language", language) for language in ("en", "de")]
    checks.equal("CSV", csv[1], csv[0])
    english = program.run("diagnose", files[0], "--language=en").stdout
    checks.equal("--language=en", english, program.run("diagnose", files[0]).stdout)


def check_german(program, files, checks, folder):
    text = program.text("diagnose", files[0], "--language", "de")
    checks.that("Abhilfen" in text and re.search(r"\d,\d\d GiB", text), "diagnose in German has no decimal commas")
    checks.that("Exit-Status" in program.text("--language", "de", "--help"), "the help is not in German")
    report = folder / "bericht.html"
    program.text("--language", "de", "report", files[0], "-o", report)
    checks.that('lang="de"' in report.read_text(encoding="utf-8"), "the page does not say that it is in German")
    checks.that("1.073.741.824 B" in report.read_text(encoding="utf-8"), "digits of the glossary are grouped as in English")
    program.text("--language", "de", "report", files[0], "-o", report)  # It may be written anew.
    checks.equal("a report of another file is left", program.run("report", files[0], "-o", files[1]).returncode, 2)


def check_refusals(program, files, checks, folder):
    broken = folder / "broken.json"
    broken.write_text('{"language": "xx", "texts": {"{} block": "{} {}"}}', encoding="utf-8")
    for language in ("xx", broken, folder / "missing.json"):
        done = program.run("summary", files[0], "--language", language)
        checks.equal(f"--language {language}", done.returncode, 2)
        checks.that(done.stderr.startswith("tidemark-cli: --language:"), f"--language {language}: {done.stderr}")


def main():
    program = harness.Program(sys.argv[1])
    data = harness.data_dir(sys.argv[2])
    files = [ROOT / "tests/data/cases/gpt_oom_backward.pickle"] + [harness.modelled_file(data, name) for name in FILES]
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as folder:
        check_refusals(program, files, checks, pathlib.Path(folder))
        check_leaks(program, files, checks, pathlib.Path(folder))
        check_machines(program, files, checks)
        check_german(program, files, checks, pathlib.Path(folder))
    checks.finish()


if __name__ == "__main__":
    main()
