"""fleet.yaml: what is in it, and every fault with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from pipeline.fleet import config
from pipeline.ground import paths
from pipeline.ground.errors import LabError

WHOLE = """name: spring
profile: quick
experiments: [lock_scaling]
hosts:
  - {name: alice, ssh: alice.example.org, root: ~/lab, jdks: [/opt/jdk-25]}
  - {name: bob, ssh: bob}
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "fleet.yaml"
    file.write_text(text)
    return file


def test_a_fleet_is_read(tmp_path):
    fleet = config.load(written(tmp_path, WHOLE))
    assert fleet.run("bob") == "spring.bob" and fleet.measured == ["lock_scaling"]
    assert [host.root for host in fleet.hosts] == ["lab", config.ROOT]
    assert paths.PLAIN_NAME.fullmatch(f"{'a' * 29}.{'b' * 29}")


def test_without_experiments_all_are_measured(tmp_path):
    text = "name: spring\nhosts: [{name: bob, ssh: bob}]\n"
    assert len(config.load(written(tmp_path, text)).measured) > 10


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("name: spring", "name: ../x", "fleet.yaml:1: name: '../x' is not a plain name"),
        ("profile: quick", "profile: fast", "fleet.yaml:2: profile: 'fast' is no profile; use one of: smoke"),
        ("[lock_scaling]", "[lock]", "fleet.yaml:3: experiments.0: unknown experiment 'lock'; the catalogue has:"),
        ("ssh: bob", "ssh: -oProxyCommand=x", "fleet.yaml:6: hosts.1.ssh: '-oProxyCommand=x' is no name"),
        ("ssh: bob", "ssh: 'bob x'", "fleet.yaml:6: hosts.1.ssh: 'bob x' is no name of a machine"),
        ("name: bob", "name: alice", "fleet.yaml:6: hosts.1.name: 'alice' is there twice"),
        ("name: bob", "nam: bob", "fleet.yaml:6: hosts.1.name: Field required"),
        ("[/opt/jdk-25]", "[jdk-25]", "fleet.yaml:5: hosts.0.jdks: 'jdk-25' is no absolute path"),
        ("~/lab", "~", "hosts.0.root"),
        ("~/lab", "/", "fleet.yaml:5: hosts.0.root: '/' is no folder of its own"),
        ("hosts:", "host:", "fleet.yaml:4: host: Extra inputs are not permitted"),
        ("name: spring", "name: [", "fleet.yaml:"),
    ],
)
def test_a_fault_is_one_line_with_its_place(tmp_path, before, after, words):
    with pytest.raises(LabError) as error:
        config.load(written(tmp_path, WHOLE.replace(before, after, 1)))
    assert words in str(error.value) and "\n" not in str(error.value)


def test_the_same_machine_and_folder_twice_is_a_fault(tmp_path):
    text = WHOLE + "  - {name: carol, ssh: bob}\n"
    with pytest.raises(LabError, match="fleet.yaml:7: hosts.2.ssh: 'bob' is there twice"):
        config.load(written(tmp_path, text))


def test_no_host_and_no_file(tmp_path):
    with pytest.raises(LabError, match="names no host"):
        config.load(written(tmp_path, "name: spring\n"))
    assert config.load(written(tmp_path, "name: spring\n"), with_hosts=False).hosts == []
    with pytest.raises(LabError, match="no such file; docs/fleet.md"):
        config.load(tmp_path / "absent.yaml")


def test_a_fleet_is_named_by_its_file_or_itself(tmp_path):
    assert config.name_of(str(written(tmp_path, WHOLE))) == "spring" == config.name_of("spring")
    with pytest.raises(LabError, match="no name of a fleet"):
        config.name_of("../spring")


def test_the_example_of_the_document_is_one_and_has_six_lines(tmp_path):
    text = (paths.docs() / "fleet.md").read_text().split("```yaml\nname:")[1].split("```")[0]
    fleet = config.load(written(tmp_path, f"name:{text}"))
    assert len(yaml.safe_dump(fleet.model_dump())) and [host.name for host in fleet.hosts] == ["alice", "bob"]
    assert len(f"name:{text}".strip().splitlines()) == 6
