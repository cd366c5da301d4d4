"""The catalogue as it was checked is what a command reads, until an entry or the code that checks it is new."""

from __future__ import annotations

import json

import pytest
from laboratory import TINY

from pipeline.catalogue import catalogue, catalogue_cache, check
from pipeline.catalogue.claims import Region
from pipeline.catalogue.declared import plain
from pipeline.catalogue.profile import Sweep
from pipeline.ground import digest, paths
from pipeline.ground.errors import LabError

ENTRIES = list(catalogue.load().values())


@pytest.fixture
def looked(lab, monkeypatch) -> list:
    """The folders whose YAML was checked."""
    seen, entries = [], check.entries
    monkeypatch.setattr(check, "entries", lambda folder: seen.append(folder) or entries(folder))
    return seen


def load():
    return catalogue.load.__wrapped__()


def test_what_was_checked_once_is_not_checked_again(lab, looked):
    first = load()
    assert load() == first and list(first) == ["lock_scaling"] and looked == [lab / "catalogue"]


def test_an_entry_a_claim_or_code_that_is_new_is_checked(lab, looked, monkeypatch, tmp_path):
    load()
    (lab / "catalogue" / "lock_scaling.yaml").write_text(TINY.replace("title: Tiny", "title: Other"))
    assert load()["lock_scaling"].title == "Other"
    (lab / "catalogue" / "claims").mkdir()
    rules = lab / "catalogue" / "claims" / "lock_scaling.yaml"
    rules.write_text("{}")
    load()
    rules.write_text("T1: {effects: []}")
    assert list(load()["lock_scaling"].claims) == ["T1"] and len(looked) == 4
    (tmp_path / "new.py").write_text("")
    monkeypatch.setattr(digest, "code", lambda *rooms: [tmp_path / "new.py"])
    load(), load()
    assert len(looked) == 5


@pytest.mark.parametrize("content", [b"", b"x", b"\n", None])
def test_a_damaged_file_is_made_again(lab, looked, content):
    first = load()
    file = lab / "build" / catalogue_cache.FILE
    whole = file.read_bytes()
    file.write_bytes(whole[:-9] if content is None else content)
    assert load() == first and file.read_bytes() == whole and len(looked) == 2


def test_where_it_cannot_be_kept_it_is_checked_each_time(lab, looked):
    (lab / "build").write_text("no folder")
    assert load() == load() and len(looked) == 2


def test_a_malformed_entry_is_told_each_time(lab):
    (lab / "catalogue" / "lock_scaling.yaml").write_text(TINY.replace("number: 1", "number: one"))
    for _ in range(2):
        with pytest.raises(LabError, match=r"lock_scaling.yaml:3: number: "):
            load()


def test_a_checked_catalogue_takes_the_place_of_the_yaml(lab, looked):
    entries = load()
    (lab / "catalogue" / "lock_scaling.yaml").unlink()
    catalogue_cache.write(lab / "catalogue", entries, "")
    assert load() == entries and len(looked) == 1
    (lab / "catalogue" / catalogue_cache.FILE).write_bytes(b"x")
    with pytest.raises(LabError, match="is damaged; unpack the parcel again"):
        load()


def test_a_checked_catalogue_hides_no_yaml(lab):
    catalogue_cache.write(lab / "catalogue", {}, "")
    assert list(load()) == ["lock_scaling"]


def test_the_checked_catalogue_is_what_the_yaml_says():
    assert check.entries(paths.catalogue()) == {one.name: one for one in ENTRIES}


@pytest.mark.parametrize("with_defaults", [True, False])
def test_what_is_written_of_an_entry_is_read_as_it_was(with_defaults):
    for one in ENTRIES:
        assert check.experiment(json.loads(json.dumps(plain(one, with_defaults)))) == one


def test_what_is_declared_has_the_fields_of_its_type():
    with pytest.raises(TypeError, match="Sweep needs variants"):
        Sweep(axes={})
    with pytest.raises(TypeError, match="Region has no lo$"):
        Region(lo=1)
    with pytest.raises(ValueError, match="a region needs a bound"):
        Region()
    with pytest.raises(AttributeError):
        Region(low=1).low = 2
    one, other = Sweep(variants=[]), Sweep(variants=[])
    assert one == other and one.axes is not other.axes
    assert plain(Region(low=1), with_defaults=False) == Region(low=1).bounds == {"low": 1}
