"""The command line of an unpacked parcel: `./measure`, `./doctor`, and for a coordinator `./fleet hello` and `./fleet
work`; a fault is one line and an exit status (`pipeline.parcel.unpacking.HELP`)."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from typing import NoReturn

from pipeline.catalogue.profile import PROFILES
from pipeline.ground import origin
from pipeline.ground.errors import INTERRUPTED, NO_RESOURCES, LabError, of_system


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise LabError(f"{message}; see: ./{self.prog} --help")


def _parser(command: str) -> _Parser:
    about = "Measure here, or go on, and write RUN.lab." if command == "measure" else "Say what this host lacks."
    parser = _Parser(prog=command, description=about)
    parser.add_argument("--profile", choices=PROFILES, default="quick", help="how much is measured (default: quick)")
    if command == "measure":
        parser.add_argument("--experiments", default="", metavar="A,B", help="only these; default: all")
        parser.add_argument("--run", default="", metavar="NAME", help="of the run; default: the profile")
    return parser


def _say(words: str) -> None:
    print(words, flush=True)


def _done(words: Sequence[str]) -> int:
    command, *given = words or ["measure"]
    if command == "fleet":
        return _for_fleet(given)
    asked = _parser(command).parse_args(given)
    _check_architecture()
    if command == "doctor":
        from pipeline.parcel import doctor

        for line in doctor.lines(asked.profile):
            _say(line)
        return 0
    from pipeline.parcel import measuring

    chosen = list(dict.fromkeys(one.strip() for one in asked.experiments.split(",") if one.strip()))
    return measuring.run(asked.run or asked.profile, asked.profile, chosen, _say)


def _for_fleet(words: Sequence[str]) -> int:
    """What `lab fleet` asks of a host: `hello`, or `work RUN PROFILE A,B` (docs/fleet.md)."""
    _check_architecture()
    if list(words) == ["hello"]:
        from pipeline.parcel import hello

        _say(json.dumps(hello.facts()))
        return 0
    if len(words) != 4 or words[0] != "work":
        raise LabError("./fleet is started by `lab fleet run` at home; see docs/fleet.md")
    from pipeline.parcel import worker
    from pipeline.parcel.coordinator import Coordinator

    worker.answer(words[1], words[2], words[3].split(","), Coordinator())
    return 0


def _check_architecture() -> None:
    made_for, here = origin.told()["architecture"], platform.machine()
    if here != made_for:
        raise LabError(f"this parcel is for {made_for}, and this host is {here}", NO_RESOURCES)


def main(words: Sequence[str]) -> int:
    """Do what a command line says; the exit status."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    try:
        return _done(words)
    except LabError as error:
        message, status = str(error), error.status
    except OSError as error:
        message, status = of_system(error), NO_RESOURCES
    except KeyboardInterrupt:
        message, status = "interrupted; the same command continues where it stopped", INTERRUPTED
    print(f"lab: {' '.join(message.split())}", file=sys.stderr)
    return status
