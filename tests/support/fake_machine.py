"""A machine whose trials start nothing and whose clock only they advance."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from publish_toy import HOST, noise

from pipeline.bundle import bundle
from pipeline.measure import sweep


class Machine:
    """Runs each trial in the `seconds` of its experiment (one where it has none); `status`, `noisy` and `reads` (what
    its workers read) say by its name what comes of a trial, `reason` why it failed; `ran` holds (experiment, trial) in
    order."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds, self.now, self.ran = seconds, 0.0, []
        self.reason = "why"
        self.status, self.noisy = (lambda name: "measured"), (lambda name: False)
        self.reads = lambda name: None

    def take_over(self, monkeypatch: pytest.MonkeyPatch) -> Machine:
        """Measuring runs here from now on, on a host that is always the same."""
        monkeypatch.setattr(sweep, "Trials", lambda raw: self)
        monkeypatch.setattr(sweep, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(bundle.fingerprint, "take", lambda folder: HOST)
        monkeypatch.setattr(bundle, "git_revision", lambda: "")
        return self

    def run(self, configuration, variant, runtime, name) -> dict:
        """The journal's line of a trial, as `pipeline.measure.trial.Trials` gives it."""
        took = self.seconds.get(configuration.experiment, 1.0)
        self.now += took
        self.ran.append((configuration.experiment, name))
        read = self.reads(name)
        return {
            "trial": name,
            "experiment": configuration.experiment,
            "variant": configuration.variant,
            "runtime": runtime.name,
            "axes": dict(configuration.axes),
            "status": self.status(name),
            "reason": self.reason,
            "wall_s": took,
            "noise": noise(steal_pct=50.0 if self.noisy(name) else 0.0),
            "files": {},
            **({"readings": read} if read else {}),
        }
