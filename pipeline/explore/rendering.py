"""A state rendered: the chart, and the words below it."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.explore import captions, charts, data, timeline_chart, times, views
from pipeline.explore.overlay import Overlaid
from pipeline.explore.selection import NOTHING, Opened
from pipeline.explore.state import State, span
from pipeline.words.numbers import counted

Seen = tuple[charts.Spec | None, str]


def view(opened: Sequence[Opened], state: State, width: int = charts.WIDTH, overlaid: Overlaid | None = None) -> Seen:
    """The chart of a state (None: there is none, a sentence says why), and what stands below it.

    overlaid: the comparison of the two runs, whose verdict is the title. LabError for limits that cannot be read.
    """
    if not state.metric:
        return None, captions.notes([NOTHING])
    spec, below = VIEWS[state.view](opened, state, width)
    if overlaid is None or spec is None:
        return spec, below
    metric = opened[0].lab.entry.metrics[state.metric].label
    first, *rest = overlaid.sentences(state, state.by if state.view == "estimates" else "")
    return spec | {"title": charts.title(f"{metric}: {first}", width)}, captions.notes(rest) + below


def _estimates(opened: Sequence[Opened], state: State, width: int) -> Seen:
    shown = data.estimates(opened, state)
    if shown.tables["points"].empty:
        return None, captions.notes([NOTHING])
    metric = opened[0].lab.entry.metrics[state.metric]
    spec = views.estimates(shown, unit=metric.unit, label=metric.label, by=state.by, width=width, ends=span(state))
    marks = "Points are medians over trials with their interval, small ones the trials (hollow: noisy or not steady)."
    same = (
        "Medians are the run's own, which leave out doubtful trials where six others are left." if state.settled else ""
    )
    return spec, captions.notes([marks, same, captions.HOW, *shown.notes])


def _histogram(opened: Sequence[Opened], state: State, width: int) -> Seen:
    state = _unit(opened, state)
    shown = data.histogram(opened, state)
    if "bins" not in shown.tables:
        return None, captions.notes([*shown.notes, NOTHING])
    spec = views.histogram(shown, state, label=_label(state), width=width)
    return spec, captions.notes([_samples(opened, shown, state), captions.HOW, *shown.notes])


def _percentiles(opened: Sequence[Opened], state: State, width: int) -> Seen:
    state = _unit(opened, state)
    shown = data.percentile_curves(opened, state)
    if shown.tables["curves"].empty:
        return None, captions.notes([*shown.notes, NOTHING])
    spec = views.percentiles(shown, state, label=_label(state), clock=opened[0].lab.clock, width=width)
    below = captions.percentile_table(shown, state)
    thin = "All trials' samples together; thin: fewer than ten samples beyond."
    return spec, below + captions.notes([thin, _samples(opened, shown, state), captions.HOW, *shown.notes])


def _timeline(opened: Sequence[Opened], state: State, width: int) -> Seen:
    shown = times.timeline(opened, state)
    if not shown.curves:
        return None, captions.notes([*shown.notes, NOTHING])
    spec = timeline_chart.timeline(shown, label="Cost per operation", width=width, ends=span(state))
    trials = "; ".join(shown.tables["points"]["trial"].unique())
    marks = "Hollow: warm-up, which no percentile has. No number: fewer than ten samples beyond."
    return spec, captions.notes([captions.BRUSH, marks, f"Trials: {trials}.", *shown.notes])


def _trials(opened: Sequence[Opened], state: State, width: int) -> Seen:
    lab, rows = opened[0].lab, data.trials(opened, state)
    if rows.empty:
        return None, captions.notes([NOTHING])
    metric = lab.entry.metrics[state.metric]
    noisy = int(rows["noisy"].sum())
    told = f"{counted(len(rows), 'trial')} of this choice, {noisy} noisy."
    return None, captions.notes([told]) + captions.trials_table(rows, metric.unit, metric.label)


def _unit(opened: Sequence[Opened], state: State) -> State:
    return data.with_cycles(state, data.curves(opened, state)[0]) if state.unit != "ns" else state


def _label(state: State) -> str:
    return "Time per sample" if state.unit == "ns" else "Cycles per sample"


def _samples(opened: Sequence[Opened], shown: data.Shown, state: State) -> str:
    return f"A sample is the {opened[0].lab.entry.value.strip()}; series {state.series}, phase {state.phase}."


VIEWS = {
    "estimates": _estimates,
    "histogram": _histogram,
    "percentiles": _percentiles,
    "timeline": _timeline,
    "trials": _trials,
}
