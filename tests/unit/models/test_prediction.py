"""Predicted against measured, what predictions start from, and what cannot be identified."""

import math

import numpy as np
import pytest

from pipeline.ground.errors import LabError
from pipeline.models import lindley, queueing, service_costs
from pipeline.models.fit import Estimate
from pipeline.models.prediction import CONTROL, WITHHELD, prediction, where_steady

# --- predicted over measured -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ratios,verdict",
    [
        ([0.8, 1.0, 1.25], "explains it"),
        ([0.79, 1.0, 1.25], "undecided"),
        ([0.8, 1.0, 1.26], "undecided"),
        ([0.7, 0.75, 0.79], "does not explain it"),
        ([1.26, 1.3, 1.4], "does not explain it"),
        ([0.5, 1.0, 2.0], "undecided"),
    ],
)
def test_the_whole_interval_decides(ratios, verdict):
    fit = prediction(ratios, "M/D/1")
    assert fit.details["verdict"] == verdict and fit.identified and verdict in fit.sentence
    assert fit.sentence.startswith("M/D/1")
    assert fit.parameters["ratio"] == Estimate(np.median(ratios), min(ratios), max(ratios))


def test_a_control_is_judged_more_strictly():
    assert prediction([0.92, 1.0, 1.08], within=CONTROL).details["verdict"] == "explains it"
    assert prediction([0.8, 1.0, 1.2], within=CONTROL).details["verdict"] == "undecided"


def control(*ratios):
    return prediction(ratios, within=CONTROL)


@pytest.mark.parametrize(
    ("controls", "said"),
    [
        ({"constant": control(0.763, 0.9, 1.13)}, "not within 0.9 to 1.1 (constant at 0.9 [0.763, 1.13; 75 %])"),
        ({"constant": control(0.95, 1, 1.05), "exponential": control(0.7, 0.75, 0.8)}, "(exponential at 0.75"),
        ({"constant": control(1.0, 1.0)}, "(constant at 1)"),
        ({}, "no positive control was measured"),
    ],
)
def test_without_good_controls_there_is_no_verdict(controls, said):
    """An undecided control is no good one: on a guest with controls at 0.763 to 1.13 verdicts stood all the same."""
    fit = prediction([0.98, 1.0, 1.02], "The queue", controls=controls)
    assert fit.details["verdict"] == WITHHELD == fit.short and fit.parameters["ratio"].estimate == 1
    assert "The queue: no verdict, for " in fit.sentence and said.replace("; 75 %", "") in fit.sentence
    assert "explains it" not in fit.sentence and "unless every positive control" in fit.kind.rule


def test_good_controls_let_a_model_be_judged():
    controls = {"constant": control(0.95, 1, 1.05), "exponential": control(0.92, 1, 1.08)}
    assert prediction([0.9, 1.0, 1.2], controls=controls).details["verdict"] == "explains it"
    assert prediction([0.5, 0.6, 0.7], controls=controls).details["verdict"] == "does not explain it"
    assert not prediction([1.0], controls={}).identified


def test_few_trials_are_not_judged():
    for ratios in ([], [1.0], [1.0, 1.0]):
        fit = prediction(ratios)
        assert not fit.identified and "verdict" not in fit.details and f"Too few trials ({len(ratios)})" in fit.sentence
    for wrong in ([1, 0], [1, -1], [math.nan], [math.inf]):
        with pytest.raises(LabError, match="positive and finite"):
            prediction(wrong)


def test_an_overloaded_iteration_has_no_prediction():
    rate, service = np.array([0.5, 0.5, 0.5, 0.5, 0.5]), np.array([1.0, 1.0, 3.0, 1.9, np.nan])
    predicted = where_steady(queueing.md1, rate, service)
    assert predicted[:2].tolist() == [1.5, 1.5] and np.isnan(predicted).tolist() == [0, 0, 1, 0, 1]
    assert np.isnan(where_steady(queueing.md1, 2.0, 1.0)).all()


@pytest.mark.parametrize("law", ["exponential", "constant"])
def test_a_simulated_server_is_explained_by_its_moments(law):
    """Six trials at 80 %: services measured apart, the wait predicted from them."""
    draw = getattr(lindley, law)(2.0)
    ratios = []
    for seed in range(6):
        arrivals = lindley.schedule(0.4, 100_000, seed=seed)
        samples = draw(np.random.default_rng(seed), 20_000)
        ratios.append(
            queueing.mg1(0.4, samples.mean(), samples.var()) / lindley.resampled(arrivals, draw, seed=seed).mean()
        )
    assert prediction(ratios, within=CONTROL).details["verdict"] == "explains it"


# --- capacity --------------------------------------------------------------------------------------------------------


def test_a_capacity_and_what_it_needs():
    good = service_costs.capacity([9e6, 10e6, 11e6], generator=[15e6])
    assert good.identified and good.parameters["capacity"] == Estimate(10e6, 9e6, 11e6)
    assert "The capacity is 10 [9, 11] M events/s." == good.sentence
    for rates, generator, why in (
        ([10e6, 10e6], None, "only 2 trials"),
        ([8.9e6, 10e6, 11e6], None, "wide to each side"),
        ([9e6, 10e6, 11e6], [14.9e6, 14.9e6], "but 1.49 times as fast"),
    ):
        fit = service_costs.capacity(rates, generator)
        assert not fit.identified and "cannot be identified here" in fit.sentence and why in fit.sentence
    for wrong in ([], [math.nan], [0.0]):
        with pytest.raises(LabError):
            service_costs.capacity(wrong)
    with pytest.raises(LabError, match="positive"):
        service_costs.capacity([1, 1, 1], [0])


# --- batches ---------------------------------------------------------------------------------------------------------


def sums(sizes, trials=5, a=50.0, b=7.0, noise=3.0, seed=1):
    """The arguments of `batch_cost` for trials of the same batch sizes."""
    rng, rows = np.random.default_rng(seed), []
    for _ in range(trials):
        n = np.array(sizes, dtype=float)
        took = a + b * n + rng.normal(0, noise, len(n))
        counts = np.bincount(np.floor(np.log2(n)).astype(int), minlength=17)
        rows.append((len(n), n.sum(), took.sum(), (n**2).sum(), (n * took).sum(), counts))
    return [np.array(column) for column in zip(*rows, strict=True)]


def test_the_cost_of_batches_is_found():
    sizes = np.repeat([1, 2, 5, 17], 40)
    exact = service_costs.batch_cost(*sums(sizes, noise=0))
    assert exact.identified
    assert [exact.parameters[name].estimate for name in "ab"] == pytest.approx([50, 7])
    assert "a = 50 [50, 50] ns and b = 7 [7, 7] ns" in exact.sentence
    noisy = service_costs.batch_cost(*sums(sizes)).parameters
    assert noisy["a"].estimate == pytest.approx(50, rel=0.02) and noisy["b"].estimate == pytest.approx(7, rel=0.02)


@pytest.mark.parametrize("sizes", [[1, 2, 8], [4, 10, 32]])
def test_costs_are_identified_from_just_enough(sizes):
    """Three sizes of thirty batches, over a factor of 8; one more trial has batches of one only, and one has none."""
    columns = sums(np.repeat(sizes, 10), trials=3, noise=0)
    for name, more in enumerate(sums([1] * 9, trials=1, noise=0)):
        columns[name] = np.concatenate([columns[name], more, 0 * more])
    fit = service_costs.batch_cost(*columns)
    assert fit.identified and fit.parameters["b"].estimate == pytest.approx(7)


@pytest.mark.parametrize(
    "sizes,how,why",
    [
        (np.repeat([4], 40), {}, "1 size of batches was seen 30 times"),
        (np.repeat([1, 20], 40), {}, "2 sizes of batches were seen 30 times"),
        (np.repeat([1, 2, 4], 40), {}, "3 sizes of batches were seen 30 times (3, over a factor 8"),
        (np.repeat([4, 8, 16], 40), {}, "3 sizes"),
        ([1] * 40 + [2] * 40 + [16] * 5, {}, "2 sizes"),
        (np.repeat([1, 2, 16], 40), {"trials": 2}, "only 2 trials have batches of several sizes"),
        (np.repeat([1, 2, 16], 40), {"b": -1.0}, "batches of more events take no longer"),
    ],
)
def test_costs_that_cannot_be_identified(sizes, how, why):
    fit = service_costs.batch_cost(*sums(sizes, **how))
    assert not fit.identified and why in fit.sentence and math.isnan(fit.parameters["b"].estimate)
    assert "a+b" not in fit.parameters


def test_the_cost_of_a_batch_of_one_is_known_where_there_is_no_other():
    fit = service_costs.batch_cost(*(np.concatenate([one, 0 * one[:1]]) for one in sums([1] * 50, noise=0)))
    assert not fit.identified and fit.parameters["a+b"].estimate == pytest.approx(57)
    assert "a batch of one takes 57 [57, 57] ns" in fit.sentence
    assert "a+b" not in service_costs.batch_cost(*sums([1] * 50 + [2] * 3)).parameters


def test_wrong_sums_are_refused():
    columns = sums([1, 2, 3])
    for place, wrong in ((0, np.full(5, -1.0)), (2, np.full(5, np.nan)), (1, np.ones(4)), (5, np.zeros((4, 17)))):
        bad = list(columns)
        bad[place] = wrong
        with pytest.raises(LabError, match="remove incomplete trials"):
            service_costs.batch_cost(*bad)
