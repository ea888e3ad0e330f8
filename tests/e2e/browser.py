"""A headless Chromium for tests, over its debugging pipe: no driver, no port.

    with Browser(folder) as b:
        page = b.open(path)           # waits until the page says data-ready
        page.value("document.title")
"""
import base64, json, os, pathlib, select, shutil, signal, subprocess, time

EXECUTABLES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def executable():
    return next((path for name in EXECUTABLES if (path := shutil.which(name))), None)


class Browser:
    def __init__(self, folder, size=(1440, 900)):
        self.folder, self.size, self.number, self.events = pathlib.Path(folder), size, 0, []

    def __enter__(self):
        command_in, self.command_out = os.pipe()
        self.answer_in, answer_out = os.pipe()
        flags = [
            "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", "--disable-background-networking", "--disable-sync", "--disable-component-update",
            f"--user-data-dir={self.folder / 'profile'}", f"--window-size={self.size[0]},{self.size[1]}"
        ]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")

        def descriptors():  # the pipe is 3 (to the browser) and 4 (from it)
            a, b = os.dup(command_in), os.dup(answer_out)
            os.dup2(a, 3), os.dup2(b, 4)

        self.process = subprocess.Popen([executable(), *flags, "about:blank"],
                                        preexec_fn=descriptors,
                                        close_fds=False,
                                        stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL,
                                        start_new_session=True)
        os.close(command_in), os.close(answer_out)
        self.buffer = b""
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close", timeout=10)
            self.process.wait(10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # its own group: renderers that did not follow
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.command_out), os.close(self.answer_in)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answer_in], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.answer_in, 1 << 20)
            if not data:
                raise OSError("the browser is gone")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, params=None, session=None, timeout=60):
        self.number += 1
        message = {
            "id": self.number,
            "method": method,
            "params": params or {},
            **({
                "sessionId": session
            } if session else {})
        }
        os.write(self.command_out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path, timeout=60):
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        page = Page(self,
                    self.call("Target.attachToTarget", {
                        "targetId": target,
                        "flatten": True
                    })["sessionId"], target)
        for domain in ("Runtime", "Log", "Page", "Network"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", {
            "width": self.size[0],
            "height": self.size[1],
            "deviceScaleFactor": 1,
            "mobile": False
        })
        started = time.monotonic()
        page.call("Page.navigate", {"url": pathlib.Path(path).resolve().as_uri()}, timeout=timeout)
        while page.value("document.documentElement ? document.documentElement.dataset.ready || '' : ''") != "1":
            if time.monotonic() > started + timeout:
                raise TimeoutError(f"{path} is not ready: {page.complaints()}")
            time.sleep(0.02)
        page.seconds = time.monotonic() - started
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target

    def call(self, method, params=None, timeout=60):
        return self.browser.call(method, params, self.session, timeout)

    def value(self, expression):
        """What the expression gives, promises awaited; an exception in it is one here."""
        answer = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def frame(self):
        self.value("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", buttons=1, clickCount=1)

    def key(self, key, **more):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", "key": key, **text, **more})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", "key": key, **more})

    def screenshot(self, path):
        self.frame()
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", {"format": "png"})["data"]))

    def complaints(self):
        """Console errors, exceptions, and what the page itself noticed."""
        self.value("1")  # lets what is under way arrive
        found = [self.value("document.documentElement.dataset.errors || ''")
                 ] if self.value("document.documentElement.dataset.errors || ''") else []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, params = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(params["exceptionDetails"])[:400])
            if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(json.dumps(params["args"])[:400])
            if method == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(params["entry"]["text"])
        return found

    def requests(self):
        """Addresses that the page asked for, itself included."""
        return [e["params"]["request"]["url"] for e in self.browser.events
                if e.get("sessionId") == self.session and e["method"] == "Network.requestWillBeSent"]
