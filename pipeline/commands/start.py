"""Where `lab` begins: with the loops that every x86-64 has, before any library that computes is loaded."""

from __future__ import annotations

from pipeline.ground import arithmetic, garbage


def main() -> None:
    """Run the command line (`pipeline.commands.cli`) in a process with fixed arithmetic."""
    arithmetic.begin_again()
    from pipeline.commands import cli

    garbage.seldom()
    cli.main()
