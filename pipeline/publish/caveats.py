"""Caveats, which a reader must know of a run before its numbers: how noisy its host was, and whether it is complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.measure import noise
from pipeline.publish.page import raw

# A quiet host has up to 3 % of its trials marked (docs/referees.md).
MANY = 0.05


@dataclass(frozen=True)
class Noise:
    """Of a run's measured trials those that are noisy, by kind of reason, and what the journal tells of a busy host."""

    measured: int
    noisy: int
    kinds: Counter
    told: Sequence[str]

    @classmethod
    def of(cls, lines: Sequence[dict]) -> Noise:
        measured = [line for line in journal.trials(lines) if line["status"] == journal.MEASURED]
        reasons = noise.judged(measured)
        kinds = Counter(noise.kind_of(reason) for of_trial in reasons.values() for reason in of_trial)
        return cls(len(measured), sum(map(bool, reasons.values())), kinds, journal.busy(lines))

    @property
    def quiet(self) -> bool:
        return not self.told and self.noisy <= MANY * self.measured

    @property
    def share(self) -> str:
        return f"{100 * self.noisy / self.measured:.0f} %" if self.measured else "none"


def sign(bundle: Bundle) -> str:
    """Quiet or noisy, at first sight."""
    seen = Noise.of(bundle.journal())
    if not seen.measured:
        return '<span class="lab-badge inconclusive">? no trial is measured</span>'
    word, css, mark = ("quiet", "reproduced", "●") if seen.quiet else ("noisy", "not-reproduced", "▲")
    return (
        f'<span class="lab-badge {css}">{mark} {word} host</span> {seen.noisy:,} of {seen.measured:,} trials '
        f"({seen.share}) were disturbed"
    )


def banners(bundle: Bundle) -> str:
    """The banners of a run's first page; empty for a complete run on a quiet host."""
    lines = bundle.journal()
    return _busy(lines) + _incomplete(f"RUN={bundle.name} PROFILE={bundle.info['profile']}", lines)


def _busy(lines: Sequence[dict]) -> str:
    """Told when measuring began on a busy host, or many trials are noisy: the share, why, and what to do."""
    seen = Noise.of(lines)
    if seen.quiet:
        return ""
    items = [f"{kind}, {count:,} trials: {noise.ADVICE[kind]}" for kind, count in seen.kinds.most_common()]
    items += seen.told
    items.append(
        "What the noise may have decided is called inconclusive. For numbers to rely on, measure again on a quiet "
        "host, under another name: make report RUN=<name>"
    )
    noisy = f": {seen.share} of its {seen.measured:,} trials are noisy" if seen.measured else ""
    return banner("danger", f"Measured while other work ran{noisy}", items)


def _incomplete(run: str, lines: Sequence[dict]) -> str:
    planned = [line["experiment"] for line in lines if line.get("event") == "planned"]
    ended = [name for name in planned if journal.finished(lines, name)]
    if len(ended) == len(planned):
        return ""
    trials = len(journal.trials(lines))
    title = f"This run is not complete: {len(ended)} of {len(planned)} experiments are measured to their end"
    items = [f"{trials:,} trials are measured; what is missing below was not measured yet."]
    return banner("warning", title, [*items, f"To go on: make report {run}"])


def banner(kind: str, title: str, items: Sequence[str]) -> str:
    """A warning in a line, what it is about folded below; `items` are plain text."""
    told = "".join(f"<li>{escape(item)}</li>" for item in items)
    return raw(
        f'<details class="admonition {kind} lab-doubt"><summary class="admonition-title">{escape(title)}</summary>'
        f"<ul>{told}</ul></details>"
    )
