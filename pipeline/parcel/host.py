"""The command line of an unpacked parcel: `./measure` and `./doctor`; a fault is one line and an exit status
(`pipeline.parcel.unpacking.HELP`)."""

from __future__ import annotations

import argparse
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
    asked = _parser(command).parse_args(given)
    told = origin.told()
    if platform.machine() != told["architecture"]:
        here = platform.machine()
        raise LabError(f"this parcel is for {told['architecture']}, and this host is {here}", NO_RESOURCES)
    if command == "doctor":
        from pipeline.parcel import lacking

        for line in lacking.lines(asked.profile):
            _say(line)
        return 0
    from pipeline.parcel import measuring

    chosen = list(dict.fromkeys(one.strip() for one in asked.experiments.split(",") if one.strip()))
    return measuring.run(asked.run or asked.profile, asked.profile, chosen, _say)


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
