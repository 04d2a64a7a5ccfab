# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""One more command: it runs, and help, `capabilities` and man page have it, which check_commands.py compares."""

import subprocess
import sys

WHAT = "Says hello"


def add(tree):
    tree.new("app/cli/command_hello.cpp", """// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"

#include <iostream>

namespace tidemark::cli {

void addHello(CLI::App& /*command*/, Run& run)
{
    run = [] {
        std::cout << "hello\\n";
        return 0;
    };
}

} // namespace tidemark::cli
""")
    tree.before("app/cli/commands.h", "void addCapabilities(", "void addHello(CLI::App& command, Run& run);\n")
    tree.before("app/cli/commands.h", '    {"capabilities", toSay(', f'    {{"hello", toSay("{WHAT}"), addHello}},\n')
    tree.before("packaging/man/tidemark-cli.1", ".TP\n.B capabilities\n", ".TP\n.B hello\nSays hello.\n")
    tree.german({WHAT: "Grüßt"})


def find(checks, program, tree):
    checks.equal("what it says", program.text("hello"), "hello\n")
    done = subprocess.run([sys.executable, "-B", tree.root / "tests/cli/check_commands.py", program.path, tree.root], check=False)
    checks.equal("exit status of check_commands.py", done.returncode, 0)
