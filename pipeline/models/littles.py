"""Little's law, L = lambda W: mean number in the system = completions per time x mean time in it (Little 1961).

It is about means over one stretch of time: lambda all completions over all time, W the mean over the same stretch. A
median of rates is not lambda: where a fifth of the stretch is slow, the median does not know of it and the mean time
does. Where L is set (so many threads, always inside) and W is of sampled completions, the law checks the sampling: that
those which were timed are like the others.
"""

import numpy as np

from pipeline.ground.errors import LabError
from pipeline.models.fit import Estimate, Fit, Kind
from pipeline.models.median_interval import FEWEST, median_interval
from pipeline.models.sample_size import to_decide
from pipeline.words.numbers import number, percent

TOLERANCE = 0.1
REGION = (1 - TOLERANCE, 1 + TOLERANCE)
KIND = Kind(
    f"L and λ W agree where the whole interval of their ratio lies within {percent(TOLERANCE)} of 1, and disagree "
    "where all of it lies outside.",
    {"ratio": ("L / (λ W)", "1")},
)


def littles_law(in_system, rate, residence) -> Fit:
    """Ratio L / (lambda W), one value of each per trial: mean number in the system, completions per second, mean time
    in the system in seconds.

    The median of the trials' ratios with its interval. They agree when the interval lies inside 1 +- 10 %, disagree
    when it lies outside, and in between it is undecided.
    LabError when a value is not positive and finite or the lengths differ.
    """
    in_system, rate, residence = (np.asarray(one, dtype=np.float64) for one in (in_system, rate, residence))
    if not in_system.shape == rate.shape == residence.shape or in_system.ndim != 1 or not in_system.size:
        raise LabError("Little's law: L, rate and residence need one value each per trial")
    for values, name in ((in_system, "number in the system"), (rate, "rate"), (residence, "residence time")):
        if not np.isfinite(values).all() or (values <= 0).any():
            raise LabError(f"Little's law: {name} must be positive and finite in every trial; remove incomplete trials")
    ratio = Estimate(*median_interval(in_system / (rate * residence))[:3])
    trials = len(in_system)
    if trials < FEWEST:
        short = f"too few trials ({trials}) for an interval"
        sentence = f"L / (lambda W) = {number(ratio.estimate)}, with {short}."
    else:
        by = percent(round(abs(ratio.estimate - 1), 3))
        said = {
            "inside": (f"they agree within {percent(TOLERANCE)}", "agree"),
            "outside": (f"they disagree by {by}", f"disagree by {by}"),
            "across": (f"whether they agree within {percent(TOLERANCE)} is undecided", "undecided"),
        }
        verdict, short = said[ratio.against(*REGION)]
        sentence = f"L / (lambda W) = {ratio.words()}: {verdict}."
    how = "of medians over trials" if trials >= FEWEST else "none"
    more = to_decide([ratio], *REGION, trials)
    return Fit("little", {"ratio": ratio}, how, trials >= FEWEST, sentence, {"rows": trials}, KIND, short, more)
