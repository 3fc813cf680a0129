"""The notebooks in JupyterLab, from the first cell to the last."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

NOTEBOOKS = sorted((Path(__file__).parent.parent.parent / "notebooks").glob("[0-9][0-9]_*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_in_the_lab(path, open_notebook):
    notebook = open_notebook(path)
    assert notebook.run() == []
    for png in notebook.pictures():
        assert png.startswith(b"\x89PNG")


def test_an_error_is_seen(open_notebook):
    (error,) = open_notebook(["1 / 0", "2"]).run()
    assert "ZeroDivisionError" in error
