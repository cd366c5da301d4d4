"""What a coordinator does when something fails: its hosts are scripts of a shell that say what a test writes."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest
from living import PATIENCE_S
from publish_toy import HOST, trial
from rich.console import Console

from pipeline.bundle import bundle, content_id, single_file
from pipeline.bundle.bundle import Bundle
from pipeline.fleet import config, connection, coordinate, gather
from pipeline.fleet import run as running
from pipeline.fleet.config import Fleet, Host
from pipeline.fleet.rows import Rows
from pipeline.ground import digest, paths
from pipeline.host.runtimes import Runtime
from pipeline.measure.adaptive_sampling import Open, Wanted
from pipeline.parcel import coordinator

DONE = {"status": 0, "why": "", "failed": {}, "before": 0, "trials": 0, "file": ""}


@pytest.fixture
def there(lab, monkeypatch) -> dict:
    """What a host that measured says: a run of one trial, whose file lies in `lab`."""
    monkeypatch.setattr(bundle, "git_revision", lambda: "")
    monkeypatch.setattr(running, "RETRIES", 2)
    monkeypatch.setattr(running, "PATIENCE_S", 0.0)
    monkeypatch.setattr(running, "LONGEST_S", 0.05)
    made = Bundle.create(lab / "f.x", "smoke", 7, {"c": Runtime("c", "cc 12", "C")}, HOST)
    made.append(trial(1, 1, experiment="lock_scaling", variant="mutex", axes={"threads": 1}))
    file = single_file.write(made, lab / "f.lab")
    sums = {"id": content_id.content_id(made), "sha256": digest.large(file)}
    return {**DONE, "trials": 1, "file": "f.lab", **sums}


def told(*lines: Mapping) -> str:
    """A script that says these."""
    return "\n".join(f"echo {shlex.quote(json.dumps(one))}" for one in lines)


class Hosts:
    """Hosts whose `./fleet work` is the script of their name, and whose `cat` is `cats`, by name the file's path."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, lab: Path, **scripts: str) -> None:
        self.scripts, self.lab, self.fetched = scripts, lab, []
        self.cut: dict[str, int] = {}  # so often what a host sends is damaged
        monkeypatch.setattr(connection, "in_parcel", lambda host, *words: ["sh", "-c", self.scripts[host.name]])
        monkeypatch.setattr(connection, "remote", self.remote)
        self.stopping: asyncio.Event
        members = [Host(name=name, ssh=name) for name in scripts]
        self.fleet = Fleet(name="f", profile="smoke", hosts=members)
        self.rows = Rows(list(scripts), Console(quiet=True), False)

    def remote(self, host: Host, text: str) -> list[str]:
        self.fetched.append(host.name)
        cut = self.cut.get(host.name, 0) >= self.fetched.count(host.name)
        return ["sh", "-c", f"head -c {700 if cut else 10**9} {self.lab}/f.lab"]

    def measured(self, stop_when: str = "") -> int:
        """The exit status; stop_when: a file, at which Ctrl-C is pressed."""

        async def whole() -> int:
            stopping = asyncio.Event()
            measuring = asyncio.create_task(running.Run(self.fleet, self.rows, stopping).measured(self.fleet.hosts))
            while stop_when and not (self.lab / stop_when).exists():
                await asyncio.sleep(0.01)
            if stop_when:
                stopping.set()
            return await measuring

        return asyncio.run(asyncio.wait_for(whole(), PATIENCE_S))


def test_what_hosts_measured_comes_home_as_it_was(lab, monkeypatch, there):
    hosts = Hosts(monkeypatch, lab, **dict.fromkeys("abc", told({"trials": 1}, {"ended": there})))
    assert hosts.measured() == 0 and {row.state for row in hosts.rows.rows.values()} == {"measured"}
    for name in "abc":
        assert Bundle.open(f"f.{name}").journal() == Bundle(lab / "f.x", {}).journal()
    assert not list(paths.runs().glob(".*"))
    assert hosts.measured() == 0 and sorted(hosts.fetched) == ["a", "b", "c"]  # once: it is here


def test_what_dies_is_started_again_and_told(lab, monkeypatch, there):
    dies_once = f"if mkdir {lab}/died; then {told({'trials': 1, 'before': 0})}; exit 137; fi\n"
    hosts = Hosts(monkeypatch, lab, a=dies_once + told({"trials": 2, "before": 1}, {"ended": there}))
    assert hosts.measured() == 0
    row = hosts.rows.rows["a"]
    assert row.deaths == 1 and row.resumed == [1] and row.state == "measured"


def test_a_host_that_is_gone_for_good_leaves_the_others_alone(lab, monkeypatch, there):
    gone = told({"trials": 37, "planned": 80, "left_s": 9}) + "\necho 'ssh: Connection refused' >&2; exit 255"
    hosts = Hosts(monkeypatch, lab, a=gone, b=told({"ended": there}))
    assert hosts.measured() == 1
    assert hosts.rows.rows["b"].state == "measured" and hosts.rows.rows["a"].state == "not measured"
    assert "after trial 37 of 80 (ssh: Connection refused)" in hosts.rows.rows["a"].note
    assert hosts.rows.rows["a"].deaths == 3  # each time after it had said something


def test_a_host_that_never_speaks_is_given_up_with_its_last_words(lab, monkeypatch, there):
    hosts = Hosts(monkeypatch, lab, a="echo motd; echo 'kex: lost' >&2; exit 255", b="exit 7")
    assert hosts.measured() == 1
    assert "kex: lost" in hosts.rows.rows["a"].note and hosts.rows.rows["a"].deaths == 0
    assert "it ended with status 7" in hosts.rows.rows["b"].note


def test_damaged_once_is_fetched_again_and_damaged_twice_is_said(lab, monkeypatch, there):
    hosts = Hosts(monkeypatch, lab, a=told({"ended": there}), b=told({"ended": there}))
    hosts.cut = {"a": 1, "b": 2}
    assert hosts.measured() == 4 and sorted(hosts.fetched) == ["a", "a", "b", "b"]
    assert hosts.rows.rows["a"].state == "measured" and paths.bundle("f.a").exists()
    assert hosts.rows.rows["b"].line().startswith("b: not measured, f.lab arrived damaged")
    assert not paths.bundle("f.b").exists() and not list(paths.runs().glob(".*"))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"status": 5, "why": "/x/journal.jsonl: No space left on device"}, "No space left on device"),
        ({"status": 5, "why": "no JDK 17 or later found; install one"}, "no JDK 17 or later found"),
        ({"failed": {"dispatch": "needs a JDK"}}, "dispatch: needs a JDK"),
    ],
)
def test_a_host_that_cannot_says_why_and_others_go_on(lab, monkeypatch, there, answer, words):
    hosts = Hosts(monkeypatch, lab, a=told({"ended": DONE | answer}), b=told({"ended": there}))
    assert hosts.measured() == 1
    assert words in hosts.rows.rows["a"].note and hosts.rows.rows["b"].state == "measured"


def test_ctrl_c_ends_in_order_and_gathers(lab, monkeypatch, there):
    waits = f'touch {lab}/begun; while read -r line; do [ "$line" = \'{{"stop": true}}\' ] && break; done\n'
    interrupted = there | {"status": 130, "why": "interrupted"}
    hosts = Hosts(monkeypatch, lab, a=waits + told({"ended": interrupted}))
    assert hosts.measured(stop_when="begun") == 130
    assert paths.bundle("f.a").exists() and hosts.rows.rows["a"].note == "interrupted"


def test_a_host_that_does_not_stop_is_left(lab, monkeypatch, there):
    monkeypatch.setattr(running, "STOP_S", 0.05)
    hosts = Hosts(monkeypatch, lab, a=f"touch {lab}/begun; exec sleep 600")
    assert hosts.measured(stop_when="begun") == 130 and "interrupted" in hosts.rows.rows["a"].note


def test_ctrl_c_while_a_connection_is_waited_for_ends_at_once(lab, monkeypatch, there):
    monkeypatch.setattr(running, "LONGEST_S", 600.0)
    monkeypatch.setattr(running, "PATIENCE_S", 600.0)
    hosts = Hosts(monkeypatch, lab, a=f"touch {lab}/begun; exit 255")
    assert hosts.measured(stop_when="begun") == 130


def test_what_a_host_asks_is_answered_by_what_is_here(lab, monkeypatch, there):
    """Its run is fetched before, so that what is known of it is known here."""
    wanted, asked = Wanted((Open("C01", "", "lock_scaling", (0.5,), frozenset({"k"})),)), []

    def looked(of: Bundle, entries, claims) -> Wanted:
        asked.append((of.name, len(of.journal()), [one.name for one in entries]))
        return wanted

    monkeypatch.setattr(running.sampling_targets, "wanted", looked)
    keeps = f"read -r line; printf '%s' \"$line\" > {lab}/answer\n"
    hosts = Hosts(monkeypatch, lab, a=told({"asks": "wanted"} | there) + "\n" + keeps + told({"ended": there}))
    assert hosts.measured() == 0
    assert coordinator.decoded(json.loads((lab / "answer").read_text())["wanted"]) == wanted
    assert asked == [("f.a", 1, ["lock_scaling"])]


def test_a_host_hears_that_somebody_is_there(lab, monkeypatch, there):
    monkeypatch.setattr(connection, "BEAT_S", 0.01)
    hosts = Hosts(monkeypatch, lab, a="read -r one; read -r two\n" + told({"ended": there}))
    assert hosts.measured() == 0


def test_what_was_known_of_a_host_is_kept_when_the_command_is_repeated(lab, monkeypatch):
    for deaths, resumed in ((2, [37]), (0, []), (1, [50])):
        hosts = Hosts(monkeypatch, lab, a="")
        hosts.rows.rows["a"].deaths, hosts.rows.rows["a"].resumed = deaths, resumed
        coordinate.remember(hosts.fleet, hosts.rows, [])
    known = gather.remembered(config.state_file("f"))["hosts"]["a"]
    assert (known["deaths"], known["resumed"]) == (3, [37, 50])
