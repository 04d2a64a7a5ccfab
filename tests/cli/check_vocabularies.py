# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_vocabularies.py TIDEMARK_CLI SOURCES [--write]: what `capabilities` lists is what the query language, the help and
the documents know, each rule of labels is as sure as was measured, and no id that other programs rely on is gone. --write
brings the tables of docs/rules.md and docs/label-rules.md up to date."""

import itertools
import pathlib
import re
import sys

import harness
import rule_table

# The contract: others may come, none of these may go or be renamed.
KEPT = {
    "buckets": "parameter optimizer_state gradient kv_cache input activation output temporary workspace communication unknown",
    "roles": "trainable frozen ema second_model unsharded master accumulated reduction_bucket paged logits attention_matrix "
             "weight_cast checkpoint_input recomputed activation_gradient optimizer_transient",
    "phases": "setup input forward backward optimizer evaluation inference other",
    "causes": "none model-states optimizer-state gradients activations activations-sequence logits single-huge-tensor "
              "longest-batch evaluation-accumulation evaluation-batch kv-cache leak fragmentation compile-workspace loading "
              "other-process duplicate-ranks non-pytorch-memory private-pools allocator-setting memory-fraction virtual-only "
              "host-memory not-gpu-memory unclear",
    "columns": "bytes lifetime bytes-lifetime churn share-of-peak made freed bucket operation line module phase step expression "
               "confidence",
}


def ids(words):
    return [word["id"] for word in words]


def ticked(names):
    return ", ".join(f"`{name}`" for name in names)


def table_under(text, heading):
    """The rows of the first table below a heading, and where they are in the text."""
    found = re.search(rf"^## {re.escape(heading)}\n.*?\n(\|[^\n]*\n\|[-| ]*\n)((?:\|[^\n]*\n)*)", text, re.DOTALL | re.MULTILINE)
    assert found, f"no table below “{heading}”"
    return found


def rows_of(known):
    """The rows of the tables in docs/rules.md, by heading."""
    return {
        "Buckets": [f"| `{b['id']}` | {b['what']} | {ticked(b['roles'])} |" for b in known["buckets"]],
        "Roles": [f"| `{r['id']}` | {r['what']} |" for r in known["roles"]],
        "Phases": [f"| `{p['id']}` | {p['title']} |" for p in known["phases"]],
    }


def check_rules(checks, known, page, write):
    for heading, rows in rows_of(known).items():
        text = page.read_text(encoding="utf-8")
        table = table_under(text, heading)
        if write:
            page.write_text(text[:table.start(2)] + "".join(f"{row}\n" for row in rows) + text[table.end(2):], encoding="utf-8")
        else:
            checks.equal(f"{page.name}, {heading} (mend it with --write)", table[2].splitlines(), rows)


def check_labels(checks, known, page, write):
    """The rules of the program are those of the table, with its sentences, each as sure as was measured."""
    text = page.read_text(encoding="utf-8")
    table = table_under(text, rule_table.HEADING)
    written = rule_table.read(table[2].splitlines())
    nothing = ("", rule_table.Measured(), 0, rule_table.Measured(), 0)
    rows = []
    for rule in known["rules"]:
        _, frames, _, bare, _ = written.get(rule["id"], nothing)
        rows.append(rule_table.row(rule["id"], rule["title"], frames, bare))
        checks.equal(f"{rule['id']} is as sure as was measured (mend it with rule_coverage.py --write)",
                     (rule["confidence"], rule["confidence_without_frames"]),
                     (frames.confidence(rule["id"]), bare.confidence(rule["id"])))
    if write:
        page.write_text(text[:table.start(2)] + "".join(f"{row}\n" for row in rows) + text[table.end(2):], encoding="utf-8")
    else:
        for line, row in itertools.zip_longest(table[2].splitlines(), rows):
            checks.equal(f"{page.name} (mend it with --write)", line, row)


def check_diagnosis(checks, known, page):
    table = table_under(page.read_text(encoding="utf-8"), "One deciding criterion each")
    written = re.findall(r"`([\w-]+)`", " ".join(row.split("|")[1] for row in table[2].splitlines()))
    checks.equal(f"{page.name}, causes", sorted(written), sorted(ids(known["causes"])))


def check_query(checks, program, known):
    for key, words in (("bucket", "buckets"), ("role", "roles"), ("phase", "phases")):
        sentence = program.run("allocations", "--query", f"{key}:?", "no.pickle").stderr
        listed = sentence.partition("choose from ")[2].partition(".")[0].split(", ")
        checks.equal(f"words of the query's {key}", listed, ids(known[words]))
    sentence = program.run("allocations", "--sort", "?", "no.pickle").stderr
    checks.that(f"choose from {', '.join(ids(known['columns']))}." in sentence, f"columns to sort by: {sentence}")
    help_text = " ".join(program.text("allocations", "--help").split())
    checks.that(", ".join(ids(known["buckets"])) in help_text, "allocations --help does not list the buckets")
    checks.that(", ".join(ids(known["query_keys"])) in help_text, "allocations --help does not list the keys of a query")


def check_words(checks, known):
    for name, kept in KEPT.items():
        found = ids(known[name])
        checks.equal(f"{name} that are gone", set(kept.split()) - set(found), set())
        for word in known[name]:
            checks.that(word["title"], f"{name}: {word['id']} has no title")
        for part in ("id", "title"):
            values = [word[part] for word in known[name]]
            checks.equal(f"{name} with the same {part}", {v for v in values if values.count(v) > 1}, set())
    for bucket in known["buckets"]:
        checks.equal(f"unknown roles of {bucket['id']}", set(bucket["roles"]) - set(ids(known["roles"])), set())


def main():
    program, sources = harness.Program(sys.argv[1]), pathlib.Path(sys.argv[2])
    checks = harness.Checks()
    known = program.json("capabilities")
    check_words(checks, known)
    check_query(checks, program, known)
    check_rules(checks, known, sources / "docs/rules.md", "--write" in sys.argv)
    check_labels(checks, known, sources / "docs/label-rules.md", "--write" in sys.argv)
    check_diagnosis(checks, known, sources / "docs/diagnosis.md")
    text = program.text("capabilities")
    for name in KEPT:
        for word in known[name]:
            checks.that(f"{word['id']} " in text, f"capabilities without --json has no {word['id']}")
    checks.finish()


main()
