"""Checks one trial against the contract: `check_trial.py STDOUT LOG VARIANT THREADS ITERATIONS SAMPLE_EVERY`.

Decodes the log with the standard library alone, so that it shares no code with the harness.
"""

import base64
import json
import struct
import sys
import zlib


def counts(encoded):
    """Bucket counts of a compressed V2 histogram."""
    packed = base64.b64decode(encoded, validate=True)
    cookie, length = struct.unpack(">II", packed[:8])
    assert cookie == 0x1C849314 and length == len(packed) - 8
    plain = zlib.decompress(packed[8:])
    cookie, length, offset, digits, lowest, highest, ratio = struct.unpack(">IIIIqqd", plain[:40])
    assert (cookie, length, offset) == (0x1C849313, len(plain) - 40, 0)
    assert (digits, lowest, highest, ratio) == (3, 1, 3_600_000_000_000, 1.0)
    found, at = [], 40
    while at < len(plain):
        word = shift = 0
        while True:
            byte = plain[at]
            at += 1
            word |= (byte if shift == 56 else byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 or shift == 63:
                break
        value = word >> 1 ^ -(word & 1)
        found.extend([0] * -value if value < 0 else [value])
    return found


def main(stdout, log, variant, threads, iterations, sample_every):
    trial = json.loads(open(stdout).read().splitlines()[-1])
    assert list(trial) == [
        "experiment",
        "variant",
        "harness",
        "parameters",
        "runtime",
        "clock",
        "pinning",
        "run_delay",
        "readings",
        "iterations",
        "measures",
        "checks",
    ]
    assert trial["harness"] == "c" and trial["variant"] == variant
    assert trial["runtime"]["flags"] and "-O3" in trial["runtime"]["flags"]
    rows = trial["iterations"]
    expected = [(i, f"t{t}") for i in range(iterations) for t in range(threads)]
    assert list(zip(rows["iteration"], rows["series"], strict=True)) == expected
    assert all(
        phase == ("measured" if i else "warmup") for i, phase in zip(rows["iteration"], rows["phase"], strict=True)
    )
    assert all(elapsed > 0 for elapsed in rows["elapsed_ns"])

    assert trial["readings"] is None, "its workers have no CPUs of their own"

    lines = open(log).read().splitlines()
    assert lines[0] == "#[Histogram log format version 1.3]"
    assert lines[1].startswith("#[StartTime: ") and "(seconds since epoch)" in lines[1]
    assert lines[2].startswith('"StartTimestamp","Interval_Length"')
    assert len(lines) - 3 == len(expected)
    for line, series, operations in zip(lines[3:], rows["series"], rows["operations"], strict=True):
        tag, _start, _length, _max, encoded = line.split(",")
        assert tag == f"Tag={series}"
        # The clock is read once in so many operations, and none of them is timed.
        assert sum(counts(encoded)) == 0 < operations and operations % sample_every == 0

    measures = trial["measures"]
    assert len({len(column) for column in measures.values()}) == 1
    named = list(zip(measures["iteration"], measures["name"], strict=True))
    for name in ("clock_read", "context_switches_voluntary", "context_switches_involuntary"):
        assert named.count((-1, name)) == 1, name
    for i in range(iterations):
        assert named.count((i, "gini")) == 1
    assert not {"owner_runs", "window_operations", "log_cost"} & set(measures["name"]), "nothing was logged"

    (check,) = trial["checks"]
    assert check["name"] == "counter equals increments"
    assert check["expected"] == str(sum(rows["operations"]))
    assert check["passed"] == (check["expected"] == check["actual"])
    assert check["passed"] == (variant != "broken")


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))
