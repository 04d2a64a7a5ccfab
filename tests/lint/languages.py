# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The texts for people in the sources and the resources: the ids of the catalogues in resources/languages."""

import json
import re

import project

LITERAL = r'"(?:[^"\\\n]|\\.)*"'
TEXT = re.compile(rf"{LITERAL}(?:\s*{LITERAL})*")
CALL = re.compile(r"(?<![.>])\b(say|sayCounted|toSay|translated|tr|QT_TR_NOOP|QT_TRANSLATE_NOOP)\(\s*")
COMMENT = re.compile(rf'{LITERAL}|//[^\n]*|/\*.*?\*/|\'(?:[^\'\\]|\\.)+\'', re.DOTALL)
ARGUMENT = re.compile(r"\{\{|\}\}|\{([^}:]*)(:[^}]*)?\}|«([^»]*)»")
PLURAL = re.compile(r"\s*,\s*nullptr\s*,")
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'"}

# Keys of the resources whose texts people read. Lines to paste (`how`) are the same in every language.
SPOKEN = {
    "causes.json": ("title", "headline", "sure", "evidence", "myths"),
    "fixes.json": ("title", "why", "missing", "already", "cost", "verify", "conflicts", "gpu", "other"),
    "explain.json": ("title", "why", "missing", "already", "headlines", "evidence"),
    "recipes.json": ("title", "note"),
    "rules/in_use.json": ("says",),
    "traps.json": ("say", "next"),
}


def value_of(literals):
    """What adjacent literals of C++ say."""
    inner = "".join(part[1:-1] for part in re.findall(LITERAL, literals))
    return re.sub(r"\\(.)", lambda escape: ESCAPES.get(escape[1], escape[0]), inner)


def without_comments(code):
    return COMMENT.sub(lambda found: "" if found[0].startswith("/") else found[0], code)


def said_in(code):
    """The texts that a source file says."""
    code = without_comments(code)
    for call in CALL.finditer(code):
        position = call.end()
        if call[1] in ("sayCounted", "QT_TRANSLATE_NOOP"):
            position = after_argument(code, position)
        for _ in range(2 if call[1] == "sayCounted" else 1):
            text = TEXT.match(code, position)
            if text:
                # The window's forms for one and for many stand in one literal.
                yield from value_of(text[0]).split("|") if "%Ln" in text[0] or PLURAL.match(code, text.end()) else [value_of(text[0])]
                comma = re.compile(r"\s*,\s*").match(code, text.end())
                position = comma.end() if comma else len(code)


def after_argument(code, position):
    """Behind the comma that ends the argument which begins there."""
    depth = 0
    while depth > 0 or code[position] != ",":
        text = re.compile(LITERAL).match(code, position)
        if text:
            position = text.end()
            continue
        depth += (code[position] in "([{") - (code[position] in ")]}")
        position += 1
    return re.compile(r"\s*").match(code, position + 1).end()


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def spoken_in(value, keys):
    """The texts below the keys that people read."""
    if isinstance(value, list):
        for part in value:
            yield from spoken_in(part, keys)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from strings(part) if key in keys else spoken_in(part, keys)


def needs_words(text):
    """Not of numbers and marks alone."""
    return re.search(r"[A-Za-z]", re.sub(r"%L?[\dn]", "", ARGUMENT.sub("", text))) is not None


def templates(root):
    """Every text for people, with the file that has it first."""
    found = {}
    for folder in ("core", "app", "ui"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                for text in said_in(project.text(path)):
                    found.setdefault(text, path.relative_to(root))
    for name, keys in SPOKEN.items():
        path = root / "resources" / name
        for text in spoken_in(json.loads(project.text(path)), keys):
            found.setdefault(text, path.relative_to(root))
    return {text: path for text, path in found.items() if needs_words(text)}


def arguments(text):
    """The arguments of a template, empty braces with their number."""
    taken = set()
    number = 0
    for found in ARGUMENT.finditer(text):
        if found[3] is not None:
            taken.add(f"«{found[3]}»")
        elif found[0] not in ("{{", "}}"):
            taken.add((found[1] or str(number)) + (found[2] or ""))
            number += 1
    return taken | set(re.findall(r"%L?\d", text))
