"""The notebooks in JupyterLab, from the first cell to the last."""

from pathlib import Path

import pytest

from .conftest import opened

pytestmark = pytest.mark.browser

NOTEBOOKS = sorted((Path(__file__).parent.parent.parent / "notebooks").glob("[0-9][0-9]_*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_in_the_lab(browser, lab, path):
    with opened(browser, lab, path) as notebook:  # and closed: a kernel that has run may hold a gigabyte
        assert notebook.run() == []
        for png in notebook.pictures():
            assert png.startswith(b"\x89PNG")


def test_an_error_is_seen(browser, lab):
    with opened(browser, lab, ["1 / 0", "2"]) as notebook:
        (error,) = notebook.run()
        assert "ZeroDivisionError" in error
