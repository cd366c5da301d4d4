"""Recorded logs, and how what is read of them is compared with what the Java library read."""

from laboratory import DATA as ALL

DATA = ALL / "hlog"
LOGS = sorted(DATA.glob("*.hlog"))
NUMBERS = ("count", "min", "max", "mean", "p50", "p90", "p99", "p99.9", "p99.99")


def assert_like_java(ours: dict, java: dict) -> None:
    assert {key: ours[key] for key in ("intervals", *NUMBERS)} == java["overall"]
    by_tag = ours["by_tag"] or {"": java["overall"]}
    assert by_tag == java["by_tag"]
