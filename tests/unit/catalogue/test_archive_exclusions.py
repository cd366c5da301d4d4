"""Which histograms an archive is without: globs, with the values of an axis that a run has beside those named."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from pipeline.catalogue import archive_exclusions, catalogue

AXES = [{"threads": n} for n in (1, 2, 4, 8, 16, 16)] + [{"threads": 3, "outside": 50}, {}]


@pytest.mark.parametrize(
    ("pattern", "cpus", "expected"),
    [
        ("measured/t1", 4, ["measured/t1"]),
        ("a-{threads!=1,2}-*/*/*", 4, [f"a-threads={n}-*/*/*" for n in ("16", "3", "4", "8")]),
        ("a-{threads!=1, 2, cpus,2*cpus}-*", 4, ["a-threads=16-*", "a-threads=3-*"]),
        ("a-{threads!=1,2,cpus,2*cpus}-*", 8, ["a-threads=3-*", "a-threads=4-*"]),
        ("{threads!=1,2,3,4,8}-{outside!=cpus}", 4, ["threads=16-outside=50"]),
        ("{outside!=50}", 4, []),
        ("{placement!=spread}", 4, []),
    ],
)
def test_values_of_an_axis_that_are_not_named(pattern, cpus, expected):
    assert archive_exclusions.globs([pattern], AXES, cpus) == expected


def test_values_that_are_words():
    axes = [{"placement": word} for word in ("spread", "0,1", "free")]
    assert archive_exclusions.globs(["{placement!=spread,free}"], axes, 2) == ["placement=0,1"]


def test_an_experiment_that_the_catalogue_lacks_keeps_all():
    assert archive_exclusions.of("gone", [{"axes": {"threads": 2}}], {}) == []


@pytest.mark.parametrize(("cpus", "kept"), [(2, {1, 2}), (16, {1, 2, 16})])
def test_a_lock_keeps_the_residence_times_that_its_page_asks_about(cpus, kept):
    lines = [{"axes": {"threads": n}} for n in (1, 2, 4, 8, 16)]
    without = archive_exclusions.of("lock_scaling", lines, {"host": {"cpu": {"cpus": cpus}}})

    def left(trial: str) -> set[int]:
        names = {n: f"{trial.format(n)}/measured/t0" for n in (1, 2, 4, 8, 16)}
        return {n for n, name in names.items() if not any(fnmatchcase(name, glob) for glob in without)}

    assert left("mcs-c-threads={}-b01") == left("reentrant_lock-jdk17-threads={}-b01") == kept
    assert left("monitor-jdk17-threads={}-b01") == kept | {n for n in (4, 8) if cpus == 2}
    assert left("mcs_outside-c-threads={}-outside=50-outside_law=exponential-b01") == kept


def test_every_axis_that_an_entry_names_is_one_of_its_own():
    named = 0
    for entry in catalogue.load().values():
        for pattern in entry.archived_without:
            for axis, _ in archive_exclusions.OTHERS.findall(pattern):
                assert axis in entry.axes, (entry.name, pattern)
                named += 1
            assert not set("{}") & set(archive_exclusions.OTHERS.sub("", pattern)), (entry.name, pattern)
    assert named > 3
