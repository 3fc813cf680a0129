"""A JupyterLab server, a browser, and a notebook page with the handles a reader has."""

import base64
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",  # it needs rights a container does not give
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: Milliseconds to wait for a condition: generous, as a wait ends when its condition holds.
PATIENCE = 180_000
#: And for all cells of a notebook, whose first run compiles every kernel it uses, on a machine with other work.
ALL_CELLS = 600_000
ERRORS = '[data-mime-type$="jupyter.stderr"], [data-mime-type$="jupyter.error"]'
PROMPTS = """() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(
    prompt => Number(prompt.textContent.match(/\\[(\\d+)\\]/)?.[1] ?? 0))"""
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # Every cell stays in the page, seen or not, so that its state can be read.
    "notebook-extension/tracker": {"windowingMode": "none"},
}

expect.set_options(timeout=PATIENCE)


class Lab:
    """A JupyterLab server on a free port, with all its folders in one temporary folder."""

    def __init__(self, folder):
        """Start it and wait until it answers."""
        self.work = folder / "work"
        self.work.mkdir()
        self._log = folder / "lab.log"
        for name, content in SETTINGS.items():
            file = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(content), "utf-8")
        places = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "run",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
        }
        self._environment = os.environ | {key: str(folder / name) for key, name in places.items()}
        for _ in range(3):  # another program may take the port between our look and the server's
            if self._start():
                return
        raise RuntimeError(f"JupyterLab did not start:\n{self._log.read_text('utf-8')[-4000:]}")

    def _start(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        self.token = os.urandom(16).hex()
        options = {
            "--ip": "127.0.0.1",
            "--port": self.url.rpartition(":")[2],
            "--ServerApp.port_retries": "0",
            "--IdentityProvider.token": self.token,
            "--ServerApp.root_dir": str(self.work),
            "--LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
            "--KernelManager.transport": "ipc",
        }
        command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command + [f"{key}={value}" for key, value in options.items()],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + PATIENCE / 1000
        while self._process.poll() is None and time.monotonic() < deadline:
            with (
                contextlib.suppress(OSError),
                urllib.request.urlopen(f"{self.url}/api/status?token={self.token}", timeout=5),
            ):
                return True
            time.sleep(0.1)
        self.stop()
        return False

    def _ask(self, path, method="GET"):
        """Send the server a request and return its answer, if there is one."""
        request = urllib.request.Request(f"{self.url}/api/{path}?token={self.token}", method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE / 1000) as answer:
            return json.loads(answer.read() or "null")

    def end(self, name):
        """End the kernel of a notebook."""
        for session in self._ask("sessions"):
            if session["path"] == name:
                self._ask(f"sessions/{session['id']}", "DELETE")

    def stop(self):
        """End the server, which ends its kernels."""
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class NotebookPage:
    """A notebook open in JupyterLab."""

    def __init__(self, page, lab, notebook):
        """Open it, a file or the sources of its code cells, and wait for its kernel."""
        file = lab.work / f"n{len(list(lab.work.iterdir()))}.ipynb"
        if isinstance(notebook, Path):
            shutil.copy(notebook, file)
        else:
            cells = [nbformat.v4.new_code_cell(source) for source in notebook]
            # Without the name of a kernel JupyterLab asks for one.
            metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
            nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), file)
        self.page, self.name = page, file.name
        page.goto(f"{lab.url}/lab/tree/{file.name}?token={lab.token}&reset")
        # Running before the kernel is there opens a dialog that asks for one.
        expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle")

    def run(self):
        """Run all cells and return the texts of the error outputs, none if all is well."""
        page = self.page
        last = page.evaluate(f"({PROMPTS})().reduce((a, b) => Math.max(a, b), 0)")
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.locator('[data-command="runmenu:run-all"]').click()
        # A cell's prompt is a number above all earlier ones when it has run.
        page.wait_for_function(
            f"""([errors, last]) => document.querySelector(errors)
                || (prompts => prompts.length && prompts.every(prompt => prompt > last))(({PROMPTS})())""",
            arg=[ERRORS, last],
            timeout=ALL_CELLS,
        )
        return self.errors()

    def cells(self):
        """Return of each cell its kind and whether it is selected, but not what JupyterLab notes of its look."""
        return self.page.locator(".jp-Notebook .jp-Cell").evaluate_all(
            "cells => cells.map(cell => cell.className.match(/jp-(Code|Markdown|Raw)Cell|jp-mod-\\w+/g).join(' '))"
        )

    def errors(self):
        """Return the texts of all error outputs."""
        return self.page.locator(ERRORS).all_inner_texts()

    def pictures(self):
        """Return the bytes of every picture the widgets show, once all have loaded."""
        self.page.wait_for_function(
            """() => [...document.querySelectorAll('.jupyter-widgets img')].every(
                img => img.complete && img.naturalWidth)""",
            timeout=PATIENCE,
        )
        found = self.page.evaluate(
            """() => Promise.all([...document.querySelectorAll('.jupyter-widgets img')].map(async img => {
                const bytes = new Uint8Array(await (await fetch(img.src)).arrayBuffer());
                return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
            }))"""
        )
        return [base64.b64decode(text) for text in found]


@pytest.fixture(scope="session")
def chromium():
    """Return the path of a chromium, or skip; in CI its absence is a failure."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        say = pytest.fail if os.environ.get("CI") else pytest.skip
        say(f"browser tests need one of {', '.join(BROWSERS)} on the path")
    return path


@pytest.fixture(scope="session")
def lab(chromium):
    """Return a running JupyterLab."""
    # Not pytest's folder: the kernels' sockets lie in it, and a socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="lab", ignore_cleanup_errors=True) as folder:
        server = Lab(Path(folder))
        yield server
        server.stop()


@pytest.fixture(scope="module")
def browser(chromium):
    """Return a browser, of this module only: while it lives no other event loop can run in this thread."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@contextlib.contextmanager
def watched(browser):
    """Open a page; at the end it must have asked nobody but this machine, and logged no error."""
    context = browser.new_context(viewport={"width": 1300, "height": 950})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    addresses, complaints = [], []
    page.on("request", lambda request: addresses.append(request.url))
    page.on("websocket", lambda socket: addresses.append(socket.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert addresses
    assert [url for url in addresses if not re.match(r"((http|ws)://127\.0\.0\.1[:/]|file:|data:|blob:)", url)] == []
    assert complaints == []


@contextlib.contextmanager
def opened(browser, lab, notebook):
    """Open a notebook, a file or its code cells, in a watched page; at the end its kernel ends too."""
    with watched(browser) as page:
        here = NotebookPage(page, lab, notebook)
        yield here
    lab.end(here.name)


@pytest.fixture
def page(browser):
    """Return a watched page."""
    with watched(browser) as page:
        yield page


@pytest.fixture
def say(capsys):
    """Return a function that writes a line to the log of the tests."""

    def write(line):
        with capsys.disabled():
            print(f"\n{line}", file=sys.stderr)  # a worker's standard output goes nowhere

    return write


@pytest.fixture(scope="module")
def open_notebook(browser, lab):
    """Return a function that opens a notebook, a file or its code cells, until the module ends."""
    with contextlib.ExitStack() as notebooks:
        yield lambda notebook: notebooks.enter_context(opened(browser, lab, notebook))
