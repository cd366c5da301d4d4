"""A page's first sentences: every number computed, a doubt said."""

import pandas as pd

from pipeline.session.findings import Findings, times


def test_a_ratio_says_its_doubt():
    assert times(12.5, 11.4, 12.7) == "12.5 times [11.4, 12.7]"
    assert times(0.93, 0.9, 1.03).endswith("no difference shown")
    assert "too few trials" in times(2, float("nan"), float("nan"))


class Toy:
    """What Findings asks of a session: two runtimes, on the second of which b cannot be told from the best."""

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
    answer = Findings(Toy())
    answer.best("Fastest", "write", ["a", "b", "c"])
    assert answer.found == [
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
    assert answer.found == []
    lab.ratios = Toy().ratios
    answer.ratio("Second over first", "cost", {}, {})
    assert answer.found == [
        "Second over first: **JDK 17** 0.5 times [0.4, 0.6]; **JDK 25** 0.9 times [0.7, 1.1], no difference shown."
    ]
    assert answer.found[0] in answer.show().data


def test_two_answers_of_one_session_have_sentences_of_their_own():
    lab = Toy()
    first, second = Findings(lab), Findings(lab)
    first.values("Said", {"C": "once"})
    assert first.found == ["Said: **C** once."] and second.found == []
