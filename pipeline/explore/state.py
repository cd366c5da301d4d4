"""What a reader has chosen to see: plain values that can be kept, shared and given again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from pipeline.ground.errors import LabError

VIEWS = ("estimates", "histogram", "percentiles", "timeline", "trials")
UNITS = ("ns", "cycles")
HEIGHTS = {"share": "share of samples", "count": "samples"}
OWN = ("metric", "variants", "runtimes", "axes", "by", "series", "phase")  # what each experiment has its own default of


@dataclass(frozen=True)
class State:
    """axes: axis -> the one value that is shown (None: where it is not set); an axis that is not named has all of its
    values. by: the axis along x in the view of estimates, which has all its values there; empty: the variants.
    series, phase: globs of what distributions are of. settled: quiet and steady trials only. limits: what percentiles
    should keep to, as `99.9: 2 us, 99: 500 ns`. trial: shown in the timeline; empty: the median one. x: the range that
    is seen of a quantitative x axis, as `10, 1e5` (or a pair of numbers): values of the axis or of the metric
    (estimates), values in the unit (histogram), percentiles, milliseconds (timeline); empty: all."""

    view: str = VIEWS[0]
    metric: str = ""
    variants: tuple[str, ...] = ()
    runtimes: tuple[str, ...] = ()
    axes: Mapping[str, Any] = field(default_factory=dict)
    by: str = ""
    series: str = "*"
    phase: str = "*"
    settled: bool = False
    unit: str = UNITS[0]
    height: str = "share"
    log_height: bool = False
    limits: str = ""
    trial: str = ""
    x: str = ""

    @classmethod
    def of(cls, told: Mapping[str, Any], default: State) -> State:
        """The default with what is told in its place; LabError names a key that there is not."""
        known = [one.name for one in fields(cls)]
        if unknown := [name for name in told if name not in known]:
            raise LabError(f"state has the unknown key {unknown[0]!r}; there are: {', '.join(known)}")
        told = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
        if isinstance(told.get("x"), tuple):
            told["x"] = ", ".join(map(str, told["x"]))
        state = cls(**{name: getattr(default, name) for name in known} | told)
        for name in known:
            value, wanted = getattr(state, name), type(getattr(State(), name))
            if not isinstance(value, wanted) or (wanted is tuple and not all(isinstance(one, str) for one in value)):
                raise LabError(f"state: {name} cannot be {value!r}")
        return state

    def told(self) -> dict[str, Any]:
        """As plain values, without what is as it is everywhere."""
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return {name: value for name, value in plain.items() if name in OWN or value != getattr(State(), name)}


def span(state: State) -> tuple[float, float] | None:
    """The visible range of a state, None for all; LabError says what is wrong."""
    if not state.x.strip():
        return None
    try:
        low, high = (float(one) for one in state.x.split(","))
    except ValueError:
        raise LabError(f"range {state.x!r} is not FROM, TO, such as 10, 1e5") from None
    if not low < high < float("inf") or low == -float("inf"):
        raise LabError(f"range {state.x!r}: its beginning lies below its end")
    if state.view == "percentiles" and not 0 <= low < high < 100:
        raise LabError(f"range {state.x!r}: percentiles lie between 0 and 100")
    return low, high
