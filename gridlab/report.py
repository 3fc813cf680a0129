"""Notebooks executed, and written as a small static site.

Each notebook runs from top to bottom in a kernel of its own, several at a time; then
its page is written, with every figure a file of its own and every table as CSV beside
it, and an index that holds what each notebook found. Two runs with one seed give the
same bytes but for ``provenance.html``, which says when, where and with what the site
was made. The pages ask nothing of the network and carry no script.

Three things make the bytes repeat: the kernel starts from no personal settings
(`_environment`), draws figures without dates or random ids (`_prepare`), and what still
differs from run to run, such as addresses in memory, is not shown (`_scrub`).
"""

import ast
import asyncio
import base64
import datetime
import html
import inspect
import itertools
import logging
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import dataclass

import jinja2
import nbformat
import pygments
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert.filters import ansi2html, strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from tqdm import tqdm

import gridlab
from gridlab import bench
from gridlab.grid import as_int

__all__ = ["Page", "build", "notebooks_folder"]

SITE = pathlib.Path(__file__).parent / "site"
MANIFEST = "manifest.txt"
HEADING = "Files written by gridlab report; the next report removes those it no longer needs."

#: Seconds a kernel may take to answer for the first time: a busy machine is no failure.
STARTUP = 120

#: Code that the report adds to a notebook carries this key in its metadata.
ADDED = "gridlab_report"


@dataclass(frozen=True, slots=True)
class Page:
    """What became of one notebook.

    Attributes
    ----------
    name : str
        The notebook's file name without its suffix; its page is ``name.html``.
    title : str
        Its first heading.
    findings : tuple of str
        What follows ``**Found.**`` in its cells, as markdown.
    timings : bool
        Whether its figures are timings and so differ from run to run.
    seed : str
        The seed it ran with, as it is written in the code, or "none".
    full : str
        Whether it ran in its longer version, likewise.
    seconds : float
        How long it took.
    cell : int or None
        The code cell that failed, counted from 1 as in JupyterLab's ``[1]``.
    error : str or None
        Why it failed; None when all cells ran.
    """

    name: str
    title: str
    findings: tuple
    timings: bool
    seed: str
    full: str
    seconds: float
    cell: int | None = None
    error: str | None = None

    @property
    def status(self):
        """In words: done, or which cell failed with which error."""
        if self.error is None:
            return "done"
        return f"failed in code cell {self.cell}: {self.error}" if self.cell else f"failed: {self.error}"


def build(names=None, *, out="reports", notebooks=None, seed=None, full=False, n_jobs=None, timeout=None):
    """Execute notebooks and write their pages, tables and figures as a static site.

    The site holds exactly the notebooks named. A notebook that fails still gets its
    page, up to the error, and so do all others.

    Parameters
    ----------
    names : iterable of str, optional
        Notebooks by number, name or both: ``"01"``, ``"regions"``, ``"01_regions"``. All by default.
    out : path
        Folder of the site. Files in it that no report wrote are left alone.
    notebooks : path, optional
        Folder of the notebooks, by default that of `notebooks_folder`.
    seed : int, optional
        Given to each notebook after its cell tagged ``parameters``; by default each keeps its own.
    full : bool
        Run the longer versions: ``full = True`` is given likewise.
    n_jobs : int, optional
        Kernels at a time, one for each processor by default.
    timeout : float, optional
        Seconds a cell may take; by default 600, without limit with `full`. 0 is no limit.

    Returns
    -------
    list of Page
        What became of each notebook, in the order of their names.

    Raises
    ------
    ValueError, TypeError
        If a name is unknown or an option is out of range.
    OSError
        If there are no notebooks, or the site cannot be written: `out` is not a folder, may
        not be written to, or has a file by the name of a page that no report wrote.

    Notes
    -----
    A kernel takes some seconds to start and to import, whatever the notebook. Nothing
    is written before all notebooks have run. To be called where no event loop runs, so
    from a shell or a script, not from a notebook.

    Examples
    --------
    >>> build(["nosuch"], notebooks="nowhere")
    Traceback (most recent call last):
    ...
    FileNotFoundError: no folder of notebooks at nowhere
    """
    folder = notebooks_folder(notebooks)
    paths = _select(folder, names)
    if seed is not None:
        seed = as_int("seed", seed, 0)
    n_jobs = _processors() if n_jobs is None else as_int("n_jobs", n_jobs, 1)
    if timeout is None:
        timeout = 0 if full else 600
    if not timeout >= 0:
        raise ValueError(f"timeout must be at least 0 seconds, got {timeout!r}")
    out = pathlib.Path(out)
    _claim(out, ["index.html", "provenance.html", "style.css", *(f"{path.stem}.html" for path in paths)])

    began = datetime.datetime.now(datetime.UTC)
    runs = [_load(path, seed, full) for path in paths]
    with (
        tempfile.TemporaryDirectory(prefix="gridlab-") as scratch,
        tqdm(total=sum(len(run["notebook"].cells) for run in runs), desc="report", unit="cell", disable=None) as bar,
    ):
        asyncio.run(_execute_all(runs, folder, pathlib.Path(scratch), n_jobs, timeout, bar))

    command = ["gridlab report", *([path.stem for path in paths] if names else [])]
    command += [f"--seed {seed}"] * (seed is not None) + ["--full"] * bool(full)
    pages, files = _site(runs, folder, " ".join(command), began)
    _publish(out, files)
    return pages


def notebooks_folder(folder=None):
    """Return the folder of the notebooks.

    Parameters
    ----------
    folder : path, optional
        By default ``notebooks`` beside the package in a clone, else in the current folder.

    Returns
    -------
    pathlib.Path
        The folder, which exists.

    Raises
    ------
    FileNotFoundError
        If it does not.

    Examples
    --------
    >>> notebooks_folder("nowhere")
    Traceback (most recent call last):
    ...
    FileNotFoundError: no folder of notebooks at nowhere
    """
    if folder is None:
        root = _clone()
        folder = root / "notebooks" if root and (root / "notebooks").is_dir() else "notebooks"
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"no folder of notebooks at {folder}")
    return folder


def _clone():
    """Return the root of the clone that the package runs from, or None when it is installed elsewhere."""
    root = pathlib.Path(__file__).resolve().parent.parent
    return root if (root / "pyproject.toml").is_file() else None


def _processors():
    """Return the number of processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _select(folder, names):
    """Return the paths of the notebooks called `names`, all of them by default."""
    known = {path.stem: path for path in sorted(folder.glob("*.ipynb")) if not path.name.startswith(".")}
    if not known:
        raise FileNotFoundError(f"no notebooks (*.ipynb) in {folder}")
    for stem in known.keys() & {"index", "provenance"}:
        raise ValueError(f"a notebook must have another name than the site's own {stem}.html, got {stem}.ipynb")
    if not names:
        return list(known.values())
    chosen = set()
    for name in [names] if isinstance(names, str) else names:
        asked = pathlib.PurePath(name).stem if str(name).endswith(".ipynb") else str(name)
        found = {stem for stem in known if asked in _aliases(stem)}
        if not found:
            raise ValueError(f"names must be among {', '.join(known)} (or a part of one: 01, regions), got {name!r}")
        chosen |= found
    return [path for stem, path in known.items() if stem in chosen]


def _aliases(stem):
    """Return what a notebook answers to: 01_regions, 01, 1, regions."""
    number, _, rest = stem.partition("_")
    return {stem, number, rest, number.lstrip("0")} - {""} if number.isdigit() else {stem}


# A notebook before it runs


def _load(path, seed, full):
    """Read a notebook and add the report's own cells; what cannot be read runs as an error."""
    run = {"name": path.stem, "cell": None, "error": None, "seconds": 0.0}
    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except Exception as error:  # the reader raises whatever it stumbles over, such as AttributeError on a list
        reason = str(error).strip().splitlines() or [type(error).__name__]
        run["error"] = f"not a notebook that can be read: {reason[0][:200]}"
        notebook = nbformat.v4.new_notebook()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    parameters = next((k for k, cell in enumerate(notebook.cells) if _tagged(cell, "parameters")), None)
    if parameters is not None and (seed is not None or full):
        given = ([f"seed = {seed}"] if seed is not None else []) + (["full = True"] if full else [])
        notebook.cells.insert(parameters + 1, _added("\n".join(given), "given"))
    run["parameters"] = _parameters(notebook)
    if notebook.cells:
        source = textwrap.dedent(inspect.getsource(_prepare))
        notebook.cells.insert(0, _added(f"{source}\n_prepare(get_ipython())\ndel _prepare", "hidden"))
    return run | {"notebook": notebook}


def _tagged(cell, tag):
    """Whether it is a code cell with this tag."""
    return cell.cell_type == "code" and tag in cell.metadata.get("tags", [])


def _added(source, kind):
    """Return a code cell that belongs to the report, "given" (shown on the page) or "hidden"."""
    return nbformat.v4.new_code_cell(source, id=f"gridlab-{kind}", metadata={ADDED: kind})


def _parameters(notebook):
    """Return ``seed`` and ``full`` as the notebook's parameter cells set them, as written there."""
    found = {"seed": "none", "full": "False"}
    for cell in notebook.cells:
        if _tagged(cell, "parameters") or ADDED in cell.metadata:
            try:
                lines = ast.parse(cell.source).body
            except SyntaxError:
                continue  # the kernel will say so, on the page
            for line in lines:
                if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
                    found[line.targets[0].id] = ast.unparse(line.value)
    return found


def _prepare(shell):
    """Set a kernel up for the report; its source runs as the first cell of each notebook."""
    import warnings

    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib_inline.config import InlineBackend

    # Figures: SVG that depends on nothing but what is drawn, with what they show in words.
    matplotlib.rcParams["svg.hashsalt"] = "gridlab"
    inline = InlineBackend.instance(parent=shell)
    inline.figure_formats = {"svg"}
    inline.print_figure_kwargs = {"bbox_inches": "tight", "metadata": {"Date": None}}
    shell.run_line_magic("matplotlib", "inline")
    svg = shell.display_formatter.formatters["image/svg+xml"]
    draw = svg.lookup_by_type(Figure)

    def words(figure):
        axes = [a for a in figure.axes if a.get_visible() and a.get_label() != "<colorbar>"]
        titles = [figure.get_suptitle(), *(a.get_title() or a.get_title(loc="left") for a in axes)]
        labels = [f"{a.get_ylabel()} against {a.get_xlabel()}" for a in axes if a.get_xlabel() and a.get_ylabel()]
        parts = list(dict.fromkeys(part for part in [*titles, *labels] if part))
        more = f", and {len(parts) - 12} more" if len(parts) > 12 else ""
        return "; ".join(" ".join(part.split()) for part in parts[:12]) + more

    def picture(figure):
        data = draw(figure)
        return data and (data, {"alt": words(figure)})

    svg.for_type(Figure, picture)

    # Tables: every displayed DataFrame also as CSV, whole, though the page shows an excerpt.
    def table(frame):
        counted = type(frame.index).__name__ == "RangeIndex" and frame.index.name is None
        return {"text/csv": frame.to_csv(index=not counted, lineterminator="\n")}

    bundle = shell.display_formatter.mimebundle_formatter
    for module in ("pandas", "pandas.core.frame"):  # where DataFrame says it lives, in pandas 3 and before
        bundle.for_type_by_name(module, "DataFrame", table)
    bundle.for_type_by_name("pandas.io.formats.style", "Styler", lambda style: table(style.data))

    # A warning says what it is about, not in which temporary file the cell lay.
    warnings.formatwarning = lambda message, category, *where: f"{category.__name__}: {message}\n"


# The kernels


class _ThisPython(KernelSpecManager):
    """Offers one kernel: the Python that writes the report, whatever kernels are installed."""

    def get_kernel_spec(self, kernel_name):
        """Return how to start it."""
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name="Python 3", language="python", resource_dir="")


def _environment(scratch):
    """Return the environment of the kernels: no personal settings, no bars, sets in one order."""
    settings = {
        "IPYTHONDIR": scratch / "ipython",
        "MATPLOTLIBRC": SITE / "matplotlibrc",
        "PYTHONHASHSEED": 0,
        "PYDEVD_DISABLE_FILE_VALIDATION": 1,
        "TQDM_DISABLE": 1,
    }
    return os.environ | {key: str(value) for key, value in settings.items()}


async def _execute_all(runs, folder, scratch, n_jobs, timeout, bar):
    """Execute every run, `n_jobs` at a time."""
    places = asyncio.Semaphore(n_jobs)

    async def in_turn(number, run):
        async with places:
            began = time.perf_counter()
            await _execute(run, folder, scratch / f"kernel-{number}", timeout, bar)
            run["seconds"] = time.perf_counter() - began

    async with asyncio.TaskGroup() as group:
        for number, run in enumerate(runs):
            if run["error"] is None:
                group.create_task(in_turn(number, run))


async def _execute(run, folder, scratch, timeout, bar):
    """Execute the cells of one run in a new kernel until one fails; note the cell and why."""
    scratch.mkdir()
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=_ThisPython())
    if os.name == "posix":  # sockets in the scratch folder: no ports to race for, none for others to reach
        manager.transport = "ipc"
    manager.connection_file = str(scratch / "kernel.json")
    client = NotebookClient(
        run["notebook"],
        km=manager,
        timeout=timeout or None,
        startup_timeout=STARTUP,
        record_timing=False,
        log=logging.Logger(__name__, logging.CRITICAL),  # errors are the report's to tell
    )
    cells = run["notebook"].cells
    done = 0
    try:
        # what a kernel prints past Python comes to us as well, and must not mix with what the report prints
        quiet = {"stdout": subprocess.DEVNULL}
        await client.async_start_new_kernel(env=_environment(scratch), cwd=str(folder), **quiet)
        await client.async_start_new_kernel_client()
        for done, cell in enumerate(cells):
            await client.async_execute_cell(cell, done, store_history=ADDED not in cell.metadata)
            bar.update()
    except CellExecutionError as error:
        message = " ".join(_scrub(strip_ansi(f"{error.ename}: {error.evalue}")).split())
        run |= {"error": textwrap.shorten(message, 300, placeholder=" …").rstrip(": "), "cell": _number(cells, done)}
    except CellTimeoutError:
        run |= {"error": f"took longer than {timeout:g} seconds and was stopped", "cell": _number(cells, done)}
    except DeadKernelError:
        # said also when the run is cancelled, as by Ctrl-C; then nobody reads it
        run |= {"error": "the kernel died (out of memory, or a crash in compiled code)", "cell": _number(cells, done)}
    except (RuntimeError, OSError) as error:
        run |= {"error": f"the kernel did not start: {error}"}
    finally:
        if client.kc is not None:
            client.kc.stop_channels()
        if manager.has_kernel:
            await manager.shutdown_kernel(now=True)  # and whatever it holds
        if run["error"] is not None:
            bar.update(len(cells) - done)


def _number(cells, index):
    """Return the number JupyterLab shows at a code cell when all are run, None at the report's own."""
    counted = [cell.cell_type == "code" and cell.source.strip() and ADDED not in cell.metadata for cell in cells]
    return sum(map(bool, counted[: index + 1])) if counted[index] else None


# From outputs to pages


def _site(runs, folder, command, began):
    """Return the pages and the site's files, path to bytes."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(SITE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    templates.filters["inline"] = lambda text: _markdown(text, folder)[0]
    bodies = [_body(run, folder) for run in runs]
    pages = [_page(run, body["title"]) for run, body in zip(runs, bodies)]
    common = {"pages": pages, "version": gridlab.__version__}
    files = {"style.css": (SITE / "style.css").read_bytes()}
    for k, (page, body) in enumerate(zip(pages, bodies)):
        files |= body["files"]
        near = {"before": pages[k - 1] if k else None, "after": pages[k + 1] if k + 1 < len(pages) else None}
        made = templates.get_template("notebook.html").render(here=page.name, page=page, body=body, **near, **common)
        files[f"{page.name}.html"] = made.encode()
    made = templates.get_template("index.html").render(here="index", **common)
    files["index.html"] = made.encode()
    facts = _provenance(began)
    made = templates.get_template("provenance.html").render(here="provenance", facts=facts, command=command, **common)
    files["provenance.html"] = made.encode()
    return pages, files


def _page(run, title):
    """Return what became of a run."""
    cells = [cell.source for cell in run["notebook"].cells if cell.cell_type == "markdown"]
    return Page(
        name=run["name"],
        title=title,
        findings=tuple(text.removeprefix("**Found.**").strip() for text in cells if text.startswith("**Found.**")),
        timings=bool(run["notebook"].metadata.get("gridlab", {}).get("timings", False)),
        seed=run["parameters"]["seed"],
        full=run["parameters"]["full"],
        seconds=run["seconds"],
        cell=run["cell"],
        error=run["error"],
    )


def _body(run, folder):
    """Return the title, contents, blocks and files of a notebook's page."""
    files = {}

    def keep(kind, suffix, data):
        number = 1 + sum(path.startswith(f"{kind}/") for path in files)
        path = f"{kind}/{run['name']}-{number}.{suffix}"
        files[path] = data
        return path

    blocks, contents = [], []
    cells = run["notebook"].cells
    for index, cell in enumerate(cells):
        if cell.cell_type == "markdown" and cell.source.strip():
            made, headings = _markdown(
                cell.source, folder, cell.get("attachments"), taken=[ids for _, ids, _ in contents]
            )
            contents += headings
            kind = "found" if cell.source.startswith("**Found.**") else "words"
            blocks.append({"kind": kind, "html": made})
        elif cell.cell_type == "code" and cell.source.strip() and cell.metadata.get(ADDED) != "hidden":
            number = _number(cells, index)
            blocks.append(
                {
                    "kind": "code",
                    "number": number,
                    "given": ADDED in cell.metadata,
                    "failed": run["error"] is not None and number is not None and number == run["cell"],
                    "ran": run["error"] is None or (run["cell"] is not None and (number or 0) <= run["cell"]),
                    "folded": _tagged(cell, "hide-input"),
                    "html": _code(cell.source),
                    "outputs": [_output(output, keep) for output in _settled(cell.outputs)],
                }
            )
    title = next((text for level, _, text in contents if level == 1), None)
    contents = [entry for entry in contents if entry[0] in (2, 3)]
    return {
        "title": title or run["name"],
        "titled": title is not None,
        "contents": contents,
        "blocks": blocks,
        "files": files,
    }


class _Words(IPythonRenderer):
    """Markdown to HTML with an id at each heading and nothing fetched from elsewhere."""

    def __init__(self, taken, **options):
        super().__init__(escape=False, embed_images=True, **options)
        self.taken = set(taken)
        self.headings = []

    def heading(self, text, level, **attrs):
        """Give the heading an id made of its words."""
        plain = html.unescape(re.sub(r"<[^>]*>", "", text)).strip()
        slug = re.sub(r"\W+", "-", plain.lower()).strip("-") or "section"
        name = next(
            n for n in itertools.chain([slug], (f"{slug}-{k}" for k in itertools.count(2))) if n not in self.taken
        )
        self.taken.add(name)
        self.headings.append((level, name, plain))
        return f'<h{level} id="{name}">{text}</h{level}>\n'

    def image(self, text, url, title=None):
        """Show a picture that lies beside the notebook; link one that does not."""
        if re.match(r"\s*([a-z]+:)?//", url, re.IGNORECASE):
            return self.link(text or url, url, title)
        return super().image(text, url, title)

    def block_html(self, html):
        """Pass HTML on unless it would fetch or run something."""
        return super().block_html(html) if _harmless(html) else f"<pre>{_escape(html)}</pre>\n"

    def inline_html(self, html):
        """Pass HTML on unless it would fetch or run something."""
        return super().inline_html(html) if _harmless(html) else _escape(html)


def _markdown(text, folder, attachments=None, taken=()):
    """Return markdown as HTML, and its headings as (level, id, text)."""
    words = _Words(taken, path=str(folder), attachments=attachments)
    made = MarkdownWithMath(renderer=words).render(text)
    # a wide table scrolls in its own frame, not with the page
    made = made.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
    return jinja2.utils.markupsafe.Markup(made), words.headings


def _escape(text):
    """Return text as HTML."""
    return html.escape(text, quote=False)


def _harmless(source):
    """Whether a piece of HTML neither runs a script nor fetches anything from outside."""
    return not re.search(
        r"""<\s*(script|iframe|object|embed|link|base|meta|form)\b|<[^>]*\son[a-z]+\s*=|javascript:|@import
        |\b(src|srcset|data|poster|background|xlink:href)\s*=\s*["']?\s*([a-z]+:)?//|url\(\s*["']?\s*([a-z]+:)?//""",
        source,
        re.IGNORECASE | re.VERBOSE,
    )


def _code(source):
    """Return Python source as HTML with coloured tokens."""
    made = pygments.highlight(source, get_lexer_by_name("ipython3"), HtmlFormatter(nowrap=True))
    return jinja2.utils.markupsafe.Markup(made)


def _settled(outputs):
    """Yield outputs with each stretch of printed text joined, standard output first.

    The two streams reach us in pieces whose number and order depend on the machine's load.
    """
    for stream, group in itertools.groupby(outputs, lambda output: output.output_type == "stream"):
        if not stream:
            yield from group
            continue
        group = list(group)
        for name in ("stdout", "stderr"):
            text = "".join(output.text for output in group if output.name == name)
            text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
            if text.strip():
                yield nbformat.v4.new_output("stream", name=name, text=text)


def _output(output, keep):
    """Return what the page shows of an output; figures and tables go to files."""
    if output.output_type == "stream":
        return {"kind": output.name, "html": _terminal(output.text)}
    if output.output_type == "error":
        trace = "\n".join(output.traceback) or f"{output.ename}: {output.evalue}"
        return {"kind": "error", "html": _terminal(trace)}
    data, words = output.data, output.metadata
    panel = "application/vnd.jupyter.widget-view+json" in data
    if "image/svg+xml" in data:
        return _figure("svg", data["image/svg+xml"].encode(), words.get("image/svg+xml", {}), None, keep)
    for suffix in ("png", "jpeg"):
        if f"image/{suffix}" in data:
            picture = base64.b64decode(data[f"image/{suffix}"])
            call = data.get("text/plain", "") if panel else None
            return _figure(suffix, picture, words.get(f"image/{suffix}", {}), call, keep)
    if panel:
        return {"kind": "panel"}
    if "text/html" in data and _harmless(data["text/html"]):
        return _html(data, keep)
    if "text/markdown" in data:
        return {"kind": "html", "html": _markdown(data["text/markdown"], ".")[0]}
    text = data.get("text/plain", "")
    if re.match(r"(array)?[(\[\s]*<(Axes|Figure|matplotlib\.)", text):
        return {"kind": "none"}  # the picture itself stands below
    return {"kind": "stdout" if text else "none", "html": _terminal(text)}


def _figure(suffix, picture, words, call, keep):
    """Write a picture to a file and return how to show it; `call` makes the picture of a panel again."""
    path = keep("figures", suffix, picture)
    number = path.rpartition("-")[2].partition(".")[0]
    alt = words.get("alt") or (f"The picture of {call}" if call else f"Figure {number} of this page")
    return {"kind": "figure", "path": path, "number": number, "alt": alt, "call": call}


def _html(data, keep):
    """Return an HTML output; a table without its private style, and with its CSV in a file."""
    source = data["text/html"]
    if 'class="dataframe"' in source:
        source = re.sub(r"<style scoped>.*?</style>", "", source, flags=re.DOTALL)
        source = re.sub(r'<table border="1" class="dataframe">', '<table class="dataframe">', source)
    # a styled table draws its id at random
    source = re.sub(r"\bT_[0-9a-f]{5,}(?=[\s_\"'#.:{,])", lambda _: "T_table", source)
    made = {"kind": "html", "html": jinja2.utils.markupsafe.Markup(_scrub(source))}
    if "text/csv" in data:
        path = keep("tables", "csv", f"{data['text/csv'].rstrip()}\n".encode())
        number = path.rpartition("-")[2].partition(".")[0]
        made["html"] = jinja2.utils.markupsafe.Markup(made["html"].replace("T_table", f"T_table_{number}"))
        made |= {"kind": "table", "path": path, "number": number}
    return made


def _terminal(text):
    """Return text for a terminal as HTML, its colours as classes."""
    return jinja2.utils.markupsafe.Markup(ansi2html(_scrub(text)).rstrip())


def _scrub(text):
    """Take out what differs between runs or tells of this machine: addresses, process numbers, folders."""
    root = _clone()
    folders = {os.path.join(root, ""): ""} if root else {}
    folders |= {sys.prefix: "…", sys.base_prefix: "…", os.path.expanduser("~"): "~"}
    for folder in sorted(folders, key=len, reverse=True):
        if len(folder) > 1:
            text = text.replace(folder, folders[folder])
    # from the start of a word only: from every sign of a long one would take its length squared
    text = re.sub(r"(?<!\S)\S*ipykernel_\d+[/\\]\d+\.py", "cell", text)
    text = re.sub(r"\(\d+\.py, line", "(line", text)  # of a syntax error: the cell's file
    return re.sub(r"\bat 0x[0-9a-fA-F]+", "at 0x…", text)


def _provenance(began):
    """Return what the site was made with: name to text."""
    facts = bench.machine()
    facts["date"] = f"{began:%Y-%m-%d %H:%M} UTC"
    made = {"Source revision": _revision()} | {WORDS.get(name, name): text for name, text in facts.items()}
    return {name: made[name] for name in ("Date", *made)}


#: How the provenance page calls what is no package.
WORDS = {
    "date": "Date",
    "system": "Machine",
    "processor": "Processor",
    "processors": "Processors",
    "python": "Python",
}


def _revision():
    """Return the revision of the clone the package runs from, marked when files changed since."""
    root = _clone()
    if root is None or not (root / ".git").exists():
        return "not a clone"
    try:
        git = ["git", "-C", str(root)]
        kind = {"capture_output": True, "text": True, "check": True, "timeout": 20}
        commit = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], **kind).stdout.strip()
        changes = subprocess.run([*git, "status", "--porcelain"], **kind).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown: git does not answer"
    return commit + (" + changes" if changes else "")


# Files


def _claim(out, paths):
    """Make sure that `out` can be written to and that no file of someone else is in the way."""
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(f"out must be a folder, got a file: {out}")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise type(error)(f"out must be a folder that can be written to, got {out}: {error.strerror}") from None
    ours = _written(out)
    for path in [MANIFEST, *paths]:
        if (out / path).exists() and path not in ours:
            raise FileExistsError(f"out must be a folder of reports, got {out}: its {path} was not written by a report")


def _written(out):
    """Return the files in `out` that the report before this one wrote, as its manifest says."""
    try:
        heading, *paths = (out / MANIFEST).read_text().splitlines()
    except (OSError, ValueError):
        return set()
    if heading != HEADING:
        return set()
    # only what lies inside: a manifest is a file that anyone may have edited
    kept = {path for path in paths if path and not pathlib.PurePath(path).is_absolute()}
    return {MANIFEST} | {path for path in kept if (out / path).resolve().is_relative_to(out.resolve())}


def _publish(out, files):
    """Write the files, and remove those of the report before that are not written again."""
    _claim(out, files)
    before = _written(out)
    # first what is or will be ours, so that a run cut short leaves no file that nobody owns
    _write(out / MANIFEST, _listing(before | files.keys()))
    for path, data in files.items():
        _write(out / path, data)
    for path in sorted(before - files.keys() - {MANIFEST}):
        (out / path).unlink(missing_ok=True)
        folder = (out / path).parent
        if folder != out and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    _write(out / MANIFEST, _listing(files.keys()))


def _listing(paths):
    """Return the manifest of some paths."""
    return "\n".join([HEADING, *sorted(set(paths) - {MANIFEST}), ""]).encode()


def _write(path, data):
    """Write a file under another name and rename it, so that it is never seen half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
