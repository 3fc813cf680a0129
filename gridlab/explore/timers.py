"""Timers that run in the browser, so that no thread of the kernel has to: a clock, and one that asks for pictures."""

import time

import anywidget
from traitlets import Bool, Int, Unicode

__all__ = []


class _Clock(anywidget.AnyWidget):
    """Seconds that go on in the browser, so that no thread of the kernel has to, until Python says how many it were."""

    # A view that comes into the page asks; where no kernel answers, such as in a saved page, it does not run. One
    # that runs asks again from time to time, and stands still when the kernel has gone.
    _esm = """
    export default {
        render({ model, el }) {
            let began = 0, asked = 0, heard = 0, timer = 0;
            const stop = () => { clearInterval(timer); timer = 0; };
            const ask = () => { asked = performance.now(); try { model.send("ask"); } catch { stop(); } };
            const tick = () => {
                const now = performance.now();
                el.textContent = `${Math.max(0, Math.floor((now - began) / 1000))} s`;
                if (now - asked > 10_000) ask();
                if (now - heard > 60_000) stop();
            };
            const hear = ({ seconds, running, text }) => {
                stop();
                heard = performance.now();
                began = heard - 1000 * seconds;
                if (running) timer = setInterval(tick, 200);
                el.textContent = text;
                el.dataset.running = running;
            };
            const settle = () => { if (!timer) el.textContent = model.get("text"); };
            el.style.cssText = "font-weight:bold;white-space:nowrap;min-width:3em";
            el.setAttribute("role", "timer");
            model.on("msg:custom", hear);
            model.on("change:text", settle);
            settle();
            ask();
            return () => { stop(); model.off("msg:custom", hear); model.off("change:text", settle); };
        },
    };
    """
    #: What it shows where nobody answers.
    text = Unicode("0 s").tag(sync=True)

    def __init__(self):
        super().__init__()
        self.start = self.seconds = None
        self.on_msg(lambda *_: self.tell())

    def tell(self):
        """Say to all views in the page how long it has been, and whether it goes on."""
        running = self.start is not None and self.seconds is None
        seconds = time.monotonic() - self.start if running else self.seconds or 0.0
        text = f"{int(seconds)} s" if running or not self.seconds else f"{seconds:.1f} s"
        self.text = text
        self.send({"seconds": seconds, "running": running, "text": text})

    def follow(self, started, over):
        """Start when the game has started, stop for good when it is over, else go back to 0."""
        before = self.start, self.seconds
        if not started:
            self.start = self.seconds = None
        elif self.start is None:
            self.start = time.monotonic()
        if over and self.seconds is None:
            self.seconds = time.monotonic() - self.start
        if before != (self.start, self.seconds):
            self.tell()


class _Ticker(anywidget.AnyWidget):
    """Ask from the browser for the next picture, and again when the last one was shown."""

    # Only Python says whether it runs, and Python alone knows what is shown: a picture that was asked for when the
    # player has stopped it is not shown. Of a slider's value in both places the browser's may be the older one.
    _esm = """
    export default {
        initialize({ model }) {
            let timer = 0;
            const ask = () => { try { model.send("next"); } catch { /* the kernel has gone */ } };
            const follow = () => {
                clearTimeout(timer);
                if (model.get("running")) timer = setTimeout(ask, model.get("interval"));
            };
            model.on("change:running", follow);
            model.on("msg:custom", follow);
            follow();
            return () => clearTimeout(timer);
        },
        render() {},
    };
    """
    running = Bool(False).tag(sync=True)
    #: Milliseconds from one picture to the next.
    interval = Int(350).tag(sync=True)

    def __init__(self, on_tick):
        super().__init__(layout={"display": "none"})
        self._on_tick = on_tick
        self.on_msg(self._asked)

    def _asked(self, *_):
        """Show the next picture, and say that it is there."""
        if self.running:
            self._on_tick()
        self.send("shown")
