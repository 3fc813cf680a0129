"""What works have in common: inputs, gridlab's way of drawing, and parts counted by labelling them."""

from typing import NamedTuple

import numpy as np
import scipy  # its modules load on first use

from .kinds import Contender

__all__ = []


class _Request(NamedTuple):
    """What is to be drawn: grids of a shape with so many cells filled."""

    shape: tuple
    count: int
    rng: np.random.Generator


def _request(rng, items, *, rows, cols, count):
    return _Request((rows, cols), count, rng)


def _filled(grids):
    """Count the cells of each drawn grid."""
    return [int(np.count_nonzero(one)) for one in grids]


def _draw(f, **options):
    """Draw a batch with a generator of regions or a placer of mines."""
    return lambda asked, items: f(asked.shape, asked.count, size=items, rng=asked.rng, **options)


def _of(f, **options):
    """Give the first of the grids to a function that takes a batch."""
    return lambda grids, items: f(grids[:items], **options)


def _one_by_one(f):
    """Draw one grid a call."""
    return lambda asked, items: [f(asked.shape, asked.count, rng=asked.rng) for _ in range(items)]


def _ours(how, items, call, answer=np.asarray):
    return Contender("gridlab", how, items, call, answer=answer)


def _drawn(how, items, f, **options):
    return _ours(how, items, _draw(f, **options), _filled)


def _sizes(rows, cols, count):
    return {"rows": rows, "cols": cols, "count": count}


def _bytes(boards, items):
    """Give boards as bytes, in which scipy can count."""
    return boards[:items].astype(np.uint8)


_CORNERS = np.ones((3, 3), int)


def _label(corners):
    """Count the parts of each mask, one call a mask."""
    structure = _CORNERS if corners else None
    return lambda masks, items: [scipy.ndimage.label(mask, structure)[1] for mask in masks[:items]]


def _cc3d(corners):
    return lambda cc3d, masks, items: [
        cc3d.connected_components(mask, connectivity=8 if corners else 4, return_N=True)[1] for mask in masks[:items]
    ]


def _stacked(masks, label):
    """Count the parts of each mask by one call: masks one below the other, a row between; labels come in order."""
    tall = np.pad(masks, [(0, 0), (0, 1), (0, 0)]).reshape(-1, masks.shape[2])
    last = np.maximum.accumulate(label(tall).reshape(len(masks), -1).max(1)).astype(np.int64)
    return np.diff(last, prepend=0)


def _label_stacked(corners):
    structure = _CORNERS if corners else None
    return lambda masks, items: _stacked(masks[:items], lambda tall: scipy.ndimage.label(tall, structure)[0])


def _cc3d_stacked(corners):
    connectivity = 8 if corners else 4
    return lambda cc3d, masks, items: _stacked(
        masks[:items], lambda tall: cc3d.connected_components(tall, connectivity=connectivity)
    )


_TINY = _sizes(6, 7, 12)
_ELSEWHERE = "the reach is a rate of another machine"
