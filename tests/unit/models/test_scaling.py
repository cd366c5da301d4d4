"""Scaling laws: published fits, recovery on simulations, tables outside the family, bounds, and bad files."""

import csv
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

from pipeline.ground import paths
from pipeline.ground.errors import LabError
from pipeline.models.least_squares import Table, solve
from pipeline.models.scaling import aicc, fit_scaling, fit_scaling_csv, usl
from pipeline.words.numbers import number

pytestmark = pytest.mark.thorough

SDM91 = np.array([[1, 64.9], [18, 995.9], [36, 1652.4], [72, 1853.2], [108, 1828.9], [144, 1775.0], [216, 1702.2]])
RAYTRACER = np.array(
    [[1, 20], [4, 78], [8, 130], [12, 170], [16, 190], [20, 200], [24, 210], [28, 230], [32, 260], [48, 280], [64, 310]]
)
PUBLISHED = paths.published() / "locks.csv"


def simulate(n, lam, sigma, kappa, repeats, noise, rng):
    n = np.repeat(n, repeats)
    return n, usl(n, lam, sigma, kappa) * np.exp(rng.normal(0, noise, len(n)))


# --- published fits --------------------------------------------------------------------------------------------------


def test_spec_sdm91_with_absolute_errors_equals_the_usl_package():
    """R's usl 2.x: gamma 89.9952330 (se 14.21), alpha 0.0277285 (0.00912), beta 0.0001044 (0.0000199), 4 df."""
    fit = fit_scaling(*SDM91.T, model="usl", errors="absolute")
    lam, sigma, kappa = (fit.parameters[name] for name in ("lambda", "sigma", "kappa"))
    assert lam.estimate == pytest.approx(89.9952, abs=0.001)
    assert sigma.estimate == pytest.approx(0.0277285, abs=5e-6)
    assert kappa.estimate == pytest.approx(0.0001044, abs=5e-8)
    t = 2.7764  # 97.5 % quantile of Student's t, 4 degrees of freedom
    assert (lam.high - lam.estimate) / t == pytest.approx(14.2135, rel=1e-3)
    assert (sigma.high - sigma.estimate) / t == pytest.approx(0.0091217, rel=1e-3)
    assert (kappa.high - kappa.estimate) / t == pytest.approx(0.0000199, rel=5e-3)
    assert fit.details["peak"]["threads"] == pytest.approx(96.52, abs=0.05)


def test_spec_sdm91_with_relative_errors_follows_the_first_point():
    """Every point weighs the same: sigma halves (still inside R's interval), kappa and the peak move by 10 and 4 %."""
    fit = fit_scaling(*SDM91.T)
    assert fit.model == "usl" and fit.interval == "student-t"
    assert fit.parameters["lambda"].estimate == pytest.approx(68.2, abs=0.1)
    assert fit.parameters["sigma"].estimate == pytest.approx(0.0134, abs=1e-4)
    assert fit.parameters["kappa"].estimate == pytest.approx(0.000115, abs=1e-6)
    assert fit.details["peak"]["threads"] == pytest.approx(92.5, abs=0.1)
    assert "Amdahl's law describes it as well" in fit.sentence


def test_raytracer_equals_the_usl_package_with_kappa_at_its_bound():
    """R's usl: gamma 21.848843, alpha 0.057771, beta 0."""
    fit = fit_scaling(*RAYTRACER.T, model="usl", errors="absolute")
    assert fit.parameters["lambda"].estimate == pytest.approx(21.848843, abs=1e-4)
    assert fit.parameters["sigma"].estimate == pytest.approx(0.057771, abs=2e-6)
    kappa = fit.parameters["kappa"]
    assert (kappa.estimate, kappa.low) == (0.0, 0.0) and 0 < kappa.high < 0.001
    n, at = RAYTRACER[:, 0], np.array([21.848843, 0.0577708, 0.0])
    steps = np.diag([1e-4, 1e-6, 1e-9])
    jacobian = np.stack([(usl(n, *(at + one)) - usl(n, *at)) / one.max() for one in steps], axis=1)
    rss = ((RAYTRACER[:, 1] - usl(n, *at)) ** 2).sum()
    se = math.sqrt(np.linalg.inv(jacobian.T @ jacobian)[2, 2] * rss / 8)
    assert kappa.high == pytest.approx(1.8595 * se, rel=1e-2), "95 % quantile of Student's t, 8 degrees of freedom"
    assert "kappa is at its bound 0, its interval is one-sided" in fit.sentence and fit.details["peak"] is None
    assert fit_scaling(*RAYTRACER.T).model == "amdahl"


# --- the solver and the choice ---------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    st.sampled_from([[1, 2, 3, 4, 6, 8], [1, 2, 4, 8, 16, 32, 64], [2, 3, 5, 7, 11, 13]]),
    st.floats(0, 1),
    st.one_of(st.just(0.0), st.floats(1e-6, 1.0)),
    st.sampled_from(["relative", "absolute"]),
    st.floats(0.001, 0.2),
    st.integers(0, 2**32),
)
def test_no_general_optimiser_finds_a_better_fit(n, sigma, kappa, errors, noise, seed):
    n, x = simulate(n, 1.0, sigma, kappa, 3, noise, np.random.default_rng(seed))
    table = Table.of(n, x)
    theta = solve(table, table.sums(), "usl", errors)[0]
    ours = (table.residuals(theta, errors) ** 2).sum()

    def residuals(p):
        fitted = usl(n, *p)
        return (x - fitted) / (fitted if errors == "relative" else 1)

    for start in ([x[0] / n[0], min(sigma, 0.99) + 0.001, kappa + 1e-6], [1 / theta[0], 0.5, 0.01]):
        other = least_squares(residuals, start, bounds=([1e-9, 0, 0], [np.inf, 1, np.inf]), x_scale=[1, 0.1, 0.01])
        assert ours <= 2 * other.cost * (1 + 1e-6)
    assert theta[0] > 0 and 0 <= theta[1] <= theta[0] and theta[2] >= 0


def test_every_law_is_solved_at_its_bounds():
    """Each face of the bounds by a table that lies on it: sigma 0 or 1, with and without kappa; beyond, it holds."""
    n = np.array([1, 2, 3, 4, 6, 8])
    for errors in ("relative", "absolute"):
        for law, sigma, kappa in (
            ("usl", 1, 0.01),
            ("usl", 0, 0.01),
            ("usl", 1, 0),
            ("amdahl", 1, 0),
            ("amdahl", 0, 0),
        ):
            found = solve(
                Table.of(n, usl(n, 3.0, sigma, kappa)), Table.of(n, usl(n, 3.0, sigma, kappa)).sums(), law, errors
            )
            assert found[0] * 3 == pytest.approx([1, sigma, kappa], abs=1e-6), (law, sigma, kappa, errors)
        falling = Table.of(n, usl(n, 3.0, 1.5, 0.0))
        for law in ("amdahl", "usl"):
            theta = solve(falling, falling.sums(), law, errors)[0]
            assert theta[1] <= theta[0] * (1 + 1e-9) and (law == "usl" or theta[1] == pytest.approx(theta[0]))
        bent = Table.of(n, usl(n, 3.0, 1.5, 0.05))
        a, b, c = solve(bent, bent.sums(), "usl", errors)[0]
        assert b == pytest.approx(a) and c > 0.05 * a


def test_exact_data_are_recovered_and_the_simplest_law_wins():
    n = [1, 2, 3, 4, 8, 16]
    for law, sigma, kappa in (("linear", 0, 0), ("amdahl", 0.1, 0), ("usl", 0.1, 0.01)):
        fit = fit_scaling(n, usl(n, 3e6, sigma, kappa))
        assert fit.model == law
        found = [fit.parameters[name].estimate for name in ("lambda", "sigma", "kappa")]
        assert found == pytest.approx([3e6, sigma, kappa], rel=1e-6, abs=1e-9)


def test_aicc_by_hand():
    table = Table.of([1, 2, 3, 4, 5, 6], [1.1, 1.9, 3.2, 3.9, 5.1, 5.9])
    theta = np.array([1.0, 0, 0])
    rss = 0.1**2 + 0.1**2 + 0.2**2 + 0.1**2 + 0.1**2 + 0.1**2
    assert aicc(table, theta, "absolute", 2) == pytest.approx(6 * math.log(rss / 6) + 4 + 12 / 3)
    relative = 0.1**2 + 0.05**2 + (0.2 / 3) ** 2 + 0.025**2 + 0.02**2 + (0.1 / 6) ** 2
    expected = 6 * math.log(relative / 6) + 2 * math.log(720) + 4 + 12 / 3
    assert aicc(table, theta, "relative", 2) == pytest.approx(expected)
    assert math.isnan(aicc(table, theta, "relative", 5))


@pytest.mark.usefixtures("fewer_resamples")
def test_the_right_law_is_chosen_on_simulations():
    rng = np.random.default_rng(5)
    n = [1, 2, 4, 8, 12, 16]
    for law, sigma, kappa, least in (("linear", 0, 0, 70), ("amdahl", 0.15, 0, 70), ("usl", 0.05, 0.01, 95)):
        chosen = [fit_scaling(*simulate(n, 1e6, sigma, kappa, 5, 0.05, rng)).model for _ in range(100)]
        assert chosen.count(law) >= least, (law, chosen)


@pytest.mark.usefixtures("fewer_resamples")
@pytest.mark.parametrize(("repeats", "interval"), [(6, "bootstrap over trials"), (1, "student-t")])
def test_intervals_cover_what_they_state(repeats, interval):
    """95 % intervals over 300 simulated experiments: between 90 and 98.5 % must hold the true value."""
    rng = np.random.default_rng(31)
    truth = {"lambda": 2e7, "sigma": 0.08, "kappa": 0.004}
    n = [1, 2, 3, 4, 6, 8, 12, 16] if repeats > 1 else list(range(1, 25))
    peak = math.sqrt((1 - 0.08) / 0.004)
    inside = dict.fromkeys((*truth, "threads", "throughput"), 0)
    for i in range(300):
        fit = fit_scaling(
            *simulate(n, *truth.values(), repeats, 0.04 if repeats > 1 else 0.02, rng), model="usl", seed=i
        )
        assert fit.interval == interval
        for name, value in truth.items():
            inside[name] += fit.parameters[name].low <= value <= fit.parameters[name].high
        for name, value in (("threads", peak), ("throughput", usl(peak, *truth.values()))):
            found = fit.details["peak"]
            inside[name] += found[f"{name}_low"] <= value <= (found[f"{name}_high"] or math.inf)
    assert all(0.90 <= count / 300 <= 0.985 for count in inside.values()), inside


def test_the_seed_fixes_the_result():
    n, x = simulate([1, 2, 3, 4, 6, 8], 1e6, 0.1, 0.01, 4, 0.05, np.random.default_rng(2))
    first, again, other = (fit_scaling(n, x, seed=seed).to_dict() for seed in (1, 1, 2))
    assert first == again != other
    shuffled = np.random.default_rng(3).permutation(len(n))
    assert fit_scaling(n[shuffled], x[shuffled]).parameters["sigma"].estimate == pytest.approx(
        first["parameters"]["sigma"]["estimate"]
    )


@pytest.mark.usefixtures("fewer_resamples")
def test_a_kappa_that_cannot_be_seen_is_bounded():
    """At 5 % noise a kappa of 0.0005 is found in one of three tables: what is said is how large it may be."""
    rng, n = np.random.default_rng(12), [1, 2, 4, 8, 12, 16]
    for kappa, seen in ((0.0005, False), (0.05, True)):
        bounds = [
            fit_scaling(*simulate(n, 1e6, 0.05, kappa, 5, 0.05, rng), model="usl").details["kappa_hidden"]
            for _ in range(40)
        ]
        if seen:
            assert bounds == [None] * 40
        else:
            assert np.mean([one is not None for one in bounds]) > 0.5
            assert np.mean([one > kappa for one in bounds if one is not None]) > 0.9
    fit = fit_scaling(n, usl(n, 1.0, 0.05, 0.0) * np.array([1, 1.02, 0.98, 1.03, 0.97, 1.01]))
    hidden = fit.to_dict()["kappa_hidden"]
    assert f"kappa below {number(hidden)} cannot be seen here" in fit.sentence and 0 < hidden < 0.1


def drifting(rng, rounds=6):
    """Five thread counts and more in rounds that differ by 10 %: threads, throughput, round."""
    n, rounds = np.tile([1, 2, 3, 4, 6, 8, 12], rounds), np.repeat(np.arange(rounds), 7)
    drift = np.exp(rng.normal(0, 0.1, rounds.max() + 1))[rounds]
    return n, usl(n, 2e7, 0.08, 0.004) * drift * np.exp(rng.normal(0, 0.02, len(n))), rounds


@pytest.mark.usefixtures("fewer_resamples")
def test_the_drift_of_blocks_is_taken_out():
    rng, inside, widths = np.random.default_rng(14), 0, []
    for i in range(150):
        n, x, rounds = drifting(rng)
        plain, blocked = (fit_scaling(n, x, "usl", i, blocks=one).parameters["sigma"] for one in (None, rounds))
        inside += blocked.low <= 0.08 <= blocked.high
        widths.append((plain.high - plain.low) / (blocked.high - blocked.low))
    assert 0.89 <= inside / 150 <= 0.99 and np.median(widths) > 2, (inside / 150, np.median(widths))


def test_a_column_block_is_used_where_the_file_has_one(tmp_path):
    n, x, rounds = drifting(np.random.default_rng(15))
    path = tmp_path / "t.csv"
    rows = [f"{a},{b!r},{c}" for a, b, c in zip(n.tolist(), x.tolist(), rounds.tolist(), strict=True)]
    path.write_text("\n".join(["threads,throughput,block", *rows]))
    assert fit_scaling_csv(path) == fit_scaling(n, x, errors="absolute", blocks=rounds).to_dict()
    assert fit_scaling_csv(path) != fit_scaling(n, x, errors="absolute").to_dict()
    path.write_text("threads,throughput,block\n1,10,a\n")
    with pytest.raises(LabError, match=":2: block 'a' is not a number"):
        fit_scaling_csv(path)


# --- outside the family ----------------------------------------------------------------------------------------------


def published_tables():
    tables = {}
    with PUBLISHED.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["metric"] == "throughput" and row["threads_or_size"].isdigit():
                key = (row["machine"].split()[0], row["variant"])
                tables.setdefault(key, []).append((int(row["threads_or_size"]), float(row["value"])))
    return {key: np.array(rows) for key, rows in tables.items() if len({n for n, _ in rows}) >= 6}


def test_published_lock_tables_are_outside_the_family():
    tables = published_tables()
    assert len(tables) >= 6
    for table in tables.values():
        fit = fit_scaling(*table.T).to_dict()
        assert fit["model"] is None and not fit["identified"] and fit["peak"] is None
        assert all(one["estimate"] is None for one in fit["parameters"].values())
        assert "falls by" in fit["sentence"] and "no curve is fitted" in fit["sentence"]
    reentrant = fit_scaling(*tables["Nehalem", "ReentrantLock"].T)
    assert reentrant.sentence.startswith(
        "Throughput falls by 84 % from N = 1 to N = 2 and rises by 86 % from there to N = 8"
    )


@pytest.mark.usefixtures("fewer_resamples")
def test_members_of_the_family_are_rarely_called_outsiders():
    rng = np.random.default_rng(8)
    refused = [
        fit_scaling(*simulate([1, 2, 3, 4, 6, 8, 12], 1e6, sigma, kappa, 5, noise, rng)).model is None
        for sigma, kappa in ((0, 0), (0.3, 0), (0.9, 0), (0.05, 0.02), (0.1, 0.5))
        for noise in (0.01, 0.05, 0.2)
        for _ in range(20)
    ]
    assert sum(refused) <= 0.02 * len(refused)


def test_outsiders_with_repeats_are_called_so():
    rng = np.random.default_rng(9)
    n = np.repeat([1, 2, 3, 4, 6, 8], 5)
    dip = np.select([n == 1, n == 2], [60.0, 10.0], 18.0) * np.exp(rng.normal(0, 0.05, len(n)))
    assert "falls by" in fit_scaling(n, dip).sentence
    # Monotone, so no dip, but it jumps: superlinear from 4 to 6.
    jump = np.where(n <= 4, n, 3.0 * n) * np.exp(rng.normal(0, 0.02, len(n)))
    assert "misses the means" in fit_scaling(n, jump).sentence


def test_noise_alone_is_no_dip():
    n = np.arange(1, 9)
    wiggle = 100 * np.array([1, 0.95, 1.02, 0.97, 1.01, 0.96, 1.03, 1])
    assert fit_scaling(n, wiggle).model is not None


def test_fewer_than_six_thread_counts_identify_nothing():
    n, x = simulate([1, 2, 3, 4, 8], 1e6, 0.1, 0.01, 4, 0.02, np.random.default_rng(1))
    fit = fit_scaling(n, x).to_dict()
    assert not fit["identified"] and fit["model"] is None and fit["distinct_threads"] == 5 and fit["rows"] == 20
    assert (
        "Only 5 distinct thread counts (6 are needed)" in fit["sentence"] and "cannot be identified" in fit["sentence"]
    )
    assert all(isinstance(score, float) for score in fit["aicc"].values())
    few = fit_scaling([1, 2], [10.0, 19.0]).to_dict()
    assert few["aicc"] == {"linear": None, "amdahl": None, "usl": None}


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.integers(1, 1000), st.floats(1e-3, 1e6)), min_size=2, max_size=40),
    st.sampled_from(["auto", "linear", "amdahl", "usl"]),
    st.sampled_from(["relative", "absolute"]),
)
def test_any_positive_table_gives_json_and_ordered_intervals(rows, model, errors):
    threads, throughput = zip(*rows, strict=True)
    if len(set(threads)) < 2:
        return
    fit = fit_scaling(threads, throughput, model, errors=errors).to_dict()
    assert json.loads(json.dumps(fit, allow_nan=False)) == fit and fit["sentence"].endswith(".")
    for one in fit["parameters"].values():
        if one["low"] is not None and one["high"] is not None:
            assert one["low"] <= one["high"]
            if fit["interval"] == "student-t":
                assert one["low"] <= one["estimate"] <= one["high"]


# --- the file --------------------------------------------------------------------------------------------------------


def test_a_file(tmp_path):
    path = tmp_path / "t.csv"
    lines = "".join(f"{t:g},x,{n:g}\n" for n, t in SDM91)
    path.write_bytes(b"\xef\xbb\xbf" + ("throughput,comment, threads\r\n\r\n" + lines).encode())
    found = fit_scaling_csv(path)
    assert found == fit_scaling(*SDM91.T, errors="absolute").to_dict()
    assert fit_scaling_csv(path, errors="relative") == fit_scaling(*SDM91.T).to_dict() != found
    assert set(found) >= {
        "model",
        "parameters",
        "interval",
        "aicc",
        "peak",
        "distinct_threads",
        "rows",
        "identified",
        "sentence",
    }


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", ": the file is empty"),
        (b"\n\n", ": the file is empty"),
        (b"threads,throughput\n", ": no row below"),
        (b"threads\n1\n", ":1: column 'throughput' is missing"),
        (b"threads,threads,throughput\n", ":1: column 'threads' appears twice"),
        (b"threads,throughput\n1,10\n2\n", ":3: throughput '' is not a number"),
        (b"threads,throughput\n1,10\n2,ten\n", ":3: throughput 'ten' is not a number"),
        (b"threads,throughput\n1,10\n2,nan\n", ":3: throughput 'nan' is not finite"),
        (b"threads,throughput\n1,10\n2,inf\n", ":3: throughput 'inf' is not finite"),
        (b"threads,throughput\n1,10\n2,0\n", ":3: throughput 0 is not positive"),
        (b"threads,throughput\n1,10\n2,-4\n", ":3: throughput -4 is not positive"),
        (b"threads,throughput\n1,10\n1.5,4\n", ":3: threads 1.5 is not a whole number"),
        (b"threads,throughput\n0,10\n", ":2: threads 0 is not a whole number from 1"),
        (b"threads,throughput\n1e300,10\n", ":2: threads 1e+300 is not a whole number from 1"),
        (b"threads,throughput\n1,10\n1,11\n", ": too few values"),
        (b"threads,throughput\n1,1e-9\n2,1e9\n", ": throughput spans more than 12 decades"),
        (b"threads,throughput\n1,1e308\n2,1.7e308\n4,1e308\n", ": throughput 1.7e+308 is above 1e+200"),
        (b"threads;throughput\n1;10\n", ":1: column 'threads' is missing"),
        (b"threads,throughput\n1,1_0\n", ":2: throughput '1_0' is not a number"),
        ("threads,throughput\n\u0661,10\n".encode(), ":2: threads '\u0661' is not a number"),
        (b'threads,throughput\n1,"1,000"\n', ":2: throughput '1,000' is not a number"),
        (b"threads,throughput\n-1,10\n", ":2: threads -1 is not a whole number from 1"),
        (b"threads,throughput\n1,10\n\xff,4\n", ":3: not UTF-8"),
        (b'threads,throughput\n1,"' + b"9" * 200_000 + b"\n", "not readable as CSV"),
    ],
)
def test_bad_files(tmp_path, content, says):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(LabError) as error:
        fit_scaling_csv(path)
    assert f"{path}" in str(error.value) and says in str(error.value) and "\n" not in str(error.value)


def test_bad_arguments(tmp_path):
    with pytest.raises(LabError, match="no such file"):
        fit_scaling_csv(tmp_path / "absent.csv")
    with pytest.raises(LabError, match="cannot be read"):
        fit_scaling_csv(tmp_path)
    with pytest.raises(LabError, match="model 'cubic' is unknown; choose auto, linear, amdahl, usl"):
        fit_scaling([1, 2], [1, 2], model="cubic")
    with pytest.raises(LabError, match="errors 'log' is unknown"):
        fit_scaling([1, 2], [1, 2], errors="log")
    with pytest.raises(LabError, match="throughput positive"):
        fit_scaling([1, 2], [1, math.nan])
