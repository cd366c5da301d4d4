"""Least squares for the scaling laws, exact within their bounds and batched for the bootstrap.

All laws here are N / X = z(N) . theta with z = (1, N - 1, N (N - 1)) and theta = (1, sigma, kappa) / lambda: Gunther's
transformation (Guerrilla Capacity Planning, 2007, chapter 5), with lambda estimated instead of taken from X(1).

errors="relative" minimises the sum of ((X - Xhat) / Xhat)^2: drift, steal and frequency scale a throughput by a factor.
It is quadratic in theta; with the bounds 0 <= sigma <= 1 and kappa >= 0 the minimum lies on one of six faces, each a
linear solve: no start values, no iteration. errors="absolute" minimises the sum of (X - Xhat)^2, as R's usl does,
by Gauss-Newton steps, each such a solve, shortened until the sum falls (the feasible set is convex, so none leaves it).
"""

from dataclasses import dataclass

import numpy as np

# Each face maps its free parameters to theta: rows are what a free parameter contributes to (a, b, c).
A, B, C = np.eye(3)
FACES = {
    "linear": [np.array([A])],
    "amdahl": [np.array([A, B]), np.array([A]), np.array([A + B])],
    "usl": [np.array(rows) for rows in ([A, B, C], [A, B], [A, C], [A], [A + B, C], [A + B])],
}
FREE = {name: faces[0].shape[0] for name, faces in FACES.items()}
MAX_STEPS = 40
SHORTER = (1.0, 0.5, 0.25, 0.125, 0.03)


@dataclass(frozen=True)
class Sums:
    """Per row (a resample, or the data) and thread count: the sums of x = X / N and of its square. Sufficient for both
    error models; arrays of shape (rows, groups)."""

    x: np.ndarray
    xx: np.ndarray


@dataclass(frozen=True)
class Table:
    """Trials by distinct thread count: threads ascending, z (groups x 3), x = X / N of every trial, its group."""

    threads: np.ndarray
    z: np.ndarray
    x: np.ndarray
    group: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, threads, throughput) -> "Table":
        threads, throughput = np.asarray(threads, dtype=np.float64), np.asarray(throughput, dtype=np.float64)
        distinct, group, size = np.unique(threads, return_inverse=True, return_counts=True)
        z = np.stack([np.ones_like(distinct), distinct - 1, distinct * (distinct - 1)], axis=1)
        return cls(distinct, z, throughput / threads, group, size)

    def sums(self) -> Sums:
        return Sums(np.bincount(self.group, self.x)[None, :], np.bincount(self.group, self.x**2)[None, :])

    def resampled(self, seed, resamples: int) -> Sums:
        """Bootstrap resamples of the trials within each thread count (the design fixes the counts).

        Deviations from the group's mean are widened by sqrt(m / (m - 1)), or else m trials would seem less spread than
        they are (Davison and Hinkley 1997, section 2.3.2). Logarithms keep a resampled throughput positive.
        """
        rng = np.random.default_rng(seed)
        sums = Sums(*np.empty((2, resamples, len(self.threads))))
        for i, m in enumerate(self.size):
            logs = np.log(self.x[self.group == i])
            logs = logs.mean() + (logs - logs.mean()) * np.sqrt(m / max(m - 1, 1))
            drawn = np.exp(rng.choice(logs, size=(resamples, m)))
            sums.x[:, i], sums.xx[:, i] = drawn.sum(axis=1), (drawn**2).sum(axis=1)
        return sums

    def fitted(self, theta: np.ndarray) -> np.ndarray:
        """Xhat of every trial."""
        return (self.threads / (self.z @ theta))[self.group]

    def residuals(self, theta: np.ndarray, errors: str) -> np.ndarray:
        """X - Xhat of every trial, divided by Xhat when errors are relative."""
        fitted = self.fitted(theta)
        difference = self.x * self.threads[self.group] - fitted
        return difference / fitted if errors == "relative" else difference


def solve(table: Table, sums: Sums, model: str, errors: str) -> np.ndarray:
    """theta (rows x 3) that minimises the squares of `errors` for each row of the sums."""
    theta = _best_face(table.z, sums.xx, sums.x, model)
    if errors == "relative":
        return theta
    n, size = table.threads, table.size

    def squares(theta):
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = 1 / (theta @ table.z.T)
            total = (n**2 * (sums.xx - 2 * sums.x * inverse + size * inverse**2)).sum(axis=1)
        return np.where(np.isfinite(total), total, np.inf)

    best = squares(theta)
    for _ in range(MAX_STEPS):
        y = theta @ table.z.T
        weight = (n / y**2) ** 2
        target = _best_face(table.z, weight * size, weight * (2 * y * size - y**2 * sums.x), model)
        before, waiting = best.copy(), np.ones(len(theta), dtype=bool)
        for step in SHORTER:
            candidate = theta + step * (target - theta)
            reached = squares(candidate)
            better = waiting & (reached < best)
            theta[better], best[better] = candidate[better], reached[better]
            waiting &= ~better
        if (before - best <= 1e-13 * before).all():
            break
    return theta


def _best_face(z: np.ndarray, weight: np.ndarray, target: np.ndarray, model: str) -> np.ndarray:
    """Minimiser of sum weight y^2 - 2 target y over y = z . theta, within the model's bounds, for each row."""
    best = np.zeros((len(weight), 3))
    lowest = np.full(len(weight), np.inf)
    for face in FACES[model]:
        if face.shape[0] > len(z):
            continue
        theta = _unbounded(z @ face.T, weight, target) @ face
        y = theta @ z.T
        value = (weight * y**2 - 2 * target * y).sum(axis=1)
        a, b, c = theta.T
        better = (a > 0) & (b >= 0) & (b <= a) & (c >= 0) & (value < lowest)
        best[better], lowest[better] = theta[better], value[better]
    return best


def _unbounded(z: np.ndarray, weight: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Normal equations of one face, columns scaled to unit length (N (N - 1) reaches a million)."""
    scale = 1 / np.sqrt(weight @ z**2)
    products = (z[:, :, None] * z[:, None, :]).reshape(len(z), -1)
    matrix = (weight @ products).reshape(len(weight), z.shape[1], -1) * scale[:, :, None] * scale[:, None, :]
    # A few ulps on the diagonal keep the solve defined where one trial outweighs all others.
    matrix = matrix + 1e-15 * np.eye(z.shape[1])
    return scale * np.linalg.solve(matrix, ((target @ z) * scale)[:, :, None])[:, :, 0]
