"""Archives that are given as files: a line says what they hold and what to do, and damaged ones are no traceback."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from laboratory import DATA

from pipeline.foreign import registry
from pipeline.foreign.files import File
from pipeline.foreign.names import listed
from pipeline.foreign.reading import Options
from pipeline.ground.errors import LabError

CASES = DATA / "cases"
RUN = ["web/run.json", "web/journal.jsonl", "web/raw/own/0001.hlog"]
MODES = {"tar": "w", "tar.gz": "w:gz", "tgz": "w:gz", "tar.bz2": "w:bz2", "tar.xz": "w:xz"}


def tar(path: Path, names: list[str], mode: str = "w", form: int = tarfile.PAX_FORMAT) -> Path:
    with tarfile.open(path, mode, format=form) as made:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = 700
            made.addfile(member, io.BytesIO(b"x" * 700))
    return path


def zipped(path: Path, names: list[str]) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name in names:
            made.writestr(name, "x")
    return path


def refusal(path: Path, **options) -> LabError:
    with pytest.raises(LabError, match="^[^\n]*$") as error:
        registry.read(File(path, path.name), Options(**options))
    return error.value


@pytest.mark.parametrize("ending", [*MODES, "zip"])
def test_an_archive_says_what_it_holds_and_to_unpack_it(tmp_path, ending):
    path, names = tmp_path / f"a.{ending}", ["old/a.hlog", "old/b.hlog", "new/a.hlog", "new/b.hlog"]
    zipped(path, names) if ending == "zip" else tar(path, names, MODES[ending])
    kind = "zip" if ending == "zip" else "tar"
    words = (
        f"a.{ending}: a {kind} that holds old/a.hlog, old/b.hlog, new/a.hlog and 1 more; unpack it and give its files"
    )
    assert str(refusal(path)) == words
    assert str(refusal(path, value="latency")) == words, "whatever is asked of it"


@pytest.mark.parametrize("above", ["", "./", "data/runs/"])
@pytest.mark.parametrize("ending", ["tar", "tar.gz", "zip"])
def test_the_folder_of_a_run_is_unpacked_where_runs_are(tmp_path, ending, above):
    path, names = tmp_path / f"a.{ending}", [above + name for name in RUN]
    zipped(path, names) if ending == "zip" else tar(path, names, MODES[ending])
    told = str(refusal(path))
    assert "of the folder of run web; unpack it so that data/runs/web/run.json is there" in told


def test_the_inside_of_a_run_s_folder_has_no_name(tmp_path):
    told = str(refusal(tar(tmp_path / "a.tar", [name.replace("web/", "./") for name in RUN])))
    assert "a tar of what is in the folder of a run; unpack it into data/runs/NAME" in told


def test_several_runs_are_named(tmp_path):
    told = refusal(tar(tmp_path / "a.tar", [*RUN, *(name.replace("web", "db") for name in RUN)]))
    assert "of the folder of runs web, db; unpack it so that data/runs/web/run.json is there" in str(told)


def test_what_lab_share_writes_is_to_be_given_alone(tmp_path):
    told = refusal(tar(tmp_path / "lab.tgz", ["run.json", "journal.jsonl.tar.xz", "own.tar.xz"], "w:gz"))
    assert "as lab share writes it; give it without a group, alone: lab import FILE" in str(told)


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_and_every_kind_of_tar(tmp_path, form):
    long = f"{'f' * 90}/{'g' * 60}"
    told = str(refusal(tar(tmp_path / "a.tar", [long, "ä.hlog"], form=form)))
    assert "f" * 80 in told and ".hlog; unpack it" in told


def test_one_more_name_is_one_more():
    assert listed(["a", "b", "c"], 2) == "a, b and 1 more" and listed(map(str, range(1009)), 1) == "0 and 1,008 more"


def test_an_archive_without_a_file(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as made:
        folder = tarfile.TarInfo("empty")
        folder.type = tarfile.DIRTYPE
        made.addfile(folder)
    assert "a tar that holds no file; pack it again" in str(refusal(tmp_path / "a.tar"))


def test_one_packed_file_is_no_archive(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress((CASES / "numbers.txt").read_bytes()))
    assert registry.read(File(tmp_path / "a.gz", "a.gz"), Options(unit="ms"))[0].name == "csv"


def test_a_cut_archive_is_a_line(tmp_path):
    for path in (tar(tmp_path / "a.tgz", RUN, "w:gz"), zipped(tmp_path / "a.zip", RUN)):
        path.write_bytes(path.read_bytes()[:-30])
        assert refusal(path).status == 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("archives")


@given(st.integers(0, 1535), st.integers(0, 255), st.sampled_from(["a.tar", "a.zip"]))
@example(124, 0x80, "a.tar")  # a size that is no octal number
@example(2, 0x2D, "a.zip")
def test_a_damaged_archive_is_no_traceback(folder, at, byte, name):
    whole = tar(folder / "whole", RUN) if name == "a.tar" else zipped(folder / "whole", RUN)
    content = bytearray(whole.read_bytes())
    content[at % len(content)] = byte
    (folder / name).write_bytes(content)
    refusal(folder / name)
