"""The report's first page: what was found, figures, claims with their verdicts, noise, and the host in words."""

from __future__ import annotations

import json
import math
from collections import Counter
from html import escape
from pathlib import Path

import pandas as pd

from pipeline.analyse.source import Source
from pipeline.bundle import journal
from pipeline.bundle.bundle import Bundle
from pipeline.draw.style import runtime_label
from pipeline.host import fingerprint
from pipeline.measure import noise
from pipeline.publish import doubts
from pipeline.publish.page import Page, raw
from pipeline.words import LEVEL, interval, number, percent

# A sign and a word beside the colour: the table must be readable in black and white.
VERDICTS = {"reproduced": "✓", "not reproduced": "✗", "inconclusive": "?", "not yet tested": "–"}
NOT_VISIBLE = fingerprint.UNKNOWN
SENTENCES = 4  # of every experiment; its own page has them all


def table(header: list[str], rows: list[list[str]], css: str = "") -> str:
    """An HTML table that scrolls sideways where it does not fit; header and cells are HTML."""
    head = "".join(f'<th scope="col">{name}</th>' for name in header)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    head = f"<thead><tr>{head}</tr></thead>" if header else ""
    return f'<div class="lab-scroll"><table class="lab-table {css}">{head}<tbody>\n{body}</tbody></table></div>'


def badge(verdict: str) -> str:
    """A verdict with sign, word and colour."""
    css = verdict.replace(" ", "-")
    return f'<span class="lab-badge {css}">{VERDICTS.get(verdict, "")} {escape(verdict)}</span>'


def effect(row: dict) -> str:
    """`0.25 [0.2, 0.3]`, or empty without an effect."""
    if row["effect"] is None or not math.isfinite(row["effect"]):
        return ""
    return f"<b>{escape(interval(row['effect'], row['low'], row['high'], row['unit'], row['level']))}</b>"


def rests_on(run: str, row: dict) -> str:
    """Folded below a verdict: metric, configurations, trials and blocks of its effects, and the command that prints
    them."""
    sources = [Source(**one) for one in json.loads(row["sources"])]
    if not sources:
        return ""
    items = "".join(f"<li>{escape(source.words())}</li>" for source in sources)
    command = f"lab claims --run {run} --claim {row['claim']}"
    items += f"<li><code>{escape(command)}</code></li>"
    return f'<details class="lab-rests"><summary>rests on</summary><ul>{items}</ul></details>'


def verdicts(pages: list[Page]) -> pd.DataFrame:
    """The verdicts of all experiments, with their page; empty without any."""
    frames = []
    for page in pages:
        if page.kept.verdicts is not None:
            frames.append(page.kept.verdicts.assign(page=page.href, experiment=page.entry.title))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["claim", "verdict"])


def _failures(pages: list[Page]) -> str:
    failed = [page for page in pages if page.result.failed]
    if not failed:
        return ""
    items = "".join(
        f'<li><a href="{p.href}">{escape(p.entry.title)}</a>: {escape(p.result.failed)}</li>' for p in failed
    )
    many = "1 notebook failed" if len(failed) == 1 else f"{len(failed)} notebooks failed"
    return raw(f'<div class="admonition error"><p class="admonition-title">{many}</p><ul>{items}</ul></div>')


def _changes(bundle: Bundle) -> str:
    """A warning when the host was not in one state throughout the run."""
    told = journal.told(bundle.journal())
    if not told:
        return ""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in told)
    title = "The host changed during this run: trials before and after may differ for that reason"
    return raw(f'<div class="admonition warning"><p class="admonition-title">{title}</p><ul>{items}</ul></div>')


def _summary(bundle: Bundle, pages: list[Page], trials: int, counts: Counter) -> str:
    info = bundle.info
    many = "1 experiment" if len(pages) == 1 else f"{len(pages)} experiments"
    words = [
        f"Run <b>{escape(info['name'])}</b> of {info['created'][:10]}, profile {escape(info['profile'])}, on "
        f"<b>{escape(fingerprint.sentence(info['host']))}</b>: {many}, {trials:,} trials, each in a process of its own."
    ]
    if any(n for verdict, n in counts.items() if verdict != "not yet tested"):
        words.append(
            f"Verdicts on published claims: {counts['reproduced']} reproduced here, {counts['not reproduced']} not, "
            f"{counts['inconclusive']} that this host or this run cannot decide."
        )
    words += [by_chance(pages), "Noisy trials are kept and drawn hollow."]
    chips = "".join(f"<li>{badge(verdict)} <b>{counts[verdict]}</b></li>" for verdict in VERDICTS)
    return raw(f'<p class="lab-summary">{" ".join(words)}</p>\n<ul class="lab-counts">{chips}</ul>')


def by_chance(pages: list[Page]) -> str:
    """How many intervals the run has, estimates' and verdicts', and how many of them miss by chance."""
    frames = [frame for page in pages for frame in (page.kept.estimates, page.kept.verdicts) if frame is not None]
    levels = [level for frame in frames if "level" in frame for level in frame["level"].dropna()]
    if not levels:
        return ""
    missing = sum(1 - level for level in levels)
    lower = " (lower where trials are few, and told there)" if min(levels) < LEVEL else ""
    return (
        f"Intervals are over trials, of {percent(LEVEL)}{lower}, and speak of this run. It has {len(levels):,}, "
        f"of which about {number(missing)} miss their true value by chance alone: one just clear of a limit is "
        "a hint, not a proof. Ratio figures mark what stands when their number is taken into account."
    )


def _found(pages: list[Page]) -> str:
    """The first SENTENCES of what each notebook says that it found; empty where none says anything."""
    text = ""
    for page in pages:
        found = page.kept.found
        if found and not page.result.failed:
            items = "".join(f"<li>{one.html()}</li>" for one in found[:SENTENCES])
            if len(found) > SENTENCES:
                items += f'<li><a href="{page.href}">{len(found) - SENTENCES} more</a></li>'
            text += f"[{page.entry.title}]({page.entry.name}): {page.entry.question}\n\n"
            text += raw(f'<ul class="lab-found">{items}</ul>') + "\n"
    return f"## What was found\n\n{text}" if text else ""


def _noise(bundle: Bundle, pages: list[Page]) -> tuple[str, int]:
    """The table of experiments with how noisy they were and how measuring ended; and the number of trials."""
    lines, rows, total = bundle.journal(), [], 0
    for page in pages:
        measured = [line for line in journal.trials(lines, page.entry.name) if line["status"] == journal.MEASURED]
        noisy = sum(map(bool, noise.judged(measured).values()))
        total += len(measured)
        share = f"{noisy} ({100 * noisy / len(measured):.0f} %)" if measured else ""
        ended = f"failed: {page.result.failed}" if page.result.failed else page.kept.how_it_ended
        title = f'<a href="{page.href}">{escape(page.entry.title)}</a><br><small>{escape(page.entry.question)}</small>'
        rows.append([title, f"{len(measured):,}", share, escape(ended)])
    return raw(table(["Experiment", "Trials", "Noisy", "How measuring ended"], rows, "lab-experiments")), total


def _gallery(pages: list[Page], figures: Path) -> str:
    cards = []
    for page in pages:
        for name in page.figures:
            words = json.loads((figures / f"{name}.json").read_text(encoding="utf-8"))
            alt = escape(words["alt"], quote=True)
            images = f'<img class="only-light" src="figures/{name}.svg" alt="{alt}">'
            images += f'<img class="only-dark" src="figures/{name}-dark.svg" alt="{alt}">'
            title = escape(words.get("title") or words["caption"])
            cards.append(
                f'<a class="lab-card" href="{page.href}">{images}<span>{title}'
                f"<small>{escape(page.entry.title)}</small></span></a>"
            )
    return "## Figures\n\n" + raw(f'<div class="lab-gallery">{"".join(cards)}</div>') if cards else ""


def _by_topic(frame: pd.DataFrame) -> str:
    """The number of verdicts of each kind by topic: a claim asked of two runtimes counts twice."""
    counts = pd.crosstab(frame["topic"], frame["verdict"])
    kinds = [verdict for verdict in VERDICTS if verdict in counts]
    rows = [[escape(topic), *(str(counts.loc[topic, kind]) for kind in kinds)] for topic in counts.index]
    return table(["Topic", *(badge(kind) for kind in kinds)], rows, "lab-topics")


def _claims(run: str, frame: pd.DataFrame, untested: pd.DataFrame) -> str:
    rows = [
        [
            f'<a href="{row["page"]}">{escape(row["claim"])}</a>',
            f"{escape(row['text'])}<br><small>{escape(str(row['reason'] or ''))}</small>{rests_on(run, row)}",
            escape(runtime_label(str(row["scope"] or ""))),
            badge(row["verdict"]),
            effect(row),
        ]
        for row in frame.to_dict("records")
    ]
    text = "## Published claims\n\n"
    if rows:
        text += raw(_by_topic(frame))
        text += raw(
            table(
                ["Claim", "What was published, and why the verdict", "Scope", "Verdict", "Effect here"],
                rows,
                "lab-claims",
            )
        )
    if len(untested):
        rest = [
            [escape(row["claim"]), escape(row["topic"]), escape(row["text"])] for row in untested.to_dict("records")
        ]
        rest_table = table(["Claim", "Topic", "What was published"], rest)
        text += raw(
            f"<details><summary>{len(rest)} published claims are not yet tested by this report</summary>"
            f"{rest_table}</details>"
        )
    return text if rows or len(untested) else ""


def _host(bundle: Bundle) -> str:
    info = bundle.info
    seen, cpu, io = info["host"], info["host"]["cpu"], info["host"]["io"]
    facts = {
        "Processor": f"{cpu['model']} ({cpu['architecture']})",
        "CPUs": f"{cpu['cpus']} usable",
        "Topology as reported": f"sockets: {cpu['sockets']}, cores per socket: {cpu['cores_per_socket']}, threads per "
        f"core: {cpu['threads_per_core']}, NUMA nodes: {cpu['numa_nodes']}",
        "Caches": ", ".join(f"{name} {size}" for name, size in cpu["caches"].items()) or NOT_VISIBLE,
        "Hypervisor": cpu["hypervisor"],
        "Memory": f"{seen['memory_bytes'] / 2**30:.1f} GiB; transparent huge pages: {seen['transparent_huge_pages']}",
        "System": f"{seen['distribution']}, {seen['kernel']}",
        "Clock source": seen["clocksource"],
        "Files": f"{io['type']} on {io['device']}, scheduler {io['scheduler']}",
        "Microcode": cpu["microcode"],
        "Frequency governor": cpu["governor"],
        "Turbo disabled": cpu["turbo_disabled"],
        "Simultaneous multithreading": cpu["smt"],
        "Idle driver": cpu["idle_driver"],
        "Idle governor": cpu.get("idle_governor", NOT_VISIBLE),
        "Halt polling": f"{cpu['halt_polling']} ns" if cpu["halt_polling"] != NOT_VISIBLE else NOT_VISIBLE,
        "Runtimes": "; ".join(f"{r['name']}: {r['version']} ({r['vendor']})" for r in info["runtimes"].values()),
        "Libraries": ", ".join(f"{name} {version}" for name, version in info["tools"].items()),
        "Revision and seed": f"{info['git'] or 'unknown'}, {info['seed']}",
        "Fingerprint": fingerprint.identity(seen),
    }
    rows = [[escape(name), escape(str(value))] for name, value in facts.items() if NOT_VISIBLE not in str(value)]
    if hidden := [name.lower() for name, value in facts.items() if NOT_VISIBLE in str(value)]:
        rows.append(["Not visible here", escape(", ".join(hidden))])
    text = "## Host\n\n" + raw(table([], rows, "lab-facts"))
    if cpu["mitigations"]:
        mitigations = [[escape(name), escape(value)] for name, value in cpu["mitigations"].items()]
        folded = f"<details><summary>Mitigations</summary>{table([], mitigations, 'lab-facts')}</details>"
        text += raw(folded)
    return text


def write(bundle: Bundle, pages: list[Page], untested: pd.DataFrame, figures: Path) -> str:
    """The page as MyST Markdown. `untested` has the columns claim, topic and text; `figures`: where files are."""
    found = verdicts(pages)
    counts = Counter(found["verdict"])
    counts["not yet tested"] += len(untested)
    noise, trials = _noise(bundle, pages)
    names = "\n".join(page.entry.name for page in pages)
    parts = [
        "# Mechanical Sympathy Lab\n",
        doubts.banners(bundle),
        _failures(pages),
        _changes(bundle),
        _summary(bundle, pages, trials, counts),
        f"```{{toctree}}\n:hidden:\n\n{names}\n```\n",
        _found(pages),
        "## Experiments\n\n" + noise,
        _claims(bundle.name, found, untested),
        _gallery(pages, figures),
        _host(bundle),
    ]
    return "\n".join(part for part in parts if part)
