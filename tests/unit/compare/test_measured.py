"""What a trial was asked to do, from its command lines."""

from __future__ import annotations

from pipeline.compare.measured import FLAG, parameters

JAVA = ["{jdk17}", "-XX:+UseSerialGC", "-Dlab.native=build/lib.so", "-jar", "lab.jar", "pause"]
PART = ["{c}", "clock", "--variant", "sleeper", "--warmup", "4", "--part", "1/2", "--out", "raw/x-b01.control.hlog"]
OWN = ["--variant", "paced", "--period-us", "10", "--out", "raw/x-b01.hlog"]


def test_parameters_are_options_and_flags_of_every_part_without_places():
    line = {"experiment": "pause", "command": [*JAVA, *OWN], "parts": {"control": {"command": PART}}}
    own = (f"{FLAG}-XX:+UseSerialGC", "--variant paced", "--period-us 10")
    assert parameters(line) == (*own, "--variant sleeper", "--warmup 4", "--part 1/2")
    assert parameters({"experiment": "pause", "command": [*JAVA, *OWN]}) == own


def test_another_block_of_a_configuration_has_the_same_parameters():
    blocks = [
        {"command": OWN, "parts": {"control": {"command": [*PART[:-1], f"raw/x-b0{block}.hlog"]}}} for block in "12"
    ]
    assert parameters(blocks[0]) == parameters(blocks[1])
