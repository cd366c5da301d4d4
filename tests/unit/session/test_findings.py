"""A page's first sentences: every number computed, a doubt said; and which trials and rows a table of fits has."""

from types import SimpleNamespace

import pandas as pd
import pytest

from pipeline import words
from pipeline.session.findings import Findings, times
from pipeline.models.fit import Estimate, Fit
from pipeline.session.session import Session
from pipeline.words import number


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.4567, "0.457"), (12.5, "12.5"), (999.8, "1,000"), (6700, "6,700"), (2.78e8, "278 M"), (9.999e8, "1 G"),
     (2.49e9, "2.49 G"), (-2531.4, "-2,531"), (float("inf"), "unbounded")],
)  # fmt: skip
def test_numbers_in_sentences_have_no_exponent(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(1, "1"), (1.0031, "1.003"), (0.9993, "0.999"), (1.1, "1.1"), (0.99999, "0.99999"), (12.5, "12.5"), (105, "105")],
)
def test_a_ratio_beside_its_row_is_never_rounded_to_1(value, said):
    assert words.ratio(value) == said


def test_a_ratio_says_its_doubt():
    assert times(12.5, 11.4, 12.7) == "12.5 times [11.4, 12.7]"
    assert times(0.93, 0.9, 1.03).endswith("no difference shown")
    assert "too few trials" in times(2, float("nan"), float("nan"))


class Toy:
    """What Findings asks of a session: two runtimes, on the second of which b cannot be told from the best."""

    def __init__(self) -> None:
        self.found = []

    def labels(self) -> dict[str, str]:
        return {"a": "Way A", "b": "Way B", "c": "Way C"}

    def chosen(self, **where) -> tuple[None, pd.DataFrame]:
        rows = [("jdk17", "a", 3e9), ("jdk17", "b", 1e9), ("jdk25", "a", 1e9), ("jdk25", "b", 2e9), ("jdk25", "c", 9e8)]
        frame = pd.DataFrame(rows, columns=["runtime", "variant", "estimate"])
        return None, frame.assign(low=frame["estimate"] / 2, high=frame["estimate"] * 2, unit="bytes/s")

    def ratios(self, metric, pairs, **where) -> tuple[pd.DataFrame, None]:
        rows = []
        for label in pairs:
            rows += [(f"{label}, JDK 17", 0.5, 0.4, 0.6), (f"{label}, JDK 25", 0.9, 0.7, 0.95 if label == "c" else 1.1)]
        return pd.DataFrame(rows, columns=["label", "estimate", "low", "high"]), None


def test_the_best_names_those_that_cannot_be_told_from_it():
    lab = Toy()
    Findings(lab).best("Fastest", "write", ["a", "b", "c"])
    assert lab.found == [
        "Fastest: **JDK 17** Way A, 3 GB/s [1.5 GB/s, 6 GB/s]; "
        "**JDK 25** Way B, 2 GB/s [1 GB/s, 4 GB/s], not told apart from Way A."
    ]


def test_what_was_not_measured_is_not_said():
    lab = Toy()
    lab.ratios = lambda *_, **__: (
        pd.DataFrame(columns=["label", "estimate", "low", "high"]).astype({"label": str}),
        None,
    )
    answer = Findings(lab)
    answer.ratio("Second over first", "cost", {}, {})
    assert lab.found == []
    lab.ratios = Toy().ratios
    answer.ratio("Second over first", "cost", {}, {})
    assert lab.found == [
        "Second over first: **JDK 17** 0.5 times [0.4, 0.6]; **JDK 25** 0.9 times [0.7, 1.1], no difference shown."
    ]
    assert lab.found[0] in answer.show().data


def session(**parts) -> Session:
    lab = Session.__new__(Session)
    lab.kept_fits, lab.found = [], []
    for name, value in parts.items():
        setattr(lab, name, value)
    return lab


def test_fits_use_the_quiet_trials_in_the_catalogues_order():
    variants = {"late": SimpleNamespace(label="Late"), "early": SimpleNamespace(label="Early")}
    lab = session(entry=SimpleNamespace(axes={"threads": "int"}, variants=variants))
    lab.labels = lambda: {name: one.label for name, one in variants.items()}
    rows = [(name, "jdk25", 2, noisy, True, value) for name in ("early", "late")
            for noisy, value in ((False, 1.0), (False, 2.0), (False, 3.0), (True, 100.0))]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["variant", "runtime", "threads", "noisy", "steady", "value"])

    def fit(group: pd.DataFrame) -> Fit:
        return Fit("mean", {"m": Estimate(group["value"].mean())}, "none", True, f"{len(group)} trials", {})

    shown = lab.fits(frame, ["variant", "runtime"], fit).data
    assert shown["variant"].tolist() == ["Late", "Early"] and set(shown["runtime"]) == {"JDK 25"}
    assert set(shown["says"]) == {"3 trials"}


def test_nothing_refused_is_a_sentence():
    lab = session(
        tables=SimpleNamespace(
            trials=pd.DataFrame({"status": ["measured"], "variant": ["a"], "runtime": ["c"], "reason": [""]})
        )
    )
    assert lab.unsupported().startswith("Nothing that was planned")
