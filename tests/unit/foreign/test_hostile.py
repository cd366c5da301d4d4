"""Files that were damaged, or made to do harm: one line each, or a right answer."""

from __future__ import annotations

import json
import random
import re

import pytest
from laboratory import DATA
from own_files import hlog, records

from pipeline.foreign import registry
from pipeline.foreign.files import File
from pipeline.foreign.names import LONGEST, shown
from pipeline.foreign.reading import Options
from pipeline.ground.errors import LabError

OWN = DATA / "own"
SEEDS = [OWN / "jhiccup.hlog", OWN / "tagged-non-monotonic.hlog", OWN / "wrk2.txt", OWN / "fio_plus.json"]
QUICK, THOROUGH = 60, 2_000
WORDS = [b"1e400", b"-1", b"NaN", b"\x1b[2J", b"<script>", b"9" * 400, b"\x00", b"../..", b"\n\n"]
WORDS += [b"[" * 3000, b'{"a":' * 2000]


def mutated(raw: bytes, chance: random.Random) -> bytes:
    data = bytearray(raw)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) or 1)
        what = chance.randrange(5)
        if what == 0 and data:
            data[at] = chance.randrange(256)
        elif what == 1:
            del data[at : at + chance.randint(1, 200)]
        elif what == 2:
            del data[at:]
        elif what == 3:
            data[at:at] = chance.choice(WORDS)
        else:
            data[at:at] = data[at : at + chance.randint(1, 400)]
    return bytes(data)


def tried(path, raw: bytes, name: str) -> None:
    path.write_bytes(raw)
    try:
        _, found = registry.read(File(path, "fuzzed"), Options(unit="ns" if name == "hlog" else ""), name)
    except LabError as error:
        told = str(error)
        assert told and "\n" not in told and told.isprintable() and len(told) < 600
        return
    assert found.things
    for thing in found.things:
        assert thing.name.isprintable() and len(thing.name) <= LONGEST + 20
        for window in found.windows.get(thing, ()):
            assert (window.counts.count > 0).all() and (window.counts.width > 0).all()


def corpus(tmp_path) -> list[tuple[bytes, str]]:
    told = {"benchmark": "a.B.c", "mode": "avgt", "threads": 1, "params": {"n": "1"}}
    told["primaryMetric"] = {"score": 2.0, "scoreError": "NaN", "scoreUnit": "us/op", "rawData": [[1.0, 3.0]]}
    rows = "timeStamp,elapsed,label,success\n" + "".join(f"{at},{at % 9},x,true\n" for at in range(50))
    formats = [(one.read_bytes(), "") for one in SEEDS]
    formats.append((hlog(tmp_path / "a.hlog", records(1, 5)).read_bytes(), ""))
    return [*formats, (json.dumps([told]).encode(), ""), (rows.encode(), "")]


def several(tmp_path, number: int, seed: int) -> None:
    chance = random.Random(seed)
    for raw, _ in corpus(tmp_path):
        name = next(one.name for one in registry.FORMATS.values() if one.recognises(raw[: 1 << 16]))
        for _ in range(number):
            tried(tmp_path / "fuzzed", mutated(raw, chance), name)


def test_mutated_files_are_one_line_or_a_right_answer(tmp_path):
    several(tmp_path, QUICK, 1)


@pytest.mark.thorough
def test_many_mutated_files(tmp_path):
    several(tmp_path, THOROUGH, 2)


@pytest.mark.parametrize(
    "name", ["\x1b[31mred\x1b[0m", "<b>bold</b>", "../../etc/passwd", "a\nb", "x" * 10_000, "$\\frac{1}{2}$", "‮evil"]
)
def test_names_out_of_files_are_data(name):
    told = shown(name)
    assert len(told) <= LONGEST and "\x1b" not in told and "\n" not in told and "$" not in told
    assert told.isprintable()


def test_a_tag_that_commands_a_terminal_is_plain_text(tmp_path):
    path = hlog(tmp_path / "a.hlog", records(1, 3, tags=("A",)))
    path.write_text(path.read_text().replace("Tag=A", "Tag=\x1b[2J\x07<script>"))
    _, found = registry.read(File(path, "a"), Options())
    assert re.fullmatch(r"\[2J\s*<script>", found.things[0].name.strip())


def test_a_bomb_of_gzip_is_not_unpacked(tmp_path):
    import gzip

    path = tmp_path / "bomb.json"
    with gzip.open(path, "wb") as out:
        out.write(b'[{"benchmark": "a", "mode": "avgt"},')
        for _ in range(300):
            out.write(b" " * (1 << 20))
    with pytest.raises(LabError, match="larger than 256 MiB"):
        registry.read(File(path, "bomb.json"), Options())
