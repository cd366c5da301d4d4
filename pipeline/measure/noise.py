"""Host noise of one trial: the rules that judge the facts that were recorded of it (`pipeline.measure.facts`).

`judge` judges one trial's facts, `judged` all trials of a configuration together; both are pure, so that measuring
(what to repeat) and ingest (what to show) agree and an archived run is judged anew. A trial that names its CPUs is
judged by what others did there: by steal, by CPU used by others on them and on the hardware threads beside them, and by
how long its workers waited. One that names none may run anywhere, and is judged by the whole machine; so are those of
an old run, for a fact that it lacks is not judged. A trial whose container's quota of CPU time ran out stood still for
that reason, whatever else was seen meanwhile.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.host import quota
from pipeline.plan.plan import key_of


@dataclass(frozen=True)
class Limits:
    """Above these a trial is noisy; docs/referees.md gives the studies that the standing ones rest on.

    In percent: steal and CPU used by others of the capacity of the trial's CPUs, or of all; use of a hardware thread
    beside them, which costs less than use of the CPU itself; time that a worker waited for others; drift of the
    calibration floor; pressure in points above the median of the trial's own configuration, for two threads on one CPU
    press each other without any noise; of the trial's time what a quota held its threads back, on all CPUs together.
    """

    steal_pct: float = 10.0
    drift_pct: float = 20.0
    foreign_pct: float = 10.0
    sibling_pct: float = 20.0
    run_delay_pct: float = 10.0
    psi_above_pct: float = 20.0
    throttled_pct: float = 5.0


LIMITS = Limits()
STEAL, DRIFT, FOREIGN = "steal", "calibration floor drifted", "other processes used"
SIBLING, WAITING = "a sibling of its CPUs was used", "waited for a CPU"
QUOTA = "its container's quota"
MOVED = "its CPUs were moved"
ADVICE = {  # the first words of a reason -> what to do about it
    STEAL: "the hypervisor gave the CPU to others; measure at another time, or on a host that is not shared",
    DRIFT: "the clock frequency changed; fix the frequency (governor, turbo) or let the host cool",
    FOREIGN: "stop them, or let the run wait for them with --wait MINUTES",
    SIBLING: "two hardware threads share a core; stop what runs there, or let the run wait for it with --wait MINUTES",
    QUOTA: "raise it (docker run --cpus, limits.cpu of Kubernetes, CPUQuota of systemd), or end what else runs in it",
    MOVED: "measure at another time, or on a host that is not shared",
    WAITING: "other work took the CPU for a while; stop it, or let the run wait for it with --wait MINUTES",
}
FEWEST_PEERS = 3  # trials whose median is a level of pressure


def judge(facts: Mapping[str, float] | None, limits: Limits = LIMITS) -> list[str]:
    """Why a trial counts as noisy, from its recorded facts; empty when it is quiet, or was never measured (None).

    What a counter in ticks tells must exceed its limit by more than the counter's error, large for a short trial.
    """
    if not facts:
        return []
    reasons = []
    own = "cpus_foreign_pct" in facts
    if steal_pct(facts) > limits.steal_pct:
        reasons.append(_reason(STEAL, f"{steal_pct(facts):.1f} %"))
    if abs(drift_pct(facts)) > limits.drift_pct:
        reasons.append(_reason(DRIFT, f"{drift_pct(facts):+.1f} %"))
    if ran_out(facts, limits):
        # Who stands still waits, and others use the CPU meanwhile: both are its consequences.
        share = f"{facts['throttled_pct']:.1f} % of one CPU's time"
        return [*reasons, _reason(QUOTA, f"of {quota.words(facts['quota_cpus'])} ran out, {share}")]
    foreign, error = facts.get("foreign_pct", 0.0), facts.get("foreign_error_pct", 0.0)
    if own:
        foreign, error = facts["cpus_foreign_pct"], facts["cpus_error_pct"]
    if foreign - error > limits.foreign_pct:
        reasons.append(_reason(FOREIGN, f"{foreign:.1f} % of {'its' if own else 'all'} CPUs"))
    sibling = facts.get("sibling_foreign_pct", 0.0)
    if own and sibling - error > limits.sibling_pct:
        reasons.append(_reason(SIBLING, f"{sibling:.1f} % of the time"))
    waited = facts.get("run_delay_pct", 0.0)
    if waited > limits.run_delay_pct:
        reasons.append(_reason(WAITING, f"{waited:.1f} % of the time"))
    return reasons


def judge_together(several: Sequence[Mapping[str, float] | None], limits: Limits = LIMITS) -> list[list[str]]:
    """`judge` of every trial of one configuration, and beside it what only the others of the configuration tell:
    pressure above their median. Too few trials have no such level. Pressure is the whole machine's: it tells nothing
    of a trial whose workers say themselves how long they waited."""
    levels = [_pressure(one) for one in several if one]
    usual = statistics.median(levels) if len(levels) >= FEWEST_PEERS else float("inf")
    found = []
    for facts in several:
        reasons = judge(facts, limits)
        tells = facts and "run_delay_pct" not in facts and not ran_out(facts, limits)
        if tells and (pressure := _pressure(facts)) > usual + limits.psi_above_pct:
            reasons.append(_reason(WAITING, f"{pressure:.1f} % of the time, otherwise {usual:.1f} %"))
        found.append(reasons)
    return found


def _reason(kind: str, seen: str) -> str:
    return f"{kind} {seen}: {ADVICE[kind]}"


def moved() -> str:
    """The reason of a trial of which no state has half of the iterations (`pipeline.measure.states`)."""
    return _reason(MOVED, "or their cores shared and left alone again, from iteration to iteration")


def kind_of(reason: str) -> str:
    """Which of ADVICE a reason is."""
    return next(kind for kind in ADVICE if reason.startswith(kind))


def judged(lines: Iterable[Mapping]) -> dict[str, list[str]]:
    """Trial -> why it is noisy (empty: quiet), for the journal's lines of trials, each beside its configuration's."""
    groups = defaultdict(list)
    for line in lines:
        if "trial" in line:
            groups[line["experiment"], key_of(line["variant"], line["runtime"], line["axes"])].append(line)
    return {
        line["trial"]: reasons
        for group in groups.values()
        for line, reasons in zip(group, judge_together([line.get("noise") for line in group]))
    }


def noisy(lines: Sequence[dict]) -> list[dict]:
    """The lines of the noisy trials among these, repeats left out, and what was refused: it would be again."""
    first = [line for line in lines if line.get("attempt") == 0 and line.get("status") != "unsupported"]
    reasons = judged(first)
    return [line for line in first if reasons[line["trial"]]]


def ran_out(facts: Mapping[str, float], limits: Limits = LIMITS) -> bool:
    """Whether the quota of the trial's container ran out for longer than its limit."""
    return "quota_cpus" in facts and facts.get("throttled_pct", 0.0) > limits.throttled_pct


def _pressure(facts: Mapping[str, float]) -> float:
    """The share of the time that somebody waited for a CPU, less that in which a quota may have been why."""
    return max(facts["psi_pct"] - facts.get("throttled_pct", 0.0), 0.0)


def steal_pct(facts: Mapping[str, float]) -> float:
    """How much of the time of the trial's CPUs the hypervisor took, or of all CPUs', in percent."""
    return facts.get("cpus_steal_pct", facts["steal_pct"])


def drift_pct(facts: Mapping[str, float]) -> float:
    """By how much the calibration floor changed across the trial, in percent."""
    return 100.0 * (facts["floor_after_ns"] / facts["floor_before_ns"] - 1.0)
