# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Debian's Chromium without a screen and without a network, driven by real mouse and key events: the DevTools protocol over
two pipes, for which Python needs no package."""

import base64
import collections
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
KEYS = {"Escape": 27, "Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}


class Browser:
    def __init__(self, width=1440, height=900):
        self.profile = tempfile.TemporaryDirectory()
        to_read, self.to_write = os.pipe()
        self.to_hear, to_say = os.pipe()
        # Chromium reads from 3 and writes to 4.
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" 3<&{to_read} 4>&{to_say}', "sh", PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe", "--host-resolver-rules=MAP * ~NOTFOUND",
             "--force-prefers-reduced-motion", f"--user-data-dir={self.profile.name}", f"--window-size={width},{height}", "about:blank"],
            pass_fds=(to_read, to_say), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_say)
        self.heard, self.number, self.session, self.runs_scripts = b"", 0, None, True
        self.events = collections.defaultdict(list)
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, AssertionError):
            self.process.kill()
        self.process.wait(timeout=30)
        os.close(self.to_write)
        os.close(self.to_hear)
        shutil.rmtree(self.profile.name, ignore_errors=True)

    def message(self, timeout):
        deadline = time.monotonic() + timeout
        while b"\0" not in self.heard:
            ready, _, _ = select.select([self.to_hear], [], [], max(0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            part = os.read(self.to_hear, 1 << 20)
            assert part, "the browser ended"
            self.heard += part
        one, _, self.heard = self.heard.partition(b"\0")
        return json.loads(one)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        content = json.dumps(request).encode() + b"\0"
        while content:
            content = content[os.write(self.to_write, content):]
        while True:
            message = self.message(60)
            if message.get("id") == self.number:
                assert "error" not in message, f"{method}: {message}"
                return message["result"]
            self.events[message.get("method")].append(message.get("params"))

    def run(self, expression):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, f"{expression}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def open(self, path):
        """A page, until its script is done; with scripts off until it is read."""
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.until("document.documentElement?.dataset.ready" if self.runs_scripts else "document.readyState === 'complete'", f"{path} is not ready")
        if self.runs_scripts:
            self.settle()

    def until(self, expression, otherwise):
        deadline = time.monotonic() + 30
        while not self.run(expression):
            assert time.monotonic() < deadline, otherwise
            time.sleep(0.02)

    def settle(self):
        """Until what was asked for is painted."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def resize(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def allow_scripts(self, allows):
        self.call("Emulation.setScriptExecutionDisabled", value=not allows)
        self.runs_scripts = allows

    def complaints(self):
        """What the page asked for beside itself, and what the browser refused or did not understand."""
        asked = [e["request"]["url"] for e in self.events["Network.requestWillBeSent"]]
        return ([f"requests {url}" for url in asked[1:]]
                + [str(e["exceptionDetails"].get("exception", {}).get("description")) for e in self.events["Runtime.exceptionThrown"]]
                + [e["entry"]["text"] for e in self.events["Log.entryAdded"]]
                + [str(e["args"]) for e in self.events["Runtime.consoleAPICalled"]])

    def box(self, selector):
        return self.run(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});"
                        " const b = e.getBoundingClientRect(); return {x: b.x, y: b.y, w: b.width, h: b.height}; })()")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, selector, part_x=0.5, part_y=0.5):
        box = self.box(selector)
        x, y = box["x"] + box["w"] * part_x, box["y"] + box["h"] * part_y
        self.mouse("mouseMoved", x, y)
        self.settle()
        return x, y

    def click(self, selector, part_x=0.5, part_y=0.5, modifiers=0):
        x, y = self.hover(selector, part_x, part_y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", buttons=1, clickCount=1, modifiers=modifiers)
        self.settle()

    def wheel(self, selector, delta, part_x=0.5, part_y=0.5):
        x, y = self.hover(selector, part_x, part_y)
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta)
        self.settle()

    def key(self, name, modifiers=0):
        code = KEYS.get(name, ord(name[0].upper()))
        more = {"text": name} if len(name) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=code, modifiers=modifiers, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code, modifiers=modifiers)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})?.textContent")

    def picture(self, path, whole=False):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))

    def pdf(self, path, **options):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.printToPDF", printBackground=False, **options)["data"]))
