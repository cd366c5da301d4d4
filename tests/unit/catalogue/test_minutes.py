"""How long a run may measure: a bar of the project, kept by what the entries promise."""

from __future__ import annotations

from pipeline.catalogue import catalogue

BARS_S = {"smoke": 5 * 60, "quick": 35 * 60}


def test_all_experiments_of_a_profile_together_stay_below_its_bar():
    for profile, most in BARS_S.items():
        assert sum(entry.profiles[profile].budget_s for entry in catalogue.load().values()) <= most, profile
