"""What a reader must know of a run before its numbers: it was measured beside other work, or is not complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.measure import noise
from pipeline.publish.page import raw

# A quiet host has up to 3 % of its trials marked (docs/referees.md).
MANY = 0.05


def banners(bundle: Bundle) -> str:
    """The banners of a run's first page; empty for a complete run on a quiet host."""
    lines = bundle.journal()
    return _busy(lines) + _incomplete(f"RUN={bundle.name} PROFILE={bundle.info['profile']}", lines)


def _busy(lines: Sequence[dict]) -> str:
    """Told when measuring began on a busy host, or many trials are noisy: the share, why, and what to do."""
    measured = [line for line in journal.trials(lines) if line["status"] == journal.MEASURED]
    reasons = noise.judged(measured)
    kinds = Counter(noise.kind_of(reason) for of_trial in reasons.values() for reason in of_trial)
    noisy = sum(bool(of_trial) for of_trial in reasons.values())
    told = journal.busy(lines)
    if not told and noisy <= MANY * len(measured):
        return ""
    share = f"{100 * noisy / len(measured):.0f} % of its {len(measured):,} trials" if measured else "none of its trials"
    items = [f"{kind}, {count:,} trials: {noise.ADVICE[kind]}" for kind, count in kinds.most_common()]
    items += told
    items.append(
        "What the noise may have decided is called inconclusive. For numbers to rely on, measure again on a quiet "
        "host, under another name: make report RUN=<name>"
    )
    return _banner("danger", f"Measured beside other work: {share} are noisy", items)


def _incomplete(run: str, lines: Sequence[dict]) -> str:
    planned = [line["experiment"] for line in lines if line.get("event") == "planned"]
    ended = [name for name in planned if journal.finished(lines, name)]
    if len(ended) == len(planned):
        return ""
    trials = len(journal.trials(lines))
    title = f"This run is not complete: {len(ended)} of {len(planned)} experiments are measured to their end"
    items = [f"{trials:,} trials are measured; what is missing below was not measured yet."]
    return _banner("warning", title, [*items, f"To go on: make report {run}"])


def _banner(kind: str, title: str, items: Sequence[str]) -> str:
    told = "".join(f"<li>{escape(item)}</li>" for item in items)
    head = f'<p class="admonition-title">{escape(title)}</p>'
    return raw(f'<div class="admonition {kind} lab-doubt">{head}<ul>{told}</ul></div>')
