"""Numbers in sentences."""

import math

ROUNDS_UP = 0.9995  # of a bound: three digits of what lies above are the bound's


def number(value: float) -> str:
    """Three significant digits, all of a thousand's; millions and billions abbreviated: 0.457, 6,712, 278 M."""
    if math.isinf(value):
        return "unbounded"
    for least, letter in ((1e9, "G"), (1e6, "M")):
        if abs(value) >= least * ROUNDS_UP:
            return f"{value / least:,.3g} {letter}"
    return f"{value:,.0f}" if abs(value) >= 1000 * ROUNDS_UP else f"{value:.3g}"


def ratio(value: float) -> str:
    """Three digits, or as many as tell the ratio from 1: "1" would contradict an interval that excludes 1."""
    return next((told for digits in range(3, 7) if float(told := f"{value:.{digits}g}") != 1), "1")
