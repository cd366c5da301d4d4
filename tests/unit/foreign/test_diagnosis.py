"""What nothing reads: what it looks like, and the one thing that would make it readable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laboratory import DATA

from pipeline.foreign import diagnosis, registry
from pipeline.foreign.files import HEAD, File
from pipeline.foreign.reading import Options
from pipeline.ground.errors import LabError

# What is suggested -> the file that it is for.
FOR = {
    "JMH's table": (DATA / "cases" / "jmh_table.txt").read_bytes(),
    "JMH's CSV": (DATA / "cases" / "jmh.csv").read_bytes(),
    "k6 run --out csv": b'{"root_group": {"name": ""}, "metrics": {}}',
    "oha --output-format csv": b'{"summary": {}, "latencyPercentiles": {"p50": 1}}',
    "wrk2 --latency": b"Running 10s test\n  2 threads\nRequests/sec:  500.1\n",
    "benchstat": b"goos: linux\nBenchmarkPut-8   \t 1000\t 1200 ns/op\nPASS\n",
    "--value b --unit us": b"name,b\nput,1\nget,2\n",
    "--value f1 --unit us": b"put,1\nget,2\n",
    "--value latency --unit us": b"id,latency\n1,5\n2,6\n",
    "the unit of its values is not told; give --unit": b"1.5\n2.5\n3\n",
    "the file is empty; measure again": b" \n",
}


def refusal(folder, content: bytes) -> str:
    (folder / "a").write_bytes(content)
    with pytest.raises(LabError, match="^a: ") as error:
        registry.read(File(folder / "a", "a"), Options())
    return str(error.value)


@pytest.mark.parametrize("words", FOR)
def test_a_suggestion_is_made_for_its_file_and_for_no_other(tmp_path, words):
    assert words in refusal(tmp_path, FOR[words])
    others = [other for other in FOR if other != words]
    assert len(others) >= 3
    for other in others:
        assert words not in refusal(tmp_path, FOR[other]), other


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"a": 1, "b": [2]}', "JSON object with the keys a, b"),
        (b'[{"x": 1}, {"x": 2}]', "JSON list of objects with the keys x"),
        (b"[1, 2, 3]", "JSON list of 3 numbers"),
        (b'{"a": 1, "b": ', "JSON object, not whole or long, with the keys a, b"),
        (b"{", "JSON object, not whole"),
        (b"\x7fELF\0\0", "no text"),
        (b"hello, world\nfoo, bar\n", "text, 2 rows, that begins 'hello, world'"),
        (b"hello there\nyou\n", "text, 2 rows, that begins 'hello there'"),
    ],
)
def test_what_a_file_looks_like(tmp_path, content, says):
    assert f"but {says}; name it with --format" in refusal(tmp_path, content)


def test_numbers_side_by_side_need_commas_and_with_them_a_column_is_read(tmp_path):
    says = "text, 2 rows of 2 numbers; put commas between them and name a column, as --value f1"
    assert refusal(tmp_path, b"1 2\n3 4\n").endswith(says)
    file = tmp_path / "two.csv"
    file.write_bytes(b"1,2\n3,4\n")
    _, found = registry.read(File(file, "two.csv"), Options(value="f1", unit="ns"))
    assert len(found.things) == 1


def test_rows_of_a_file_that_is_longer_than_its_head_are_not_counted():
    assert diagnosis.described(b"3 4\n" * (HEAD // 4)) == "text, rows of 2 numbers"
    assert diagnosis.described(b"7\n" * 3000) == "text, 3,000 rows of one number"


@given(st.binary(max_size=200))
def test_any_bytes_look_like_something(head):
    told = diagnosis.described(head)
    assert told and "\n" not in told and told.isprintable()
