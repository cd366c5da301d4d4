"""The J of latency against load: recovery, coverage, the bathtub, and what is refused."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize

from pipeline.ground.errors import LabError
from pipeline.models import lindley
from pipeline.models.j_curve import RULE, YARDSTICKS, fit_j_curve, fit_j_curve_csv, j_curve, solve
from pipeline.models.waiting_times import md1_median, mm1_median

pytestmark = pytest.mark.thorough

LOADS = np.array([10, 20, 40, 60, 80, 90.0])


def trials(fixed, slope, repeats=6, noise=0.1, seed=1, loads=LOADS, block_noise=0.0):
    """(load, latency, block) of one trial per row."""
    rng = np.random.default_rng(seed)
    load, block = np.repeat(loads, repeats), np.tile(np.arange(repeats), len(loads))
    factor = rng.normal(0, noise, len(load)) + rng.normal(0, block_noise, repeats)[block]
    return load, j_curve(load, fixed, slope) * np.exp(factor), block


def estimates(fit):
    return {name: one.estimate for name, one in fit.parameters.items()}


# --- recovery --------------------------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.floats(1e-9, 1e9))
def test_an_exact_curve_is_found_in_any_unit(fixed, slope, unit):
    fit = fit_j_curve(LOADS, unit * j_curve(LOADS, fixed, slope))
    truth = {"L0": unit * fixed, "q": unit * slope, "knee": fixed / (fixed + slope)}
    assert estimates(fit) == pytest.approx(truth, rel=1e-6)
    assert all(one.low <= one.estimate <= one.high for one in fit.parameters.values())


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.floats(0.05, 20))
def test_least_squares_by_another_solver(seed, slope):
    load, latency, _ = trials(1, slope, seed=seed, noise=0.3)
    x = LOADS / (100 - LOADS)
    size, sums = np.full((1, 6), 6.0), np.log(latency).reshape(6, 6).sum(axis=1)[None]

    def squares(logs):
        return (np.log(latency / j_curve(load, *np.exp(logs))) ** 2).sum()

    found = np.array([float(one[0]) for one in solve(x, size, sums)])
    other = minimize(squares, np.log([1, slope]), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    least = (np.log(latency / j_curve(load, *found)) ** 2).sum()
    assert least <= other.fun * (1 + 1e-9)
    assert found == pytest.approx(np.exp(other.x), rel=1e-3, abs=1e-3)


@pytest.mark.usefixtures("fewer_resamples")
@pytest.mark.parametrize("blocked", [False, True])
def test_intervals_cover_what_they_state(blocked):
    inside, count = np.zeros(3), 200
    for i in range(count):
        load, latency, block = trials(2, 1, 6, 0.1, seed=i, block_noise=0.2 * blocked)
        fit = fit_j_curve(load, latency, block if blocked else None, seed=i)
        truth = zip((2, 1, 2 / 3), fit.parameters.values(), strict=True)
        inside += [one.low <= value <= one.high for value, one in truth]
    assert (inside / count >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / count)).all() and (inside < count).all(), inside


@pytest.mark.parametrize(
    "repeats,how,df",
    [(2, "bootstrap over trials", 6), (4, "bootstrap over blocks", 3), (1, "bootstrap of residuals", 4)],
)
def test_intervals_are_as_wide_as_students_t_where_the_curve_is_all_but_a_line(repeats, how, df):
    """Of small scatter both parameters are weighted sums of the logarithms, and their errors are known."""
    load, latency, block = trials(2, 1, repeats, 1e-3, seed=4)
    fit = fit_j_curve(load, latency, block if how == "bootstrap over blocks" else None)
    assert fit.interval == how
    fixed, slope = (fit.parameters[name].estimate for name in ("L0", "q"))
    slopes = np.stack([np.ones_like(load), load / (100 - load)], axis=1) / j_curve(load, fixed, slope)[:, None]
    weights = np.linalg.pinv(slopes)
    if how == "bootstrap of residuals":
        variance = (weights**2).sum(axis=1) * (np.log(latency / j_curve(load, fixed, slope)) ** 2).sum() / df
    else:
        logs = np.log(latency).reshape(len(LOADS), repeats)
        shares = weights.reshape(2, *logs.shape) * (logs - logs.mean(axis=1, keepdims=True)) * math.sqrt(repeats)
        sums = shares.sum(axis=1) if how == "bootstrap over blocks" else shares
        variance = (sums**2).reshape(2, -1).sum(axis=1) / (repeats - 1)
    wide = [one.high - one.low for one in (fit.parameters["L0"], fit.parameters["q"])]
    assert wide == pytest.approx(2 * stats.t.ppf(0.975, df) * np.sqrt(variance), rel=0.06)


def test_blocks_that_drift_need_to_be_known():
    load, latency, block = trials(2, 1, 8, 0.02, block_noise=0.2, seed=3)
    knees = [fit_j_curve(load, latency, one).parameters["knee"] for one in (block, None)]
    assert (knees[0].high - knees[0].low) < 0.5 * (knees[1].high - knees[1].low)


@pytest.mark.usefixtures("fewer_resamples")
def test_one_trial_per_load_has_an_interval_too():
    inside = 0
    for i in range(100):
        load, latency, _ = trials(2, 1, 1, 0.05, seed=i)
        fit = fit_j_curve(load, latency, seed=i)
        assert fit.identified and fit.interval == "bootstrap of residuals"
        inside += fit.parameters["knee"].low <= 2 / 3 <= fit.parameters["knee"].high
    assert inside >= 88


def test_loads_with_one_trial_among_repeated_ones():
    load, latency, _ = trials(2, 1, 5, 0.05)
    fit = fit_j_curve(load[:-4], latency[:-4])
    assert fit.identified and fit.parameters["q"].low <= 1 <= fit.parameters["q"].high


@pytest.mark.parametrize("cv2,shape", [(0, 0.5), (1, 1.0)])
def test_the_curve_of_a_simulated_server_has_its_q(cv2, shape):
    draw = lindley.constant(1.0) if not cv2 else lindley.exponential(1.0)
    load = np.repeat(LOADS[:-1], 4)
    mean = [
        lindley.resampled(lindley.schedule(rho / 100, 60_000, seed=i), draw, seed=i).mean()
        for i, rho in enumerate(load)
    ]
    fit = fit_j_curve(load, mean)
    assert estimates(fit) == pytest.approx({"L0": 1, "q": shape, "knee": 1 / (1 + shape)}, rel=0.02)


def test_what_is_flat_has_no_bend():
    fit = fit_j_curve(LOADS, np.full(6, 5.0))
    assert estimates(fit) == {"L0": pytest.approx(5), "q": 0, "knee": 1} and "no bend is visible" in fit.sentence


def test_what_vanishes_without_load_has_its_knee_at_0():
    fit = fit_j_curve(LOADS, j_curve(LOADS, 0, 3) * (LOADS / 50) ** 0.05)
    assert estimates(fit)["L0"] == estimates(fit)["knee"] == 0


def test_curves_at_both_ends_are_found_exactly():
    """Without waiting and with nothing else: a search only comes near."""
    size = np.ones((1, len(LOADS)))
    x = LOADS / (100 - LOADS)
    assert all(solve(x, size, np.log(unit * x)[None])[0][0] == 0 for unit in np.geomspace(1e-3, 1e9, 20))
    x, size = np.array([7, 39, 40, 47]) / np.array([93, 61, 60, 53]), np.array([[7.0, 1, 7, 2]])
    assert solve(x, size, np.log(1249.5981140460808) * size)[1][0] == 0


# --- what is fitted --------------------------------------------------------------------------------------------------


def test_loads_above_90_percent_are_left_out():
    loads = np.array([10, 30, 50, 70, 90, 95, 100, 110.0])
    latency = np.array([*j_curve(loads[:5], 2, 1), 9e3, 9e4, 9e5])
    fit = fit_j_curve(loads, latency)
    assert estimates(fit)["L0"] == pytest.approx(2) and fit.details["loads"] == [10, 30, 50, 70, 90]
    assert "loads above 90 % are not fitted (95 %, 100 %, 110 %)" in fit.sentence


def test_a_bathtub_is_fitted_from_its_minimum_on():
    loads = np.array([1, 5, 10, 30, 50, 70, 80, 90.0])
    wakes = np.where(loads < 10, 40 / loads, 0)
    load, latency, _ = trials(2, 1, 5, 0.03, loads=loads)
    for fit in (fit_j_curve(loads, j_curve(loads, 2, 1) + wakes), fit_j_curve(load, latency + np.repeat(wakes, 5))):
        assert fit.details["loads"] == [10, 30, 50, 70, 80, 90]
        assert "latency falls up to a load of 10 % and is fitted from there on" in fit.sentence
        assert estimates(fit)["knee"] == pytest.approx(2 / 3, rel=0.05)


@pytest.mark.usefixtures("fewer_resamples")
def test_noise_and_small_falls_are_no_bathtub():
    """A curve that is all but flat has its least latency anywhere."""
    for seed in range(50):
        load, latency, _ = trials(2, 0.001, 5, 0.1, seed=seed)
        assert fit_j_curve(load, latency).details["loads"] == LOADS.tolist()
    for first, loads in ((1.04, LOADS), (1.06, LOADS[1:])):
        fall = j_curve(LOADS, 2, 0.001) * np.array([first, 1, 1, 1, 1, 1])
        assert fit_j_curve(np.repeat(LOADS, 3), np.repeat(fall, 3)).details["loads"] == loads.tolist()


def test_a_curve_that_is_off_by_a_quarter_is_no_j():
    """The middle of a flat curve lies higher by a factor; the best curve takes a part of it."""
    load = np.repeat(LOADS, 3)
    fits = [fit_j_curve(load, np.where(load == 40, factor, 1.0)) for factor in (1.26, 1.4)]
    assert [fit.identified for fit in fits] == [True, False]
    assert "Latency at 40 % is 1.3 times that of the best curve" in fits[1].sentence


def test_too_few_loads_are_not_identified():
    falling = fit_j_curve([10, 30, 50, 70, 80], [50, 40, 30, 20, 10])
    assert "falls up to a load of 80 %" in falling.sentence
    for fit in (falling, fit_j_curve([10, 50, 80], [1, 2, 5]), fit_j_curve([10, 50, 80, 95], [1, 2, 5, 9])):
        assert not fit.identified and fit.model is None and "(4 are needed)" in fit.sentence
        assert "cannot be identified here" in fit.sentence
        assert json.loads(json.dumps(fit.to_dict(), allow_nan=False))["parameters"]["knee"]["estimate"] is None
    assert fit_j_curve([95, 99], [1, 2]).details["loads"] == []


@pytest.mark.usefixtures("fewer_resamples")
def test_what_is_no_j_is_not_fitted():
    """A cliff at 60 %, with trials that repeat and with one each; noise alone is none."""
    cliff = np.array([1, 1, 1, 40, 41, 42.0])
    for repeats in (1, 5):
        load, latency, _ = trials(1, 0.001, repeats, 0.02)
        fit = fit_j_curve(load, latency * np.repeat(cliff, repeats))
        assert fit.model is None and "does not follow W = L0 + q rho / (1 - rho)" in fit.sentence, fit.sentence
    assert all(fit_j_curve(*trials(2, 1, 5, 0.3, seed=seed)[:2]).identified for seed in range(30))


def test_the_measured_load_replaces_the_nominal_one():
    load, latency, _ = trials(2, 1, 5, 0)
    real = load / 100 * 0.8
    slower = 2 + real / (1 - real)
    fit = fit_j_curve(load, slower, utilisation=real)
    assert estimates(fit) == pytest.approx({"L0": 2, "q": 1, "knee": 2 / 3}) and "the measured ones" in fit.sentence
    near = fit_j_curve(load, latency, utilisation=load / 100 * 1.05)
    assert "differ" not in near.sentence and near.details["loads"] == [10, 20, 40, 60, 80]
    real[::5] *= 1.2  # of one trial of each load: their median stands
    assert estimates(fit_j_curve(load, slower, utilisation=real)) == pytest.approx({"L0": 2, "q": 1, "knee": 2 / 3})
    load[load == 90] = 95
    assert fit_j_curve(load, slower, utilisation=real).details["loads"] == [10, 20, 40, 60, 80]


def test_few_blocks_have_no_interval():
    fit = fit_j_curve(*trials(2, 1, 2, 0.05))
    assert not fit.identified and fit.interval == "none" and math.isnan(fit.parameters["q"].low)
    assert "fewer than 3 blocks have no interval" in fit.sentence
    assert fit_j_curve(*trials(2, 1, 3, 0.05)).identified


@pytest.mark.parametrize(
    "load,latency,blocks,words",
    [
        ([], [], None, "every trial needs its load and latency"),
        ([10, 20], [1], None, "every trial needs its load and latency"),
        ([10, 20], [1, 2], [1], "every trial needs"),
        ([10, 0], [1, 1], None, "load must be positive"),
        ([10, 20], [1, -1], None, "latency must be positive"),
        ([10, 20], [1, math.nan], None, "latency must be positive and finite"),
        ([10, math.inf], [1, 1], None, "load must be positive and finite"),
        ([10, 121], [1, 1], None, "give percent of capacity, up to 120"),
        ([0.1, 0.9], [1, 1], None, "loads go up to 0.9; give percent"),
    ],
)
def test_what_cannot_be_fitted_is_refused(load, latency, blocks, words):
    with pytest.raises(LabError, match=words):
        fit_j_curve(load, latency, blocks)


def test_a_measured_load_must_be_one():
    with pytest.raises(LabError, match="measured load must be positive"):
        fit_j_curve(LOADS, LOADS, utilisation=[0.1, 0.2, 0.4, 0.6, 0.8, 0])


# --- files -----------------------------------------------------------------------------------------------------------


def written(path, header, *columns):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in zip(*columns, strict=True))]))
    return path


def test_a_file_gives_what_its_columns_give(tmp_path):
    load, latency, block = trials(2, 1)
    path = tmp_path / "a.csv"
    assert fit_j_curve_csv(written(path, "load,latency", load, latency)) == fit_j_curve(load, latency).to_dict()
    told = fit_j_curve_csv(written(path, "block,latency,load", (f"b{one}" for one in block), latency, load))
    assert told == fit_j_curve(load, latency, block).to_dict() and told["interval"] == "bootstrap over blocks"


def test_samples_of_one_trial_are_one(tmp_path):
    """Three samples of each trial, one of them far off; a trial's name at another load is another trial's."""
    load, latency, number = trials(2, 1)
    three = (np.repeat(load, 3), np.outer(latency, [0.9, 1, 7]).ravel(), np.repeat([f"t{one}" for one in number], 3))
    told = fit_j_curve_csv(written(tmp_path / "a.csv", "load,latency,trial", *three))
    assert told["rows"] == 36
    assert told["parameters"]["L0"]["estimate"] == pytest.approx(estimates(fit_j_curve(load, latency))["L0"])


@pytest.mark.parametrize(
    "rows,words",
    [
        ("load,latency\n10,1\n0,1", ":3: load 0 is not above 0"),
        ("load,latency\n-10,1", ":2: load -10 is not above 0"),
        ("load,latency\n130,1", ":2: load 130 .* give percent of capacity"),
        ("load,latency\n10,0", ":2: latency 0 is not positive"),
        ("load,latency\n10,1e300", ":2: latency 1e\\+300 is not positive"),
        ("load,latency\n10,nan", ":2: latency 'nan' is not finite"),
        ("load\n10", ":1: column 'latency' is missing"),
        ("load,latency,trial\n10,1,", ":2: trial is missing"),
        ("load,latency,block\n10,1", ":2: block is missing"),
        ("load,latency\n0.1,1\n0.9,2", "a.csv: j-curve: loads go up to 0.9"),
    ],
)
def test_a_wrong_row_is_named(tmp_path, rows, words):
    path = tmp_path / "a.csv"
    path.write_text(rows)
    with pytest.raises(LabError, match=words):
        fit_j_curve_csv(path)


@pytest.mark.parametrize(("law", "median"), [("exponential", mm1_median), ("constant", md1_median)])
def test_yardsticks_of_medians_are_fits_to_the_exact_medians(law, median):
    """The q of a median is not that of a mean: 0.34 and not a half where service is constant."""
    load = np.arange(10.0, 91, 10)
    fit = fit_j_curve(load, median(load / 100, 1.0))
    slope, bend = YARDSTICKS[law]
    assert fit.parameters["q"].estimate == pytest.approx(slope, abs=0.01)
    assert fit.parameters["knee"].estimate == pytest.approx(bend, abs=0.01)
    assert f"{law} service has a q of {slope:g}" in RULE
