"""What every model returns: parameters with intervals, and one sentence for the reader."""

import math
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Estimate:
    """A parameter and its interval; low and high are nan where no interval exists (fixed, or too few trials)."""

    estimate: float
    low: float = math.nan
    high: float = math.nan

    def to_dict(self) -> dict:
        return {key: finite(getattr(self, key)) for key in ("estimate", "low", "high")}


@dataclass
class Fit:
    """model: its name, None when nothing is fitted; parameters by name; interval: how they were obtained;
    identified: whether the parameters may be quoted; sentence: the result in plain words; details: what only this
    kind of model has (plain JSON values)."""

    model: str | None
    parameters: dict[str, Estimate]
    interval: str
    identified: bool
    sentence: str
    details: dict = field(default_factory=dict)

    def to_dict(self) -> dict:
        """JSON-ready: numbers that are not finite become null."""
        return {
            "model": self.model,
            "parameters": {name: one.to_dict() for name, one in self.parameters.items()},
            "interval": self.interval,
            "identified": self.identified,
            "sentence": self.sentence,
            **self.details,
        }


def finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
