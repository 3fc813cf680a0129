"""Tests of the report: small notebooks in, and what is in the files that come out."""

import csv
import html.parser
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

from gridlab import report

pytestmark = pytest.mark.once

PICTURE = """
import sys
import ipywidgets
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
rng = np.random.default_rng(seed)
figure, axes = plt.subplots(1, 2, figsize=(4, 2))
for ax, title in zip(axes, ["open", "periodic"]):
    ax.plot(rng.random(5), clip_on=True)
    ax.set_title(title)
axes
"""
TABLE = """
table = pd.DataFrame({"generator": ["eden", "walk"], "perimeter": rng.integers(10**9, size=2), "share": [0.1 + 0.2, 1]})
table
"""
LONG = "pd.DataFrame({'cell': range(200)}, index=pd.Index(range(200), name='draw'))"
STYLED = "table.style.format(precision=2)"
STREAMS = """
for k in range(20):
    print("out", k, flush=True)
    print("err", k, file=sys.stderr, flush=True)
print("10 %\\r100 %")
object(), list(set("abcdefgh"))
"""
SLIDER = "ipywidgets.IntSlider(value=3, description='area')"
PANEL = """
class Panel(ipywidgets.VBox):
    def _repr_mimebundle_(self, **kwargs):
        import base64, io
        png = io.BytesIO()
        plt.imsave(png, rng.random((4, 4)), metadata={"Software": None})
        return super()._repr_mimebundle_() | {
            "image/png": base64.b64encode(png.getvalue()).decode(), "text/plain": "eden((4, 4), 8, rng=7)"}

Panel()
"""
OUTSIDE = """# Regions & seeds

![far](https://example.org/far.png) [a page](https://example.org)
<img src="//example.org/raw.png"> <script>alert(1)</script>

## The same
## The same
"""


def write(folder, name, *cells, **metadata):
    """Write a notebook; a cell is markdown, or code, or (code, tag)."""
    notebook = nbformat.v4.new_notebook(metadata=metadata)
    for k, cell in enumerate(cells):
        source, *tags = [cell] if isinstance(cell, str) else cell
        if source.startswith(("# ", "**", "![")):
            notebook.cells.append(nbformat.v4.new_markdown_cell(source, id=f"c{k}"))
        else:
            notebook.cells.append(nbformat.v4.new_code_cell(source, id=f"c{k}", metadata={"tags": tags}))
    folder.mkdir(exist_ok=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")


def contents(out):
    """Every file of a site, path to bytes."""
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """Three runs of the same notebooks: two with seed 5, one with seed 6, and the folder of the notebooks."""
    base = tmp_path_factory.mktemp("report")
    folder = base / "notebooks"
    parameters = ("seed = 1\nfull = False", "parameters")
    write(
        folder, "01_good", OUTSIDE, parameters, "", PICTURE, TABLE, LONG, STYLED, STREAMS, SLIDER, PANEL,
        "**Found.** The law of `eden` is *not* uniform.", "assert seed in (1, 5, 6)\nprint('full', full)",
    )  # fmt: skip
    write(folder, "02_timings", "**Found.** No heading.", "1 + 1", gridlab={"timings": True})
    write(
        folder, "03_bad", "# Breaks", parameters, "print('before')", "x = 1\nx / 0", "print('never')",
        "**Found.** Nothing holds.",
    )  # fmt: skip
    (folder / "04_garbled.ipynb").write_text('{"cells": [')
    runs = {"folder": folder}
    for name, seed, n_jobs in (("a", 5, 2), ("b", 5, 1), ("c", 6, 2)):
        pages = report.build(out=base / name, notebooks=folder, seed=seed, full=seed == 6, n_jobs=n_jobs)
        runs[name] = pages, contents(base / name)
    return runs


def test_same_seed_same_bytes(sites):
    a, b = sites["a"][1], sites["b"][1]
    assert a.keys() == b.keys()
    assert {path for path in a if a[path] != b[path]} == {"provenance.html"}


def test_seed_and_full_reach_the_notebook(sites):
    a, c = sites["a"][1], sites["c"][1]
    differ = {path for path in a if a[path] != c[path]}
    assert {"01_good.html", "figures/01_good-1.svg", "tables/01_good-1.csv", "figures/01_good-2.png"} <= differ
    assert {"style.css", "02_timings.html", "tables/01_good-2.csv"}.isdisjoint(differ)
    assert b"full False" in a["01_good.html"]
    assert b"full True" in c["01_good.html"]
    assert [(page.seed, page.full) for page in sites["c"][0]] == [
        ("6", "True"), ("none", "False"), ("6", "True"), ("none", "False"),
    ]  # fmt: skip


def test_tables_are_whole(sites):
    files = sites["a"][1]
    rows = list(csv.reader(files["tables/01_good-1.csv"].decode().splitlines()))
    assert rows[0] == ["generator", "perimeter", "share"]
    assert [row[0] for row in rows[1:]] == ["eden", "walk"]
    assert rows[1][2] == "0.30000000000000004"  # every digit, though the page shows six
    long = files["tables/01_good-2.csv"].decode().splitlines()
    assert len(long) == 201
    assert long[:2] == ["draw,cell", "0,0"]
    assert files["tables/01_good-3.csv"] == files["tables/01_good-1.csv"]  # styled, the same numbers
    for number in (1, 2, 3):
        assert f'href="tables/01_good-{number}.csv"'.encode() in files["01_good.html"]


def test_figures_are_svg_with_words(sites):
    files = sites["a"][1]
    root = ElementTree.fromstring(files["figures/01_good-1.svg"])
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert b"<dc:date>" not in files["figures/01_good-1.svg"]
    page = files["01_good.html"].decode()
    assert '<img src="figures/01_good-1.svg" alt="open; periodic">' in page
    assert "&lt;Axes" not in page  # what the cell's last line returns


def test_widgets_leave_a_note_or_a_picture(sites):
    files = sites["a"][1]
    page = files["01_good.html"].decode()
    assert "An interactive panel stands here: open the notebook in JupyterLab" in page
    assert files["figures/01_good-2.png"].startswith(b"\x89PNG")
    assert 'alt="The picture of eden((4, 4), 8, rng=7)"' in page
    assert "model_id" not in page


def test_what_differs_between_runs_is_not_shown(sites):
    page = sites["a"][1]["01_good.html"].decode()
    out = "\n".join(f"out {k}" for k in range(20)) + "\n100 %</pre>"
    assert out in page  # one block, though it reached us in pieces
    assert page.index("out 19") < page.index("err 0")
    assert "&lt;object object at 0x…&gt;" in page or "&lt;object at 0x…&gt;" in page
    for path, data in sites["a"][1].items():
        assert os.fsencode(Path(__file__).parent.parent) not in data, path
        assert os.fsencode(sites["folder"].parent) not in data, path


def test_status_findings_and_index(sites):
    pages, files = sites["a"]
    assert [page.name for page in pages] == ["01_good", "02_timings", "03_bad", "04_garbled"]
    assert [page.title for page in pages] == ["Regions & seeds", "02_timings", "Breaks", "04_garbled"]
    assert pages[0].findings == ("The law of `eden` is *not* uniform.",)
    assert [page.error for page in pages[:3]] == [None, None, "ZeroDivisionError: division by zero"]
    assert pages[2].cell == 3
    assert pages[3].error.startswith("not a notebook that can be read")
    index = files["index.html"].decode()
    assert "The law of <code>eden</code> is <em>not</em> uniform." in index
    assert index.count("Not confirmed in this run:") == 1
    assert "failed in code cell 3: ZeroDivisionError: division by zero" in index
    assert "<strong>2 of 4 notebooks failed.</strong>" in index
    assert "timings: differ from run to run" in index
    assert b"Figures on this page are timings" in files["02_timings.html"]
    assert b"Figures on this page are timings" not in files["01_good.html"]


def test_failed_page_shows_all_up_to_the_error(sites):
    page = sites["a"][1]["03_bad.html"].decode()
    assert ">before</pre>" in page
    assert "ZeroDivisionError" in page
    assert "[4] not run" in page
    assert "never</pre>" not in page
    assert 'href="#cell-3"' in page
    assert 'id="cell-3"' in page


class _Page(html.parser.HTMLParser):
    """Collects what a page refers to, its ids, its headings and its pictures without words."""

    def __init__(self, text):
        super().__init__()
        self.links, self.fetched, self.ids, self.headings, self.mute, self.tags = [], [], [], [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        """Note one tag."""
        given = dict(attributes)
        self.tags.add(tag)
        self.ids += [given["id"]] if "id" in given else []
        if tag == "a":
            self.links.append(given["href"])
        self.fetched += [value for name, value in attributes if name in ("src", "srcset", "data", "poster")]
        self.fetched += [given["href"]] if tag == "link" else []
        self.mute += [given] if tag == "img" and not given.get("alt") else []
        self.headings += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []


def test_pages_fetch_nothing_and_their_links_lead_somewhere(sites):
    files = sites["a"][1]
    for path in [path for path in files if path.endswith(".html")]:
        page = _Page(files[path].decode())
        assert "script" not in page.tags, path
        assert not page.mute, path
        assert len(set(page.ids)) == len(page.ids), path
        assert page.headings[0] == 1, path
        for target in page.fetched:
            assert target in files or target.startswith("data:"), (path, target)
        for target in page.links:
            if not target.startswith("https://example.org"):
                name, _, part = target.partition("#")
                assert not name or name in files, (path, target)
                assert not part or part in page.ids, (path, target)
    assert not re.search(rb"url\(|@import", files["style.css"])


def test_provenance_names_versions_seed_and_times(sites):
    page = sites["a"][1]["provenance.html"].decode()
    for words in ("numpy", "matplotlib", "Source revision", "Machine", "gridlab report --seed 5", "UTC", "Run time"):
        assert words in page
    assert os.uname().nodename not in re.sub(r"<[^>]*>", " ", page).split()


def test_stale_pages_go_and_foreign_files_stay(tmp_path):
    folder, out = tmp_path / "nb", tmp_path / "out"
    write(folder, "01_a", "# A", "import pandas as pd\npd.DataFrame({'x': [1]})")
    write(folder, "02_b", "# B")
    report.build(out=out, notebooks=folder)
    assert (out / "tables" / "01_a-1.csv").exists()
    (out / "mine.txt").write_text("keep")
    (out / "figures").mkdir()
    (out / "figures" / "mine.svg").write_text("keep")
    (folder / "01_a.ipynb").unlink()
    report.build(out=out, notebooks=folder)
    left = set(contents(out))
    assert left == {
        "02_b.html", "index.html", "provenance.html", "style.css", "manifest.txt", "mine.txt", "figures/mine.svg",
    }  # fmt: skip
    assert not (out / "tables").exists()


def test_a_doctored_manifest_deletes_nothing_outside(tmp_path):
    folder, out = tmp_path / "nb", tmp_path / "out"
    write(folder, "01_a", "# A")
    report.build(out=out, notebooks=folder)
    (tmp_path / "precious").write_text("keep")
    with (out / "manifest.txt").open("a") as manifest:
        manifest.write(f"../precious\n{tmp_path / 'precious'}\n")
    report.build(out=out, notebooks=folder)
    assert (tmp_path / "precious").read_text() == "keep"


def test_files_of_others_are_not_overwritten(tmp_path):
    write(tmp_path / "nb", "01_a", "# A")
    out = tmp_path / "out"
    out.mkdir()
    (out / "index.html").write_text("mine")
    with pytest.raises(FileExistsError, match=r"its index\.html was not written by a report"):
        report.build(out=out, notebooks=tmp_path / "nb")
    assert contents(out) == {"index.html": b"mine"}


def test_a_dead_kernel_and_a_slow_cell_are_told(tmp_path):
    folder = tmp_path / "nb"
    write(folder, "dies", "# Dies", "1", "import os\nos._exit(9)")
    write(folder, "slow", "# Slow", "import time\ntime.sleep(600)")
    began = time.monotonic()
    dies, slow = report.build(out=tmp_path / "out", notebooks=folder, timeout=2, n_jobs=2)
    assert time.monotonic() - began < 120
    assert dies.status == "failed in code cell 2: the kernel died (out of memory, or a crash in compiled code)"
    assert slow.status == "failed in code cell 1: took longer than 2 seconds and was stopped"
    assert "the kernel died" in (tmp_path / "out" / "dies.html").read_text()


@pytest.mark.skipif(os.name != "posix", reason="elsewhere kernels do not listen to what is printed so")
def test_what_is_printed_past_python_stays_on_the_page(tmp_path, capfd):
    """And a line of a million signs is written at once: it took hours."""
    write(tmp_path, "01_low", "import os", "print('x' * 10**6)", "os.write(1, b'from below\\n');")
    report.build(notebooks=tmp_path, out=tmp_path / "out", n_jobs=1)
    assert "from below" not in capfd.readouterr().out
    assert "from below" in (tmp_path / "out" / "01_low.html").read_text()


def test_the_files_of_cells_are_not_named():
    where = "see at/ipykernel_12/34.py:5 and C:\\ipykernel_1\\2.py"
    assert report._scrub(where) == "see cell:5 and cell"


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_an_interrupt_stops_kernels_and_writes_nothing(tmp_path):
    here = tmp_path / "started"
    write(
        tmp_path / "nb",
        "01_a",
        "# A",
        f"import os, time\nopen({str(here)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)",
    )
    # tests that run in the background ignore interrupts, and so would what they start
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    run_report = "from gridlab.__main__ import main; raise SystemExit(main(['report', '--notebooks', 'nb']))"
    command = [sys.executable, "-c", f"{listen}; {run_report}"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as run:
        try:
            deadline = time.monotonic() + 120
            while not (here.exists() and here.read_text()) and time.monotonic() < deadline:
                time.sleep(0.1)
            kernel = int(here.read_text())
            run.send_signal(signal.SIGINT)
            _, told = run.communicate(timeout=30)
        finally:
            run.kill()
    assert run.returncode == 130
    assert told == "gridlab: interrupted\n"
    with pytest.raises(ProcessLookupError):
        os.kill(kernel, 0)
    assert contents(tmp_path / "reports") == {}


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (None, ["01_regions", "02_simply_connected", "extra"]),
        (["01"], ["01_regions"]),
        (["1"], ["01_regions"]),
        ("regions", ["01_regions"]),
        (["extra", "notebooks/01_regions.ipynb"], ["01_regions", "extra"]),
        (["simply_connected", "02"], ["02_simply_connected"]),
    ],
)
def test_names(tmp_path, names, found):
    for stem in ("01_regions", "02_simply_connected", "extra"):
        (tmp_path / f"{stem}.ipynb").touch()
    assert [path.stem for path in report._select(tmp_path, names)] == found


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"names": ["03"]}, ValueError, "names must be among 01_a .*, got '03'"),
        ({"names": ["connected"]}, ValueError, "got 'connected'"),
        ({"notebooks": "nowhere"}, FileNotFoundError, "no folder of notebooks at nowhere"),
        ({"notebooks": "."}, FileNotFoundError, r"no notebooks \(\*\.ipynb\) in"),
        ({"seed": -1}, ValueError, "seed must be at least 0, got -1"),
        ({"seed": 1.5}, TypeError, "seed must be an integer"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be at least 1, got 0"),
        ({"timeout": -1}, ValueError, "timeout must be at least 0"),
        ({"out": "file"}, NotADirectoryError, "out must be a folder, got a file: file"),
        ({"out": "file/below"}, NotADirectoryError, "out must be a folder that can be written to"),
    ],
)
def test_wrong_requests_are_refused_before_any_work(tmp_path, monkeypatch, options, error, words):
    write(tmp_path / "notebooks", "01_a", "# A")
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    with pytest.raises(error, match=words):
        report.build(**{"notebooks": "notebooks", "out": "out"} | options)
    assert not Path("out").is_dir() or not contents(Path("out"))


def test_a_notebook_may_not_take_the_name_of_a_page(tmp_path):
    write(tmp_path, "index", "# A")
    with pytest.raises(ValueError, match=r"got index\.ipynb"):
        report.build(out=tmp_path / "out", notebooks=tmp_path)


@pytest.mark.parametrize(
    ("source", "harmless"),
    [
        ("<b>bold</b> <img src='picture.png'>", True),
        ("<a href='https://example.org'>a page</a>", True),
        ("<td>once = 1, src = 2</td>", True),
        ("<img src=https://example.org/x.png>", False),
        ('<img src = "//example.org/x.png">', False),
        ("<SCRIPT>1</SCRIPT>", False),
        ("<div style='background: url(http://example.org/x)'>", False),
        ("<img src=x onerror='alert(1)'>", False),
    ],
)
def test_harmless(source, harmless):
    assert report._harmless(source) is harmless
