"""A headless Chromium, driven through the pipe of its DevTools: no port, no driver, no network."""

import base64
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-extensions", "--disable-dev-shm-usage", "--use-gl=angle",
         "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=1280,1400",
         "--remote-debugging-pipe")
PATIENCE = 60  # seconds
HIGH = 20  # a number that files of the browser's start do not get


def find():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page. `problems` has what went wrong in it, `asked_for` all addresses that it loaded."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="sinew-browser-", ignore_cleanup_errors=True)
        there, self.to = (fcntl.fcntl(end, fcntl.F_DUPFD, HIGH) for end in os.pipe())
        self.back, here = (fcntl.fcntl(end, fcntl.F_DUPFD, HIGH) for end in os.pipe())

        def connect():
            os.dup2(there, 3)
            os.dup2(here, 4)

        self.process = subprocess.Popen(
            [find(), *FLAGS, f"--user-data-dir={self.folder.name}", "about:blank"],
            preexec_fn=connect, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(here)
        self.number, self.waiting, self.session = 0, b"", None
        self.problems, self.asked_for = [], []

    def __enter__(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            os.close(self.to)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.back)
        self.folder.cleanup()

    def message(self):
        while b"\0" not in self.waiting:
            piece = os.read(self.back, 1 << 16)
            assert piece, "the browser has ended"
            self.waiting += piece
        one, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(one)

    def note(self, event):
        about = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(about["exceptionDetails"]))
        if event.get("method") == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.problems.append(about["entry"]["text"])
        if event.get("method") == "Network.requestWillBeSent":
            self.asked_for.append(about["request"]["url"])

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.note(answer)

    def value(self, expression):
        """What an expression is in the page, waited for if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def open(self, address, until):
        """Loads a page and waits until an expression holds in it."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.wait(until)

    def wait(self, condition):
        """Until it is true; a page that is only beginning may not have what it asks."""
        end = time.monotonic() + PATIENCE
        while not self.value(f"(() => {{ try {{ return {condition} }} catch {{ return false }} }})()"):
            assert time.monotonic() < end, f"never came to be: {condition}; {self.problems}"
            time.sleep(0.05)

    def screenshot(self):
        """PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
