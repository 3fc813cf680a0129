"""What every panel shares: the layout, the loop from a change to a picture, and the controls."""

import base64
import html
from collections.abc import Iterable
from io import BytesIO

import anywidget
import ipywidgets as widgets
from matplotlib.figure import Figure
from traitlets import Unicode

from .. import grid

__all__ = ["Panel", "checkbox", "dressed", "dropdown", "field", "seed", "slider"]

#: Sides of the picture in pixels: with the controls it fits in 700.
PICTURE = 400

#: Where its Axes stand, as shares of it.
WHOLE = (0.01, 0.01, 0.98, 0.98)

#: Width of a control, and of what stands before it, in pixels.
CONTROL, DESCRIPTION = 272, 76


class _Picture(widgets.Image):
    """A picture that can have a tooltip: the browser's part of a tooltip asks for a description."""

    description = Unicode("").tag(sync=True)


class _KeepKeys(anywidget.AnyWidget):
    """Let the keys pressed in the panel around it act on the panel only, not on the notebook's cells."""

    # JupyterLab leaves alone the keys of an element with this attribute, which no widget of ipywidgets can
    # set. On the panel it comes too late: most shortcuts match already what has the focus, so that gets it.
    # The panel may come into the page some frames after its parts are made.
    _esm = """
    export default {
        render({ el }) {
            let tries = 0;
            const keep = () => {
                const panel = el.closest(".gridlab-panel");
                if (panel) {
                    panel.dataset.lmSuppressShortcuts = "true";
                    panel.addEventListener("focusin", ({ target }) => {
                        target.dataset.lmSuppressShortcuts = "true";
                    });
                } else if (++tries < 1000) requestAnimationFrame(keep);
            };
            keep();
        },
    };
    """

    def __init__(self):
        super().__init__(layout={"display": "none"})


class _Controlled(widgets.HBox):
    """What a panel is for its controls: their values by name, and words on what is wrong."""

    @property
    def _inputs(self):
        """The controls that have a value."""
        return {name: control for name, control in self.controls.items() if hasattr(control, "value")}

    @property
    def values(self):
        """The controls' values by name."""
        return {name: control.value for name, control in self._inputs.items()}

    def _refuse_unknown(self, initial):
        """Say which of the values to start from no control has."""
        for name in initial:
            if name not in self._inputs:
                raise TypeError(f"unexpected keyword {name!r}: the panel has {', '.join(self._inputs)}")

    def _tell(self):
        """Show the error in words, or nothing."""
        words = html.escape(self.error)
        self._error.value = f'<div role="alert" style="color:#a40000;line-height:1.5">{words}</div>' if words else ""
        self._error.layout.display = None if words else "none"

    def _show_call(self, label):
        """Show the code in a field that cannot be changed but can be reached, selected and copied by keyboard."""
        self._code.value = (
            f'<textarea readonly rows="3" spellcheck="false" aria-label="{label}" '
            'data-lm-suppress-shortcuts="true" style="width:100%;box-sizing:border-box;resize:vertical;'
            f'font-family:monospace">{html.escape(self.code)}</textarea>'
        )


class Panel(_Controlled):
    """Controls, and the picture, figures and call that follow from their values.

    Whatever changes, everything is computed and drawn once: what the panel itself
    changes on the way, because one control bounds another, starts nothing more. An
    error is shown in words, and the panel goes on with the next change.

    Parameters
    ----------
    controls : dict of str to `ipywidgets.Widget`
        The controls by name, from top to bottom. Those that have a value make up `values`.
    initial : dict
        Values to start from, by name of control.
    adjust : callable
        ``adjust(values)`` brings bounds and visibility of the controls in line with `values`.
    code : callable
        ``code(values)`` is the call that reproduces the picture after ``import gridlab``, as text.
    compute : callable
        ``compute(values)`` is what that call returns.
    figures : callable
        ``figures(values, result)`` is a dict of the numbers to show, by name.
    draw : callable
        ``draw(values, result, *axes)`` makes the picture.
    describe : callable
        ``describe(values)`` says in words what the picture shows.
    height : int
        Of the picture, in pixels.
    places : sequence of tuple of float
        Left, bottom, width and height of each of the picture's Axes, as shares of it; one from edge to edge by default.

    Raises
    ------
    TypeError
        If `initial` names no control, or a value is of the wrong type.
    ValueError
        If a value of `initial` is not among those the control offers.

    Notes
    -----
    The parts have CSS classes: ``gridlab-panel``, ``gridlab-controls``,
    ``gridlab-picture``, ``gridlab-figures``, ``gridlab-code``, ``gridlab-error``, and
    ``gridlab-NAME`` for the control NAME, with hyphens for underscores. Where no
    kernel runs, a page or a printed notebook, the panel is shown as its picture.
    """

    def __init__(
        self, controls, initial, *, adjust, code, compute, figures, draw, describe, height=PICTURE, places=(WHOLE,)
    ):
        self._functions = {
            "adjust": adjust,
            "code": code,
            "compute": compute,
            "figures": figures,
            "draw": draw,
            "describe": describe,
        }
        self.controls = controls
        self.code = self.error = ""
        self.result = None
        size = {"width": f"{PICTURE}px", "height": f"{height}px"}
        self._picture = _Picture(format="png", layout={**size, "margin": "0"})
        self._figures, self._code, self._error = widgets.HTML(), widgets.HTML(), widgets.HTML()
        for name, part in [
            *(("picture", self._picture), ("figures", self._figures), ("code", self._code), ("error", self._error)),
            *controls.items(),
        ]:
            part.add_class(f"gridlab-{name.replace('_', '-')}")
        left = widgets.VBox([*controls.values()], layout={"width": f"{CONTROL + 8}px", "flex": "0 0 auto"})
        right = widgets.VBox(
            [self._error, self._picture, self._figures, self._code],
            layout={"flex": "1 1 0%", "min_width": f"{PICTURE + 4}px"},
        )
        super().__init__(
            [left.add_class("gridlab-controls"), right, _KeepKeys()],
            layout={"align_items": "flex-start", "flex_flow": "row wrap", "width": "100%"},
        )
        self.add_class("gridlab-panel")
        self._height, self._places = height, places
        self._busy = True
        self._start(initial)
        self._busy = False
        for control in self._inputs.values():
            control.observe(self._changed, "value")
        self._changed()

    def _start(self, initial):
        """Set the controls to `initial`, or say which value is not offered beside the others."""
        self._refuse_unknown(initial)
        for _ in range(2):  # the second time all bounds are what they will be
            for name, control in self._inputs.items():
                self._functions["adjust"](self.values)
                if name in initial:
                    control.value = _checked(name, control, initial[name])

    def _changed(self, _=None):
        """Compute and draw once, whatever the controls do to each other meanwhile."""
        if self._busy:
            return
        self._busy = True
        try:
            self._functions["adjust"](self.values)
            self._follow(self.values)
        finally:
            self._busy = False

    def _follow(self, values):
        """Do what a change of the values leads to."""
        self._show(values, self._functions["compute"])

    def _show(self, values, compute):
        """Show what follows from `values`, or what is wrong with them."""
        functions = self._functions
        self.code, self.error, self.result = functions["code"](values), "", None
        text = ""
        try:
            self.result = compute(values)
            numbers = functions["figures"](values, self.result)
            text = " &ensp; ".join(f"{html.escape(name)}&nbsp;<b>{html.escape(n)}</b>" for name, n in numbers.items())
            self._picture.value = self._png(values)
            self._picture.tooltip = functions["describe"](values)
        except (ValueError, TypeError, RuntimeError) as error:
            self.error = "; ".join([str(error), *getattr(error, "__notes__", ())])
        # the picture belongs to other values: hide it, and keep its place
        self._picture.layout.visibility = "hidden" if self.error else None
        self._tell()
        self._figures.value = f'<div role="status" style="line-height:1.5">{text}</div>'
        self._show_call("The call that reproduces the picture")

    def _png(self, values):
        """Draw the picture, as the bytes of a PNG."""
        # pyplot never hears of this figure, and a new one costs less than to clear the last
        figure = Figure(figsize=(PICTURE / 100, self._height / 100), dpi=100)
        self._functions["draw"](values, self.result, *[figure.add_axes(place) for place in self._places])
        png = BytesIO()
        # weak compression: the bytes go to the browser next door, and strong compression costs more than drawing
        figure.savefig(png, format="png", dpi=100, metadata={"Software": None}, pil_kwargs={"compress_level": 1})
        return png.getvalue()

    def _repr_mimebundle_(self, **kwargs):
        """Give the live view and, for where there is no kernel, the picture and the call."""
        bundle = super()._repr_mimebundle_(**kwargs) or {}
        bundle["text/plain"] = self.code
        if not self.error:
            bundle["image/png"] = base64.b64encode(self._picture.value).decode()
        return bundle


def _checked(name, control, value):
    """Return the value if the control can take it as it is."""
    if isinstance(control, widgets.SelectMultiple):
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise TypeError(f"{name} must be a list of some of {', '.join(map(repr, control.options))}, got {value!r}")
        value = tuple(value)
        for one in value:
            if one not in control.options:
                raise ValueError(f"{name} must be among {', '.join(map(repr, control.options))}, got {one!r}")
        if len(set(value)) < len(value):
            raise ValueError(f"{name} must differ, got {', '.join(map(repr, value))}")
        if not value:
            raise ValueError(f"{name} must be at least one of {', '.join(map(repr, control.options))}, got none")
    elif hasattr(control, "options"):
        offered = [option[1] if isinstance(option, tuple) else option for option in control.options]
        if not any(type(value) is type(option) and value == option for option in offered):
            raise ValueError(f"{name} must be one of {', '.join(map(repr, offered))}, got {value!r}")
    elif isinstance(control, widgets.Checkbox):
        if not isinstance(value, bool):
            raise TypeError(f"{name} must be True or False, got {value!r}")
    elif isinstance(control.value, int):
        return grid.as_int(name, value, control.min, control.max)
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number from {control.min} to {control.max}, got {value!r}")
    elif not control.min <= value <= control.max:
        raise ValueError(f"{name} must be from {control.min} to {control.max}, got {value}")
    return value


def dressed(words, tooltip):
    """Give a control its label, tooltip and place."""
    return {
        "description": words,
        "tooltip": tooltip,
        "style": {"description_width": f"{DESCRIPTION}px"},
        "layout": {"width": f"{CONTROL}px"},
    }


def slider(words, tooltip, value, low, high):
    """Make a slider over integers, or over twentieths where the value is no integer."""
    if isinstance(value, int):
        return widgets.IntSlider(value, low, high, **dressed(words, tooltip))
    return widgets.FloatSlider(value=value, min=low, max=high, step=0.05, **dressed(words, tooltip))


def checkbox(words, tooltip):
    """Make a box to tick."""
    return widgets.Checkbox(False, **dressed(words, tooltip))


def dropdown(words, tooltip, options, value):
    """Make a choice of one."""
    return widgets.Dropdown(options=options, value=value, **dressed(words, tooltip))


def field(words, tooltip, value, low, high):
    """Make a field for an integer."""
    return widgets.BoundedIntText(value, low, high, **dressed(words, tooltip))


def seed(tooltip):
    """Make the field of the seed and the button to the next one, by name."""
    number = field("seed", tooltip, 7, 0, 2**31 - 1)
    button = widgets.Button(
        description="next seed", tooltip="Go to the next seed", layout={"margin": f"2px 2px 2px {DESCRIPTION + 8}px"}
    )
    button.on_click(lambda _: setattr(number, "value", number.value + 1))
    return {"seed": number, "new_seed": button}
