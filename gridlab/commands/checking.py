"""``gridlab check``: what is installed, and whether generators follow their laws."""

import platform

import gridlab

__all__ = []


def _no_options(parser):
    pass


def _check(args):
    """Tell what is installed and test the laws; OK or FAILED in front of each line."""
    print(
        f"gridlab {gridlab.__version__}, Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    )
    good = True
    for checks in (_installed(), _laws()):
        try:
            for passed, words in checks:
                print(f"{'OK' if passed else 'FAILED':6}  {words}", flush=True)
                good &= bool(passed)
        except ImportError as error:
            print(f"FAILED  {error}", flush=True)
            good = False
    return 0 if good else 1


def _installed():
    """Yield for each dependency whether it is there and new enough, and words that say so."""
    from importlib import metadata

    from packaging.requirements import Requirement

    try:
        requirements = [Requirement(line) for line in metadata.requires("gridlab") or []]
    except metadata.PackageNotFoundError:
        yield False, "gridlab is not installed: pip install -e . in the clone"
        return
    for requirement in requirements:
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            yield False, f"{requirement} is not installed"
            continue
        yield (
            requirement.specifier.contains(version, prereleases=True),
            f"{requirement.name} {version}, needs {requirement.specifier}",
        )


def _laws(n=500):
    """Yield for each generator whether what it draws is what it promises, and words that say so."""
    from gridlab import laws, mines, published, regions, topology

    shape, area = (6, 6), 12
    for name, f in regions.GENERATORS.items():
        wrong = 0
        for periodic in (False, True):
            for meaning in (False, 4, 8):
                drawn = f(shape, area, periodic=periodic, simply_connected=meaning, size=n, rng=20261130)
                good = (drawn.sum((1, 2)) == area) & topology.is_connected(drawn, periodic=periodic)
                if meaning:
                    good &= topology.is_simply_connected(drawn, meaning, periodic=periodic)
                wrong += int((~good).sum())
        yield wrong == 0, f"regions.{name}: {wrong} of {6 * n} draws break area, connection or holes"
    place = 4, (3, 3)
    exact = {name: f(*place) for name, f in laws.GROWERS.items() if name in regions.GENERATORS}
    exact["uniform"] = laws.uniform(*place)
    for name, other in [*((name, name) for name in exact), ("dfs", "uniform")]:
        p = _misfit(regions.GENERATORS[name], exact[other], 20_000)
        words = f"regions.{name} against the exact law of {other} on 3x3 cells, area 4: chi-square p = {p:.2g}"
        yield _told(p, name == other, words)
    fair = laws.PLACERS["floyd"]((3, 3), 3)
    for name, f in mines.PLACERS.items():
        if name == "collide":  # too few mines, but fair given how many there are
            boards = f((3, 3), 4, size=20_000, rng=20261130)
            p = _fit(boards[boards.sum((1, 2)) == 3], fair)
        else:
            p = _misfit(f, laws.PLACERS[name]((3, 3), 3), 20_000)
        yield _told(p, True, f"mines.{name} against its exact law on 3x3 cells, 3 mines: chi-square p = {p:.2g}")
    p = _misfit(published.probe_right, fair, 20_000)
    yield _told(p, False, f"published.probe_right against equal chances, likewise: chi-square p = {p:.2g}")


def _told(p, right, words):
    """Return whether a p-value is what it must be, and words that say so."""
    bound = "fails below 1e-6" if right else "another law, fails above 1e-6"
    return (p > 1e-6) == right, f"{words} ({bound})"


def _misfit(f, law, n):
    """Return the chi-square p-value of draws of `f` against an exact law."""
    return _fit(f(law.regions.shape[1:], int(law.regions[0].sum()), size=n, rng=20261130), law)


def _fit(drawn, law):
    """Return the chi-square p-value of draws against an exact law."""
    from gridlab import compare

    try:
        return compare.fit(drawn, law).pvalue
    except ValueError:  # something was drawn that is no outcome at all
        return 0.0
