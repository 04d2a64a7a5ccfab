# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What comes from a file or goes into one passes the one place that is made for it.

Names in a snapshot are hostile text, JSON from outside may be nested without end, and a file that is written may be
the only copy of what was there."""

import re

import project

# What -> (pattern, where it belongs: files and folders, what to use instead).
RULES = {
    "rich text": (
        r"Qt::RichText|Qt::AutoText|Qt::MarkdownText|\bsetHtml\(|\binsertHtml\(|\bappendHtml\(|<QtGui/QTextDocument>"
        r"|<QtWidgets/QTextEdit>|<QtWidgets/QErrorMessage>",
        ["ui/views/look/plain_texts.cpp", "ui/views/memory_map/memory_map_panel.cpp", "ui/views/panels/cursor_panel.cpp",
         "ui/views/window/help_actions.cpp"],
        "plain text; a label is plain by ui/views/look/plain_texts.h"),
    "Markdown": (
        r"\bsetMarkdown\(|new QTextBrowser|QTextBrowser\(",
        ["ui/views/dialogs/explain_dialog.cpp", "ui/views/dialogs/help_dialog.cpp", "ui/views/dialogs/plan_dialog.cpp", "ui/views/dialogs/states_dialog.cpp"],
        "makeTextPage() with what report::toMarkdown() made"),
    "message boxes with words of their own": (
        r"QMessageBox::(about|information|question|warning|critical)\(", [],
        "a notice, or a QMessageBox object, whose labels are plain text"),
    "writing a file": (
        r"\bstd::ofstream\b|\bstd::fopen\b|\bQSaveFile\b|(?<!buffer\.open\()QIODevice::(WriteOnly|ReadWrite|Append)|\bO_CREAT\b",
        ["core/base/new_file.cpp",
         "app/cli/command_check.cpp"],  # Adds to the summary that other steps of a workflow write.
        "NewFile of core/base/new_file.h"),
    "JSON without a limit of depth": (
        r"[Jj]son::parse\((?![^;]*(resources::|limitJsonDepth))", [
            "core/label/modules/module_names.cpp", "core/label/stacks/stack_rules.cpp"],
        "limitJsonDepth of core/base/json_depth.h"),
}
FOLDERS = ("core", "ui", "app")


def check(root):
    complaints = []
    for path in project.files(root, (".cpp", ".h"), FOLDERS):
        content = project.text(root / path)
        for what, (pattern, places, instead) in RULES.items():
            if any(path.is_relative_to(place) for place in places):
                continue
            for match in re.finditer(pattern, content):
                line = content.count("\n", 0, match.start()) + 1
                complaints.append(f"{path}:{line}: {match.group()} ({what}); use {instead}")
    return complaints


def self_test():
    project.expect(check, {
        "ui/views/a.cpp": "label->setToolTip(name); label->setText(name);\n",
        "ui/views/panels/cursor_panel.cpp": "m_title->setTextFormat(Qt::RichText);\n",
        "core/base/new_file.cpp": "open(path, O_CREAT | O_EXCL);\n",
        "core/label/a.cpp": "Json::parse(text, limitJsonDepth); json::parse(resources::colours());\n",
        "tests/ui/a.cpp": "std::ofstream out; label->setTextFormat(Qt::RichText);\n",
    }, None)
    for path, content, fragment in [
        ("ui/views/a.cpp", "label->setTextFormat(Qt::RichText);\n", "rich text"),
        ("ui/report/a.cpp", "#include <QtGui/QTextDocument>\n", "rich text"),
        ("ui/views/a.cpp", "page.setMarkdown(words);\n", "Markdown"),
        ("ui/views/a.cpp", "QMessageBox::warning(this, title, name);\n", "message boxes"),
        ("core/report/a.cpp", "std::ofstream out(path);\n", "writing a file"),
        ("app/tidemark/a.cpp", "QSaveFile file(path);\n", "writing a file"),
        ("core/diagnose/a.cpp", "const Json tree = Json::parse(text, nullptr, false);\n", "limit of depth"),
    ]:
        project.expect(check, {path: content}, fragment)


if __name__ == "__main__":
    project.main(check, self_test)
