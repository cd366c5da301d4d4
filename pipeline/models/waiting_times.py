"""Percentiles of the time in the system of M/G/1, and what M/M/1, M/D/1 and M/G/1 say of one rate and service time.

The time an event waits is a geometric sum, of ratio rho, of residual service times (Pollaczek 1930, Khinchine 1932;
Kleinrock 1975, section 5.7), and to it comes a service. Both are laid on a lattice and added by fast Fourier transform
(Grübel and Hermesmeier 1999, who also bound the aliasing). A time between two points of the lattice is split between
them so that means stay exact, however coarse the lattice; nothing is simulated, so nothing scatters, and near rho = 1
no long run is needed. Only mean and variance of a service are known: it is taken as gamma distributed, which is
constant at variance 0 and exponential at a variance of the mean squared.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import gammaincc

from pipeline.ground.errors import LabError
from pipeline.models import queueing
from pipeline.models.fit import finite

LEVELS = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
POINTS = 1 << 18
TAILS = 30  # the lattice ends where exp(-30) of the probability is left, which folds back
RESOLVED = 10  # points of the lattice: an earlier percentile is not known
MOST_CV2 = 1e6
CONSTANT = 1e-9  # a squared coefficient of variation below it makes no difference
MOST_RHO = 0.999_999
UNKNOWN = (math.nan,) * len(LEVELS)


def mg1_percentiles(rate, service, variance, levels=(0.5, 0.9, 0.99)) -> np.ndarray:
    """Percentiles of the time from arrival to the end of service, one per level (between 0 and 1), in the unit of the
    service time.

    nan where one is too short for the lattice, a thousandth of a tail: of services that vary greatly the median may be.
    LabError as `queueing.mg1`, and when the variance is above a million times the mean squared, or rho above 0.999999.
    """
    queueing.mg1(rate, service, variance)
    rho, cv2 = rate * service, (math.sqrt(variance) / service) ** 2
    if cv2 > MOST_CV2:
        raise LabError(
            f"queueing: the variance is {cv2:.3g} times the mean squared; give it in the mean's unit squared"
        )
    if rho > MOST_RHO:
        raise LabError(f"queueing: the load is {rho:.8g}; percentiles are known up to {MOST_RHO}: lower the rate")
    longest = 2 + TAILS * ((1 + cv2) / (2 * (1 - rho)) + cv2)
    step = longest / POINTS
    above = _excess(np.arange(POINTS + 1) * step, cv2)
    served, residual = (
        np.fft.rfft(_split(step, one, mean)) for one, mean in zip(above, (1.0, (1 + cv2) / 2), strict=True)
    )
    mass = np.fft.irfft(served * (1 - rho) / (1 - rho * residual), POINTS)
    at = np.interp(levels, np.cumsum(mass), (np.arange(POINTS) + 0.5) * step)
    return np.where(at >= RESOLVED * step, at, np.nan) * service


def mm1_median(rate, service) -> np.ndarray:
    """Median of the time in the system of M/M/1, which is exponential; arrays or numbers."""
    return math.log(2) * queueing.mm1(rate, service)


def md1_median(rate, service) -> np.ndarray:
    """Median of the time in the system of M/D/1; arrays or numbers. In units of the service it depends on rho alone."""
    rho, service = np.broadcast_arrays(np.asarray(rate, dtype=float) * service, np.asarray(service, dtype=float))
    return np.array([_md1_median(round(float(one), 9)) for one in rho.ravel()]).reshape(rho.shape) * service


@lru_cache(1024)
def _md1_median(rho: float) -> float:
    return float(mg1_percentiles(rho, 1.0, 0.0, (0.5,))[0])


def _excess(x: np.ndarray, cv2: float) -> tuple[np.ndarray, np.ndarray]:
    """E[(S - x)+], and E[(S - x)+^2] / (2 E[S]), which is that of the residual service, of a gamma distributed S with
    mean 1."""
    if cv2 < CONSTANT:
        left = np.maximum(1 - x, 0)
        return left, left**2 / 2
    shape = 1 / cv2
    zero, one, two = (gammaincc(shape + k, x * shape) for k in range(3))
    return one - x * zero, ((1 + cv2) * two - 2 * x * one + x**2 * zero) / 2


def _split(step: float, above: np.ndarray, mean: float) -> np.ndarray:
    """Masses at the points of the lattice, from the mean excess over each: what lies between two of them is split by
    the distance to each."""
    first = 1 - (mean - above[1]) / step
    rest = np.diff(above, 2) / step
    return np.concatenate(([first], rest))


def predictions(
    rate: float,
    service: float,
    variance: float,
    *,
    servers: int = 1,
    arrival_cv2: float | None = None,
    per_batch: float | None = None,
) -> dict:
    """What the models say of a rate, a mean service time and its variance, as JSON-ready values.

    By model: mean_wait, before service; mean_in_system, from arrival to the end of service; p50, p90 and p99 of the
    latter, None where the model says means alone. All in the unit of the service time. Of one server dd1, md1, mm1 and
    mg1, with `arrival_cv2` (variance of the times between arrivals over their mean squared) kingman, and with
    `per_batch` (what a batch costs beside the service of each event in it) batch; of several `servers` mmc and mgc.
    LabError as `mg1_percentiles` and the functions of `queueing`, and for one of the two others with several servers.
    """
    if servers == 1:
        told = _one_server(rate, service, variance, arrival_cv2, per_batch)
    elif arrival_cv2 is None and per_batch is None:
        told = {
            "mmc": ("exponential service", queueing.mmc(rate, service, servers), UNKNOWN),
            "mgc": ("service of that variance, approximately", queueing.mgc(rate, service, variance, servers), UNKNOWN),
        }
    else:
        raise LabError(
            "queueing: models of several servers know Poisson arrivals and no batches; leave one of them out"
        )
    models = {
        name: {
            "assumes": assumed,
            "mean_wait": finite(mean - service),
            "mean_in_system": finite(mean),
            **{level: finite(value) for level, value in zip(LEVELS, percentiles, strict=True)},
        }
        for name, (assumed, mean, percentiles) in told.items()
    }
    return {
        "rate": rate,
        "service_mean": service,
        "service_var": variance,
        "servers": servers,
        "rho": rate * service / servers,
        "units": "times in the unit of the service mean, the rate per that unit; percentiles of the time in the system",
        "models": models,
    }


def _one_server(rate: float, service: float, variance: float, arrival_cv2: float | None, per_batch: float | None):
    """By model (what it assumes, mean time in the system, its percentiles at LEVELS)."""
    mm1 = queueing.mm1(rate, service)
    told = {
        "dd1": ("evenly spaced arrivals, constant service", queueing.dd1(rate, service), [service] * len(LEVELS)),
        "md1": ("constant service", queueing.md1(rate, service), mg1_percentiles(rate, service, 0.0)),
        "mm1": ("exponential service", mm1, [-math.log1p(-level) * mm1 for level in LEVELS.values()]),
        "mg1": (
            "service of that variance; percentiles of a gamma distribution",
            queueing.mg1(rate, service, variance),
            mg1_percentiles(rate, service, variance),
        ),
    }
    if arrival_cv2 is not None:
        mean = queueing.kingman(rate, service, variance, arrival_cv2)
        told["kingman"] = ("arrivals and service of those variances, approximately", mean, UNKNOWN)
    if per_batch is not None:
        mean = queueing.batch(rate, per_batch, service, event_variance=variance)
        told["batch"] = ("all that wait are served as one batch", mean, UNKNOWN)
    return told
