"""A panel whose picture takes a while: one button starts the work, another one stops it."""

import asyncio
import threading
import time
from concurrent.futures import Future

import ipywidgets as widgets

from .panel import CONTROL, DESCRIPTION, Panel, dressed

__all__ = ["Started"]

#: Seconds between two steps of the bar: each is a message to the browser.
STEP = 0.1


class Started(Panel):
    """Controls, and the picture, figures and call that a button makes from their values.

    A first picture, which must not take long, is there at once. From then on a change of
    a control shows nothing new until the button is pressed. Work is done in a thread, on the values
    at its start: the kernel is free for the other button and for other cells. What is
    at work ends, as if stopped, where another panel is made or started: a cell that runs again leaves
    no work behind, and no two disturb each other.

    Parameters
    ----------
    controls : dict of str to `ipywidgets.Widget`
        As of `Panel`; the buttons and a bar are put below.
    initial : dict
        Values to start from, by name of control.
    first : callable
        ``first(values)`` are the values of the first picture.
    compute : callable
        ``compute(values, watch)`` is the result. It calls ``watch(share)`` again and again with the share of the work
        that is done, and when that is True returns what is complete, or None if that is nothing.
    work : str
        What the buttons start and stop, in a word.
    **functions
        The others of `Panel`.

    Raises
    ------
    TypeError, ValueError
        As by `Panel`.

    Notes
    -----
    The additional parts have the CSS classes ``gridlab-start``, ``gridlab-stop``, ``gridlab-progress`` and
    ``gridlab-state``.
    """

    #: The one that is at work.
    _at_work = None

    def __init__(self, controls, initial, *, first, compute, work="work", **functions):
        self._first, self._thread, self._halt, self._heard = first, None, threading.Event(), 0.0
        inner = CONTROL - DESCRIPTION - 8  # beside the descriptions
        start, stop = (
            widgets.Button(description=word, tooltip=tooltip, layout={"width": f"{inner // 2 - 4}px"})
            for word, tooltip in (
                ("Start", f"Start the {work} with the values above"),
                ("Stop", f"Stop the {work} and show what is complete"),
            )
        )
        start.on_click(lambda _: self.start())
        stop.on_click(lambda _: self.stop())
        self._progress = widgets.FloatProgress(0, min=0, max=1, **dressed("progress", f"Share of the {work} done"))
        self._state = widgets.HTML()
        self._end_other_work()
        super().__init__(controls | {"start": start, "stop": stop}, initial, compute=compute, **functions)
        beside = {"margin": f"0 0 0 {DESCRIPTION + 8}px", "width": f"{inner + 4}px"}
        below = [widgets.HBox([start, stop], layout=beside), self._progress, self._state]
        self._state.layout = beside
        self._progress.add_class("gridlab-progress")
        self._state.add_class("gridlab-state")
        self.children[0].children = [*controls.values(), *below]

    def start(self):
        """Start to work with the values as they are, unless it is at work."""
        if self._thread is not None:
            return
        self._end_other_work()
        self._halt.clear()
        try:
            # the kernel's own thread shows the result: matplotlib's settings are shared by all threads
            later = asyncio.get_running_loop().call_soon_threadsafe
        except RuntimeError:  # without a kernel there is no loop to hand it to
            later = _now
        self._thread = threading.Thread(target=self._work, args=(self.values, later), daemon=True)
        Started._at_work = self
        self._progress.value = 0
        self._say("at work", "info")
        self._thread.start()

    def stop(self):
        """Stop the work; what is complete is shown."""
        self._halt.set()
        if self._thread is not None:
            self._say("stopping", "warning")

    def close(self):
        """Stop, and close the widget."""
        self.stop()
        super().close()

    @staticmethod
    def _end_other_work():
        """Stop the panel that is at work, if one is, and wait until it has heard."""
        panel = Started._at_work
        thread = panel and panel._thread
        if thread:
            panel.stop()
            thread.join()

    def _follow(self, values):
        """Make the first picture; later wait for the button."""
        if not self.code:
            self._show(self._first(values), lambda values: self._functions["compute"](values, lambda share: False))
            self._say("a short first run; Start for a longer one")
        elif self._thread is None:
            self._say("Start for these values")

    def _work(self, values, later):
        """Work, in a thread, and hand on what comes of it."""
        outcome = Future()
        try:
            outcome.set_result(self._functions["compute"](values, self._watch))
        except (ValueError, TypeError, RuntimeError) as error:
            outcome.set_exception(error)
        except Exception as error:  # a fault, but in a thread nobody sees it
            told = [f"{type(error).__name__}: {error}".rstrip(": "), *getattr(error, "__notes__", ())]
            outcome.set_exception(RuntimeError("; ".join(told)))
        later(self._finish, values, outcome)

    def _watch(self, share):
        """Move the bar, and return whether to stop."""
        now = time.monotonic()
        if now - self._heard >= STEP:
            self._heard = now
            self._progress.value = share
        return self._halt.is_set()

    def _finish(self, values, outcome):
        """Show what came of the work; where that is nothing the picture stays."""
        nothing = outcome.exception() is None and outcome.result() is None
        try:
            if not nothing:
                self._show(values, lambda _: outcome.result())
        finally:
            self._thread = None
            if Started._at_work is self:
                Started._at_work = None
            if nothing:
                self._say("stopped before anything was complete", "warning")
            elif self.error:
                self._say("failed", "danger")
            elif self._halt.is_set():
                self._say("stopped: what was complete", "warning")
            else:
                self._progress.value = 1
                self._say("done", "success")

    def _say(self, words, look=""):
        """Say how the work stands, and let the buttons look like it."""
        busy = self._thread is not None
        self._state.value = f'<div role="status" style="line-height:1.4">{words}</div>'
        self._progress.bar_style = look
        self.controls["start"].button_style = "" if busy else "primary"
        self.controls["stop"].button_style = "warning" if busy else ""


def _now(f, *arguments):
    """Call a function."""
    f(*arguments)
