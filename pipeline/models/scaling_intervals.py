"""Intervals of what a scaling law says: its parameters, the peak, and the throughput there."""

import math

import numpy as np
from scipy import special

from pipeline.models.bootstrap import percentile_interval
from pipeline.models.fit import Estimate
from pipeline.models.least_squares import Table
from pipeline.words.numbers import LEVEL


def quantities(theta: np.ndarray) -> list[np.ndarray]:
    """lambda, sigma, kappa, N at the peak (inf without one) and the throughput there, of one theta or of many.

    theta: shape (3,) or (resamples, 3), as `least_squares.solve` gives it: N / X(N) = a + b (N - 1) + c N (N - 1).
    """
    a, b, c = theta.T
    with np.errstate(divide="ignore", invalid="ignore"):
        peak = np.where(c > 0, np.maximum(np.sqrt((a - b) / c), 1.0), np.inf)
        top = np.where(c > 0, peak / (a + b * (peak - 1) + c * peak * (peak - 1)), 1 / b)
    return [1 / a, b / a, c / a, peak, top]


def from_resamples(estimate: float, resampled: np.ndarray) -> Estimate:
    """A quantity with the percentile interval of its bootstrap resamples."""
    return Estimate(float(estimate), *percentile_interval(resampled, LEVEL))


def student(table: Table, theta: np.ndarray, free: int, errors: str) -> list[Estimate]:
    """The five with intervals of Student's t, from the Jacobian at theta (delta method); bounds cut them off.

    free: how many of theta's three the law has. errors: "relative" or "absolute", as fitted.
    """
    lam, sigma, kappa, peak, top = (float(one) for one in quantities(theta))
    residuals, fitted = table.residuals(theta, errors), table.fitted(theta)
    df = len(residuals) - free
    # d Xhat / d theta = -Xhat^2 z / N, and a relative residual divides by Xhat.
    slope = fitted if errors == "relative" else fitted**2
    jacobian = (table.z[table.group] * (slope / table.threads[table.group])[:, None])[:, :free]
    scale = np.sqrt((jacobian**2).sum(axis=0))
    covariance = np.zeros((3, 3))
    inverse = np.linalg.pinv((jacobian / scale).T @ (jacobian / scale)) / np.outer(scale, scale)
    covariance[:free, :free] = inverse * float(residuals @ residuals) / df
    a, b, c = theta
    gradients = {
        "lambda": np.array([-lam / a, 0, 0]),
        "sigma": np.array([-sigma / a, 1 / a, 0]),
        "kappa": np.array([-kappa / a, 0, 1 / a]),
    }
    error = {name: math.sqrt(max(g @ covariance @ g, 0.0)) for name, g in gradients.items()}
    two, one = (special.stdtrit(df, tail) for tail in ((1 + LEVEL) / 2, LEVEL))

    def bounded(value: float, se: float, top: float) -> Estimate:
        width = (one if value in (0.0, top) else two) * se
        return Estimate(value, max(value - width, 0.0), min(value + width, top))

    estimates = [
        Estimate(lam, max(lam - two * error["lambda"], 0.0), lam + two * error["lambda"]),
        bounded(sigma, error["sigma"], 1.0),
        bounded(kappa, error["kappa"], math.inf),
    ]
    if not (c > 0 and peak > 1):
        return [*estimates, Estimate(peak if c > 0 else math.inf), Estimate(top)]
    # On the logarithm, which keeps both positive; at the peak dX/dN = 0, so only theta moves the top.
    z = np.array([1, peak - 1, peak * (peak - 1)])
    for value, gradient in ((peak, np.array([0.5 / (a - b), -0.5 / (a - b), -0.5 / c])), (top, -z / (z @ theta))):
        factor = math.exp(min(two * math.sqrt(max(gradient @ covariance @ gradient, 0.0)), 700.0))
        estimates.append(Estimate(value, value / factor, value * factor))
    return estimates
