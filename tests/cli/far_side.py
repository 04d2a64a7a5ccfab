# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Another machine: a real sshd of this one, and tidemark-cli that reaches it through ssh."""

import contextlib
import json
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import time

SSHD = "/usr/sbin/sshd"
TOOLS = ["sh", "stat", "cat", "dd", "sleep", "head"]


def free_port():
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return asking.getsockname()[1]


class FarSide:
    """sshd for whoever runs this test, one per set of tools that its sessions have, and an `ssh` that knows them."""

    def __init__(self, root):
        self.root = root
        self.running = contextlib.ExitStack()
        self.bin = root / "bin"
        self.bin.mkdir()
        for name in ("host", "user", "stranger"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", root / name], check=True)
        shutil.copy(root / "user.pub", root / "authorized")
        self.config = root / "ssh_config"
        self.config.write_text("")
        # The program finds this one first; it only says where its configuration is.
        self.write_tool(self.bin / "ssh", f'exec {shutil.which("ssh")} -F "{self.config}" "$@"')
        if os.geteuid() == 0:
            pathlib.Path("/run/sshd").mkdir(exist_ok=True)

    def count(self, host):
        return self.root / f"count-{host}"

    @staticmethod
    def write_tool(path, line):
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)

    def add(self, host, packers=(), broken_cat=None, key="user", broken_packer=None):
        """A machine of this name whose sessions find these programs alone. `broken_packer`: it fails in the middle of the
        third piece, and counts how many it packed."""
        tools = self.root / f"tools-{host}"
        tools.mkdir()
        for name in [*TOOLS, *packers]:
            (tools / name).symlink_to(shutil.which(name))
        if broken_cat:
            (tools / "cat").unlink()
            self.write_tool(tools / "cat", broken_cat)
        if broken_packer:
            (tools / broken_packer).unlink()
            self.count(host).write_text("0\n")
            self.write_tool(tools / broken_packer, f'''read n <"{self.count(host)}"
n=$((n + 1))
echo $n >"{self.count(host)}"
[ $n = 3 ] || exec {shutil.which(broken_packer)} "$@"
{shutil.which(broken_packer)} "$@" | head -c 5000
exit 1''')
        port = free_port()
        server = self.root / f"sshd-{host}"
        server.write_text(
            f"Port {port}\nListenAddress 127.0.0.1\nHostKey {self.root}/host\nPidFile none\nUsePAM no\n"
            f"AuthorizedKeysFile {self.root}/authorized\nStrictModes no\nPasswordAuthentication no\n"
            f"KbdInteractiveAuthentication no\nPermitRootLogin yes\nSetEnv PATH={tools}\n")
        process = subprocess.Popen([SSHD, "-D", "-e", "-f", server], stderr=subprocess.PIPE)
        self.running.callback(process.wait)
        self.running.callback(process.terminate)
        with self.config.open("a") as config:
            config.write(
                f"Host {host}\n HostName 127.0.0.1\n Port {port}\n User {pwd.getpwuid(os.geteuid()).pw_name}\n"
                f" IdentityFile {self.root}/{key}\n IdentitiesOnly yes\n UserKnownHostsFile {self.root}/known\n"
                " StrictHostKeyChecking accept-new\n LogLevel ERROR\n")
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                return
            if process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(f"sshd did not start: {process.stderr.read().decode(errors='replace')}")


class Remote:
    def __init__(self, program, far, checks):
        self.program = program
        self.far = far
        self.checks = checks
        self.environment = {
            **os.environ, "PATH": f"{far.bin}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(far.root / "cache"),
            "XDG_DATA_HOME": str(far.root / "data")}

    def copies(self):
        return sorted(path for path in (self.far.root / "cache").rglob("*")
                      if path.is_file() and not path.name.startswith(".tidemark-origin"))

    def run(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], env=self.environment, capture_output=True,
                              text=True, timeout=240, stdin=subprocess.DEVNULL, check=False)

    def same(self, what, address, here):
        done = self.run("summary", "--json", address)
        local = self.run("summary", "--json", here)
        self.checks.equal(f"{what}: exit", (done.returncode, done.stderr), (0, ""))
        if done.returncode == 0:
            answer, expected = json.loads(done.stdout), json.loads(local.stdout)
            self.checks.equal(f"{what}: file", answer.pop("file"), str(address))
            expected.pop("file")  # file_bytes is that of the file there, though the copy is packed
            self.checks.that(answer == expected, f"{what}: another answer than of the file itself")

    def refused(self, what, words, *arguments):
        done = self.run(*arguments)
        self.checks.equal(f"{what}: exit", done.returncode, 2)
        self.checks.that(words in done.stderr, f"{what}: {done.stderr!r} lacks {words!r}")
        self.checks.equal(f"{what}: lines", done.stderr.count("\n"), 1)
