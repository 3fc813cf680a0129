"""The pages of the report in a browser, from files."""

import subprocess
import sys

import nbformat
import pytest

pytestmark = pytest.mark.browser

CELLS = [
    nbformat.v4.new_markdown_cell("# A question\n\nHow long is *one* line?"),
    nbformat.v4.new_code_cell("seed = 1\nfull = False", metadata={"tags": ["parameters"]}),
    nbformat.v4.new_code_cell(
        "import matplotlib.pyplot as plt\nimport pandas as pd\n\nplt.plot([0, seed])\npd.DataFrame({'length': [1.5]})"
    ),
    nbformat.v4.new_markdown_cell("**Found.** It is one."),
    nbformat.v4.new_code_cell("assert seed == 1"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of a report of one small notebook."""
    folder = tmp_path_factory.mktemp("site")
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=CELLS, metadata=metadata), folder / "01_line.ipynb")
    command = [sys.executable, "-m", "gridlab", "report", "--notebooks", str(folder), "--out", str(folder / "out")]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return folder / "out"


def test_every_page_opens_and_every_figure_is_seen(page, site):
    pages = sorted(site.glob("*.html"))
    assert {"01_line.html", "index.html"} <= {path.name for path in pages}
    figures = 0
    for path in pages:
        page.goto(path.as_uri())
        assert page.locator("h1").count() == 1
        assert page.evaluate("document.title")
        seen = page.evaluate("[...document.images].map(image => image.complete && image.naturalWidth > 0)")
        assert all(seen), f"{path.name} has a figure that does not load"
        figures += len(seen) + page.locator("svg").count()
        width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert width == 0, f"{path.name} is wider than the window"
    assert figures


def test_a_reader_gets_from_the_index_to_a_finding(page, site):
    page.goto((site / "index.html").as_uri())
    assert "It is one." in page.locator("main, body").first.inner_text()
    page.locator('a[href*="01_line.html"]').first.click()
    assert page.locator("h1").inner_text() == "A question"
    assert "It is one." in page.locator("body").inner_text()
    assert "1.5" in page.locator("table").first.inner_text()
