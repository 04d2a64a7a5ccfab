# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One more column of allocations: the command's text, JSON and CSV have it, and can be sorted by it."""


def add(tree):
    tree.before("core/query/order.h", "    module,\n};\n\ninline constexpr std::size_t kSortKeyCount", "    doubled,\n")
    tree.before("core/query/order.cpp", '    {SortKey::module, "module", toSay("module")', """    {SortKey::doubled, "doubled", toSay("twice"), CellKind::bytes,
     [](Table t, Id a) { return Cell{2 * t.bytes(a).value}; }, {"doubled_bytes"}, kLargestFirst, kInText},
""")
    tree.german({"twice": "doppelt"})


def find(checks, program, tree):
    asked = ("allocations", tree.example(), "--query", "bucket:activation", "--sort", "doubled", "--top", "3")
    rows = program.json(*asked)["devices"][0]["allocations"]
    checks.that(all(row["doubled_bytes"] == 2 * row["requested_bytes"] for row in rows), f"doubled_bytes in {rows}")
    sizes = [row["doubled_bytes"] for row in rows]
    checks.that(len(sizes) == 3 and sizes == sorted(sizes, reverse=True), f"sorted by doubled: {sizes}")
    checks.that("Twice" in program.text(*asked), "the text has no column Twice")
    checks.that("Doppelt" in program.text(*asked, "--language", "de"), "the German text has no column Doppelt")
    checks.that("doubled_bytes" in program.text(*asked, "--csv").split("\n", 1)[0], "the CSV has no column doubled_bytes")
