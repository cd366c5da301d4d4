"""Lines y = a + b x per variant and runtime, as the figure of a fit takes them."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pandas as pd

from pipeline.analyse.frames import framed, joined
from pipeline.models.linear import fit_band, fit_line

PLACES = 60


def curves(
    rows: pd.DataFrame, x: str, seed: int, x_unit: Literal["bytes", "ns"] = "bytes"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(curve, parameters) of the lines of `value` (ns) by the column `x` (in x_unit); one not identified is left out.

    curve: variant, runtime, <x>, estimate, low, high at 60 places. parameters: variant, runtime, name, estimate, low,
    high, unit: a in ns, and of bytes 1 / b in bytes/s, of ns b without unit.
    """
    drawn, parameters = [], []
    for (variant, runtime), group in rows.groupby(["variant", "runtime"]):
        fit = fit_line(group[x], group["value"], seed=seed)
        if not fit.identified:
            continue
        whose = {"variant": variant, "runtime": runtime}
        ends = group[x].min(), group[x].max()
        at = np.geomspace(*ends, PLACES) if ends[0] > 0 else np.linspace(*ends, PLACES)
        estimate, low, high = fit_band(group[x], group["value"], at, seed=seed)
        drawn.append(pd.DataFrame(whose | {x: at, "estimate": estimate, "low": low, "high": high}))
        a, b = fit.parameters["a"], fit.parameters["b"]
        numbers = {"a": (a.estimate, a.low, a.high, "ns")}
        if x_unit == "bytes":
            bandwidths = (1e9 / one if one > 0 else math.inf for one in (b.estimate, b.high, b.low))
            numbers["1/b"] = (*bandwidths, "bytes/s")
        else:
            numbers["b"] = (b.estimate, b.low, b.high, "1")
        for name, values in numbers.items():
            parameters.append(
                whose | {"name": name} | dict(zip(("estimate", "low", "high", "unit"), values, strict=True))
            )
    numbers = ["estimate", "low", "high"]
    return (
        joined(drawn, ["variant", "runtime", x, *numbers]),
        framed(parameters, ["variant", "runtime", "name", *numbers, "unit"]),
    )
