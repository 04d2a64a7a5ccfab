# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One more bucket: it is listed, can be asked for and corrected to, and has its colour and name in a report."""

WHAT = "Buffers through which data goes to the GPU."


def add(tree):
    tree.before("core/label/bucket.h", "    unknown,\n};\ninline constexpr std::size_t kBucketCount", "    staging,\n")
    tree.before("core/label/bucket.cpp", "    {.bucket = Bucket::unknown,", f"""    {{.bucket = Bucket::staging,
     .id = "staging",
     .name = toSay("Staging buffers"),
     .noun = toSay("staging buffers"),
     .what = toSay("{WHAT}"),
     .colour = "#771155",
     .letter = 'S',
     .kind = Usage::workspace}},
""")
    tree.before("docs/rules.md", "| `unknown` |", f"| `staging` | {WHAT} |  |\n")
    tree.german({
        "Staging buffers": "Zwischenpuffer", "staging buffers": "Zwischenpuffer", WHAT: "Puffer, über die Daten zur GPU gelangen."})


def find(checks, program, tree):
    known = {word["id"]: word for word in program.json("capabilities")["buckets"]}
    checks.that(known.get("staging", {}).get("title") == "Staging buffers", "capabilities has no bucket staging")
    checks.that("communication, staging, unknown" in " ".join(program.text("allocations", "--help").split()), "--help has no staging")
    rules = tree.rules({"match": {"bucket": "activation"}, "bucket": "staging"})
    asked = ("--rules", rules, "--query", "bucket:staging live@peak", "--top", "3")
    rows = program.json("allocations", tree.example(), *asked)["devices"][0]["allocations"]
    checks.equal("buckets found by a query", {row["bucket"] for row in rows}, {"staging"})
    checks.that("Zwischenpuffer" in program.text("capabilities", "--language", "de"), "no German name of staging")
    page = tree.root / "build/adding.html"
    program.text("report", tree.example(), "--rules", rules, "-o", page)
    text = page.read_text(encoding="utf-8")
    legend = text[:text.index("Staging buffers</text>")].rpartition("<rect")[2]
    checks.that('fill="#771155"' in legend, "the report's legend has no staging")
