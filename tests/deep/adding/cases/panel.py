# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One more panel of the window: --view, its tab, the menu, the search, the sheet of keys and docs/window.md have it."""

WINDOW = True


def add(tree):
    tree.new("ui/views/panels/hello_panel.h", """// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/view_state.h"

#include <QtWidgets/QLabel>

namespace tidemark::ui {

/// Says hello.
class HelloPanel : public QLabel {
    Q_OBJECT
public:
    explicit HelloPanel(ViewState& state);
};

} // namespace tidemark::ui
""")
    tree.new("ui/views/panels/hello_panel.cpp", """// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/hello_panel.h"

namespace tidemark::ui {

HelloPanel::HelloPanel(ViewState& /*state*/)
    : QLabel(tr("Hello"))
{
}

} // namespace tidemark::ui
""")
    tree.before("ui/views/window/panel_table.cpp", '#include "ui/views/panels/model_panel.h"', '#include "ui/views/panels/hello_panel.h"\n')
    tree.before("ui/views/window/panel_table.cpp", '    {"stack", toSay("Stack"), pane', '    {"hello", toSay("Hello"), tab, "steps", make<HelloPanel>, Qt::Key_Y},\n')
    tree.german({"Hello": "Hallo"})


def find(checks, program, tree):
    window, picture = tree.window(), tree.root / "build/hello.png"
    refused = window.run("--screenshot", picture, "--view", "nope", tree.example())
    checks.that(", hello," in refused.stderr, f"--view has no hello: {refused.stderr}")
    window.text("--screenshot", picture, "--view", "hello", tree.example())
    checks.that(picture.read_bytes().startswith(b"\x89PNG"), "no picture of hello")
    checks.equal("the test of all panels", tree.ui_test("tst_menus", "everyPanelIsFound:hello"), 0)
    checks.equal("the test of all keys", tree.ui_test("tst_menus", "noKeyDoesTwoThings"), 0)
    tree.ui_test("tst_menus", "theDocumentHasTheKeys", write=True)
    checks.that("`Y` Hello" in (tree.root / "docs/window.md").read_text(encoding="utf-8"), "docs/window.md has no key of hello")
