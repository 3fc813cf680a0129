"""Works on grids of colours: components of equal cells, large and in batches, and match-3 boards."""

import numpy as np
import scipy  # its modules load on first use

from ... import components, match3
from . import common
from .kinds import Contender, Work

__all__ = ["WORKS"]

# Colours are counted from 1: to connected-components-3d and scipy 0 is always background.


def _random(rng, items, *, rows, cols, colours):
    """Give grids of uniform colours."""
    return rng.integers(1, colours + 1, (items, rows, cols), np.uint8)


def _one_colour(rng, items, *, rows, cols):
    return np.ones((items, rows, cols), np.uint8)


def _checkerboard(rng, items, *, rows, cols):
    return np.tile((np.indices((rows, cols)).sum(0) % 2 + 1).astype(np.uint8), (items, 1, 1))


def _spiral(rng, items, *, rows, cols):
    """Give grids on which a path of one colour, a cell wide, winds to the middle of the other."""
    one = np.ones((rows, cols), np.uint8)
    for k in range(0, (min(rows, cols) + 1) // 2, 2):
        one[k, max(k - 1, 0) : cols - k] = one[rows - 1 - k, k : cols - k] = 2
        one[k : rows - k, cols - 1 - k] = one[k + 2 : rows - k, k] = 2
    return np.tile(one, (items, 1, 1))


def _blobs(rng, items, *, rows, cols):
    """Give grids of four colours in smooth patches, some tens of cells wide."""
    noise = scipy.ndimage.gaussian_filter(rng.standard_normal((items, rows, cols)), (0, 8, 8), mode="wrap")
    return (np.digitize(noise, np.quantile(noise, [0.25, 0.5, 0.75])) + 1).astype(np.uint8)


def _cc3d(cc3d, grids, items):
    return [cc3d.connected_components(one, connectivity=4) for one in grids[:items]]


def _cc3d_periodic(cc3d, grids, items):
    return [cc3d.connected_components(one, connectivity=4, periodic_boundary=True) for one in grids[:items]]


def _skimage(measure, grids, items):
    return [measure.label(one, connectivity=1, background=0) for one in grids[:items]]


def _scipy(grids, items):
    """Label each colour by itself, and go on counting: the components come in another order."""
    labels = []
    for one in grids[:items]:
        found, n_found = np.zeros(one.shape, np.int32), 0
        for colour in range(1, int(one.max()) + 1):
            own, n_own = scipy.ndimage.label(one == colour)
            found += np.where(own, own + n_found, 0)
            n_found += n_own
        labels.append(found)
    return labels


def _tiled(cc3d, grids, items):
    """Give grids side by side in one image nearly square, with a row and a column of background between them."""
    across = int(np.sqrt(items))
    framed = np.pad(grids[: items // across * across], [(0, 0), (0, 1), (0, 1)])
    rows, cols = framed.shape[1:]
    return framed.reshape(-1, across, rows, cols).swapaxes(1, 2).reshape(-1, across * cols)


def _cc3d_tiled(cc3d, image, items):
    return cc3d.connected_components(image, connectivity=4)


def _in_order(labels):
    """Count the labels of each grid anew, in order of first cells."""
    found = []
    for one in labels:
        _, firsts, places = np.unique(one, return_index=True, return_inverse=True)
        found.append((firsts.argsort().argsort() + 1)[places].reshape(one.shape))
    return found


def _large(what, make, reach=None, note="", full=True, **more):
    """Label one large grid, and let connected-components-3d do it."""
    sizes = {"rows": 2048, "cols": 2048, **more}
    return Work(
        f"components, {{rows}}×{{cols}} cells, {what}",
        "grids",
        make,
        sizes,
        {"rows": 9, "cols": 8, **more},
        common._ours("label", 1, common._of(components.label)),
        (
            Contender(
                "connected-components-3d", "connected_components", 1, _cc3d, module="cc3d", reach=reach, note=note
            ),
        ),
        full={"rows": 4096, "cols": 4096, **more},
    )


def _batch(peer):
    """Label a batch of small grids."""
    return Work(
        "components, {rows}×{cols} cells, {colours} colours at random, in batch",
        "grids",
        _random,
        {"rows": 9, "cols": 9, "colours": 6},
        {"rows": 3, "cols": 4, "colours": 3},
        common._ours("label", 10_000, common._of(components.label)),
        (peer,),
    )


def _boards(rng, items, *, rows, cols, colours):
    """Give match-3 boards on which something clears."""
    boards = match3.board((rows, cols), colours, settled=False, size=3 * items, rng=rng)
    return boards[~match3.is_settled(boards)][:items]


def _settled_boards(rng, items, *, rows, cols, colours):
    return match3.board((rows, cols), colours, size=items, rng=rng)


def _request(rng, items, *, rows, cols, colours):
    """Give what is asked for: boards of a shape, and so many colours."""
    return (rows, cols), colours, rng


def _draw(asked, items):
    shape, n_colours, rng = asked
    return match3.board(shape, n_colours, size=items, rng=rng)


def _redraw(asked, items):
    """Draw boards of uniform colours, those that are not settled again."""
    (rows, cols), n_colours, rng = asked
    boards, left = np.empty((items, rows, cols), np.int8), np.arange(items)
    while left.size:
        boards[left] = rng.integers(0, n_colours, (left.size, rows, cols), np.int8)
        left = left[_lines(boards[left], left.size).any((1, 2))]
    return boards


def _lines(boards, items):
    """Mark the lines of three and more by comparing shifted copies of all boards."""
    boards = boards[:items]
    marks = np.zeros(boards.shape, bool)
    for cells, found in ((boards, marks), (boards.swapaxes(1, 2), marks.swapaxes(1, 2))):
        lines = (cells[:, :, 2:] == cells[:, :, 1:-1]) & (cells[:, :, 1:-1] == cells[:, :, :-2])
        for first in range(3):
            found[:, :, first : first + lines.shape[2]] |= lines
    return marks


def _swaps(boards, items):
    """Try each swap on all boards at once, and look for lines."""
    boards = boards[:items].copy()
    n, rows, cols = boards.shape
    found = np.zeros((n, rows, cols, 2), bool)
    for row, col, down in np.ndindex(rows, cols, 2):
        other = row + down, col + 1 - down
        if other[0] < rows and other[1] < cols:
            here, there = boards[:, row, col].copy(), boards[:, *other].copy()
            boards[:, row, col], boards[:, *other] = there, here
            lines = _lines(boards, n)
            found[:, row, col, down] = (here != there) & (lines[:, row, col] | lines[:, *other])
            boards[:, row, col], boards[:, *other] = here, there
    return found


def _cleared(labels):
    """Mark what clears."""
    return np.asarray(labels) > 0


def _all_settled(boards):
    """Tell of each board whether it is settled, by numpy."""
    return ~_lines(boards, len(boards)).any((1, 2))


def _step(boards, items):
    """Make one step of a cascade on each board, and give the cells cleared."""
    return match3.cascade(boards[:items], 6, limit=1, rng=1).cleared[:, 0]


_NINE = {"rows": 9, "cols": 9, "colours": 6}
_FOUR = {"rows": 4, "cols": 4, "colours": 3}


_NEVER = "the reach is never to be slower"
_ENGINES = f"{common._ELSEWHERE}, where the best public engine did"

#: The works by name: the part of gridlab, a dot, and a word.
WORKS = {
    "components.two": _large("{colours} colours at random", _random, 1.5, colours=2),
    "components.four": _large("{colours} colours at random", _random, 1.9, colours=4),
    "components.six": _large("{colours} colours at random", _random, 2, colours=6),
    "components.one": _large("one colour", _one_colour, 1, _NEVER),
    "components.checkerboard": _large("a checkerboard", _checkerboard, 1, _NEVER),
    "components.spiral": _large("a spiral", _spiral, 1, _NEVER),
    "components.blobs": _large("smooth patches of four colours", _blobs, 1, _NEVER),
    "components.usual": Work(
        "components, {rows}×{cols} cells, {colours} colours at random",
        "grids",
        _random,
        {"rows": 500, "cols": 500, "colours": 4},
        {"rows": 9, "cols": 8, "colours": 4},
        common._ours("label", 4, common._of(components.label)),
        (
            Contender("scikit-image", "measure.label", 1, _skimage, module="skimage.measure"),
            Contender("scipy", "ndimage.label, each colour", 1, _scipy, answer=_in_order),
        ),
    ),
    "components.periodic": Work(
        "components, periodic, {rows}×{cols} cells, {colours} colours at random",
        "grids",
        _random,
        {"rows": 2048, "cols": 2048, "colours": 4},
        {"rows": 9, "cols": 8, "colours": 4},
        common._ours("label, periodic", 1, common._of(components.label, periodic=True)),
        (
            Contender(
                "gridlab",
                "label, open",
                1,
                common._of(components.label),
                answer=None,
                reach=1 / 1.05,
                note="the reach is within 1.05 times of the time on an open grid",
            ),
            Contender(
                "connected-components-3d", "connected_components, periodic_boundary", 1, _cc3d_periodic, module="cc3d"
            ),
        ),
    ),
    "components.batch": _batch(
        Contender(
            "connected-components-3d",
            "connected_components, all in one image",
            10_000,
            _cc3d_tiled,
            module="cc3d",
            prepare=_tiled,
            answer=None,
            reach=2,
            note="in its favour: the image is given, and labels count on from grid to grid",
        )
    ),
    "components.batch_usual": _batch(
        Contender("connected-components-3d", "connected_components", 500, _cc3d, module="cc3d", reach=35)
    ),
    "match3.matches": Work(
        "lines found, {rows}×{cols} cells, {colours} colours",
        "boards",
        _boards,
        _NINE,
        _FOUR,
        common._ours("matches", 20_000, common._of(match3.matches), _cleared),
        (Contender("numpy", "shifted copies compared", 20_000, _lines, note="in its favour: no labels"),),
        reach=1_000_000,
        note=f"{_ENGINES} 20,000",
    ),
    "match3.moves": Work(
        "moves found, {rows}×{cols} cells, {colours} colours",
        "boards",
        _settled_boards,
        _NINE,
        _FOUR,
        common._ours("moves", 20_000, common._of(match3.moves)),
        (Contender("numpy", "each swap tried on all boards", 500, _swaps),),
        reach=150_000,
        note=f"{_ENGINES} 11,000",
    ),
    "match3.board": Work(
        "settled boards drawn, {rows}×{cols} cells, {colours} colours",
        "boards",
        _request,
        _NINE,
        _FOUR,
        common._ours("board", 10_000, _draw, _all_settled),
        (Contender("numpy", "redrawn until settled", 500, _redraw, answer=_all_settled),),
        reach=150_000,
        note=f"{_ENGINES} 23,000, of another law",
    ),
    "match3.cascade": Work(
        "steps of cascades, {rows}×{cols} cells, {colours} colours",
        "steps",
        _boards,
        _NINE,
        _FOUR,
        common._ours("cascade, limit=1", 20_000, _step),
        reach=200_000,
        note=f"{_ENGINES} 1,800",
    ),
}
