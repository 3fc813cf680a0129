"""How far to trust a Markov chain: how fast it forgets, and whether chains that started apart agree."""

import numpy as np
import scipy  # its modules load on first use

from .. import grid
from . import chain as mc

__all__ = ["autocorrelation_time", "diagnose", "split_rhat"]

#: Looks that `diagnose` takes in `mixing_steps`.
LOOKS = 20

#: Observables of `diagnose`.
OBSERVABLES = ("perimeter", "radius_of_gyration")


def diagnose(shape, area, *, periodic=False, simply_connected=False, steps=None, chains=4, draws=1000, rng=None):
    """Run several chains, and tell how fast they forget and whether they agree.

    Parameters
    ----------
    shape, area, periodic, simply_connected, rng
        As in `markov`.
    steps : int, optional
        Steps between two looks at a chain; a twentieth of `mixing_steps` by default, so that what
        happens in between is seen.
    chains : int
        Number of chains, from 1 to 1000, each started and burnt in on its own as in `markov`.
    draws : int
        Looks at each chain, from 4 to a million.

    Returns
    -------
    pandas.DataFrame
        A row for each observable, ``perimeter`` and ``radius_of_gyration`` (`shapes.measure`), with the columns

        - ``mean``, ``sd``: over all looks;
        - ``se``: Monte Carlo standard error of the mean, ``sd / sqrt(ess)``;
        - ``tau``: integrated autocorrelation time, in steps of the chain;
        - ``ess``: effective sample size of all chains together;
        - ``rhat``: rank-normalised split R-hat (`split_rhat`), near 1 where chains agree;
        - ``steps``: steps between two looks;
        - ``acceptance``: share of the steps that changed the region.

    Raises
    ------
    ValueError, TypeError, RuntimeError
        As in `markov`.

    See Also
    --------
    autocorrelation_time, split_rhat : How they are estimated.

    Notes
    -----
    An observable that never varies has ``tau`` of one look and ``rhat`` 1. One that has no meaning for a
    region that was met (the radius of gyration of one that winds round a torus) has NaN throughout.

    How to read it: as long as ``rhat`` is above 1.01 there are too few looks to judge, and `draws`
    should be raised. Draws of `markov` are good where ``tau`` is less than half of the steps between them,
    `mixing_steps` by default; where it is not, they need more `steps`.

    `tau` is not resolved below `steps`. What no observable shows no diagnosis finds: values
    near 1 do not prove that a chain has reached its law.

    Memory is that of 2**22 cells a chain at a time. Time is that of the steps, and of
    `shapes.measure`: about 1 ms for each look at a 1000x1000 grid.

    References
    ----------
    .. [1] A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Bürkner,
       "Rank-normalization, folding, and localization: an improved R-hat for assessing
       convergence of MCMC", Bayesian Analysis 16 (2021), 667-718.

    Examples
    --------
    >>> table = diagnose((5, 5), 9, draws=2000, rng=1)
    >>> bool((table["rhat"] < 1.01).all()), bool((table["ess"] > 1000).all())
    (True, True)
    """
    import pandas as pd  # here: neither draws nor counts need it, and it takes as long to load as numpy and numba

    from .. import shapes  # as this does

    job = mc._Job(shape, area, periodic, simply_connected, steps, rng)
    chains = grid.as_int("chains", chains, 1, 1000)
    draws = grid.as_int("draws", draws, 4, 10**6)
    if steps is None:
        job.steps = -(-job.steps // LOOKS)
    series = np.empty((len(OBSERVABLES), chains, draws))
    size = max(1, 2**22 // (job.shape[0] * job.shape[1]))

    def look(chain, stop, k):
        chain.start(job.burn_in, stop)
        masks = np.empty((min(size, draws), *job.shape), bool)
        for first in range(0, draws, size):
            some = masks[: draws - first]
            some[:] = False
            chain.fill(some, job.steps, stop)
            if stop.is_set():
                return
            table = shapes.measure(some, periodic=periodic, columns=OBSERVABLES)
            series[:, k, first : first + len(some)] = table.to_numpy().round(9).T  # the same shape, the same value

    run = job.chains(chains)
    mc._in_threads(look, run, range(chains))
    total, changed = (sum(int(chain.counts[i]) for chain in run) for i in (mc.STEPS, mc.CHANGED))
    rows = []
    for values in series:
        mean, sd = values.mean(), values.std(ddof=1)
        tau, rhat = autocorrelation_time(values), split_rhat(values)
        ess = values.size / tau
        rows.append((mean, sd, sd / np.sqrt(ess), tau * job.steps, ess, rhat, job.steps, changed / total))
    columns = ["mean", "sd", "se", "tau", "ess", "rhat", "steps", "acceptance"]
    return pd.DataFrame(rows, index=pd.Index(OBSERVABLES, name="observable"), columns=columns)


def autocorrelation_time(series):
    """Estimate the integrated autocorrelation time of chains, in draws.

    It is the sum of the autocorrelations over all lags, before and after: n draws tell as
    much about the mean as n over it independent ones. Chains that disagree make it longer.

    Parameters
    ----------
    series : array_like of float, shape (chains, draws) or (draws,)
        Values of an observable along chains, at least 4 each.

    Returns
    -------
    float
        1 for independent draws, or where the values are all the same; `draws` where chains never vary, but differ;
        NaN where a value is NaN.

    Raises
    ------
    ValueError
        If there are no chains, or fewer than 4 draws.

    Notes
    -----
    Autocovariances by Fourier transform, averaged over chains and related to the variance
    between and within chains [2]_; the sum is cut by Geyer's initial monotone sequence [1]_,
    and not less than ``1 / log10(chains * draws)``.

    References
    ----------
    .. [1] C. J. Geyer, "Practical Markov chain Monte Carlo", Statistical Science 7 (1992), 473-483.
    .. [2] A. Vehtari et al., "Rank-normalization, folding, and localization: an improved R-hat
       for assessing convergence of MCMC", Bayesian Analysis 16 (2021), 667-718.

    Examples
    --------
    >>> values = np.random.default_rng(1).random(10_000)
    >>> f"{autocorrelation_time(values):.0f}, {autocorrelation_time(np.repeat(values, 5)):.0f}"
    '1, 5'
    """
    series = _as_series(series)
    draws = series.shape[1]
    if np.isnan(series).any():
        return np.nan
    means = series.mean(axis=1, keepdims=True)
    between = means.var(ddof=1) if len(series) > 1 else 0.0
    apart = series - means
    if not np.ptp(series, axis=1).any():
        return float(draws) if np.ptp(series) else 1.0
    spectrum = np.abs(np.fft.rfft(apart, 2 * draws)) ** 2  # padded, so that the end does not meet the start
    covariance = np.fft.irfft(spectrum, 2 * draws)[:, :draws].mean(axis=0) / draws
    within = covariance[0] * draws / (draws - 1)
    rho = 1 - (within - covariance) / (covariance[0] + between)
    rho[0] = 1
    pairs = rho[: draws // 2 * 2].reshape(-1, 2).sum(axis=1)
    n_pairs = int(np.argmax(pairs <= 0)) if (pairs <= 0).any() else len(pairs)
    tau = 2 * np.minimum.accumulate(pairs[:n_pairs]).sum() - 1
    return float(max(tau, 1 / np.log10(series.size)))


def split_rhat(series):
    """Compare halves of chains: near 1 where all of them agree, larger where they do not.

    Parameters
    ----------
    series : array_like of float, shape (chains, draws) or (draws,)
        Values of an observable along chains, at least 4 each.

    Returns
    -------
    float
        The rank-normalised split R-hat: the larger of that of the values and of their distances to
        the median. 1 where the values are all the same; NaN where a value is NaN.

    Raises
    ------
    ValueError
        If there are no chains, or fewer than 4 draws.

    References
    ----------
    .. [1] A. Vehtari et al., "Rank-normalization, folding, and localization: an improved R-hat
       for assessing convergence of MCMC", Bayesian Analysis 16 (2021), 667-718.

    Examples
    --------
    >>> split_rhat([[1, 2, 3, 4], [3, 1, 4, 2]]) < split_rhat([[1, 2, 3, 4], [7, 5, 8, 6]])
    True
    """
    series = _as_series(series)
    if np.isnan(series).any():
        return np.nan
    half = series.shape[1] // 2
    halves = np.concatenate([series[:, :half], series[:, -half:]])
    return float(max(_rhat(halves), _rhat(np.abs(halves - np.median(halves)))))


def _rhat(series):
    """Relate the variance of all values to that within chains, both of their normal scores."""
    import pandas as pd  # here, as in `diagnose`

    ranks = pd.Series(series.ravel()).rank().to_numpy().reshape(series.shape)
    scores = scipy.special.ndtri((ranks - 3 / 8) / (series.size + 1 / 4))
    within = scores.var(axis=1, ddof=1).mean()
    between = scores.mean(axis=1).var(ddof=1)
    if within == 0:
        return np.inf if between > 0 else 1.0
    draws = series.shape[1]
    return np.sqrt((draws - 1) / draws + between / within)


def _as_series(series):
    """Return values as an array (chains, draws), or say what is wrong with them."""
    try:
        series = np.atleast_2d(np.asarray(series, float))
    except (TypeError, ValueError):
        raise TypeError(f"series must hold numbers, chains of equal length, got {series!r}") from None
    if series.ndim != 2 or len(series) < 1 or series.shape[1] < 4:
        raise ValueError(f"series must have shape (chains, draws) with at least 4 draws, got shape {series.shape}")
    return series
