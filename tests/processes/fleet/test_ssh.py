"""Three hosts behind a real OpenSSH server on the loopback, with keys and a port of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import fleet_hosts
import kills
import pytest
from laboratory import PROGRAM
from living import PATIENCE_S, until

from pipeline.bundle import journal

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
CLOSED = 1  # a port that nobody listens on
SERVER = """Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PidFile none
"""
USER = """Host *.test
  HostName 127.0.0.1
  Port {port}
  IdentityFile {folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  GlobalKnownHostsFile none
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Path]:
    """A folder whose `ssh` reaches `NAME.test`, this machine, through a server that only this test has."""
    if not SSHD or not shutil.which("ssh-keygen"):
        pytest.skip("there is no sshd; install it to try the fleet over it (Debian: openssh-server)")
    folder = tmp_path / "ssh"
    folder.mkdir()
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    (folder / "server").write_text(SERVER.format(port=port, folder=folder))
    (folder / "config").write_text(USER.format(port=port, folder=folder))
    key = (folder / "host.pub").read_text().split()
    (folder / "known").write_text(f"[127.0.0.1]:{port} {key[0]} {key[1]}\n")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    serving = subprocess.Popen([SSHD, "-D", "-e", "-f", folder / "server"], stderr=(folder / "log").open("wb"))
    try:
        for _ in range(100):
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield folder
    finally:
        serving.terminate()
        serving.wait()


@pytest.fixture(scope="module")
def parcel(tmp_path_factory) -> Path:
    return fleet_hosts.parcel(tmp_path_factory.mktemp("home"), iteration_ms=20)


def coordinator(place: Path, server: Path, file: Path) -> dict[str, str]:
    """The environment of a coordinator whose `ssh` reads the test's configuration."""
    environment = fleet_hosts.environment(place / "here", fleet_hosts.catalogue_of(file))
    wrapper = place / "here" / "bin" / "ssh"
    wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {server}/config "$@"\n')
    return environment


@pytest.mark.prove
def test_three_hosts_one_killed_in_the_middle_next_to_one_that_is_not_reached_and_one_without_its_jdk(
    tmp_path: Path, server: Path, parcel: Path
):
    roots = [fleet_hosts.host(tmp_path / name, parcel) for name in kills.NAMES]
    without = fleet_hosts.host(tmp_path / "without", parcel)
    file = fleet_hosts.fleet(tmp_path / "fleet.yaml", [*roots, tmp_path / "away", without])
    (server / "config").write_text(f"Host away.test\n  Port {CLOSED}\n{(server / 'config').read_text()}")
    file.write_text(file.read_text().replace("without'}", "without', jdks: [/opt/none]}"))
    environment = coordinator(tmp_path, server, parcel)
    command = [*PROGRAM, "fleet", "run", "fleet.yaml"]
    running = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    lines = fleet_hosts.runs(roots[1]) / "toys.bob" / journal.FILE
    try:
        enough = lambda: lines.exists() and lines.read_bytes().count(b'"trial"') >= 3  # noqa: E731
        assert until(lambda: running.poll() is not None or enough()) and enough(), running.communicate()
        for pid in fleet_hosts.working(roots[1]):
            os.kill(pid, signal.SIGKILL)
        told, _ = running.communicate(timeout=PATIENCE_S)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 1, told
    for root in roots:
        kills.check(tmp_path, root)
    (away,) = (line for line in told.splitlines() if line.startswith("away:"))
    assert away.startswith("away: not measured, not reached: ") and away.endswith("Connection refused")
    assert "without: not measured, LAB_JDKS: /opt/none is not the home of a JDK 17 or later; correct" in told
    assert "bob: measured" in told and "resumed after trial" in told
    assert "resumed" not in "".join(line for line in told.splitlines() if not line.startswith("bob"))
    assert not any(fleet_hosts.working(root) for root in roots)


def test_a_key_that_is_not_known_is_one_line(tmp_path: Path, server: Path, parcel: Path):
    fleet_hosts.fleet(tmp_path / "fleet.yaml", [fleet_hosts.host(tmp_path / "one", parcel)])
    (server / "known").write_text("")
    told = subprocess.run(
        [*PROGRAM, "fleet", "run"],
        cwd=tmp_path,
        env=coordinator(tmp_path, server, parcel),
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 5 and "one: not reached: Host key verification failed" in told.stderr, told.stderr
    assert len(told.stderr.splitlines()) == 1
